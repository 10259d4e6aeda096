"""A container: a tar file (POSIX pax) that comes out the same, byte for byte, whenever the same files are packed.

Entries are in the order of their paths, without owners; times are to the nanosecond.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterable, Iterator

from webkeep.vault.container.packed_entry import EntryKind, PackedEntry

BLOCK_BYTES = 512
"""What everything in a tar file is a multiple of."""
_END = bytes(2 * BLOCK_BYTES)
_TYPES = {EntryKind.FILE: tarfile.REGTYPE, EntryKind.DIRECTORY: tarfile.DIRTYPE, EntryKind.LINK: tarfile.SYMTYPE}
_BILLION = 1_000_000_000
"""Nanoseconds of a second."""
_MAX_OCTAL_SECONDS = 8**11 - 1
"""What the field for times holds; others are in a head before it."""

EntryReader = Callable[[PackedEntry], Iterable[bytes]]
"""The content of a file, exactly as long as its entry says."""


def write_tar(entries: Iterable[PackedEntry], read: EntryReader) -> Iterator[bytes]:
    """The bytes of a container."""
    for entry in sorted(entries, key=lambda each: each.path):
        yield _render_head(entry)
        if entry.kind is EntryKind.FILE:
            yield from read(entry)
            yield bytes(-entry.size % BLOCK_BYTES)
    yield _END


def _render_head(entry: PackedEntry) -> bytes:
    info = tarfile.TarInfo(entry.path)
    info.type = _TYPES[entry.kind]
    info.size = entry.size if entry.kind is EntryKind.FILE else 0
    info.mode = entry.mode
    info.linkname = entry.target
    seconds, rest = divmod(abs(entry.modified_ns), _BILLION)
    info.mtime = seconds
    if rest or entry.modified_ns < 0 or seconds > _MAX_OCTAL_SECONDS:
        info.pax_headers = {"mtime": f"{'-' if entry.modified_ns < 0 else ''}{seconds}.{rest:09d}"}
        info.mtime = 0
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
