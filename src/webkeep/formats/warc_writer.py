"""Writes WARC 1.1 records, one gzip member each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from webkeep.formats.gzip_member import compressed_member, compressed_pieces, compresses, stored_pieces
from webkeep.model import Body

Fields = Iterable[tuple[str, str]]

_TRAILER = b"\r\n\r\n"
_LINE_ENDS = str.maketrans("\r\n", "  ")


def record_head(fields: Fields, size: int, version: str = "WARC/1.1") -> bytes:
    """The version line and named fields of a record whose block has `size` bytes."""
    lines = [version]
    for name, value in fields:
        safe = value.translate(_LINE_ENDS) if "\n" in value or "\r" in value else value
        lines.append(f"{name}: {safe}")
    lines.append(f"Content-Length: {size}\r\n\r\n")
    return "\r\n".join(lines).encode("utf-8", "replace")


def small_member(head: bytes, block: bytes, more: bytes = b"") -> bytes:
    """A whole record as one gzip member; its block may come in two parts."""
    whole = b"".join((head, block, more, _TRAILER))
    return compressed_member(whole) if compresses(more or block) else b"".join(stored_pieces((whole,)))


def large_member(head: bytes, prefix: bytes, body: Body) -> Iterator[bytes]:
    """A record as one gzip member, piece by piece; its block is `prefix` and then the body."""
    whole = chain((head, prefix), body.chunks(), (_TRAILER,))
    sample = next(iter(body.chunks(body.size // 2)), b"")
    return compressed_pieces(whole) if compresses(sample) else stored_pieces(whole)
