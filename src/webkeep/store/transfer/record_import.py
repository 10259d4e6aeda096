"""Importing records: WARC and ARC files, alone or inside WACZ files, are copied record by record, but for what is held
already or was taken down (`--restore`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path

from webkeep.errors import FormatError, UsageError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.wacz import STAMP_FOLDER, read_wacz
from webkeep.formats.warc import WarcRecord
from webkeep.model import CaptureKind, Digest, Finding, Hasher, RecordPlace, RecordType, new_hasher
from webkeep.redaction import Redactor
from webkeep.store.archive.writable_archive import OpenCapture, WritableArchive
from webkeep.store.folder.layout import WARC_ENDINGS
from webkeep.store.index.record_facts import RecordFacts
from webkeep.store.reading.digest_check import check_digests
from webkeep.store.reading.record_scan import ScannedRecord, is_indexed_record, open_records, scan_records
from webkeep.store.reading.stored_response import RECORD_BOMB
from webkeep.store.transfer.record_sources import unpack_source, wacz_member_source
from webkeep.store.transfer.redacted_import import redact_source
from webkeep.store.views.tombstone_lookup import TombstoneLookup
from webkeep.store.writing.acknowledgement import PendingAcknowledgements
from webkeep.store.writing.record_copy import CopyTask, RecordSource, group_with_requests

FindingListener = Callable[[Finding], None]

_ZIP_MAGIC = b"PK\x03\x04"
_MAX_WAITING_GROUPS = 1000
"""Records before the first that can be looked up; so many wait for it to tell whether they are new."""
_MAX_CODES_SHOWN = 5
"""Kinds of findings that a capture's facts name, the commonest first, so that a line stays one."""
_UNINDEXED_FACT = "unindexed records"
"""The name of a fact: the digest of the records of a file that holds none that can be looked up."""


@dataclass(slots=True)
class ImportResult:
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


