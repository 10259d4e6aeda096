"""Importing records: WARC and ARC files, alone or inside WACZ files, are copied record by record."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.segments import GZIP_MAGIC, CorruptSegmentError, GzipSegment, RawInput
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import Finding
from webkeep.store.checking import check_record
from webkeep.store.copying import CopyWork, RecordSource, grouped
from webkeep.store.layout import WARC_ENDINGS
from webkeep.store.scanning import Seen, open_records, scan
from webkeep.store.writable import OpenCapture, WritableArchive

_ZIP = b"PK\x03\x04"
_HELD_BACK = 1000


@dataclass(slots=True)
class Imported:
    """What an import brought in."""

    sources: int = 0
    records: int = 0
    held: int = 0
    """Records that the archive had already."""
    findings: int = 0


class RecordImport:
    """Copies records into an archive under one capture; what is flawed is told and passed over."""

    def __init__(self, archive: WritableArchive, capture: OpenCapture, listener: Callable[[Finding], None]) -> None:
        self._archive = archive
        self._capture = capture
        self._listener = listener
        self.result = Imported()

    def add(self, path: Path) -> None:
        """Import one file: WARC, ARC or WACZ, told apart by its content."""
        with _opened(path) as stream:
            start = stream.read(4)
        if start == _ZIP or (path.suffix == ".wacz" and start):
            self._add_wacz(path)
        else:
            self._add_records(RecordSource(path.name, lambda: _opened(path)))

    def _add_wacz(self, path: Path) -> None:
        flaws = self._flaws()
        with _opened(path) as stream:
            try:
                wacz = read_wacz(stream, path.name, flaws)
            except FormatError as error:
                flaws.report("wacz-unreadable", path.name, error.offset, str(error.args[0]))
                return
            wacz.verify()
            for member in wacz.warcs:
                name = f"{path.name}!{member.path}"
                self._add_records(RecordSource(name, lambda member=member: wacz.open(member)))  # type: ignore[misc]

    def _add_records(self, source: RecordSource) -> None:
        self.result.sources += 1
        self._archive.describe_again(self._capture.capture)
        with source.open() as stream:
            packed = _is_packed_whole(stream, source.name)
            stream.seek(0)
            if not packed:
                self._check(source)
                self._copy(source)
                return
            with tempfile.NamedTemporaryFile(dir=self._archive.layout.jobs, suffix=".warc") as unpacked:
                _unpack(stream, cast("BinaryIO", unpacked))
                path = Path(unpacked.name)
                plain = RecordSource(source.name.removesuffix(".gz"), lambda: _opened(path))
                self._check(plain)
                self._copy(plain)
                self._archive.writer.flush()

    def _check(self, source: RecordSource) -> None:
        """Tell every flaw, digests included; the copying that follows need not look again."""
        flaws = self._flaws()
        with source.open() as stream:
            for record in open_records(stream, source.name, flaws):
                check_record(record, flaws)
                record.finish()

    def _copy(self, source: RecordSource) -> None:
        with source.open() as stream:
            seens = scan(stream, source.name, Flaws(Strictness.IGNORE), capture=self._capture.id)
            for group in self._new_groups(grouped(seens)):
                self._archive.submit(CopyWork(source, group), min(sum(seen.place.length for seen in group), 1 << 20))
                self.result.records += len(group)
        self._archive.writer.flush()

    def _new_groups(self, groups: Iterator[tuple[Seen, ...]]) -> Iterator[tuple[Seen, ...]]:
        """What the archive does not hold; records about records wait until there is something they are about."""
        waiting: list[tuple[Seen, ...]] = []
        for group in groups:
            if any(self._is_held(seen) for seen in group):
                self.result.held += len(group)
            elif group[0].sight is None and len(waiting) < _HELD_BACK and not self.result.records:
                waiting.append(group)
            else:
                yield from waiting
                waiting = []
                yield group
        if self.result.records:
            yield from waiting
        else:
            self.result.held += sum(map(len, waiting))

    def _is_held(self, seen: Seen) -> bool:
        sight = seen.sight
        if sight is None:
            return False
        for entry in self._archive.index.same(sight):
            observation = self._archive.catalog.observations.at(entry.place.file, entry.place.offset)
            if observation is None or observation.capture != self._capture.id:
                return True
        return False

    def _flaws(self) -> Flaws:
        return Flaws(listener=self._found)

    def _found(self, finding: Finding) -> None:
        self.result.findings += 1
        self._listener(finding)


def record_files(path: Path) -> list[Path]:
    """The files of records at a path: itself, or all below it."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f"{path} does not exist; name WARC, ARC or WACZ files or directories of them")
    found = sorted(each for each in path.rglob("*") if each.name.endswith((*WARC_ENDINGS, ".wacz")) and each.is_file())
    if not found:
        raise UsageError(f"{path} holds no WARC, ARC or WACZ files; give --base-url to import it as a website's files")
    return found


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check the path") from error


def _is_packed_whole(stream: BinaryIO, name: str) -> bool:
    """Whether a file was compressed in one piece, so that its records cannot be reached one by one."""
    offsets = []
    for record in open_records(stream, name, Flaws(Strictness.IGNORE)):
        offsets.append(record.offset)
        record.finish()
        if len(offsets) == 2:
            return offsets[0] == offsets[1]
    return False


def _unpack(stream: BinaryIO, target: BinaryIO) -> None:
    raw = RawInput(stream)
    while raw.peek(3) == GZIP_MAGIC:
        segment = GzipSegment(raw)
        try:
            while piece := segment.piece():
                target.write(piece)
        except CorruptSegmentError:
            break  # the check of what was unpacked tells where the last record ends too early
    target.flush()
