"""Shelves: what a simulated repository holds, found by key (SURT) as an archive's index finds it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.model import Digest, Moment
from webkeep.recover.repositories import VersionFidelity
from webkeep.url import UrlMatch, key_range, surt


@dataclass(frozen=True, slots=True)
class ShelfVersion:
    """One version of a URL on a shelf."""

    url: str
    """As it was crawled."""
    moment: Moment
    body: bytes
    media_type: str = "text/html"
    status: int = 200
    modified: Moment | None = None
    """What the server said when it was last changed."""
    fidelity: VersionFidelity = VersionFidelity.ORIGINAL
    truncated: bool = False

    @property
    def digest(self) -> Digest:
        """Of the payload."""
        return Digest.from_chunks("sha1", [self.body])


class VersionShelf:
    """Versions in the order of their keys and moments."""

    def __init__(self, stored: Iterable[ShelfVersion]) -> None:
        keyed = ((surt(each.url), each.moment.micros, number, each) for number, each in enumerate(stored))
        self._rows = sorted(keyed, key=lambda row: row[:3])
        self._keys = [row[0] for row in self._rows]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ShelfVersion]:
        return (row[3] for row in self._rows)

    def versions_of(self, url: str) -> list[ShelfVersion]:
        """All versions of a URL, the oldest first."""
        key = surt(url)
        return [row[3] for row in self._rows[bisect_left(self._keys, key) : bisect_right(self._keys, key)]]

    def versions_matching(self, url: str, match: UrlMatch) -> list[ShelfVersion]:
        """All versions of what a look-up takes in; a site's prefix takes in its root."""
        low, high = key_range(url, match)
        found = [row[3] for row in self._rows[bisect_left(self._keys, low) : bisect_left(self._keys, high)]]
        if match is UrlMatch.PREFIX and surt(url) < low:
            return self.versions_of(url) + found
        return found
