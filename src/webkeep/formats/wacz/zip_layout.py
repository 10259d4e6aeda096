"""ZIP files looked at byte by byte: whether each byte belongs to a member or to the directory, and whether both say the
same of every member.

Readers differ in what they make of a ZIP file with bytes that nobody accounts for, or whose directory says otherwise
than the headers of members: some go by the one, some by the other. So such a file can show two people two things, each
of them with right digests. A package that is to prove something has nothing of the kind.
"""

from __future__ import annotations

import errno
import io
import stat
import struct
import zipfile
from typing import BinaryIO

from webkeep.formats.flaws import Flaws
from webkeep.formats.wacz.zip_members import ZIP_ERRORS

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_END_RECORD = struct.Struct("<4s4H2LH")
_DIRECTORY_ENTRY = struct.Struct("<4s2H20x5HL4x")
"""Of the directory, for each member, before its name: what is not held against the member's own header."""
_SYSTEMS = (0, 3, 7, 10, 11, 19)
"""Systems that writers of ZIP files name as theirs: DOS, Unix, Mac, Windows in several ways."""
_UNUSUAL_ATTRIBUTES = 0xFFDE
"""Of the attributes of DOS, all but those of a plain file: read-only, archived."""
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
    except (*ZIP_ERRORS, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # a place outside the file
            raise
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
        """Read the directory as it lies, entry by entry, up to the record that ends the file."""
        total = self._stream.seek(0, io.SEEK_END)
        self._stream.seek(self._zip.start_dir)
        at, count = self._zip.start_dir, 0
        while (head := self._stream.read(_DIRECTORY_ENTRY.size)).startswith(b"PK\1\2"):
            at, count = at + self._check_entry(head, at), count + 1
            self._stream.seek(at)
        listed, rest = at - self._zip.start_dir, total - at - _END_RECORD.size
        if rest not in (0, _END64_BYTES):
            self._flaws.report("zip-hidden", self._source, at, f"{abs(rest)} bytes at its end belong to nothing")
            return
        self._stream.seek(total - _END_RECORD.size)
        magic, *numbers, directory_size, _, comment_size = _END_RECORD.unpack(self._stream.read(_END_RECORD.size))
        whole = numbers == [0, 0, count, count] and directory_size == listed
        if magic != b"PK\5\6" or comment_size or count != len(self._zip.infolist()) or not (whole or rest):
            self._flaws.report("zip-header", self._source, at, "its last record says otherwise than its directory")

    def _check_entry(self, head: bytes, at: int) -> int:
        """Hold what an entry of the directory says of no member's content to what is usual; gives its length."""
        fields: tuple[int, ...] = _DIRECTORY_ENTRY.unpack(head)[1:]
        made_by, needed, name_size, extra_size, comment_size, disk, internal, external = fields
        is_usual = (
            made_by >> 8 in _SYSTEMS and needed >> 8 == 0 and disk == 0 and internal in (0, 1)
            and stat.S_IFMT(external >> 16) in (0, stat.S_IFREG) and not external & _UNUSUAL_ATTRIBUTES
        )  # fmt: skip
        if not is_usual:
            self._flaws.report("zip-header", self._source, at, "an entry of its directory is like none of a plain file")
        return _DIRECTORY_ENTRY.size + name_size + extra_size + comment_size


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
