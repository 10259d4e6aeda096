"""What a server shows: one archive or several, looked up as if they were one; which version is nearest to a moment (the
exact URL and the very second first), and which are its neighbours.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from webkeep.errors import StorageError
from webkeep.memento import SECOND_MICROS, MementoNeighbours, MementoVersion
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.index import IndexEntry, UrlIndex, UrlVersions, filter_shown
from webkeep.store.reading import MAX_SMALL_RECORD_BYTES, StoredResponse
from webkeep.url import surt

_MAX_FEW_VERSIONS = 6
"""A key with no more versions than this is answered by one look-up."""
END_OF_TIME = Moment(1 << 62)
"""After all there is."""


@dataclass(frozen=True, slots=True)
class Memento:
    """An entry, and the archive it is in."""

    archive: Archive
    entry: IndexEntry
    all_entries: tuple[IndexEntry, ...] | None = field(default=None, compare=False, repr=False)
    """All versions that are filed with it, in order of time, where they are few and were looked up together."""

    @property
    def version(self) -> MementoVersion:
        """What Memento calls it."""
        return MementoVersion(self.entry.url, self.entry.moment)

    @property
    def resolved_entry(self) -> IndexEntry:
        """The entry; of a revisit with status, type and digest of what it refers to."""
        return self.archive.revisits.resolve_entry(self.entry)

    @property
    def is_small(self) -> bool:
        """Whether its record is read in no time."""
        return self.entry.place.length <= MAX_SMALL_RECORD_BYTES

    def read(self) -> StoredResponse:
        """The head and the body, wherever a revisit finds it."""
        return self.archive.read_place(self.entry.place)


@dataclass(frozen=True, slots=True)
class MementoQuery:
    """Which URL is wanted, as of when, and how it is asked for; with `post`, the answer to that request."""

    url: str
    moment: Moment
    post: str = ""
    method: str = "GET"


class Collection:
    """Archives, open for reading."""

    def __init__(self, archives: Sequence[Archive]) -> None:
        self.archives = tuple(archives)
        resolvers = [archive.revisits for archive in self.archives]
        for resolver in resolvers:
            resolver.look_beside(resolvers)

    def nearest(self, query: MementoQuery) -> Memento | None:
        """The version nearest to a moment, one within the very second first; exactly that URL before its likes."""
        key = surt(query.url)
        few = self._all_if_few(key, query)
        if few is not None:
            found = _nearest_among(few, query)
        else:
            found = self._nearest_by_index(key, query, query.url) or self._nearest_by_index(key, query, "")
        # Keys do not tell a WebSocket from a page.
        return None if found is not None and _is_socket(found.entry.url) != _is_socket(query.url) else found

    def _all_if_few(self, key: str, query: MementoQuery) -> list[tuple[IndexEntry, Archive]] | None:
        """All versions of a key in order of time, as most have few: one look-up tells what four would."""
        found: list[tuple[IndexEntry, Archive]] = []
        for archive in self.archives:
            entries = UrlVersions(archive.index, key, query.post).all_if_few(_MAX_FEW_VERSIONS)
            if entries is None:
                return None
            shown = entries if query.method != "GET" else filter_shown(archive.catalog, entries)
            found += [(entry, archive) for entry in shown]
        return found if len(self.archives) == 1 else sorted(found, key=lambda each: each[0].moment)

    def _nearest_by_index(self, key: str, query: MementoQuery, url: str) -> Memento | None:
        start = Moment(query.moment.micros - query.moment.micros % SECOND_MICROS)
        found: list[Memento] = []
        for archive in self.archives:
            versions = UrlVersions(archive.index, key, query.post)
            after = versions.since(start, url)
            if after is not None and after.moment.micros < start.micros + SECOND_MICROS:
                return Memento(archive, after)
            near = (after, versions.before(start, url))
            found += [Memento(archive, entry) for entry in near if entry is not None]
        return min(found, key=lambda each: abs(each.entry.moment.micros - start.micros), default=None)

    def neighbours(self, found: Memento) -> MementoNeighbours:
        """A version among all that are filed with it and can be asked for by their moments."""
        if found.all_entries is not None:
            return neighbours_among(found.entry, found.all_entries)
        entry = found.entry
        start = Moment(entry.moment.micros - entry.moment.micros % SECOND_MICROS)
        ends = [each for archive in self.archives for each in _boundary_entries(archive, entry, start)]
        return neighbours_among(entry, sorted([entry, *ends], key=_entry_micros))

    def versions(self, key: str, since: Moment | None = None) -> Iterator[Memento]:
        """All versions of a key from a moment on, in order of time, whatever method they answer."""
        return self._merge_versions({archive: UrlVersions(archive.index, key).all(since) for archive in self.archives})

    def mementos(self, key: str, since: Moment | None = None) -> Iterator[Memento]:
        """Those of them that were had by GET."""
        every = {archive: UrlVersions(archive.index, key).all(since) for archive in self.archives}
        return self._merge_versions(
            {archive: filter_shown(archive.catalog, entries) for archive, entries in every.items()}
        )

    def _merge_versions(self, entries: Mapping[Archive, Iterator[IndexEntry]]) -> Iterator[Memento]:
        rows = [map(partial(Memento, archive), each) for archive, each in entries.items()]
        return heapq.merge(*rows, key=lambda found: found.entry.moment.micros)

    def first_memento(self, key: str, since: Moment) -> IndexEntry | None:
        """The first memento from a moment on."""
        ways = [filter_shown(archive.catalog, UrlVersions(archive.index, key).all(since)) for archive in self.archives]
        return min((each for way in ways for each in islice(way, 1)), key=_entry_micros, default=None)

    def last_memento(self, key: str, before: Moment = END_OF_TIME) -> IndexEntry | None:
        """The last memento before a moment."""
        ways = [
            filter_shown(archive.catalog, UrlVersions(archive.index, key).all_before(before))
            for archive in self.archives
        ]
        return max((each for way in ways for each in islice(way, 1)), key=_entry_micros, default=None)

    def versions_by_archive(self, key: str) -> list[UrlVersions]:
        """The versions of a key in each archive."""
        return [UrlVersions(archive.index, key) for archive in self.archives]

    def indexes(self) -> list[UrlIndex]:
        """The indexes of all archives."""
        return [archive.index for archive in self.archives]

    def close(self) -> None:
        """Let go of the archives."""
        for archive in self.archives:
            archive.close()


def read_memento(found: Memento) -> StoredResponse:
    """What is held of an entry; damage is told with where it is."""
    try:
        return found.read()
    except StorageError as error:
        raise StorageError(f"{found.archive.path}: {error}") from error


def _boundary_entries(archive: Archive, entry: IndexEntry, start: Moment) -> Iterator[IndexEntry]:
    """Of the versions filed with one that was captured in a second: the first and last before it, and after it."""
    versions = UrlVersions(archive.index, entry.key, entry.post)
    spans = (versions.all(), versions.all_before(start), versions.all(start.plus(1)), versions.all_before(END_OF_TIME))
    for span in spans:
        yield from islice(filter_shown(archive.catalog, span), 1)


def _nearest_among(few: list[tuple[IndexEntry, Archive]], query: MementoQuery) -> Memento | None:
    """The version nearest to a moment among all, one within the very second first."""
    start = query.moment.micros - query.moment.micros % SECOND_MICROS

    def distance(each: tuple[IndexEntry, Archive]) -> tuple[bool, bool, int, bool]:
        micros = each[0].moment.micros
        is_within = start <= micros < start + SECOND_MICROS
        return each[0].url != query.url, not is_within, 0 if is_within else abs(micros - start), micros < start

    if not few:
        return None
    entry, archive = min(few, key=distance)
    return Memento(archive, entry, tuple(other for other, _ in few))


def neighbours_among(entry: IndexEntry, known: Sequence[IndexEntry]) -> MementoNeighbours:
    """A version among all that are filed with it."""
    second = entry.moment.micros // SECOND_MICROS
    before = [each for each in known if each.moment.micros // SECOND_MICROS < second]
    after = [each for each in known if each.moment.micros // SECOND_MICROS > second]
    return MementoNeighbours(
        _entry_version(entry),
        _entry_version(before[0] if before else entry),
        _entry_version(after[-1] if after else entry),
        _entry_version(before[-1]) if before else None,
        _entry_version(after[0]) if after else None,
    )


def _is_socket(url: str) -> bool:
    return url.startswith(("ws:", "wss:"))


def _entry_micros(entry: IndexEntry) -> int:
    return entry.moment.micros


def _entry_version(entry: IndexEntry) -> MementoVersion:
    return MementoVersion(entry.url, entry.moment)
