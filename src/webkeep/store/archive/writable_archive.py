"""An archive to write to: captures are begun, exchanges, files and fates appended, and acknowledged when they are on
disk; how WARC files are named, and at which size a new one is begun.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.model import Body, BytesBody, Capture, CaptureKind, Clock, Exchange, Fate, Moment, Observation
from webkeep.store.archive.archive import Archive
from webkeep.store.folder import layout
from webkeep.store.folder.permissions import is_private, make_private
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.index.bookkeeping import BookkeepingRecord, CatalogUpdate, capture_end_record, fates_record
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.log_opening import begin_log, open_log
from webkeep.store.opening.startup_repair import repair_caches
from webkeep.store.writing.acknowledgement import Acknowledgement
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.group_commit import Committer
from webkeep.store.writing.growing_file import WarcRotation
from webkeep.store.writing.prepare_worker import PrepareWorker
from webkeep.store.writing.record_draft import WriteTask
from webkeep.store.writing.record_writer import RecordWriter
from webkeep.store.writing.write_tasks import ExchangeAnalysis, ExchangeTask, MetadataTask, ResourceTask, WarcinfoTask

if TYPE_CHECKING:
    from webkeep.store.log.record_log import RecordLog

ROTATION_BYTES = 1 << 30
"""The size at which WARC tools have long begun a new file."""
_FATES_PER_RECORD = 5000
"""So many make a record that is still read in one piece."""


class WritableArchive(Archive):
    """An archive on disk, open for its one writer."""

    def __init__(self, path: Path, clock: Clock | None = None, rotate_at: int = ROTATION_BYTES) -> None:
        layout.read_settings(layout.ArchiveLayout(path))
        self.lock = WriterLock(layout.ArchiveLayout(path).lock)
        try:
            super().__init__(path, clock)
            rotation = WarcRotation(self.layout.warcs, rotate_at, self._file_name, self.lock.announce_growing)
            rotation.resume(self.lock.growing_file)
        except BaseException:
            self.lock.close()
            raise
        self.writer = RecordWriter(
            Committer(self.index, self.catalog, rotation, self.clock, self.log),
            DedupIndex(self.index, self.catalog),
            lambda take: PrepareWorker(self.layout.index, self.layout.catalog, take),
        )
        self._rotation = rotation
        if is_private(self.layout):
            self.make_private()
        self._append_capture: OpenCapture | None = None

    @classmethod
    def create(
        cls,
        path: Path,
        name: str = "",
        clock: Clock | None = None,
        rotate_at: int = ROTATION_BYTES,
        keep_log: bool = False,
    ) -> Self:
        """Make an empty archive and open it; it keeps a log of its records where that is said."""
        used = clock or SystemClock()
        try:
            layout.create_archive(path, name or path.absolute().name, used.now())
        except OSError as error:
            advice = "choose a place you can write to"
            raise StorageError(f"cannot make an archive at {path} ({error.strerror}); {advice}") from error
        if keep_log:
            begin_log(path)
        return cls(path, clock, rotate_at)

    @classmethod
    def open_or_create(
        cls, path: Path, clock: Clock | None = None, rotate_at: int = ROTATION_BYTES, keep_log: bool = False
    ) -> Self:
        """Open the archive, or make it where there is none; from now on it keeps a log where that is said."""
        if layout.is_archive(path):
            if keep_log:
                begin_log(path)
            return cls(path, clock, rotate_at)
        return cls.create(path, "", clock, rotate_at, keep_log)

    def _open_caches(self) -> tuple[UrlIndex, Catalog]:
        with ExitStack() as failing:
            index = UrlIndex(self.layout.index, writable=True)
            failing.callback(index.database.close)
            catalog = Catalog(self.layout.catalog, writable=True)
            failing.callback(catalog.database.close)
            self.repair_findings = repair_caches(self.layout, self.lock, index, catalog)
            failing.pop_all()
        return index, catalog

    def _open_log(self) -> RecordLog | None:
        return open_log(self.layout, writable=True)

    def _file_name(self, serial: int) -> str:
        return f"webkeep-{self.clock.now().digits()}-{serial:05d}.warc.gz"

    def begin(
        self, kind: str, seeds: Iterable[str] = (), facts: Mapping[str, str] | None = None, identity: str = ""
    ) -> OpenCapture:
        """Begin a capture, under an identity of its own where none is given; leaving its `with` block ends it."""
        capture = Capture(identity or str(uuid.uuid4()), kind, self.clock.now(), None, tuple(seeds), dict(facts or {}))
        self.writer.submit(capture)
        return OpenCapture(self, capture)

    def resume_capture(self, capture: Capture) -> OpenCapture:
        """Go on with a capture that did not come to its end."""
        self.repeat_warcinfo(capture)
        return OpenCapture(self, capture)

    def append(self, exchange: Exchange) -> Observation:
        """Store one exchange and wait until it is on disk."""
        if self._append_capture is None:
            self._append_capture = self.begin(CaptureKind.APPEND)
        return self._append_capture.append(exchange)

    def submit(self, work: WriteTask, weight: int = 0) -> Acknowledgement:
        """Hand over work to the writer."""
        return self.writer.submit(work, weight)

    def submit_metadata(self, capture_id: str, name: str, media_type: str, block: bytes) -> Acknowledgement:
        """Hand over a metadata record about a capture, to be found by its name."""
        return self.submit(
            MetadataTask(BookkeepingRecord(name, media_type, block, CatalogUpdate()), capture_id, self.clock.now()),
            len(block),
        )

    def repeat_warcinfo(self, capture: Capture) -> None:
        """Say that what is written next belongs to this capture, after records that brought their own."""
        self.submit(WarcinfoTask(capture, self.clock.now()))

    def close(self) -> None:
        """End what is under way, put everything on disk and let others write."""
        try:
            self.stop_writing()
        finally:
            super().close()
            if self.is_private:
                make_private(self.layout)
            self.lock.close()

    def make_private(self) -> None:
        """Have nobody but its owner read it from now on."""
        make_private(self.layout)

    @property
    def is_private(self) -> bool:
        """Whether nobody but its owner can read it."""
        return is_private(self.layout)

    def stop_writing(self) -> None:
        """Put everything on disk and write nothing more; nobody else can write before it is closed."""
        appending, self._append_capture = self._append_capture, None
        try:
            if appending is not None:
                appending.end()
        finally:
            self.writer.close()
            self._rotation.close()
            if self.log is not None and self.log.state.size != self.log.size:
                self.log.settle()


class OpenCapture:
    """A capture that is being written."""

    def __init__(self, archive: WritableArchive, capture: Capture) -> None:
        self._archive = archive
        self.capture = capture
        self.run_id = ""
        """Tells this run from others of the same capture: what they found is not known to be on disk."""
        self.renew_run()

    @property
    def id(self) -> str:
        """The capture's identifier."""
        return self.capture.id

    def renew_run(self) -> None:
        """Be another run from now on: what was found so far may be lost, and is told again."""
        self.run_id = f"{self.capture.id} {uuid.uuid4().hex}"

    def submit(
        self, exchange: Exchange, analysis: ExchangeAnalysis | None = None, lean: bool = False
    ) -> Acknowledgement:
        """Hand over an exchange; the future resolves when it is on disk, and tells what an analysis of it found.

        `lean` is for what is mostly the same as before: where it is, little more than that is kept.
        """
        return self._archive.submit(ExchangeTask(exchange, self.id, analysis, lean), _exchange_weight(exchange))

    def submit_all(self, exchanges: Iterable[tuple[Exchange, ExchangeAnalysis | None]]) -> list[Acknowledgement]:
        """Hand over several at once, each with what is to be studied of it."""
        works = [(ExchangeTask(exchange, self.id, study), _exchange_weight(exchange)) for exchange, study in exchanges]
        return self._archive.writer.submit_all(works)

    def append(self, exchange: Exchange) -> Observation:
        """Store one exchange and wait until it is on disk."""
        return _observation_of(self.submit(exchange))

    def submit_resource(
        self,
        url: str,
        moment: Moment,
        media_type: str,
        body: Body,
        last_modified: str = "",
        via: str = "",
        truncated: str = "",
    ) -> Acknowledgement:
        """Hand over a file that is served at a URL."""
        work = ResourceTask(url, moment, media_type, body, self.id, last_modified, via, truncated)
        return self._archive.submit(work, min(body.size, 1 << 20))

    def append_resource(
        self, url: str, media_type: str, data: bytes, moment: Moment | None = None, last_modified: str = ""
    ) -> Observation:
        """Store a file that is served at a URL, and wait until it is on disk."""
        seen = self._archive.clock.now() if moment is None else moment
        return _observation_of(self.submit_resource(url, seen, media_type, BytesBody(data), last_modified))

    def submit_fates(self, fates: Iterable[Fate]) -> None:
        """Keep what became of URLs."""
        batch: list[Fate] = []
        for fate in fates:
            batch.append(fate)
            if len(batch) == _FATES_PER_RECORD:
                self._submit_fates_record(batch)
                batch = []
        if batch:
            self._submit_fates_record(batch)

    def _submit_fates_record(self, fates: list[Fate]) -> None:
        record = fates_record(self.id, fates)
        now = self._archive.clock.now()
        self._archive.submit(MetadataTask(record, self.id, now), len(record.block))

    def end(self, facts: Mapping[str, str] | None = None) -> None:
        """Say that the capture came to its end, and wait until that is on disk."""
        now = self._archive.clock.now()
        record = capture_end_record(self.id, now, dict(facts or {}))
        self._archive.submit(MetadataTask(record, self.id, now)).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.end()


def _exchange_weight(exchange: Exchange) -> int:
    return min(exchange.body.size, 1 << 20) + len(exchange.response)


def _observation_of(acknowledgement: Acknowledgement) -> Observation:
    observation = acknowledgement.result()
    if observation is None:
        raise UsageError("the exchange has no URL that can be looked up; give it one")
    return observation
