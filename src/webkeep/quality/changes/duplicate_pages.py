"""Pages of an archive that are alike: one page under many URLs, soft 404s, walls and traps; how each is told, and by
which words a wall is known.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.change.detection import NearDuplicates
from webkeep.formats.status import is_error, is_successful
from webkeep.quality.changes.cleaning import SeenPage, find_case_variants, read_seen_pages
from webkeep.quality.changes.page_versions import read_blocks
from webkeep.store.archive import Archive

_MIN_TRAP_URLS = 20
"""Of one shape, all alike: so many are no accident."""
_MAX_WALL_CHARS = 3000
"""A wall says little more than that it is one."""
_WALL_WORDS = re.compile(
    r"captcha|are you (?:a )?(?:human|robot)|checking your browser|verify (?:that )?you are (?:a )?human"
    r"|unusual traffic|access denied|request blocked|enable javascript and cookies|too many requests",
    re.IGNORECASE,
)
_MISSING_WORDS = re.compile(
    r"\b(?:404|not found|no longer (?:exists|available)|does(?: not|n't) exist)\b", re.IGNORECASE
)
_NUMBERS = re.compile(r"[0-9]+")


class DuplicateKind(enum.StrEnum):
    """Why pages are alike."""

    CASE_VARIANTS = "case variants"
    SOFT_404 = "soft 404"
    """The page that says that there is none, given as if there were one."""
    WALL = "wall"
    """The page that keeps robots out, given in place of others."""
    TRAP = "trap"
    """Many URLs of one shape."""
    SAME_PAGE = "same page"
    """One page under several URLs."""
    ALIKE = "alike"
    """Most of what they say is the same."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Pages that are alike."""

    kind: DuplicateKind
    urls: tuple[str, ...]
    resemblance: float
    """What the first shares with the last."""


def find_duplicate_pages(archive: Archive, capture: str | None = None) -> Iterator[DuplicateGroup]:
    """The groups of pages that are alike, in a capture or in all of an archive, the largest first."""
    pages = list({page.url: page for page in read_seen_pages(archive, capture)}.values())
    search = NearDuplicates()
    for page in pages:
        search.add(page.fingerprint.sketch)
    for numbers in search.groups():
        group = [pages[number] for number in numbers]
        # Pages that say that they are missing are what they should be.
        if any(is_successful(page.status) for page in group):
            yield _describe_group(archive, group)


def _describe_group(archive: Archive, group: Sequence[SeenPage]) -> DuplicateGroup:
    urls = tuple(page.url for page in group)
    shared = group[0].fingerprint.resemblance(group[-1].fingerprint)
    return DuplicateGroup(_classify_group(archive, group), urls, shared)


def _classify_group(archive: Archive, group: Sequence[SeenPage]) -> DuplicateKind:
    if len(find_case_variants(group)) == len(group) - 1:
        return DuplicateKind.CASE_VARIANTS
    text = _read_text(archive, group[0])
    if _WALL_WORDS.search(text) and len(text) <= _MAX_WALL_CHARS:
        return DuplicateKind.WALL
    if any(is_error(page.status) for page in group if page.status) or _MISSING_WORDS.search(text[:_MAX_WALL_CHARS]):
        return DuplicateKind.SOFT_404
    shapes = {_NUMBERS.sub("0", page.url) for page in group}
    if len(group) >= _MIN_TRAP_URLS and len(shapes) * _MIN_TRAP_URLS <= len(group):
        return DuplicateKind.TRAP
    is_same = len({page.fingerprint.text for page in group}) == 1
    return DuplicateKind.SAME_PAGE if is_same else DuplicateKind.ALIKE


def _read_text(archive: Archive, page: SeenPage) -> str:
    """What the first page of a group says."""
    seen = [each for each in archive.history(page.url) if each.url == page.url and each.moment == page.moment]
    blocks = read_blocks(archive, seen[0]) if seen else None
    return " ".join(block.value for block in blocks or () if block.role == "text")
