"""Blocks found in whatever bytes a page came as: told apart into those that can be used and those that cannot, and why.

Theory of operation. Bytes come in pieces of any length. From a begin mark on they are held until the end mark, the next
begin mark or the longest block there can be, whichever is first; so a page of nothing but marks costs no more than its
length. Zeros are left out first: everything of a block is ASCII, and so it is found in UTF-16 and UTF-32 as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.vault.blocks.block_comment import BEGIN_MARK, END_MARK, MAX_HEADER_BYTES, parse_block
from webkeep.vault.blocks.block_header import MAX_BLOCK_BYTES, BlockHeader

_MAX_RAW_BYTES = MAX_BLOCK_BYTES * 4 // 3 * 6 // 5 + MAX_HEADER_BYTES
"""Base64 with blanks between lines: a fifth more than it needs."""
_IN_BOTH_MARKS = b"_FILE_RECOVERY"
"""Looked for in one go, which takes a tenth of the time of an expression for both."""


@dataclass(frozen=True, slots=True)
class ScannedBlock:
    """A block that can be used: its digest and its signature are right."""

    header: BlockHeader
    data: bytes


@dataclass(frozen=True, slots=True)
class UnusableBlock:
    """Something that was a block once, or pretends to be one."""

    reason: str
    """In a word or two: cut off, altered, forged, unreadable."""


ScanResult = ScannedBlock | UnusableBlock


def scan_blocks(chunks: Iterable[bytes]) -> Iterator[ScanResult]:
    """All blocks in bytes that come in pieces."""
    for raw in _find_raw_blocks(_single_bytes(chunks)):
        try:
            yield ScannedBlock(*parse_block(raw))
        except FormatError as error:
            yield UnusableBlock(str(error.args[0]))


def _single_bytes(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk.replace(b"\0", b"") if b"\0" in chunk else chunk


def _find_raw_blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """What stands between marks; where the end is missing, what there is up to the next mark."""
    held = bytearray()
    begin, looked_to = -1, 0
    for chunk in chunks:
        held += chunk
        while True:
            if begin < 0:
                begin = held.find(BEGIN_MARK)
                if begin < 0:
                    del held[: max(0, len(held) - len(BEGIN_MARK) + 1)]
                    break
                del held[: begin + len(BEGIN_MARK)]
                begin = looked_to = 0
            end = _first_mark(held, looked_to)
            if end < 0 and len(held) <= _MAX_RAW_BYTES:
                looked_to = max(0, len(held) - len(BEGIN_MARK))
                break
            end = end if end >= 0 else _MAX_RAW_BYTES
            yield bytes(held[:end])
            del held[:end]
            begin = -1
    if begin >= 0:
        yield bytes(held)


def _first_mark(held: bytearray, start: int) -> int:
    at = held.find(_IN_BOTH_MARKS, start)
    while at >= 0:
        for mark in (END_MARK, BEGIN_MARK):
            begin = at - mark.index(_IN_BOTH_MARKS)
            if begin >= start and held.startswith(mark, begin):
                return begin
        at = held.find(_IN_BOTH_MARKS, at + 1)
    return -1
