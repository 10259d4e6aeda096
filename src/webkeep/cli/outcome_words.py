"""What became of URLs, in words that stand behind their number: `5 refused by robots.txt`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webkeep.model import Outcome

OUTCOME_WORDS = {
    Outcome.STORED: "stored",
    Outcome.DUPLICATE: "stored with content that was held already",
    Outcome.FAILED: "failed",
    Outcome.REFUSED: "refused by robots.txt",
    Outcome.TRAPPED: "left out as traps",
    Outcome.CUT: "left out by a limit",
    Outcome.TAKEN_DOWN: "taken down before and not asked for",
    Outcome.OUT_OF_SCOPE: "out of scope",
    Outcome.QUEUED: "still queued",
}
"""For each outcome of a capture, in the order in which they are told."""


def outcome_counts(counts: Mapping[Outcome, int], outcomes: Iterable[Outcome] = OUTCOME_WORDS) -> list[str]:
    """How many URLs came to which of some outcomes; those that none came to are not told."""
    return [f"{counts[each]:,} {OUTCOME_WORDS[each]}" for each in outcomes if counts.get(each)]
