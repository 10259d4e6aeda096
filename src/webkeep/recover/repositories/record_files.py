"""Files of records, and exchanges out of other leftovers, made into an archive for as long as it is asked.

Nothing is copied that can be read where it lies: such an archive has links to WARC files, and an index of its own.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import Clock, Exchange, Finding
from webkeep.store import layout
from webkeep.store.awaiting import Awaiting
from webkeep.store.writable import WritableArchive

Listener = Callable[[Finding], None]

WACZ = ".wacz"
_LOOKED_AT = 1024
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
        return WACZ
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


def records_below(folder: Path) -> list[Path]:
    """The files of records in a directory, by their names."""
    return sorted(each for each in folder.rglob("*") if _is_records(each))


def has_records(folder: Path) -> bool:
    """Whether there are files of records in a directory."""
    return any(map(_is_records, folder.rglob("*")))


def _is_records(path: Path) -> bool:
    return path.name.endswith((*layout.WARC_ENDINGS, WACZ)) and path.is_file()


def linked(files: Iterable[Path], folder: Path, name: str, clock: Clock) -> Path:
    """An archive in a folder that has links to files of records; raises UsageError where one is none."""
    made = layout.create(folder, name, clock.now())
    for number, file in enumerate(files):
        ending = record_ending(file)
        target = made.warcs / f"{number:05d}-{file.name.removesuffix(ending)}{ending}"
        if ending == WACZ:
            _unzip(file, target)
        elif ending:
            target.symlink_to(file.absolute())
        else:
            raise UsageError(f"{file} holds no records; name WARC, ARC or WACZ files, or directories of them")
    return folder


def _unzip(path: Path, target: Path) -> None:
    """Take the WARC files out of a WACZ."""
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
            for member in wacz.warcs:
                name = f"{target.name.removesuffix(WACZ)}-{Path(member.path).name}"
                with wacz.open(member) as source, target.with_name(name).open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1 << 20)
    except FormatError as error:
        raise UsageError(f"{path} is no WACZ that can be read ({error}); get the file again") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be unpacked to {target.parent} ({error.strerror}); make room") from error


def kept(exchanges: Iterable[Exchange], folder: Path, name: str, clock: Clock, tell: Listener) -> Path:
    """An archive in a folder that holds exchanges; what cannot be read is told."""

    def not_kept(url: str, error: Exception) -> None:
        tell(Finding("leftover-passed-over", name, 0, f"{url[:200]} cannot be read ({error}); left out"))

    awaited = Awaiting(not_kept)
    with WritableArchive.create(folder, name, clock) as archive, archive.begin("import") as capture:
        for exchange in exchanges:
            awaited.add(capture.submit(exchange), exchange.url)
        awaited.wait()
    return folder
