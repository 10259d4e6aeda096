"""Verifying an archive: every digest, every index entry, every observation, every revisit's target; with codes for what
does not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from webkeep.errors import StorageError
from webkeep.formats import Flaws
from webkeep.formats.warc import WarcRecord
from webkeep.model import Digest, Finding, Moment, RecordPlace, RecordType
from webkeep.store.archive.archive import Archive
from webkeep.store.index.record_facts import HOLDER_FIELD
from webkeep.store.log.log_verification import KeptCheckpoint, LogVerification, LogVerifiers
from webkeep.store.reading.digest_check import check_and_hash, check_digests
from webkeep.store.reading.record_scan import is_indexed_record, open_records
from webkeep.store.reading.revisit_resolution import is_not_modified_revisit
from webkeep.store.reading.salvage import is_usable_record
from webkeep.url import surt

_MAX_HOLDERS = 1000
"""Archives that are told by name: what strangers wrote must not fill memory."""
_OTHER_HOLDERS = "others"

FindingListener = Callable[[Finding], None]


@dataclass(slots=True)
class VerificationResult:
    """What a verification went through and found."""

    files: int = 0
    records: int = 0
    size: int = 0
    """Bytes of WARC files read."""
    findings: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, int] = field(default_factory=dict)
    """How many revisits refer to payloads that other archives hold and this one does not, by whose archive that is."""
    log: LogVerification | None = None
    """What the log of its records says; None where none is kept."""
    carried_logs: list[LogVerification] = field(default_factory=list)
    """What is said of logs that came along with imported records."""


def verify_archive(
    archive: Archive,
    listener: FindingListener,
    result: VerificationResult | None = None,
    tick: Callable[[], None] = lambda: None,
    kept: KeptCheckpoint | None = None,
) -> VerificationResult:
    """Read everything there is, and recall what was there once; findings go to the listener as they are met.

    The numbers in `result` grow while it goes on, and `tick` is called after each record. `kept` is a checkpoint of the
    archive's log that somebody kept elsewhere.
    """
    return _Verifier(archive, listener, result or VerificationResult(), tick).run(kept)


class _Verifier:
    def __init__(
        self, archive: Archive, listener: FindingListener, result: VerificationResult, tick: Callable[[], None]
    ) -> None:
        self._tick = tick
        self._archive = archive
        self._listener = listener
        self._result = result
        self._flaws = Flaws(listener=self._on_flaw)
        self._entries = 0
        self._observations = 0
        # What lies beyond was not there when the archive was opened: somebody is writing.
        self._reach = archive.index.database.covered_bytes()

    def run(self, kept: KeptCheckpoint | None) -> VerificationResult:
        archive = self._archive
        logs = LogVerifiers(archive.log, (archive.index, archive.files), self._on_finding, kept)
        for loss in self._archive.catalog.log.losses():
            self._on_finding(loss)
        for name in self._archive.layout.warc_names():
            reach = self._reach.get(name, 0)
            logs.begin_file()
            with self._archive.files.open(name) as stream:
                for record in open_records(stream, name, self._flaws):
                    if record.offset >= reach:
                        break
                    record_hash = check_and_hash(record, self._flaws) if logs else self._check_digests(record)
                    record.finish()
                    self._result.records += 1
                    self._tick()
                    if is_usable_record(record):
                        logs.add_record(RecordPlace(name, record.offset, record.length), record_hash)
                    self._check_caches(record)
            self._result.size += reach
            self._result.files += 1
        self._check_leftovers()
        self._result.log, self._result.carried_logs = logs.finish()
        return self._result

    def _check_digests(self, record: WarcRecord) -> bytes:
        check_digests(record, self._flaws)
        return b""

    def _check_caches(self, record: WarcRecord) -> None:
        if not is_usable_record(record) or not is_indexed_record(record):
            return
        place = RecordPlace(record.source, record.offset, record.length)
        moment = record.moment
        if moment is None or not self._archive.index.has_record(surt(record.url), moment, place):
            self._report("index-missing", place, f"{record.url} is not in the index; run webkeep rebuild")
        else:
            self._entries += 1
        if record.type == RecordType.METADATA:
            return
        if self._archive.catalog.observations.find_at(place.file, place.offset) is None:
            self._report("catalog-missing", place, f"{record.url} is not in the catalog; run webkeep rebuild")
        else:
            self._observations += 1
        if record.type == RecordType.REVISIT:
            self._check_target(record, place)

    def _check_target(self, record: WarcRecord, place: RecordPlace) -> None:
        try:
            self._compare_digests(record, place, self._archive.original_place(record, place))
        except StorageError:
            holder = record.get(HOLDER_FIELD.lower())
            if holder:  # it was written so, and nothing of this archive is lost
                self._note_elsewhere(holder)
                return
            self._report("revisit-dangling", place, f"a revisit of {record.url} refers to a payload that is not here")

    def _note_elsewhere(self, holder: str) -> None:
        known = self._result.elsewhere
        name = holder if holder in known or len(known) < _MAX_HOLDERS else _OTHER_HOLDERS
        known[name] = known.get(name, 0) + 1

    def _compare_digests(self, record: WarcRecord, place: RecordPlace, target: RecordPlace) -> None:
        said = Digest.parse(record.get("warc-payload-digest"))
        if said is None or is_not_modified_revisit(
            record
        ):  # tools do not agree on what to digest where no payload came
            return
        held = self._digest_at(target, said)
        if held is not None and held != said and held.algorithm == said.algorithm:
            message = f"a revisit of {record.url} says {said}, the record it refers to says {held}"
            self._report("payload-digest-wrong", place, message)

    def _digest_at(self, target: RecordPlace, likely: Digest) -> Digest | None:
        """The payload digest that a record names; the record is read only where the catalog has another."""
        observed = self._archive.catalog.observations.find_at(target.file, target.offset)
        if observed is not None and observed.payload_digest == likely:
            return likely
        # Where a record names none the catalog has one of ours, and others may digest the decoded body.
        with self._archive.files.open(target.file) as stream:
            return Digest.parse(self._archive.files.read_record(target, stream).get("warc-payload-digest"))

    def _check_leftovers(self) -> None:
        """Entries that belong to no record are looked for only where the numbers say that there are some."""
        archive = self._archive
        if archive.count() != self._entries:
            for entry in archive.entries():
                self._check_place(entry.place, "index-stale", entry.url, entry.moment)
        if archive.catalog.observations.totals().observations != self._observations:
            for observation in archive.observations(resolve=False):
                self._check_place(observation.place, "catalog-stale", observation.url, observation.moment)

    def _check_place(self, place: RecordPlace, code: str, url: str, moment: Moment) -> None:
        try:
            with self._archive.files.open(place.file) as stream:
                record = self._archive.files.read_record(place, stream)
        except StorageError:
            self._report(code, place, f"{url} points to no record; run webkeep rebuild")
            return
        if (record.url, record.moment) != (url, moment):
            self._report(code, place, f"{url} points to a record of {record.url}; run webkeep rebuild")

    def _report(self, code: str, place: RecordPlace, message: str) -> None:
        self._on_finding(Finding(code, place.file, place.offset, message))

    def _on_flaw(self, finding: Finding) -> None:
        """A flaw of a file, unless it is of what is being written at this moment."""
        if finding.offset < max(self._reach.get(finding.source, 0), 1):
            self._on_finding(finding)

    def _on_finding(self, finding: Finding) -> None:
        self._result.findings += 1
        self._result.codes[finding.code] = self._result.codes.get(finding.code, 0) + 1
        self._listener(finding)
