"""The rate of a page and where it came from: the best of what is known."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.change.polling import SHORTEST, Poll, polled_rate


class RateSource(enum.StrEnum):
    """Where a rate came from, the most trusted first."""

    HISTORY = "history"
    PREDICTION = "prediction"
    SITEMAP = "sitemap"
    HTTP = "http"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a page changes, in changes a second."""

    per_second: float
    source: RateSource
    looks: int = 0
    """How many intervals of history stand behind it."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known about a page's changes; None where there is nothing."""

    polls: Sequence[Poll] = ()
    predicted: float | None = None
    sitemap: float | None = None
    http: float | None = None


ENOUGH = 3
"""As many looks are trusted without other witnesses."""


def best_rate(known: Knowledge, default: float) -> Rate:
    """The rate to plan with: history where there is enough, else history weighed against the best hint."""
    polls = [poll for poll in known.polls if poll.length > SHORTEST]
    hint = _hinted(known, default)
    if not polls:
        return hint
    seen = polled_rate(polls)
    if len(polls) < ENOUGH:
        share = len(polls) / ENOUGH
        seen = share * seen + (1 - share) * hint.per_second
    return Rate(seen, RateSource.HISTORY, len(polls))


def _hinted(known: Knowledge, default: float) -> Rate:
    for source, value in (
        (RateSource.PREDICTION, known.predicted),
        (RateSource.SITEMAP, known.sitemap),
        (RateSource.HTTP, known.http),
    ):
        if value is not None:
            return Rate(value, source)
    return Rate(default, RateSource.DEFAULT)
