"""An archive to read from, safe beside a writer: captures, observations, records, look-up by URL and time, and what the
record of an observation holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from webkeep.clock import SystemClock
from webkeep.errors import StorageError, UsageError
from webkeep.formats import Flaws
from webkeep.formats.status import NOT_MODIFIED
from webkeep.formats.warc import WarcRecord
from webkeep.model import Capture, Clock, Finding, Moment, MomentLike, Observation, RecordPlace, RecordType, read_moment
from webkeep.store.folder.layout import ArchiveLayout, read_settings
from webkeep.store.folder.writer_lock import WriterLock
from webkeep.store.index.archive_log import Tombstone
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.url_index import IndexEntry, IndexRange, UrlIndex
from webkeep.store.log.log_opening import open_log
from webkeep.store.opening.startup_repair import are_caches_current, repair_caches
from webkeep.store.reading.record_scan import open_records
from webkeep.store.reading.revisit_resolution import RevisitResolver
from webkeep.store.reading.stored_response import (
    MAX_SMALL_RECORD_BYTES,
    StoredResponse,
    WarcFiles,
    read_small_record,
    read_stored_response,
)
from webkeep.url import UrlMatch, key_range, surt

if TYPE_CHECKING:
    from webkeep.store.log.record_log import RecordLog


class Archive:
    """An archive on disk, open for reading; safe beside a writer in another process."""

    def __init__(self, path: Path | str, clock: Clock | None = None) -> None:
        self.layout = ArchiveLayout(Path(path))
        self.clock = clock or SystemClock()
        self.settings = read_settings(self.layout)
        self.files = WarcFiles(self.layout.warcs)
        self.repair_findings: list[Finding] = []
        """What was brought in order on opening: a torn record cut off, flaws in files dropped in."""
        self.index, self.catalog = self._open_caches()
        self.log = self._open_log()
        """The log of its records; None where it keeps none."""
        self.revisits = RevisitResolver(self.index, self.catalog, self.files)

    def _open_caches(self) -> tuple[UrlIndex, Catalog]:
        if self.layout.index.exists() and self.layout.catalog.exists():
            index, catalog = UrlIndex(self.layout.index), Catalog(self.layout.catalog)
            with ExitStack() as leaving:
                leaving.callback(index.database.close)
                leaving.callback(catalog.database.close)
                if self._are_caches_current(index, catalog):
                    leaving.pop_all()
                    return index, catalog
        self._repair_caches()
        return UrlIndex(self.layout.index), Catalog(self.layout.catalog)

    def _open_log(self) -> RecordLog | None:
        return open_log(self.layout)

    def _are_caches_current(self, index: UrlIndex, catalog: Catalog) -> bool:
        try:
            return are_caches_current(self.layout, index, catalog)
        except StorageError:
            # A cache whose last change was cut short can only be read once a writer has taken that back; whatever else
            # is wrong with it, settling will say.
            return False

    def _repair_caches(self) -> None:
        """Bring the caches up to the WARC files, unless a writer is doing that at this moment."""
        try:
            lock = WriterLock(self.layout.lock)
        except StorageError:
            if self.layout.index.exists() and self.layout.catalog.exists():
                return
            raise
        with ExitStack() as leaving:
            leaving.callback(lock.close)
            index = UrlIndex(self.layout.index, writable=True)
            leaving.callback(index.database.close)
            catalog = Catalog(self.layout.catalog, writable=True)
            leaving.callback(catalog.database.close)
            self.repair_findings = repair_caches(self.layout, lock, index, catalog)

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
        self, capture: str | None = None, beyond: RecordPlace | None = None, resolve: bool = True
    ) -> Iterator[Observation]:
        """All observations in the order they were stored, or those of one capture; with a place, those behind it.

        A revisit has status, type and size of what it refers to; without `resolve`, what its own record says.
        """
        found = self.catalog.observations.all(capture, beyond)
        return self.revisits.resolve_all(found) if resolve else found

    def tombstones(self) -> Iterator[Tombstone]:
        """What was taken down."""
        return self.catalog.log.tombstones()

    def records(self, flaws: Flaws | None = None) -> Iterator[WarcRecord]:
        """Every record of every file, in order; a record's block can be read until the next one is asked for."""
        for name in self.layout.warc_names():
            with self.files.open(name) as stream:
                yield from open_records(stream, name, flaws or Flaws())

    def lookup(self, url: str, at: MomentLike | None = None) -> Observation | None:
        """The observation of a URL nearest to a moment; the latest where no moment is given."""
        if not isinstance(url, str):
            raise UsageError(f"{url!r} is no URL; give a text such as http://example.org/")
        entry = self.index.nearest(surt(url), url, self._moment_or_now(at))
        seen = self._observation_of(entry) if entry else None
        return self.revisits.resolve(seen) if seen else None

    def history(
        self,
        url: str,
        match: UrlMatch = UrlMatch.EXACT,
        since: MomentLike | None = None,
        until: MomentLike | None = None,
        resolve: bool = True,
    ) -> Iterator[Observation]:
        """All observations of a URL (or of a prefix, host or domain) within a time, by URL and time.

        A revisit has status, type and size of what it refers to; without `resolve`, what its own record says.
        """
        found = filter(None, map(self._observation_of, self.entries(url, match, since, until)))
        return self.revisits.resolve_all(found) if resolve else found

    def observation_at(self, place: RecordPlace) -> Observation | None:
        """The observation whose record lies there, as `lookup` gives it."""
        seen = self.catalog.observations.find_at(place.file, place.offset)
        return self.revisits.resolve(seen) if seen else None

    def entries(
        self,
        url: str = "",
        match: UrlMatch = UrlMatch.EXACT,
        since: MomentLike | None = None,
        until: MomentLike | None = None,
    ) -> Iterator[IndexEntry]:
        """The index entries of a URL, prefix, host or domain, or of everything, within a time."""
        now = self.clock.now()
        for span in _index_ranges(url, match, read_moment(since, now), read_moment(until, now)):
            yield from self.index.entries(span)

    def count(self, url: str = "", match: UrlMatch = UrlMatch.EXACT) -> int:
        """How many index entries there are."""
        return sum(self.index.count(span) for span in _index_ranges(url, match))

    def read(self, observation: Observation | IndexEntry) -> StoredResponse:
        """What the archive holds of an observation; a revisit is followed to its payload."""
        if not isinstance(observation, Observation | IndexEntry):  # most often what `lookup` gave of a URL not held
            raise UsageError(
                f"{observation!r} is no observation; read what lookup or history give of a URL that is held"
            )
        return self.read_place(observation.place)

    def read_place(self, place: RecordPlace) -> StoredResponse:
        """What the record at a place holds; a revisit is followed to its payload."""
        stored, record = (
            read_small_record(self.files, place)
            if place.length <= MAX_SMALL_RECORD_BYTES
            else read_stored_response(self.files, place)
        )
        is_revisit = record is not None and record.type == RecordType.REVISIT
        if not is_revisit and (stored.head is None or stored.head.status != NOT_MODIFIED):
            return stored
        if record is None:
            _, record = read_stored_response(self.files, place)
        return self.revisits.resolve_record(record, stored, place)

    def original_place(self, revisit: WarcRecord, place: RecordPlace) -> RecordPlace:
        """Where the payload of a revisit lies."""
        return self.revisits.original_place(revisit, place)

    def begin(self, *_args: Any, **_named: Any) -> object:
        """Begin a capture, where the archive is open for writing."""
        raise UsageError(f"{self.path} is open for reading only; open it with write=True to begin a capture")

    def append(self, *_args: Any, **_named: Any) -> object:
        """Store one exchange, where the archive is open for writing."""
        raise UsageError(f"{self.path} is open for reading only; open it with write=True to store anything")

    def _observation_of(self, entry: IndexEntry) -> Observation | None:
        return self.catalog.observations.find_at(entry.place.file, entry.place.offset)

    def _moment_or_now(self, at: MomentLike | None) -> Moment:
        now = self.clock.now()
        return read_moment(at, now) or now

    def __iter__(self) -> Iterator[Observation]:
        return self.observations()

    def __contains__(self, wanted: object) -> bool:
        """Whether something is held of a URL, or an observation is one of this archive's."""
        if isinstance(wanted, str):
            return self.lookup(wanted) is not None
        if isinstance(wanted, Observation):
            return self.observation_at(wanted.place) == wanted
        raise UsageError(f"{wanted!r} is neither a URL nor an observation; ask whether one of those is in an archive")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} at {str(self.path)!r}>"

    def close(self) -> None:
        """Let go of the files."""
        self.index.database.close()
        self.catalog.database.close()
        if self.log is not None:
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def url_ranges(url: str, match: UrlMatch) -> list[tuple[str, str | None]]:
    """The ranges of keys that hold a URL, or what a prefix, host or domain stands for."""
    low, high = key_range(url, match)
    ranges: list[tuple[str, str | None]] = [(low, high)]
    if match is UrlMatch.PREFIX and url.endswith("/"):
        # A key has no final slash, so a directory itself sorts apart; that of a host is its first key.
        exact = key_range(url, UrlMatch.EXACT)
        if not low <= exact[0] < high:
            ranges.insert(0, exact)
    return ranges


def _index_ranges(
    url: str, match: UrlMatch, since: Moment | None = None, until: Moment | None = None
) -> Iterator[IndexRange]:
    for low, high in url_ranges(url, match) if url else [("", None)]:
        yield IndexRange(low, high, since, until)


# Lines of captures of which each brings the one before it up to date.

UPDATES_FACT = "updates"
"""The name under which a capture keeps which earlier one it brings up to date."""


def capture_lineage(archive: Archive, capture_id: str) -> list[Capture]:
    """The captures that lead to one, the first of them first; it is the last."""
    known = {each.id: each for each in archive.captures()}
    line: dict[str, Capture] = {}
    at = capture_id
    while at in known and at not in line:
        line[at] = known[at]
        at = known[at].facts.get(UPDATES_FACT, "")
    return list(reversed(line.values()))
