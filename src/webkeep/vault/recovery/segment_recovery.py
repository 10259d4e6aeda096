"""A segment brought back out of its blocks: decoded, and used only where the digest of the whole is right."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import FormatError, StorageError
from webkeep.model import CHUNK_BYTES
from webkeep.vault.blocks.block_header import NO_CIPHER
from webkeep.vault.coding.segment_coding import decode_segment
from webkeep.vault.container.age_encryption import UnsealingKeys
from webkeep.vault.container.sealing import unseal
from webkeep.vault.recovery.block_collection import BlockCollection, SegmentBlocks


def decode_blocks(collection: BlockCollection, held: SegmentBlocks, target: BinaryIO) -> bool:
    """Write the sealed segment; False where the blocks do not suffice. Raises FormatError where it came out wrong."""
    if held.missing:
        return False

    def read(index: int, start: int, size: int) -> bytes:
        return collection.read(held, index, start, size)

    try:
        if not decode_segment(list(held.places), read, held.identity.layout, target):
            return False
    except OSError as error:
        raise StorageError(f"a segment cannot be written ({error.strerror}); make room") from error
    if _digest_of(target) != held.identity.digest:
        raise FormatError("what was decoded is not what was sealed: its digest is another")
    return True


def _digest_of(stream: BinaryIO) -> str:
    stream.seek(0)
    digest = hashlib.sha256()
    while chunk := stream.read(CHUNK_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def open_segment(
    collection: BlockCollection, held: SegmentBlocks, keys: UnsealingKeys, work: Path
) -> Iterator[Iterator[bytes] | None]:
    """The container of a segment, to be read until it is left; None where its blocks do not suffice."""
    identity = held.identity
    with tempfile.TemporaryFile(dir=work) as target:
        if decode_blocks(collection, held, target):
            yield unseal(_read_all(target), identity.size, None if identity.cipher == NO_CIPHER else keys)
        else:
            yield None


def _read_all(stream: BinaryIO) -> Iterator[bytes]:
    stream.seek(0)
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk
