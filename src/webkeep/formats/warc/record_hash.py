"""The hash that stands for a record in a log: SHA-256 over the SHA-256 of its head and the SHA-256 of its block.

The head is the version line and the named fields with the empty line behind them, the block what follows, up to the two
line ends that are no part of it; both as they were before compression. So a record that is compressed anew, or copied
into another file, stays what it was, and anybody can compute the hash with nothing but SHA-256. It is in two parts
because the block's is known already to whoever writes a record: its head names it.
"""

from __future__ import annotations

import hashlib
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator

from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.warc.record import WarcRecord
from webkeep.formats.warc.warc_reader import WarcReader

_HEAD_END = re.compile(rb"\n\r?\n")
_RECORD_END_BYTES = 4
"""The two line ends behind a block."""


def combine_record_hash(head: bytes, block_sha256: bytes) -> bytes:
    """The hash of a record with this head, whose block has this SHA-256."""
    return hashlib.sha256(hashlib.sha256(head).digest() + block_sha256).digest()


def hash_record(record: WarcRecord) -> bytes:
    """The hash of a record, whose block is read for it; of one that is damaged, as far as it is there."""
    block = hashlib.sha256()
    for chunk in record.chunks():
        block.update(chunk)
    return combine_record_hash(record.raw_head, block.digest())


def hash_member(member: bytes) -> bytes:
    """The hash of the one record that a gzip member holds."""
    for record in WarcReader(io.BytesIO(member), "member", Flaws(Strictness.IGNORE)):
        return hash_record(record)
    return hashlib.sha256(member).digest()


def tap_record_hash(pieces: Iterable[bytes], take: Callable[[bytes], object]) -> Iterable[bytes]:
    """The pieces of a gzip member that holds one record, whose hash is handed over once all have passed, or before."""
    if isinstance(pieces, list | tuple):
        take(hash_member(b"".join(pieces)))
        return pieces
    return _tap_stream(pieces, take)


def _tap_stream(pieces: Iterable[bytes], take: Callable[[bytes], object]) -> Iterator[bytes]:
    hasher = _MemberHasher()
    for piece in pieces:
        hasher.add_piece(piece)
        yield piece
    take(hasher.digest())


class _MemberHasher:
    """The hash of a record in order, whose gzip member comes piece by piece."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=31)
        self._head = b""
        self._held = b""
        self._block = hashlib.sha256()

    def add_piece(self, piece: bytes) -> None:
        self._held += self._inflater.decompress(piece)
        if not self._head:
            end = _HEAD_END.search(self._held)
            if end is None:
                return
            self._head, self._held = self._held[: end.end()], self._held[end.end() :]
        self._block.update(self._held[:-_RECORD_END_BYTES])
        self._held = self._held[-_RECORD_END_BYTES:]

    def digest(self) -> bytes:
        return combine_record_hash(self._head, self._block.digest())
