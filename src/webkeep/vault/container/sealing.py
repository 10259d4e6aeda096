"""Sealing: a container is compressed and encrypted into a file on its way, and unsealed on its way back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

import zstandard

from webkeep.errors import FormatError
from webkeep.formats.codings import PACKED_FILE_LIMIT
from webkeep.vault.container.age_encryption import SealingKey, UnsealingKeys, decrypt

COMPRESSION_LEVEL = 12
"""Of zstd: within 5 % of the best there is for source code and dumps, at some ten times its speed."""
_CHUNK_BYTES = 256 << 10
"""Read, compressed and written at once."""
_MAX_WINDOW_BYTES = 128 << 20
"""Memory that a compressed stream may ask for to be read; a level up to 19 asks for 8 MB."""


@dataclass(frozen=True, slots=True)
class SealedSegment:
    """What sealing came to."""

    size: int
    digest: str
    """SHA-256 of what was written, in hexadecimal."""
    fingerprint: str
    """SHA-256 of the container itself: the same for the same files. It is kept on this machine only."""


def seal(container: Iterable[bytes], target: BinaryIO, key: SealingKey | None) -> SealedSegment:
    """Write a container compressed, and encrypted where there is a key."""
    packed = hashlib.sha256()
    sealed = hashlib.sha256()
    size = 0

    def fingerprint_chunks() -> Iterator[bytes]:
        for chunk in container:
            packed.update(chunk)
            yield chunk

    compressed = _compress(fingerprint_chunks())
    for piece in key.encrypt(compressed) if key is not None else compressed:
        sealed.update(piece)
        size += len(piece)
        target.write(piece)
    target.flush()
    return SealedSegment(size, sealed.hexdigest(), packed.hexdigest())


def unseal(sealed: Iterable[bytes], size: int, keys: UnsealingKeys | None) -> Iterator[bytes]:
    """The container in a sealed segment of a size; raises FormatError where it is damaged or unpacks to too much."""
    compressed = decrypt(sealed, keys) if keys is not None else iter(sealed)
    most, given = PACKED_FILE_LIMIT.max_output(size), 0
    try:
        reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW_BYTES).stream_reader(
            cast("BinaryIO", _ChunkFile(compressed))
        )
        while piece := reader.read(_CHUNK_BYTES):
            given += len(piece)
            if given > most:
                raise FormatError(f"a segment of {size:,} bytes unpacks to more than {most:,}; it is left packed")
            yield piece
    except zstandard.ZstdError as error:
        raise FormatError(f"a segment cannot be unpacked ({error})") from error


def _compress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=True).compressobj()
    for chunk in chunks:
        if piece := compressor.compress(chunk):
            yield piece
    yield compressor.flush()


class _ChunkFile:
    """Pieces of bytes as a file to read from."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = b""

    def read(self, size: int = -1) -> bytes:
        """At most so many bytes."""
        while not self._held:
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._held = chunk
        taken, self._held = (self._held, b"") if size < 0 else (self._held[:size], self._held[size:])
        return taken
