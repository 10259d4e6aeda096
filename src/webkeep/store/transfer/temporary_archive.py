"""WARC, ARC and WACZ files that are in no archive, known by their first bytes and made into an archive for as long as
it is read.

Nothing is copied that can be read where it lies: the archive has links to WARC files, and an index of its own. What was
compressed in one piece is unpacked, as no record in it could be read without all before it.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.wacz import read_wacz
from webkeep.model import CHUNK_BYTES, Moment
from webkeep.store.folder import layout
from webkeep.store.reading.record_scan import open_records
from webkeep.store.transfer.record_sources import unpack_source
from webkeep.store.writing.record_copy import RecordSource

_WACZ_ENDING = ".wacz"
_SNIFFED_BYTES = 1024
"""Enough for the magic of every format, also behind gzip's header."""
_ADVICE = "; get the file again"
_PLAIN_MAGICS = {b"WARC/": ".warc", b"filedesc:": ".arc"}
_ZSTD_MAGICS = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"


def sniff_record_ending(path: Path) -> str:
    """How the name of such a file of records ends, by its content; "" where it is none."""
    try:
        with path.open("rb") as stream:
            start = stream.read(_SNIFFED_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name and its permissions") from error
    if start.startswith(_ZIP_MAGIC):
        return _WACZ_ENDING
    if start.startswith(_ZSTD_MAGICS):
        return ".warc.zst"
    packed = start.startswith(_GZIP_MAGIC)
    if packed:
        start = _gunzip_start(start)
    plain = next((ending for magic, ending in _PLAIN_MAGICS.items() if start.startswith(magic)), "")
    return f"{plain}.gz" if plain and packed else plain


def _gunzip_start(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(start, 64)
    except zlib.error:
        return b""


def is_record_path(path: Path) -> bool:
    """Whether a path is a file, or a directory of files of records that is no archive."""
    if path.is_dir():
        return not layout.is_archive(path) and has_record_files(path)
    return path.is_file()


def has_record_files(folder: Path) -> bool:
    """Whether there are files of records in a directory."""
    return any(map(_is_record_file, folder.rglob("*")))


def list_record_files(path: Path) -> list[Path]:
    """The files of records at a path: itself, or those in a directory, by their names."""
    return sorted(filter(_is_record_file, path.rglob("*"))) if path.is_dir() else [path]


def _is_record_file(path: Path) -> bool:
    return path.name.endswith((*layout.WARC_ENDINGS, _WACZ_ENDING)) and path.is_file()


def name_of_records(path: Path) -> str:
    """What files of records are called: a WACZ by its title, all others by the name that they have on disk."""
    if not path.is_file() or sniff_record_ending(path) != _WACZ_ENDING:
        return path.name
    try:
        with path.open("rb") as stream:
            return " ".join(read_wacz(stream, path.name, Flaws(Strictness.IGNORE)).title.split()) or path.name
    except FormatError:
        return path.name  # what is wrong with it is said when it is read


def build_temporary_archive(files: Iterable[Path], folder: Path, name: str, now: Moment) -> Path:
    """An archive in a folder of files of records; raises UsageError where one is none."""
    warcs = layout.create_archive(folder, name, now).warcs
    try:
        for number, file in enumerate(files):
            ending = sniff_record_ending(file)
            target = warcs / f"{number:05d}-{file.name.removesuffix(ending)}{ending}"
            if ending == _WACZ_ENDING:
                _extract_wacz(file, target)
            elif ending:
                _link_file(file, target)
            else:
                raise UsageError(f"{file} holds no records; name WARC, ARC or WACZ files, or directories of them")
    except OSError as error:
        raise StorageError(f"nothing can be written to {warcs} ({error.strerror}); make room there") from error
    return folder


def _link_file(file: Path, target: Path) -> None:
    """Have a WARC file elsewhere: a link to it, or what is in it where that cannot be reached in another way."""
    if _is_one_piece(file):
        _unpack_file(file, target)
    else:
        target.symlink_to(file.absolute())


def _unpack_file(file: Path, target: Path) -> None:
    source = RecordSource(target.name, lambda: file.open("rb"))
    with (
        unpack_source(source, target.parent) as plain,
        plain.open() as stream,
        target.with_name(plain.name).open("wb") as written,
    ):
        shutil.copyfileobj(stream, written, CHUNK_BYTES)


def _is_one_piece(file: Path) -> bool:
    """Whether a file's records are compressed all together, as its first two tell."""
    flaws = Flaws()
    with file.open("rb") as stream:
        for record in islice(open_records(stream, file.name, flaws), 2):
            record.finish()
    return any(flaw.code == "not-per-record" for flaw in flaws.findings)


def _extract_wacz(path: Path, target: Path) -> None:
    """Take the WARC files out of a WACZ."""
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
            for number, member in enumerate(wacz.warcs):
                name = f"{target.name.removesuffix(_WACZ_ENDING)}-{number:05d}-{Path(member.path).name}"
                taken = target.with_name(name)
                with wacz.open(member) as source, taken.open("wb") as written:
                    shutil.copyfileobj(source, written, CHUNK_BYTES)
                if _is_one_piece(taken):
                    packed = taken.rename(taken.with_name(f"{name}.packed"))
                    _unpack_file(packed, taken)
                    packed.unlink()
    except FormatError as error:
        reason = str(error.args[0]).removesuffix(_ADVICE)
        raise UsageError(f"{path} is no WACZ that can be read ({reason}){_ADVICE}") from error