class _ImportStatus(Enum):
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
        listener: FindingListener,
        restore: bool = False,
        redactor: Redactor | None = None,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """`tick` is called after each record that was read."""
        self._archive = archive
        self._tick = tick
        # Those of now: an archive that is imported may bring tombstones of records it was given back since.
        self._tombstones = TombstoneLookup(() if restore else archive.tombstones())
        self._seeds = seeds
        self._listener = listener
        self._redactor = redactor
        self._facts: dict[str, str] = {} if redactor is None else {"redacts": json.dumps(redactor.rules.rule_texts)}
        self._codes: dict[str, None] = {}
        self._flaws = Flaws(listener=self._on_finding)
        self._pending = PendingAcknowledgements(self._report_not_copied)
        self.result = ImportResult()
        self.capture: OpenCapture | None = None
        """Begun with the first record that is new."""

    def add_file(self, path: Path) -> None:
        """Import one file: WARC, ARC or WACZ, told apart by its content; one that cannot be read is told."""
        try:
            with path.open("rb") as stream:
                start = stream.read(4)
        except OSError as error:
            self._flaws.report("file-unreadable", str(path), 0, f"cannot be read ({error.strerror}); left out")
            return
        if start == _ZIP_MAGIC or (path.suffix == ".wacz" and start):
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
        first = ", ".join(list(self._codes)[:_MAX_CODES_SHOWN])
        return {"findings": f"{self.result.findings} ({first}{', …' if len(self._codes) > _MAX_CODES_SHOWN else ''})"}

    def _add_wacz(self, path: Path) -> None:
        with path.open("rb") as stream:
            try:
                wacz = read_wacz(stream, path.name, self._flaws)
            except FormatError as error:
                self._report_unreadable(path, error)
                return
            wacz.verify(may_be_unlisted=_is_stamp)
            for member in wacz.warcs:
                try:
                    with wacz_member_source(path, wacz, member, self._archive.layout.jobs, self._flaws) as source:
                        self._add_records(source)
                except FormatError as error:
                    self._report_unreadable(path, error)

    def _report_unreadable(self, path: Path, error: FormatError) -> None:
        self._flaws.report("wacz-unreadable", path.name, error.offset, str(error.args[0]))

    def _add_records(self, source: RecordSource) -> None:
        self.result.sources += 1
        survey = _SourceSurvey()
        with source.open() as stream:
            for record in open_records(stream, source.name, Flaws(listener=self._on_record_finding)):
                check_digests(record, self._flaws)
                record.finish()
                survey.add_record(record)
                self.result.read += 1
                self._tick()
        if self._redactor is not None or survey.is_packed:
            self._add_rewritten(source, survey)
        else:
            self._copy_records(source, survey)

    def _add_rewritten(self, source: RecordSource, survey: _SourceSurvey) -> None:
        """Bring in records by way of a file in which they can be reached one by one, without what is to be left out."""
        folder, redactor = self._archive.layout.jobs, self._redactor
        with ExitStack() as stack:
            try:
                made = (
                    unpack_source(source, folder)
                    if redactor is None
                    else redact_source(source, folder, redactor, self._flaws)
                )
                plain = stack.enter_context(made)
            except FormatError as error:
                self._flaws.report(RECORD_BOMB, source.name, error.offset, str(error.args[0]))
                return
            self._copy_records(plain, survey)

    def _copy_records(self, source: RecordSource, survey: _SourceSurvey) -> None:
        begun = False
        with source.open() as stream:
            groups = group_with_requests(scan_records(stream, source.name, Flaws(Strictness.IGNORE)))
            for group in self._new_groups(groups) if survey.is_indexed else self._unless_known(groups, survey):
                capture = self._open_capture(again=not begun)
                begun = True
                self._submit(source, group, capture)
        self._pending.wait_for_all()

    def _open_capture(self, again: bool) -> OpenCapture:
        """The capture; described again for a new source, because records may have brought captures of their own."""
        if self.capture is None:
            self.capture = self._archive.begin(CaptureKind.IMPORT, self._seeds)
        elif again:
            self._archive.repeat_warcinfo(self.capture.capture)
        return self.capture

    def _submit(self, source: RecordSource, group: tuple[ScannedRecord, ...], capture: OpenCapture) -> None:
        within = tuple(_with_capture(seen, capture.id) for seen in group)
        weight = min(sum(seen.place.length for seen in group), 1 << 20)
        self._pending.add(self._archive.submit(CopyTask(source, within), weight), group)
        self.result.records += len(group)

    def _report_not_copied(self, group: tuple[ScannedRecord, ...], error: Exception) -> None:
        place = group[0].place
        self.result.records -= len(group)
        self._flaws.report("not-copied", place.file, place.offset, f"a record could not be copied: {error}")

    def _new_groups(self, groups: Iterator[tuple[ScannedRecord, ...]]) -> Iterator[tuple[ScannedRecord, ...]]:
        """What the archive did not hold before; a record that cannot be looked up goes with the one before it.

        So does metadata with one that was taken down: it left with it.
        """
        before = self._archive.index.database.covered_bytes()
        waiting: list[tuple[ScannedRecord, ...]] = []
        status: _ImportStatus | None = None
        removed = ""
        for group in groups:
            facts = group[0].facts
            if facts is not None and (facts.record_type, facts.url) != (RecordType.METADATA, removed):
                status = self._status_of(group[0].place, facts, before)
                removed = facts.url if status is _ImportStatus.TAKEN_DOWN else ""
            elif status is None and len(waiting) < _MAX_WAITING_GROUPS:
                waiting.append(group)
                continue
            if status is _ImportStatus.HELD:
                self.result.held += len(group)
                continue
            if status is _ImportStatus.TAKEN_DOWN:
                self.result.taken_down += len(group)
                continue
            yield from waiting
            waiting = []
            yield group
        self.result.held += sum(map(len, waiting))

    def _unless_known(
        self, groups: Iterator[tuple[ScannedRecord, ...]], survey: _SourceSurvey
    ) -> Iterator[tuple[ScannedRecord, ...]]:
        """All records of a source that has none to look up, unless the same ones were brought in before."""
        digest = survey.digest
        if any(digest in capture.facts.get(_UNINDEXED_FACT, "").split() for capture in self._archive.captures()):
            self.result.held += sum(map(len, groups))
            return
        self._facts[_UNINDEXED_FACT] = f"{self._facts.get(_UNINDEXED_FACT, '')} {digest}".strip()
        yield from groups

    def _status_of(self, place: RecordPlace, facts: RecordFacts, before: dict[str, int]) -> _ImportStatus:
        # What the archive held before is not stored again, so that the first one found tells.
        found = self._archive.index.find_same(facts)
        if found is not None and found.place.offset < before.get(found.place.file, 0):
            return _ImportStatus.HELD
        stone = self._tombstones.find(facts)
        if stone is None:
            return _ImportStatus.NEW
        why = f" ({stone.reason})" if stone.reason else ""
        message = f"{facts.url} of {facts.moment} was removed {stone.removed}{why}; --restore brings it back"
        self._flaws.report("taken-down", place.file, place.offset, message)
        return _ImportStatus.TAKEN_DOWN

    def _on_record_finding(self, finding: Finding) -> None:
        if finding.code != "not-per-record":  # such a source is unpacked
            self._on_finding(finding)

    def _on_finding(self, finding: Finding) -> None:
        self.result.findings += 1
        self._codes[finding.code] = None
        self._listener(finding)


@dataclass(slots=True)
class _SourceSurvey:
    """What a first reading of a source shows."""

    is_packed: bool = False
    """Whether records were compressed together, so that they cannot be reached one by one."""
    is_indexed: bool = False
    """Whether there is any record that can be looked up."""
    _hasher: Hasher = field(default_factory=lambda: new_hasher("sha1"))

    def add_record(self, record: WarcRecord) -> None:
        """Look at a record that was read."""
        if record.intact or not record.missing_fields():
            self.is_packed = self.is_packed or not record.length
            self.is_indexed = self.is_indexed or is_indexed_record(record)
            self._hasher.update(record.raw_head)

    @property
    def digest(self) -> str:
        """The digest of all heads."""
        return str(Digest("sha1", self._hasher.digest()))


def find_record_files(path: Path, listener: FindingListener) -> list[Path]:
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


def _with_capture(seen: ScannedRecord, capture: str) -> ScannedRecord:
    """A record that stands in no capture of its own belongs to the import."""
    if seen.facts is None or seen.facts.within:
        return seen
    return replace(seen, facts=seen.facts._replace(within=capture))


def _is_stamp(path: str) -> bool:
    """Whether a file of a WACZ is a time stamp, which came after its manifest was signed."""
    return path.startswith(STAMP_FOLDER)
