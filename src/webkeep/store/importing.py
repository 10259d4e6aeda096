"""Importing records: WARC and ARC files, alone or inside WACZ files, are copied record by record."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats.flaws import Flaws, Strictness
from webkeep.formats.record import Record
from webkeep.formats.wacz_reader import read_wacz
from webkeep.model import Digest, Finding, Hasher, Place, new_hasher
from webkeep.redaction import Redactor
from webkeep.store.awaiting import Awaiting
from webkeep.store.checking import check_record
from webkeep.store.copying import CopyWork, RecordSource, grouped
from webkeep.store.graves import Graves
from webkeep.store.layout import WARC_ENDINGS
from webkeep.store.reading import RECORD_BOMB
from webkeep.store.redacted_records import redacted
from webkeep.store.scanning import Seen, is_indexed, open_records, scan
from webkeep.store.sight import Sight
from webkeep.store.unpacking import member_of, unpacked
from webkeep.store.writable import OpenCapture, WritableArchive

Listener = Callable[[Finding], None]

_ZIP = b"PK\x03\x04"
_HELD_BACK = 1000
_CODES = 5
_UNINDEXED = "unindexed records"
"""The name of a fact: the digest of the records of a file that holds none that can be looked up."""


@dataclass(slots=True)
class Imported:
    """What an import brought in."""

    sources: int = 0
    read: int = 0
    """Records that were read and checked; each is, before any of its file is copied."""
    records: int = 0
    held: int = 0
    """Records that the archive had already."""
    taken_down: int = 0
    """Records that were removed from the archive once, and are left out."""
    findings: int = 0


class _Standing(Enum):
    """How a record stands to an archive."""

    NEW = auto()
    HELD = auto()
    TAKEN_DOWN = auto()


class RecordImport:
    """Copies records into an archive under one capture; what is flawed is told and passed over.

    What was taken down before the import is left out and told, unless it is to be restored. With a redactor, the
    records are written anew without the credentials in them.
    """

    def __init__(
        self,
        archive: WritableArchive,
        seeds: Iterable[str],
        listener: Listener,
        restore: bool = False,
        redactor: Redactor | None = None,
    ) -> None:
        self._archive = archive
        # Those of now: an archive that is imported may bring tombstones of records it was given back since.
        self._graves = Graves(() if restore else archive.tombstones())
        self._seeds = seeds
        self._listener = listener
        self._redactor = redactor
        self._facts: dict[str, str] = {} if redactor is None else {"redacts": json.dumps(redactor.rules.texts)}
        self._codes: dict[str, None] = {}
        self._flaws = Flaws(listener=self._found)
        self._awaited = Awaiting(self._not_copied)
        self.result = Imported()
        self.capture: OpenCapture | None = None
        """Begun with the first record that is new."""

    def add(self, path: Path) -> None:
        """Import one file: WARC, ARC or WACZ, told apart by its content; one that cannot be read is told."""
        try:
            with path.open("rb") as stream:
                start = stream.read(4)
        except OSError as error:
            self._flaws.report("file-unreadable", str(path), 0, f"cannot be read ({error.strerror}); left out")
            return
        if start == _ZIP or (path.suffix == ".wacz" and start):
            self._add_wacz(path)
        else:
            self._add_records(RecordSource(path.name, lambda: path.open("rb")))

    def finish(self) -> None:
        """End the capture, if anything was brought in."""
        if self.capture is not None:
            self.capture.end(self._facts | self._flaw_facts())

    def _flaw_facts(self) -> dict[str, str]:
        """What the capture remembers of findings about its sources."""
        if not self.result.findings:
            return {}
        first = ", ".join(list(self._codes)[:_CODES])
        return {"findings": f"{self.result.findings} ({first}{', …' if len(self._codes) > _CODES else ''})"}

    def _add_wacz(self, path: Path) -> None:
        with path.open("rb") as stream:
            try:
                wacz = read_wacz(stream, path.name, self._flaws)
            except FormatError as error:
                self._unreadable(path, error)
                return
            wacz.verify()
            for member in wacz.warcs:
                try:
                    with member_of(path, wacz, member, self._archive.layout.jobs, self._flaws) as source:
                        self._add_records(source)
                except FormatError as error:
                    self._unreadable(path, error)

    def _unreadable(self, path: Path, error: FormatError) -> None:
        self._flaws.report("wacz-unreadable", path.name, error.offset, str(error.args[0]))

    def _add_records(self, source: RecordSource) -> None:
        self.result.sources += 1
        survey = _Survey()
        with source.open() as stream:
            for record in open_records(stream, source.name, Flaws(listener=self._found_in_records)):
                check_record(record, self._flaws)
                record.finish()
                survey.take(record)
                self.result.read += 1
        if self._redactor is not None or survey.is_packed:
            self._add_anew(source, survey)
        else:
            self._copy(source, survey)

    def _add_anew(self, source: RecordSource, survey: _Survey) -> None:
        """Bring in records by way of a file in which they can be reached one by one, without what is to be left out."""
        folder, redactor = self._archive.layout.jobs, self._redactor
        with ExitStack() as stack:
            try:
                made = unpacked(source, folder) if redactor is None else redacted(source, folder, redactor, self._flaws)
                plain = stack.enter_context(made)
            except FormatError as error:
                self._flaws.report(RECORD_BOMB, source.name, error.offset, str(error.args[0]))
                return
            self._copy(plain, survey)

    def _copy(self, source: RecordSource, survey: _Survey) -> None:
        begun = False
        with source.open() as stream:
            groups = grouped(scan(stream, source.name, Flaws(Strictness.IGNORE)))
            for group in self._new_groups(groups) if survey.is_indexed else self._unless_known(groups, survey):
                capture = self._begun(again=not begun)
                begun = True
                self._submit(source, group, capture)
        self._awaited.wait()

    def _begun(self, again: bool) -> OpenCapture:
        """The capture; described again for a new source, because records may have brought captures of their own."""
        if self.capture is None:
            self.capture = self._archive.begin("import", self._seeds)
        elif again:
            self._archive.describe_again(self.capture.capture)
        return self.capture

    def _submit(self, source: RecordSource, group: tuple[Seen, ...], capture: OpenCapture) -> None:
        within = tuple(_within(seen, capture.id) for seen in group)
        weight = min(sum(seen.place.length for seen in group), 1 << 20)
        self._awaited.add(self._archive.submit(CopyWork(source, within), weight), group)
        self.result.records += len(group)

    def _not_copied(self, group: tuple[Seen, ...], error: Exception) -> None:
        place = group[0].place
        self.result.records -= len(group)
        self._flaws.report("not-copied", place.file, place.offset, f"a record could not be copied: {error}")

    def _new_groups(self, groups: Iterator[tuple[Seen, ...]]) -> Iterator[tuple[Seen, ...]]:
        """What the archive did not hold before; a record that cannot be looked up goes with the one before it.

        So does metadata with one that was taken down: it left with it.
        """
        before = self._archive.index.database.covered()
        waiting: list[tuple[Seen, ...]] = []
        standing: _Standing | None = None
        removed = ""
        for group in groups:
            sight = group[0].sight
            if sight is not None and (sight.record_type, sight.url) != ("metadata", removed):
                standing = self._standing(group[0].place, sight, before)
                removed = sight.url if standing is _Standing.TAKEN_DOWN else ""
            elif standing is None and len(waiting) < _HELD_BACK:
                waiting.append(group)
                continue
            if standing is _Standing.HELD:
                self.result.held += len(group)
                continue
            if standing is _Standing.TAKEN_DOWN:
                self.result.taken_down += len(group)
                continue
            yield from waiting
            waiting = []
            yield group
        self.result.held += sum(map(len, waiting))

    def _unless_known(self, groups: Iterator[tuple[Seen, ...]], survey: _Survey) -> Iterator[tuple[Seen, ...]]:
        """All records of a source that has none to look up, unless the same ones were brought in before."""
        digest = survey.digest
        if any(digest in capture.facts.get(_UNINDEXED, "").split() for capture in self._archive.captures()):
            self.result.held += sum(map(len, groups))
            return
        self._facts[_UNINDEXED] = f"{self._facts.get(_UNINDEXED, '')} {digest}".strip()
        yield from groups

    def _standing(self, place: Place, sight: Sight, before: dict[str, int]) -> _Standing:
        # What the archive held before is not stored again, so that the first one found tells.
        found = self._archive.index.first_like(sight)
        if found is not None and found.place.offset < before.get(found.place.file, 0):
            return _Standing.HELD
        stone = self._graves.of(sight)
        if stone is None:
            return _Standing.NEW
        why = f" ({stone.reason})" if stone.reason else ""
        message = f"{sight.url} of {sight.moment} was removed {stone.removed}{why}; --restore brings it back"
        self._flaws.report("taken-down", place.file, place.offset, message)
        return _Standing.TAKEN_DOWN

    def _found_in_records(self, finding: Finding) -> None:
        if finding.code != "not-per-record":  # such a source is unpacked
            self._found(finding)

    def _found(self, finding: Finding) -> None:
        self.result.findings += 1
        self._codes[finding.code] = None
        self._listener(finding)


@dataclass(slots=True)
class _Survey:
    """What a first reading of a source shows."""

    is_packed: bool = False
    """Whether records were compressed together, so that they cannot be reached one by one."""
    is_indexed: bool = False
    """Whether there is any record that can be looked up."""
    _hasher: Hasher = field(default_factory=lambda: new_hasher("sha1"))

    def take(self, record: Record) -> None:
        """Look at a record that was read."""
        if record.intact or not record.missing_fields():
            self.is_packed = self.is_packed or not record.length
            self.is_indexed = self.is_indexed or is_indexed(record)
            self._hasher.update(record.raw_head)

    @property
    def digest(self) -> str:
        """The digest of all heads."""
        return str(Digest("sha1", self._hasher.digest()))


def record_files(path: Path, listener: Listener) -> list[Path]:
    """The files of records at a path: itself, or all below it; directories that cannot be read are told."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f"{path} does not exist; name WARC, ARC or WACZ files or directories of them")

    def unreadable(error: OSError) -> None:
        message = f"cannot be read ({error.strerror}); left out with all in it"
        listener(Finding("file-unreadable", str(error.filename), 0, message))

    endings = (*WARC_ENDINGS, ".wacz")
    below = (Path(parent, name) for parent, _, names in os.walk(path, onerror=unreadable) for name in names)
    found = sorted(each for each in below if each.name.endswith(endings) and each.is_file())
    if not found:
        raise UsageError(f"{path} holds no WARC, ARC or WACZ files; give --base-url to import it as a website's files")
    return found


def _within(seen: Seen, capture: str) -> Seen:
    """A record that stands in no capture of its own belongs to the import."""
    if seen.sight is None or seen.sight.within:
        return seen
    return replace(seen, sight=seen.sight._replace(within=capture))
