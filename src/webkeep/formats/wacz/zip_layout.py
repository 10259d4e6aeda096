"""ZIP files looked at byte by byte: whether each byte belongs to a member or to the directory, and whether all that
speaks of a member says the same.

Readers differ in what they make of a ZIP file with bytes that nobody accounts for, or whose directory says otherwise
than the headers of members: some go by the one, some by the other. So such a file can show two people two things, each
of them with right digests. A package that is to prove something has nothing of the kind: no gaps, no further fields
that give a member another name, nothing behind the end of what is deflated, one directory however it is looked for.
"""

from __future__ import annotations

import errno
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from webkeep.formats.flaws import Flaws
from webkeep.formats.wacz.zip_members import ZIP_ERRORS, StreamSlice, claims_too_much
from webkeep.model import CHUNK_BYTES

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_END_RECORD = struct.Struct("<4s4H2LH")
_END64_RECORDS = struct.Struct("<4sQ2H2L4Q4sLQL")
"""The records that end a directory with 64-bit fields: what they say of it, and where they are."""
_DIRECTORY_ENTRY = struct.Struct("<4s2H20x5HL4x")
"""Of the directory, for each member, before its name: what is not held against the member's own header."""
_VERSIONS = frozenset({10, 20, 45})
"""Of the format, as members need them; the directory needs the last for whatever lies behind 2 GB, headers do not."""
_SYSTEMS = (0, 3, 7, 10, 11, 19)
"""Systems that writers of ZIP files name as theirs: DOS, Unix, Mac, Windows in several ways."""
_UNUSUAL_ATTRIBUTES, _FOLDER_ATTRIBUTE = 0xFFDE, 0x10
"""Of the attributes of DOS, all but those of a plain file: read-only, archived; and that of a folder."""
_END64_SIZE = 44
"""What the first of the records with 64-bit fields says of its own length: without what follows the known fields."""
_HAS_DESCRIPTOR = 0x08
"""Of a member whose sizes follow its bytes."""
_USUAL_FLAGS = 0x080E
"""Of a member: how well it is deflated, a descriptor, a name in UTF-8."""
_IN_EXTRA_FIELD, _COUNT_IN_END64 = 0xFFFFFFFF, 0xFFFF
"""In place of a size that needs 64 bits, and of a count."""
_ZIP64_FIELD = 1
"""The number of the further field that has them."""
_HARMLESS_FIELDS = {0x000A: 32, 0x5455: 13, 0x5855: 12, 0x7855: 4, 0x7875: 15, 0xCAFE: 0}
"""Further fields that usual writers add, and how long they get: dates, owners, the mark of a JAR. What else there is
may give a member another name, or hide something."""


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
        infos = sorted(self._zip.infolist(), key=lambda each: each.header_offset)
        folders = _list_folders(each.filename for each in infos)
        for info in infos:
            self._check_gap(at, info.header_offset)
            at = self._check_member(info)
            if info.filename.endswith("/") and (info.file_size or info.compress_size or info.filename not in folders):
                self._report_hidden(info, "is a folder with content, or of no file")
            self._check_extra(info, info.extra, info.header_offset)
        self._check_gap(at, self._zip.start_dir)
        self._check_end()

    def _check_gap(self, end: int, start: int) -> None:
        if start != end:
            message = f"{abs(start - end)} bytes {'belong to no member' if start > end else 'belong to two members'}"
            self._flaws.report("zip-hidden", self._source, min(start, end), message)

    def _report_hidden(self, info: zipfile.ZipInfo, what: str) -> None:
        self._flaws.report("zip-hidden", self._source, info.header_offset, f"{info.orig_filename[:200]!r} {what}")

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
        right = (info.CRC, info.compress_size, info.file_size)
        left_open = (0, _IN_EXTRA_FIELD) if has_descriptor else ()
        same = (
            magic == b"PK\3\4"
            and name == info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437")
            and (flags, method) == (info.flag_bits, info.compress_type)
            and (version == info.extract_version or {version, info.extract_version} <= _VERSIONS)
            and not flags & ~_USUAL_FLAGS
            and (date, time) == _dos_date(info)
            and all(said in (value, *left_open) for said, value in zip((crc, packed, size), right, strict=True))
        )
        if not same or info.comment:
            message = f"the header of {info.orig_filename[:200]!r} says otherwise than the directory"
            self._flaws.report("zip-header", self._source, info.header_offset, message)
        self._check_extra(info, extra, info.header_offset)
        if info.compress_type == zipfile.ZIP_DEFLATED and not self._fills_its_place(info, data_at):
            self._report_hidden(info, "ends before the bytes that belong to it do")
        return end + self._descriptor_bytes(info, end) if has_descriptor else end

    def _check_extra(self, info: zipfile.ZipInfo, extra: bytes, at: int) -> None:
        """Report further fields that readers may go by and others not."""
        right = {info.file_size, info.compress_size, info.header_offset, 0}
        try:
            fields = list(_list_fields(extra))
            is_usual = all(
                set(struct.unpack(f"<{len(data) // 8}Q", data)) <= right
                if kind == _ZIP64_FIELD
                else len(data) <= _HARMLESS_FIELDS.get(kind, -1)
                for kind, data in fields
            ) and len({kind for kind, _ in fields}) == len(fields)
        except struct.error:
            is_usual = False
        if not is_usual:
            message = f"{info.orig_filename[:200]!r} has further fields that readers differ in, or that are none"
            self._flaws.report("zip-header", self._source, at, message)

    def _fills_its_place(self, info: zipfile.ZipInfo, at: int) -> bool:
        """Whether what is deflated ends where its member does; bombs and damage are told by whoever reads them."""
        if claims_too_much(info):
            return True
        packed, inflater, produced = StreamSlice(self._stream, at, info.compress_size), zlib.decompressobj(-15), 0
        try:
            while not inflater.eof and produced <= info.file_size:
                data = inflater.unconsumed_tail or packed.read(CHUNK_BYTES)
                produced += len(inflater.decompress(data, CHUNK_BYTES))
                if not data:
                    return False
        except zlib.error:
            return True
        return not inflater.unused_data and not packed.read(1)

    def _descriptor_bytes(self, info: zipfile.ZipInfo, at: int) -> int:
        """How long the sizes behind a member are; 0 where they are not there, which leaves a gap."""
        self._stream.seek(at)
        found = self._stream.read(24)
        for form in ("<L2Q", "<L2L"):  # the longer first: of an empty file it begins as the shorter
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
        start = self._zip.start_dir
        self._stream.seek(start)
        at, count = start, 0
        while (head := self._stream.read(_DIRECTORY_ENTRY.size)).startswith(b"PK\1\2"):
            at, count = at + self._check_entry(head, at), count + 1
            self._stream.seek(at)
        rest = total - at - _END_RECORD.size
        if rest not in (0, _END64_RECORDS.size):
            self._flaws.report("zip-hidden", self._source, at, f"{abs(rest)} bytes at its end belong to nothing")
            return
        self._stream.seek(at)
        right = (count, count, at - start, start)
        is_right = not rest or self._stream.read(rest) == _end64_records(at, right, self._read_versions(at))
        self._stream.seek(total - _END_RECORD.size)
        magic, *disks, here, listed, size, offset, comment = _END_RECORD.unpack(self._stream.read(_END_RECORD.size))
        stands_in = (_COUNT_IN_END64, _COUNT_IN_END64, _IN_EXTRA_FIELD, _IN_EXTRA_FIELD)
        is_right = is_right and all(
            said == value or (rest and said == mark)
            for said, value, mark in zip((here, listed, size, offset), right, stands_in, strict=True)
        )
        if magic != b"PK\5\6" or comment or any(disks) or count != len(self._zip.infolist()) or not is_right:
            self._flaws.report("zip-header", self._source, at, "its last record says otherwise than its directory")

    def _read_versions(self, at: int) -> tuple[int, int]:
        """By which version of the format the record at a place was made, and which it needs: writers differ in that."""
        self._stream.seek(at + 12)
        made_by, needed = struct.unpack("<2H", self._stream.read(4))
        self._stream.seek(at)
        return made_by, needed

    def _check_entry(self, head: bytes, at: int) -> int:
        """Hold what an entry of the directory says of no member's content to what is usual; gives its length."""
        fields: tuple[int, ...] = _DIRECTORY_ENTRY.unpack(head)[1:]
        made_by, needed, name_size, extra_size, comment_size, disk, internal, external = fields
        is_folder = self._stream.read(name_size).endswith(b"/")
        kind, attribute = (stat.S_IFDIR, _FOLDER_ATTRIBUTE) if is_folder else (stat.S_IFREG, 0)
        is_usual = (
            made_by >> 8 in _SYSTEMS and needed >> 8 == 0 and disk == 0 and internal in (0, 1)
            and stat.S_IFMT(external >> 16) in (0, kind) and external & _UNUSUAL_ATTRIBUTES in (0, attribute)
        )  # fmt: skip
        if not is_usual:
            self._flaws.report("zip-header", self._source, at, "an entry of its directory is like none of a plain file")
        return _DIRECTORY_ENTRY.size + name_size + extra_size + comment_size


