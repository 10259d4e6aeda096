"""An archive to write to: captures are begun, exchanges and files appended, and acknowledged when they are on disk."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.model import Body, BytesBody, Capture, Clock, Exchange, Fate, Moment, Observation
from webkeep.store import layout
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.archive import Archive
from webkeep.store.assistant import Assistant
from webkeep.store.bookkeeping import News, Note, end_note, fates_note
from webkeep.store.catalog import Catalog
from webkeep.store.committing import Committer
from webkeep.store.drafting import Work
from webkeep.store.growing import Rotation
from webkeep.store.index import Index
from webkeep.store.lock import WriterLock
from webkeep.store.ownership import is_private, make_private
from webkeep.store.preparing import DescribeWork, ExchangeWork, NoteWork, ResourceWork, Study
from webkeep.store.recollection import Recollection
from webkeep.store.settling import settle
from webkeep.store.writer import Writer

ROTATE_AT = 1 << 30
_FATES_IN_ONE = 5000


class WritableArchive(Archive):
    """An archive on disk, open for its one writer."""

    def __init__(self, path: Path, clock: Clock | None = None, rotate_at: int = ROTATE_AT) -> None:
        layout.read_settings(layout.Layout(path))
        self.lock = WriterLock(layout.Layout(path).lock)
        try:
            super().__init__(path, clock)
            rotation = Rotation(self.layout.warcs, rotate_at, self._file_name, self.lock.grow)
            rotation.resume(self.lock.growing)
        except BaseException:
            self.lock.close()
            raise
        self.writer = Writer(
            Committer(self.index, self.catalog, rotation, self.clock),
            Recollection(self.index, self.catalog),
            lambda take: Assistant(self.layout.index, self.layout.catalog, take),
        )
        self._rotation = rotation
        if is_private(self.layout):
            self.make_private()
        self._appending: OpenCapture | None = None

    @classmethod
    def create(cls, path: Path, name: str = "", clock: Clock | None = None, rotate_at: int = ROTATE_AT) -> Self:
        """Make an empty archive and open it."""
        used = clock or SystemClock()
        try:
            layout.create(path, name or path.absolute().name, used.now())
        except OSError as error:
            advice = "choose a place you can write to"
            raise StorageError(f"cannot make an archive at {path} ({error.strerror}); {advice}") from error
        return cls(path, clock, rotate_at)

    @classmethod
    def open_or_create(cls, path: Path, clock: Clock | None = None, rotate_at: int = ROTATE_AT) -> Self:
        """Open the archive, or make it where there is none."""
        if layout.is_archive(path):
            return cls(path, clock, rotate_at)
        return cls.create(path, "", clock, rotate_at)

    def _opened(self) -> tuple[Index, Catalog]:
        with ExitStack() as failing:
            index = Index(self.layout.index, writable=True)
            failing.callback(index.database.close)
            catalog = Catalog(self.layout.catalog, writable=True)
            failing.callback(catalog.database.close)
            self.recovered = settle(self.layout, self.lock, index, catalog)
            failing.pop_all()
        return index, catalog

    def _file_name(self, serial: int) -> str:
        return f"webkeep-{self.clock.now().digits()}-{serial:05d}.warc.gz"

    def begin(self, kind: str, seeds: Iterable[str] = (), facts: Mapping[str, str] | None = None) -> OpenCapture:
        """Begin a capture; leaving its `with` block ends it."""
        capture = Capture(str(uuid.uuid4()), kind, self.clock.now(), None, tuple(seeds), dict(facts or {}))
        self.writer.submit(capture)
        return OpenCapture(self, capture)

    def go_on(self, capture: Capture) -> OpenCapture:
        """Go on with a capture that did not come to its end."""
        self.describe_again(capture)
        return OpenCapture(self, capture)

    def append(self, exchange: Exchange) -> Observation:
        """Store one exchange and wait until it is on disk."""
        if self._appending is None:
            self._appending = self.begin("append")
        return self._appending.append(exchange)

    def submit(self, work: Work, weight: int = 0) -> Acknowledgement:
        """Hand over work to the writer."""
        return self.writer.submit(work, weight)

    def note(self, capture_id: str, name: str, media_type: str, block: bytes) -> Acknowledgement:
        """Hand over a metadata record about a capture, to be found by its name."""
        return self.submit(NoteWork(Note(name, media_type, block, News()), capture_id, self.clock.now()), len(block))

    def describe_again(self, capture: Capture) -> None:
        """Say that what is written next belongs to this capture, after records that brought their own."""
        self.submit(DescribeWork(capture, self.clock.now()))

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
        appending, self._appending = self._appending, None
        try:
            if appending is not None:
                appending.end()
        finally:
            self.writer.close()
            self._rotation.close()


class OpenCapture:
    """A capture that is being written."""

    def __init__(self, archive: WritableArchive, capture: Capture) -> None:
        self._archive = archive
        self.capture = capture
        self.run_id = f"{capture.id} {uuid.uuid4().hex}"
        """Tells this run from others of the same capture: what they found is not known to be on disk."""

    @property
    def id(self) -> str:
        """The capture's identifier."""
        return self.capture.id

    def submit(self, exchange: Exchange, study: Study | None = None, lean: bool = False) -> Acknowledgement:
        """Hand over an exchange; the future resolves when it is on disk, and tells what a study of it found.

        `lean` is for what is mostly the same as before: where it is, little more than that is kept.
        """
        return self._archive.submit(ExchangeWork(exchange, self.id, study, lean), _weight(exchange))

    def submit_all(self, exchanges: Iterable[tuple[Exchange, Study | None]]) -> list[Acknowledgement]:
        """Hand over several at once, each with what is to be studied of it."""
        works = [(ExchangeWork(exchange, self.id, study), _weight(exchange)) for exchange, study in exchanges]
        return self._archive.writer.submit_all(works)

    def append(self, exchange: Exchange) -> Observation:
        """Store one exchange and wait until it is on disk."""
        return _observed(self.submit(exchange))

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
        work = ResourceWork(url, moment, media_type, body, self.id, last_modified, via, truncated)
        return self._archive.submit(work, min(body.size, 1 << 20))

    def append_resource(
        self, url: str, media_type: str, data: bytes, moment: Moment | None = None, last_modified: str = ""
    ) -> Observation:
        """Store a file that is served at a URL, and wait until it is on disk."""
        seen = self._archive.clock.now() if moment is None else moment
        return _observed(self.submit_resource(url, seen, media_type, BytesBody(data), last_modified))

    def note_fates(self, fates: Iterable[Fate]) -> None:
        """Keep what became of URLs."""
        batch: list[Fate] = []
        for fate in fates:
            batch.append(fate)
            if len(batch) == _FATES_IN_ONE:
                self._note(batch)
                batch = []
        if batch:
            self._note(batch)

    def _note(self, fates: list[Fate]) -> None:
        note = fates_note(self.id, fates)
        now = self._archive.clock.now()
        self._archive.submit(NoteWork(note, self.id, now), len(note.block))

    def end(self, facts: Mapping[str, str] | None = None) -> None:
        """Say that the capture came to its end, and wait until that is on disk."""
        now = self._archive.clock.now()
        note = end_note(self.id, now, dict(facts or {}))
        self._archive.submit(NoteWork(note, self.id, now)).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.end()


def _weight(exchange: Exchange) -> int:
    return min(exchange.body.size, 1 << 20) + len(exchange.response)


def _observed(acknowledgement: Acknowledgement) -> Observation:
    observation = acknowledgement.result()
    if observation is None:
        raise UsageError("the exchange has no URL that can be looked up; give it one")
    return observation
