"""Shelves: what a simulated repository holds, found by key as an archive's index finds it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.model import Digest, Moment
from webkeep.recover.repository import Fidelity
from webkeep.url import Match, key_range, surt


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of a URL on a shelf."""

    url: str
    """As it was crawled."""
    moment: Moment
    body: bytes
    media_type: str = "text/html"
    status: int = 200
    modified: Moment | None = None
    """What the server said when it was last changed."""
    fidelity: Fidelity = Fidelity.ORIGINAL
    truncated: bool = False

    @property
    def digest(self) -> Digest:
        """Of the payload."""
        return Digest.of("sha1", [self.body])


class Shelf:
    """Versions in the order of their keys and moments."""

    def __init__(self, stored: Iterable[Stored]) -> None:
        keyed = ((surt(each.url), each.moment.micros, number, each) for number, each in enumerate(stored))
        self._rows = sorted(keyed, key=lambda row: row[:3])
        self._keys = [row[0] for row in self._rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Stored]:
        return (row[3] for row in self._rows)

    def versions(self, url: str) -> list[Stored]:
        """All versions of a URL, the oldest first."""
        key = surt(url)
        return [row[3] for row in self._rows[bisect_left(self._keys, key) : bisect_right(self._keys, key)]]

    def below(self, url: str, match: Match) -> list[Stored]:
        """All versions of what a look-up takes in; a site's prefix takes in its root."""
        low, high = key_range(url, match)
        found = [row[3] for row in self._rows[bisect_left(self._keys, low) : bisect_left(self._keys, high)]]
        if match is Match.PREFIX and surt(url) < low:
            return self.versions(url) + found
        return found
