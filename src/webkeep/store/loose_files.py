"""Files of records that are in no archive, made into one for as long as it is read.

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
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import CHUNK, Moment
from webkeep.store import layout
from webkeep.store.copying import RecordSource
from webkeep.store.scanning import open_records
from webkeep.store.unpacking import unpacked

_WACZ = ".wacz"
_LOOKED_AT = 1024
_ADVICE = "; get the file again"
_PLAIN = {b"WARC/": ".warc", b"filedesc:": ".arc"}
_ZSTD = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


def record_ending(path: Path) -> str:
    """How the name of such a file of records ends, by its content; "" where it is none."""
    try:
        with path.open("rb") as stream:
            start = stream.read(_LOOKED_AT)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name and its permissions") from error
    if start.startswith(_ZIP):
        return _WACZ
    if start.startswith(_ZSTD):
        return ".warc.zst"
    packed = start.startswith(_GZIP)
    if packed:
        start = _gunzipped(start)
    plain = next((ending for magic, ending in _PLAIN.items() if start.startswith(magic)), "")
    return f"{plain}.gz" if plain and packed else plain


def _gunzipped(start: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(start, 64)
    except zlib.error:
        return b""


def is_loose(path: Path) -> bool:
    """Whether a path is a file, or a directory of files of records that is no archive."""
    if path.is_dir():
        return not layout.is_archive(path) and has_records(path)
    return path.is_file()


def has_records(folder: Path) -> bool:
    """Whether there are files of records in a directory."""
    return any(map(_is_records, folder.rglob("*")))


def records_at(path: Path) -> list[Path]:
    """The files of records at a path: itself, or those in a directory, by their names."""
    return sorted(filter(_is_records, path.rglob("*"))) if path.is_dir() else [path]


def _is_records(path: Path) -> bool:
    return path.name.endswith((*layout.WARC_ENDINGS, _WACZ)) and path.is_file()


def loose_name(path: Path) -> str:
    """What files of records are called: a WACZ by its title, all others by the name that they have on disk."""
    if not path.is_file() or record_ending(path) != _WACZ:
        return path.name
    try:
        with path.open("rb") as stream:
            return " ".join(read_wacz(stream, path.name, Flaws(Strictness.IGNORE)).title.split()) or path.name
    except FormatError:
        return path.name  # what is wrong with it is said when it is read


def gathered(files: Iterable[Path], folder: Path, name: str, now: Moment) -> Path:
    """An archive in a folder of files of records; raises UsageError where one is none."""
    warcs = layout.create(folder, name, now).warcs
    try:
        for number, file in enumerate(files):
            ending = record_ending(file)
            target = warcs / f"{number:05d}-{file.name.removesuffix(ending)}{ending}"
            if ending == _WACZ:
                _unzip(file, target)
            elif ending:
                _link(file, target)
            else:
                raise UsageError(f"{file} holds no records; name WARC, ARC or WACZ files, or directories of them")
    except OSError as error:
        raise StorageError(f"nothing can be written to {warcs} ({error.strerror}); make room there") from error
    return folder


def _link(file: Path, target: Path) -> None:
    """Have a WARC file elsewhere: a link to it, or what is in it where that cannot be reached in another way."""
    if _is_one_piece(file):
        _unpack(file, target)
    else:
        target.symlink_to(file.absolute())


def _unpack(file: Path, target: Path) -> None:
    source = RecordSource(target.name, lambda: file.open("rb"))
    with (
        unpacked(source, target.parent) as plain,
        plain.open() as stream,
        target.with_name(plain.name).open("wb") as written,
    ):
        shutil.copyfileobj(stream, written, CHUNK)


def _is_one_piece(file: Path) -> bool:
    """Whether a file's records are compressed all together, as its first two tell."""
    flaws = Flaws()
    with file.open("rb") as stream:
        for record in islice(open_records(stream, file.name, flaws), 2):
            record.finish()
    return any(flaw.code == "not-per-record" for flaw in flaws.found)


def _unzip(path: Path, target: Path) -> None:
    """Take the WARC files out of a WACZ."""
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
            for number, member in enumerate(wacz.warcs):
                name = f"{target.name.removesuffix(_WACZ)}-{number:05d}-{Path(member.path).name}"
                taken = target.with_name(name)
                with wacz.open(member) as source, taken.open("wb") as written:
                    shutil.copyfileobj(source, written, CHUNK)
                if _is_one_piece(taken):
                    packed = taken.rename(taken.with_name(f"{name}.packed"))
                    _unpack(packed, taken)
                    packed.unlink()
    except FormatError as error:
        reason = str(error.args[0]).removesuffix(_ADVICE)
        raise UsageError(f"{path} is no WACZ that can be read ({reason}){_ADVICE}") from error
