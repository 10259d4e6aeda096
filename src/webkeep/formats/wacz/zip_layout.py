"""ZIP files looked at byte by byte: whether each byte belongs to a member or to the directory, and whether both say the
same of every member.

Readers differ in what they make of a ZIP file with bytes that nobody accounts for, or whose directory says otherwise
than the headers of members: some go by the one, some by the other. So such a file can show two people two things, each
of them with right digests. A package that is to prove something has nothing of the kind.
"""

from __future__ import annotations

import io
import struct
import zipfile
from typing import BinaryIO

from webkeep.formats.flaws import Flaws
from webkeep.formats.wacz.zip_members import ZIP_ERRORS

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_END_RECORD = struct.Struct("<4s4H2LH")
_DIRECTORY_ENTRY_BYTES = 46
"""Of the directory, for each member, before its name."""
_END64_BYTES = 56 + 20
"""The records that end a directory with 64-bit fields."""
_HAS_DESCRIPTOR = 0x08
"""Of a member whose sizes follow its bytes."""
_IN_EXTRA_FIELD = 0xFFFFFFFF
"""In place of a size that needs 64 bits."""
_ZIP64_FIELD = 1
"""The number of the further field that has them."""


def check_zip_layout(stream: BinaryIO, source: str, flaws: Flaws) -> None:
    """Report every byte that belongs to nothing, and every header that differs from the directory."""
    try:
        with zipfile.ZipFile(stream) as opened:
            _LayoutCheck(stream, opened, source, flaws).run()
    except ZIP_ERRORS:
        flaws.report("zip-header", source, 0, "its headers cannot be read; it was damaged or made by hand")


class _LayoutCheck:
    def __init__(self, stream: BinaryIO, opened: zipfile.ZipFile, source: str, flaws: Flaws) -> None:
        self._stream = stream
        self._zip = opened
        self._source = source
        self._flaws = flaws

    def run(self) -> None:
        at = 0
        for info in sorted(self._zip.infolist(), key=lambda each: each.header_offset):
            self._check_gap(at, info.header_offset)
            at = self._check_member(info)
        self._check_gap(at, self._zip.start_dir)
        self._check_end()

    def _check_gap(self, end: int, start: int) -> None:
        if start != end:
            message = f"{abs(start - end)} bytes {'belong to no member' if start > end else 'belong to two members'}"
            self._flaws.report("zip-hidden", self._source, min(start, end), message)

    def _check_member(self, info: zipfile.ZipInfo) -> int:
        """Hold a member's own header against the directory; gives where it ends."""
        self._stream.seek(info.header_offset)
        head = self._stream.read(_LOCAL_HEADER.size)
        fields: tuple[bytes, int, int, int, int, int, int, int, int, int, int] = _LOCAL_HEADER.unpack(head)
        magic, version, flags, method, time, date, crc, packed, size, name_size, extra_size = fields
        name, extra = self._stream.read(name_size), self._stream.read(extra_size)
        if _IN_EXTRA_FIELD in (packed, size):
            size, packed = _read_zip64_sizes(extra, size, packed)
        data_at = info.header_offset + _LOCAL_HEADER.size + name_size + extra_size
        end = data_at + info.compress_size
        has_descriptor = bool(flags & _HAS_DESCRIPTOR)
        same = (
            magic == b"PK\3\4"
            and name == info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")
            and (version, flags, method) == (info.extract_version, info.flag_bits, info.compress_type)
            and (date, time) == _dos_date(info)
            and (has_descriptor or (crc, packed, size) == (info.CRC, info.compress_size, info.file_size))
        )
        if not same or info.comment:
            message = f"the header of {info.orig_filename[:200]!r} says otherwise than the directory"
            self._flaws.report("zip-header", self._source, info.header_offset, message)
        return end + self._descriptor_bytes(info, end) if has_descriptor else end

    def _descriptor_bytes(self, info: zipfile.ZipInfo, at: int) -> int:
        """How long the sizes behind a member are; 0 where they are not there, which leaves a gap."""
        self._stream.seek(at)
        found = self._stream.read(24)
        for form in ("<L2L", "<L2Q"):
            for start in (b"PK\7\x08", b""):
                try:
                    expected = start + struct.pack(form, info.CRC, info.compress_size, info.file_size)
                except struct.error:
                    continue
                if found.startswith(expected):
                    return len(expected)
        return 0

    def _check_end(self) -> None:
        listed = sum(
            _DIRECTORY_ENTRY_BYTES + len(info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437"))
            + len(info.extra) + len(info.comment)
            for info in self._zip.infolist()
        )  # fmt: skip
        end = self._zip.start_dir + listed
        total = self._stream.seek(0, io.SEEK_END)
        rest = total - end - _END_RECORD.size
        if rest not in (0, _END64_BYTES):
            self._flaws.report("zip-hidden", self._source, end, f"{abs(rest)} bytes at its end belong to nothing")
            return
        self._stream.seek(total - _END_RECORD.size)
        magic, *numbers, directory_size, _, comment_size = _END_RECORD.unpack(self._stream.read(_END_RECORD.size))
        count = len(self._zip.infolist())
        whole = numbers == [0, 0, count, count] and directory_size == listed
        if magic != b"PK\5\6" or comment_size or not (whole or rest):
            self._flaws.report("zip-header", self._source, end, "its last record says otherwise than its directory")


def _dos_date(info: zipfile.ZipInfo) -> tuple[int, int]:
    year, month, day, hour, minute, second = info.date_time
    return (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2


def _read_zip64_sizes(extra: bytes, size: int, packed: int) -> tuple[int, int]:
    """The two sizes of a member's own header, out of its further fields where they need 64 bits."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == _ZIP64_FIELD:
            values = iter(struct.unpack_from(f"<{length // 8}Q", extra, at + 4))
            size = next(values, size) if size == _IN_EXTRA_FIELD else size
            packed = next(values, packed) if packed == _IN_EXTRA_FIELD else packed
        at += 4 + length
    return size, packed
