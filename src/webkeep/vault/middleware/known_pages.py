"""Pages that were found to be able to carry blocks, so that they are looked through once and not with every visit.

Theory of operation. Whether a page can carry is told by marks in it (`open_text`). Pages that are never the same twice
are mostly the same: a time, a counter, a token differ. What two of them have in common at beginning and end is known by
its digests; a third that begins and ends so, and has no mark in between, has the same marks in the same order, so that
the same is true of it. That takes a tenth of the time of looking for marks.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xxhash import xxh3_128_digest

from webkeep.vault.blocks.open_text import are_marks_closed, ends_outside_tag, has_mark_between
from webkeep.vault.blocks.page_injection import ESCAPE, as_plain, begins_document, can_carry, encode_like
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.served_heads import ServedHeads
from webkeep.vault.middleware.served_pages import ServedPage, ServedPages
from webkeep.vault.middleware.validators import HeaderField

MAX_CARRIER_BYTES = 4 << 20
"""Of a page that is held back; a larger one is no carrier."""

_MAX_PAGES = 20_000
"""Known at once, in some 10 MB; beyond that, it begins anew."""
_MAX_KEPT_BYTES = 16 << 20
"""Of pages that are kept until they are seen a second time."""
_MIN_SHARED_SHARE = 0.5
"""Of a page that must be as it was the last time for that to be known."""
_CHANGING = bytes(range(0x30, 0x3A)) + bytes(range(0x41, 0x5B)) + bytes(range(0x61, 0x7B)) + b"+/=_.:-"
"""What times, counters and tokens are made of: some of it may be the same in two pages by chance."""
_SEED = secrets.randbits(64)
"""Of digests, so that nobody can make two pages of one digest."""


@dataclass(frozen=True, slots=True)
class _KnownPage:
    """How pages begin and end of which the same is known; one that has no end is known as a whole."""

    start: int
    """How many bytes are the same at the beginning."""
    start_digest: bytes
    end: int
    """How many bytes are the same at the end."""
    end_digest: bytes
    can_carry: bool
    is_proven: bool
    """Whether the marks prove it; else it is known of this very page only."""
    page: bytes = b""
    """The page itself, until it is seen a second time."""
    is_same: bool = False
    """Whether it was seen a second time, and was the same as a whole."""

    def tells_of(self, page: bytes) -> bool:
        """Whether what is known is true of this page too."""
        if not self.end:
            return len(page) == self.start and _digest(page) == self.start_digest
        start, rest = self.start, len(page) - self.end
        if rest < start or _digest(page[:start]) != self.start_digest or _digest(page[rest:]) != self.end_digest:
            return False
        is_plain = ESCAPE not in page[start:rest] and ends_outside_tag(page)
        return is_plain and not has_mark_between(page, start, rest)


class KnownPages:
    """Tells whether pages can carry blocks; may be asked from many threads."""

    def __init__(self) -> None:
        self.served = ServedPages()
        self.heads = ServedHeads()
        self._pages: dict[str, _KnownPage] = {}
        self._kept_bytes = 0

    def answer(
        self, blocks: CarriedBlocks, status: int, said: Sequence[HeaderField], page: bytes
    ) -> tuple[list[HeaderField], bytes] | None:
        """What is sent for an answer of before, or for one with such a head and such a page; None where that is new."""
        served = self.served.find(blocks.mark, status, said, page)
        if served is not None:
            return served.fields.copy(), served.body
        fields = self.heads.find(status, said)
        if fields is None or len(page) > MAX_CARRIER_BYTES or not self.can_carry(blocks.mark, page):
            return None
        whole = page + encode_like(page, blocks.comments)
        fields.append((b"content-length", b"%d" % len(whole)))
        if self.was_same(blocks.mark):
            self.served.keep(blocks.mark, ServedPage(status, said, b"", len(page), fields, whole))
        return fields, whole

    def can_carry(self, name: str, page: bytes) -> bool:
        """Whether a page can carry blocks, by a name that is the same whenever it is served."""
        known = self._pages.get(name)
        if known is not None and known.tells_of(page):
            if not known.end and not known.is_same:  # it stays as it is
                self._keep(name, replace(known, page=b"", is_same=True), known)
            return known.can_carry
        found = _look_through(page, known.page if known is not None and known.is_proven else b"")
        self._keep(name, found, known)
        return found.can_carry

    def was_same(self, name: str) -> bool:
        """Whether the page that was asked about last by a name was, to the byte, one that was asked about before."""
        known = self._pages.get(name)
        return known is not None and known.is_same

    def _keep(self, name: str, found: _KnownPage, before: _KnownPage | None) -> None:
        self._kept_bytes += len(found.page) - (len(before.page) if before is not None else 0)
        if self._kept_bytes > _MAX_KEPT_BYTES or len(self._pages) >= _MAX_PAGES:
            self._pages, self._kept_bytes = {}, len(found.page)
        self._pages[name] = found


def _look_through(page: bytes, before: bytes) -> _KnownPage:
    is_plain = as_plain(page) is page and begins_document(page)
    if not is_plain or not ends_outside_tag(page) or not are_marks_closed(page):
        return _KnownPage(len(page), _digest(page), 0, b"", can_carry(page), is_proven=False)
    start, rest = _find_shared(page, before)
    if rest == len(page):
        return _KnownPage(len(page), _digest(page), 0, b"", can_carry=True, is_proven=True, page=page)
    digests = _digest(page[:start]), _digest(page[rest:])
    return _KnownPage(start, digests[0], len(page) - rest, digests[1], can_carry=True, is_proven=True)


def _digest(data: bytes) -> bytes:
    return xxh3_128_digest(data, _SEED)


def _find_shared(page: bytes, before: bytes) -> tuple[int, int]:
    """Where what a page shares with the one before ends and begins again; its end where that is too little."""
    start = len(page[: _shared_start(page, before)].rstrip(_CHANGING))
    shared = _shared_end(page[start:], before[start:])
    rest = len(page) - len(page[len(page) - shared :].lstrip(_CHANGING))
    is_little = len(page) - (rest - start) < _MIN_SHARED_SHARE * len(page)
    if is_little or not begins_document(page[:start]) or has_mark_between(page, start, rest):
        return len(page), len(page)
    return start, rest


def _shared_start(one: bytes, other: bytes) -> int:
    """How many bytes are the same at the beginning of both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _shared_end(one: bytes, other: bytes) -> int:
    """How many bytes are the same at the end of both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        is_same = one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]
        low, high = (middle, high) if is_same else (low, middle - 1)
    return low
