"""Containers read as they come, with nothing believed that a hostile one could use: no head is longer than it needs to
be, no file longer than what follows, and what is neither file, directory nor symbolic link is told and passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.vault.container.packed_entry import EntryKind, PackedEntry
from webkeep.vault.container.tar_writer import BLOCK_BYTES

_MAX_PAX_BYTES = 64 << 10
"""A path of 4 KB and a target of 4 KB need a fraction of it."""
_CHUNK_BYTES = 256 << 10
"""Of content that is handed on at once."""
_PAX_LENGTH = re.compile(rb"(\d{1,6}) ")
_KINDS = {b"0": EntryKind.FILE, b"\0": EntryKind.FILE, b"5": EntryKind.DIRECTORY, b"2": EntryKind.LINK}
_PAX_TYPE = b"x"
_CHECKSUM = slice(148, 156)


@dataclass(frozen=True, slots=True)
class StrangeEntry:
    """Something in a container that is not restored."""

    path: str
    reason: str


class _ByteStream:
    """Pieces of bytes, read by length."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._held = b""

    def read_up_to(self, size: int) -> bytes:
        """At most so many bytes; none only where there are none left."""
        while not self._held:
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._held = chunk
        taken, self._held = self._held[:size], self._held[size:]
        return taken

    def read_exactly(self, size: int) -> bytes:
        """So many bytes; raises FormatError where there are fewer."""
        return b"".join(self.iterate(size))

    def iterate(self, size: int) -> Iterator[bytes]:
        """So many bytes, in pieces."""
        while size:
            piece = self.read_up_to(min(size, _CHUNK_BYTES))
            if not piece:
                raise FormatError("a container ends in the middle of an entry")
            size -= len(piece)
            yield piece


def read_tar(chunks: Iterable[bytes]) -> Iterator[tuple[PackedEntry | StrangeEntry, Iterator[bytes]]]:
    """Every entry with its content, which can be read until the next entry is asked for."""
    stream = _ByteStream(chunks)
    pax: dict[str, str] = {}
    while (head := stream.read_exactly(BLOCK_BYTES)).strip(b"\0"):
        _check_head(head)
        size = _size_of(head, pax)
        if head[156:157] == _PAX_TYPE:
            if size > _MAX_PAX_BYTES:
                raise FormatError(f"a container has a head of {size:,} bytes")
            pax = _parse_pax(stream.read_exactly(size + -size % BLOCK_BYTES)[:size])
            continue
        content = stream.iterate(size)
        yield _entry_from_head(head, size, pax), content
        for _ in content:
            pass
        stream.read_exactly(-size % BLOCK_BYTES)
        pax = {}
    while stream.read_up_to(_CHUNK_BYTES):  # whoever packed is to have been able to write all of it
        pass


def _check_head(head: bytes) -> None:
    blanked = head[: _CHECKSUM.start] + b" " * 8 + head[_CHECKSUM.stop :]
    if _octal(head[_CHECKSUM]) != sum(blanked):
        raise FormatError("a container has a head whose checksum is wrong")


def _size_of(head: bytes, pax: dict[str, str]) -> int:
    said = pax.get("size", "")
    if said:
        if not said.isascii() or not said.isdigit() or len(said) > 15:
            raise FormatError("a container has an entry without a sensible size")
        return int(said)
    return _octal(head[124:136])


def _octal(field: bytes) -> int:
    text = field.strip(b" \0")
    try:
        return int(text or b"0", 8) if not text.startswith((b"-", b"+")) else _raise_number()
    except ValueError:
        return _raise_number()


def _raise_number() -> int:
    raise FormatError("a container has a head with a number that is none")


def _parse_pax(data: bytes) -> dict[str, str]:
    records: dict[str, str] = {}
    position = 0
    while match := _PAX_LENGTH.match(data, position):
        end = position + int(match[1])
        name, equals, value = data[match.end() : end - 1].partition(b"=")
        if end > len(data) or end <= match.end() or not equals or data[end - 1 : end] != b"\n":
            break
        records[_decode(name)] = _decode(value)
        position = end
    if position != len(data):
        raise FormatError("a container has a head that cannot be read")
    return records


def _entry_from_head(head: bytes, size: int, pax: dict[str, str]) -> PackedEntry | StrangeEntry:
    name = _decode(head[:100].split(b"\0")[0])
    prefix = _decode(head[345:500].split(b"\0")[0])
    path = pax.get("path") or (f"{prefix}/{name}" if prefix else name)
    kind = _KINDS.get(head[156:157])
    if kind is None:
        return StrangeEntry(path, "it is neither a file, a directory nor a symbolic link")
    return PackedEntry(
        path=path.rstrip("/") if kind is EntryKind.DIRECTORY else path,
        kind=kind,
        size=size,
        modified_ns=_modification_time(head, pax),
        mode=_octal(head[100:108]) & 0o7777,
        target=pax.get("linkpath") or _decode(head[157:257].split(b"\0")[0]),
    )


def _modification_time(head: bytes, pax: dict[str, str]) -> int:
    said = pax.get("mtime", "")
    match = re.fullmatch(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?", said, re.ASCII)
    if match is None:
        return _octal(head[136:148]) * 1_000_000_000
    return int(match[1] + match[2] + (match[3] or "").ljust(9, "0"))


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