def _dos_date(info: zipfile.ZipInfo) -> tuple[int, int]:
    year, month, day, hour, minute, second = info.date_time
    return (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2


def _end64_records(at: int, right: tuple[int, int, int, int], versions: tuple[int, int]) -> bytes:
    """The records with 64-bit fields as they have to be behind a directory that ends at a place."""
    return _END64_RECORDS.pack(b"PK\6\6", _END64_SIZE, *versions, 0, 0, *right, b"PK\6\7", 0, at, 1)


def _list_folders(names: Iterator[str]) -> set[str]:
    """The folders in which files lie, by their names as a ZIP file has them."""
    return {name[: at + 1] for name in names for at, char in enumerate(name[:-1]) if char == "/"}


def _list_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """The further fields of a member, by their numbers; raises struct.error where they are none."""
    at = 0
    while at < len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        data = extra[at + 4 : at + 4 + length]
        if len(data) < length:
            raise struct.error("it ends within a field")
        yield kind, data
        at += 4 + length


def _read_zip64_sizes(extra: bytes, size: int, packed: int) -> tuple[int, int]:
    """The two sizes of a member's own header, out of its further fields where they need 64 bits."""
    for kind, data in _list_fields(extra):
        if kind == _ZIP64_FIELD:
            values = iter(struct.unpack(f"<{len(data) // 8}Q", data))
            size = next(values, size) if size == _IN_EXTRA_FIELD else size
            packed = next(values, packed) if packed == _IN_EXTRA_FIELD else packed
    return size, packed
