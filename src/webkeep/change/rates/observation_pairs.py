"""Pairs of looks out of what an archive saw: every observation of a page is held against the one before it, by digest
and by whether it is gone; which observations make no pair.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from webkeep.change.rates.url_rows import UrlRows
from webkeep.formats.status import GONE_STATUSES, NOT_MODIFIED, is_error
from webkeep.model import Moment, Observation

_GONE_MARK = 0
"""The mark of a page that is not there."""


class ObservationPair(NamedTuple):
    """Two looks at a page, one after the other; a rate table is told it as it is."""

    url: str
    first: Moment
    second: Moment
    changed: bool


class ObservationPairs:
    """When each page was last seen, and what it was like: some forty bytes a page."""

    def __init__(self, most: int = 4_000_000, salt: int = 0) -> None:
        """Beyond `most` pages no more are followed."""
        self._rows = UrlRows(most, salt)
        self._moments = array("q")
        self._marks = array("Q")

    def add(self, seen: Observation) -> ObservationPair | None:
        """The pair that an observation makes with the one before it, None where it makes none.

        What came out of order, from other requests than plain ones or out of a server's trouble makes none.
        """
        row = self._rows.find_row(seen.url)
        before = self._marks[row] if row >= 0 else _GONE_MARK
        mark = _content_mark(seen, before)
        if mark is None or seen.method != "GET":
            return None
        if row < 0:
            self._add_first(seen, mark)
            return None
        first = Moment(self._moments[row])
        if seen.moment <= first:
            return None
        self._moments[row], self._marks[row] = seen.moment.micros, mark
        return ObservationPair(seen.url, first, seen.moment, mark != before) if _are_comparable(before, mark) else None

    def _add_first(self, seen: Observation, mark: int) -> None:
        if self._rows.find_or_add_row(seen.url) >= 0:
            self._moments.append(seen.moment.micros)
            self._marks.append(mark)


def pair_observations(
    observations: Iterable[Observation], most: int = 4_000_000, salt: int = 0
) -> Iterator[ObservationPair]:
    """Every pair of looks in these observations, as they come."""
    sightings = ObservationPairs(most, salt)
    for seen in observations:
        if (pair := sightings.add(seen)) is not None:
            yield pair


def _content_mark(seen: Observation, before: int) -> int | None:
    """A number for what a page was like; None where that cannot be told."""
    if seen.status in GONE_STATUSES:
        return _GONE_MARK
    if seen.status == NOT_MODIFIED:
        return before or None
    if is_error(seen.status):
        return None
    digest = seen.content_digest or seen.payload_digest
    return None if digest is None else int.from_bytes(digest.value[:7], "big") << 8 | len(digest.value)


def _are_comparable(one: int, other: int) -> bool:
    """Digests of two algorithms, which differ in length, say nothing about each other."""
    return _GONE_MARK in (one, other) or one & 0xFF == other & 0xFF
