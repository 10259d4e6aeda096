"""ZIP files put together byte by byte, so that each part of them can be otherwise than usual programs write it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from typing import Any


class HandMadeZip:
    """A ZIP file in the making: its members, and the directory of them."""

    def __init__(self) -> None:
        self.members, self.directory, self.count = b"", b"", 0

    def add(
        self, name: str, data: bytes, local: bytes = b"", central: bytes = b"", packed: bytes | None = None
    ) -> None:
        """Add a member with further fields in its own header and in the directory; deflated, if that is given."""
        method, held, raw, at = (0 if packed is None else 8), packed or data, name.encode(), len(self.members)
        common = struct.pack("<5H3L", 20, 0, method, 0, 0x5C21, zlib.crc32(data), len(held), len(data))
        self.members += b"PK\3\4" + common + struct.pack("<2H", len(raw), len(local)) + raw + local + held
        self.directory += b"PK\1\2" + struct.pack("<H", 0x0314) + common
        self.directory += struct.pack("<5H2L", len(raw), len(central), 0, 0, 0, 0o100644 << 16, at) + raw + central
        self.count += 1

    def end(self, **changed: int) -> bytes:
        """The record that ends it."""
        says = {"count": self.count, "size": len(self.directory), "offset": len(self.members)} | changed
        return b"PK\5\6" + struct.pack("<4H2LH", 0, 0, says["count"], says["count"], says["size"], says["offset"], 0)

    def end64(self, **changed: int) -> bytes:
        """The records with 64-bit fields."""
        at = len(self.members) + len(self.directory)
        says = {"length": 44, "count": self.count, "offset": len(self.members), "at": at, "disks": 1} | changed
        record = struct.pack("<Q2H2L4Q", says["length"], 45, 45, 0, 0, says["count"], self.count, len(self.directory),
                             says["offset"])  # fmt: skip
        return b"PK\6\6" + record + b"PK\6\7" + struct.pack("<LQL", 0, says["at"], says["disks"])

    @property
    def data(self) -> bytes:
        """The file, as it should be."""
        return self.members + self.directory + self.end()


def make_by_hand(files: Mapping[str, bytes], odd: str = "", **fields: Any) -> HandMadeZip:
    """A ZIP file of some files, one of which has further fields or is deflated."""
    made = HandMadeZip()
    for name, data in files.items():
        made.add(name, data, **(fields if name == odd else {}))
    return made


def further_field(kind: int, data: bytes) -> bytes:
    """A further field of a member."""
    return struct.pack("<2H", kind, len(data)) + data


def other_name(name: str, other: str) -> bytes:
    """The further field by which some programs take a member for one of another name (Info-ZIP, Unicode path)."""
    return further_field(0x7075, struct.pack("<BL", 1, zlib.crc32(name.encode())) + other.encode())


def deflate(data: bytes) -> bytes:
    """Bytes as ZIP files deflate them."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def hide_directory(files: Mapping[str, bytes], inside: str, shown: Mapping[str, bytes]) -> bytes:
    """Other files for those who know no 64-bit fields: they lie with a directory of theirs in a field of a member."""
    other = make_by_hand(shown)
    made = make_by_hand(files, inside, local=further_field(0x4242, other.members + other.directory))
    at = made.members.index(other.members)
    moved = HandMadeZip()
    for name, data in shown.items():
        moved.add(name, data)
    directory = moved.directory
    for place in range(len(directory)):
        if directory.startswith(b"PK\1\2", place):
            offset = struct.unpack_from("<L", directory, place + 42)[0]
            directory = directory[: place + 42] + struct.pack("<L", offset + at) + directory[place + 46 :]
    made.members = made.members.replace(other.members + other.directory, other.members + directory)
    end = made.end(count=other.count, size=len(directory), offset=at + len(other.members))
    return made.members + made.directory + made.end64() + end
