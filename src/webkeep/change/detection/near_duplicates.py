"""Near duplicates among very many pages: groups of those whose sketches resemble one another, by locality-sensitive
hashing; how much they must share, and how many bands are tried.

Theory of operation. Each sketch is a sample of a page's hashes. Of each sample a signature is made, of the least hash
under each of some orders (MinHash), and cut into bands. Two pages that share nine tenths agree in a whole band with a
chance of 0.66, and in one of six bands with 0.998; those that share half of it with 0.32. Pages that agree in a band
are compared by their sketches, and joined if they are as alike as asked for. Bands are gone through one after the
other, so that no more than one table is held, and each page is compared with a few of its band and not with all: the
time grows with the number of pages, however many of them are the same.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable

from webkeep.change.detection.minhash import (
    estimate_resemblance,
    hash_functions,
    minhash_signature,
    sample_hashes,
)
from webkeep.change.detection.shingles import SAME_TEXT_SIMILARITY

_BAND_COUNT = 6
"""With so many, pages that share nine tenths are missed once in five hundred times."""
_ROWS_PER_BAND = 4
"""Hashes in a band: with fewer, pages that have little in common are compared too often."""
_MAX_COMPARED_PAGES = 4
"""Pages of one band that a page is compared with; further ones are nearly always like these."""
_STEP = 0x9E3779B97F4A7C15
"""Leads from one place of a table to the next: the golden ratio in 64 bits, which scatters best."""


class NearDuplicates:
    """Finds the groups of pages that are alike; holds about 300 bytes for each."""

    def __init__(self, resemblance: float = SAME_TEXT_SIMILARITY) -> None:
        self._resemblance = resemblance
        self._functions = hash_functions(_BAND_COUNT * _ROWS_PER_BAND)
        self._sketches = bytearray()
        self._ends = array("Q", [0])
        self._bands = [array("q") for _ in range(_BAND_COUNT)]
        self._parents = array("I")

    def add(self, sketch: bytes) -> None:
        """Take the next page; those without any text are alike to none."""
        self._parents.append(len(self._parents))
        sketch = b"".join(
            sorted(sample_hashes(sketch))
        )  # of one size, so that signatures can be held against each other
        self._sketches += sketch
        self._ends.append(len(self._sketches))
        signature = minhash_signature(array("I", sketch), self._functions)
        for number, band in enumerate(self._bands):
            start = number * _ROWS_PER_BAND
            band.append(hash(signature[start : start + _ROWS_PER_BAND]))

    def groups(self) -> list[list[int]]:
        """The pages that are alike, each by the number it was added as; the largest group first."""
        for band in self._bands:
            self._join_band(band)
        found: dict[int, list[int]] = defaultdict(list)
        for page in range(len(self._parents)):
            if self._find(page) != page or self._sketch(page):
                found[self._find(page)].append(page)
        return sorted((group for group in found.values() if len(group) > 1), key=lambda group: (-len(group), group))

    def _join_band(self, band: array[int]) -> None:
        table: dict[int, int] = {}
        for page, key in enumerate(band):
            if not self._sketch(page):
                continue
            for step in range(_MAX_COMPARED_PAGES):
                other = table.setdefault(key + step * _STEP, page)
                if other == page or self._join(other, page):
                    break

    def _join(self, one: int, other: int) -> bool:
        """Whether two pages are alike; they are of one group from then on."""
        root, branch = self._find(one), self._find(other)
        if root == branch:
            return True
        if estimate_resemblance(self._sketch(one), self._sketch(other)) < self._resemblance:
            return False
        self._parents[max(root, branch)] = min(root, branch)
        return True

    def _find(self, page: int) -> int:
        parents = self._parents
        while parents[page] != page:
            parents[page] = parents[parents[page]]
            page = parents[page]
        return page

    def _sketch(self, page: int) -> bytes:
        return bytes(self._sketches[self._ends[page] : self._ends[page + 1]])


def find_near_duplicates(sketches: Iterable[bytes], resemblance: float = SAME_TEXT_SIMILARITY) -> list[list[int]]:
    """The groups of pages whose texts share so much or more, by their place among the sketches."""
    found = NearDuplicates(resemblance)
    for sketch in sketches:
        found.add(sketch)
    return found.groups()
