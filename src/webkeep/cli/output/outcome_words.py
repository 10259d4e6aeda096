"""What became of URLs, in words that stand behind their number (so many refused by robots.txt)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webkeep.model import UrlOutcome

OUTCOME_WORDS = {
    UrlOutcome.STORED: "stored",
    UrlOutcome.DUPLICATE: "stored with content that was held already",
    UrlOutcome.FAILED: "failed",
    UrlOutcome.REFUSED: "refused by robots.txt",
    UrlOutcome.TRAPPED: "left out as traps",
    UrlOutcome.CUT: "left out by a limit",
    UrlOutcome.TAKEN_DOWN: "taken down before and not asked for",
    UrlOutcome.OUT_OF_SCOPE: "out of scope",
    UrlOutcome.QUEUED: "still queued",
}
"""For each outcome of a capture, in the order in which they are told."""


def describe_outcome_counts(
    counts: Mapping[UrlOutcome, int], outcomes: Iterable[UrlOutcome] = OUTCOME_WORDS
) -> list[str]:
    """How many URLs came to which of some outcomes; those that none came to are not told."""
    return [f"{counts[each]:,} {OUTCOME_WORDS[each]}" for each in outcomes if counts.get(each)]
