"""An archive to read from: captures, observations, records, look-up by URL and time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.formats.flaws import Flaws
from webkeep.formats.record import Record
from webkeep.model import Capture, Clock, Finding, Moment, Observation, Place, parse_moment
from webkeep.store.catalog import Catalog
from webkeep.store.entry import Entry
from webkeep.store.index import Index, Span
from webkeep.store.layout import Layout, read_settings
from webkeep.store.ledger import Tombstone
from webkeep.store.lock import WriterLock
from webkeep.store.quick_record import SMALL, small_record
from webkeep.store.reading import Holding, WarcFiles, read_holding
from webkeep.store.resolving import RevisitResolver
from webkeep.store.scanning import open_records
from webkeep.store.settling import is_settled, settle
from webkeep.url.key import surt
from webkeep.url.key_range import Match, key_range

_NOT_MODIFIED = 304


class Archive:
    """An archive on disk, open for reading; safe beside a writer in another process."""

    def __init__(self, path: Path | str, clock: Clock | None = None) -> None:
        self.layout = Layout(Path(path))
        self.clock = clock or SystemClock()
        self.settings = read_settings(self.layout)
        self.files = WarcFiles(self.layout.warcs)
        self.recovered: list[Finding] = []
        """What was brought in order on opening: a torn record cut off, flaws in files dropped in."""
        self.index, self.catalog = self._opened()
        self.revisits = RevisitResolver(self.index, self.catalog, self.files)

    def _opened(self) -> tuple[Index, Catalog]:
        if self.layout.index.exists() and self.layout.catalog.exists():
            index, catalog = Index(self.layout.index), Catalog(self.layout.catalog)
            with ExitStack() as leaving:
                leaving.callback(index.database.close)
                leaving.callback(catalog.database.close)
                if self._is_settled(index, catalog):
                    leaving.pop_all()
                    return index, catalog
        self._settle()
        return Index(self.layout.index), Catalog(self.layout.catalog)

    def _is_settled(self, index: Index, catalog: Catalog) -> bool:
        try:
            return is_settled(self.layout, index, catalog)
        except StorageError:
            # A cache whose last change was cut short can only be read once a writer has taken that back; whatever else
            # is wrong with it, settling will say.
            return False

    def _settle(self) -> None:
        """Bring the caches up to the WARC files, unless a writer is doing that at this moment."""
        try:
            lock = WriterLock(self.layout.lock)
        except StorageError:
            if self.layout.index.exists() and self.layout.catalog.exists():
                return
            raise
        with ExitStack() as leaving:
            leaving.callback(lock.close)
            index = Index(self.layout.index, writable=True)
            leaving.callback(index.database.close)
            catalog = Catalog(self.layout.catalog, writable=True)
            leaving.callback(catalog.database.close)
            self.recovered = settle(self.layout, lock, index, catalog)

    @property
    def path(self) -> Path:
        """Where the archive lies."""
        return self.layout.root

    @property
    def name(self) -> str:
        """What the archive is called."""
        return self.settings.name

    def captures(self) -> Iterator[Capture]:
        """All captures, oldest first."""
        return self.catalog.captures.all()

    def capture(self, prefix: str) -> Capture:
        """The one capture whose identifier begins so."""
        found = [capture for capture in self.captures() if capture.id.startswith(prefix.lower())]
        if len(found) != 1:
            many = f"several captures in {self.path} begin" if found else f"no capture in {self.path} begins"
            raise UsageError(f"{many} with {prefix!r}; webkeep list {self.path} shows them")
        return found[0]

    def observations(
        self, capture: str | None = None, beyond: Place | None = None, resolve: bool = True
    ) -> Iterator[Observation]:
        """All observations in the order they were stored, or those of one capture; with a place, those behind it.

        A revisit has status, type and size of what it refers to; without `resolve`, what its own record says.
        """
        found = self.catalog.observations.all(capture, beyond)
        return self.revisits.resolve_all(found) if resolve else found

    def tombstones(self) -> Iterator[Tombstone]:
        """What was taken down."""
        return self.catalog.ledger.tombstones()

    def records(self, flaws: Flaws | None = None) -> Iterator[Record]:
        """Every record of every file, in order; a record's block can be read until the next one is asked for."""
        for name in self.layout.warc_names():
            with self.files.open(name) as stream:
                yield from open_records(stream, name, flaws or Flaws())

    def lookup(self, url: str, at: Moment | str | None = None) -> Observation | None:
        """The observation of a URL nearest to a moment; the latest where no moment is given."""
        entry = self.index.nearest(surt(url), url, self._moment(at))
        seen = self._observed(entry) if entry else None
        return self.revisits.resolve(seen) if seen else None

    def history(
        self,
        url: str,
        match: Match = Match.EXACT,
        since: Moment | None = None,
        until: Moment | None = None,
        resolve: bool = True,
    ) -> Iterator[Observation]:
        """All observations of a URL (or of a prefix, host or domain) within a time, by URL and time.

        A revisit has status, type and size of what it refers to; without `resolve`, what its own record says.
        """
        found = filter(None, map(self._observed, self.entries(url, match, since, until)))
        return self.revisits.resolve_all(found) if resolve else found

    def observation_at(self, place: Place) -> Observation | None:
        """The observation whose record lies there, as `lookup` gives it."""
        seen = self.catalog.observations.at(place.file, place.offset)
        return self.revisits.resolve(seen) if seen else None

    def entries(
        self,
        url: str = "",
        match: Match = Match.EXACT,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> Iterator[Entry]:
        """The index entries of a URL, prefix, host or domain, or of everything, within a time."""
        for span in _spans(url, match, since, until):
            yield from self.index.entries(span)

    def count(self, url: str = "", match: Match = Match.EXACT) -> int:
        """How many index entries there are."""
        return sum(self.index.count(span) for span in _spans(url, match))

    def read(self, observation: Observation | Entry) -> Holding:
        """What the archive holds of an observation; a revisit is followed to its payload."""
        return self.read_place(observation.place)

    def read_place(self, place: Place) -> Holding:
        """What the record at a place holds; a revisit is followed to its payload."""
        holding, record = small_record(self.files, place) if place.length <= SMALL else read_holding(self.files, place)
        is_revisit = record is not None and record.type == "revisit"
        if not is_revisit and (holding.head is None or holding.head.status != _NOT_MODIFIED):
            return holding
        if record is None:
            _, record = read_holding(self.files, place)
        return self.revisits.holding(record, holding, place)

    def original(self, revisit: Record, place: Place) -> Place:
        """Where the payload of a revisit lies."""
        return self.revisits.original(revisit, place)

    def begin(self, *_args: Any, **_named: Any) -> object:
        """Begin a capture, where the archive is open for writing."""
        raise UsageError(f"{self.path} is open for reading only; open it with write=True to begin a capture")

    def append(self, *_args: Any, **_named: Any) -> object:
        """Store one exchange, where the archive is open for writing."""
        raise UsageError(f"{self.path} is open for reading only; open it with write=True to store anything")

    def _observed(self, entry: Entry) -> Observation | None:
        return self.catalog.observations.at(entry.place.file, entry.place.offset)

    def _moment(self, at: Moment | str | None) -> Moment:
        if at is None:
            return self.clock.now()
        return parse_moment(at, self.clock.now()) if isinstance(at, str) else at

    def __iter__(self) -> Iterator[Observation]:
        return self.observations()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} at {str(self.path)!r}>"

    def close(self) -> None:
        """Let go of the files."""
        self.index.database.close()
        self.catalog.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def url_ranges(url: str, match: Match) -> list[tuple[str, str | None]]:
    """The ranges of keys that hold a URL, or what a prefix, host or domain stands for."""
    low, high = key_range(url, match)
    ranges: list[tuple[str, str | None]] = [(low, high)]
    if match is Match.PREFIX and url.endswith("/"):
        # A key has no final slash, so a directory itself sorts apart; that of a host is its first key.
        exact = key_range(url, Match.EXACT)
        if not low <= exact[0] < high:
            ranges.insert(0, exact)
    return ranges


def _spans(url: str, match: Match, since: Moment | None = None, until: Moment | None = None) -> Iterator[Span]:
    for low, high in url_ranges(url, match) if url else [("", None)]:
        yield Span(low, high, since, until)
