"""What became of URLs, in words that stand behind their number (so many refused by robots.txt), and why a server could
not be reached, in words for people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from webkeep.model import UrlOutcome

# Why a server could not be reached, in words for people; programs and fates keep what the network said.

_FAILURE_WORDS = (
    (re.compile(r"\bname-not-resolved\b"), "no host of that name was found"),
    (re.compile(r"\bcannot-connect\b"), "nobody listens there"),
    (
        re.compile(r"\btls: .*(wrong version|unexpected eof|packet length|http request|record layer)", re.IGNORECASE),
        "it does not speak TLS; try http://",
    ),
)
_ATTEMPTS = re.compile(r", asked [0-9]+ times")


def describe_failure(reason: str) -> str:
    """A reason as a person would tell it; as it is where there is nothing simpler."""
    words = next((words for sign, words in _FAILURE_WORDS if sign.search(reason)), "")
    times = _ATTEMPTS.search(reason)
    return f"{words}{times[0] if times else ''}" if words else reason


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
