"""What a server shows: one archive or several, looked up as if they were one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from webkeep.errors import StorageError
from webkeep.memento import Neighbours, Version
from webkeep.memento.http_moment import SECOND
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.entry import Entry
from webkeep.store.index import Index
from webkeep.store.quick_record import SMALL
from webkeep.store.reading import Holding
from webkeep.store.versions import Versions, got
from webkeep.url import surt

_FEW = 6
END = Moment(1 << 62)
"""After all there is."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, and the archive it is in."""

    archive: Archive
    entry: Entry
    known: tuple[Entry, ...] | None = field(default=None, compare=False, repr=False)
    """All versions that are filed with it, in order of time, where they are few and were looked up together."""

    @property
    def version(self) -> Version:
        """What Memento calls it."""
        return Version(self.entry.url, self.entry.moment)

    @property
    def meant(self) -> Entry:
        """The entry; of a revisit with status, type and digest of what it refers to."""
        return self.archive.revisits.resolve_entry(self.entry)

    @property
    def is_small(self) -> bool:
        """Whether its record is read in no time."""
        return self.entry.place.length <= SMALL

    def read(self) -> Holding:
        """The head and the body, wherever a revisit finds it."""
        return self.archive.read_place(self.entry.place)


@dataclass(frozen=True, slots=True)
class Wish:
    """Which URL is wanted, as of when, and how it is asked for; with `post`, the answer to that request."""

    url: str
    moment: Moment
    post: str = ""
    method: str = "GET"


class Collection:
    """Archives, open for reading."""

    def __init__(self, archives: Sequence[Archive]) -> None:
        self.archives = tuple(archives)

    def nearest(self, wish: Wish) -> Found | None:
        """The version nearest to a moment, one within the very second first; exactly that URL before its likes."""
        key = surt(wish.url)
        few = self._few(key, wish)
        if few is not None:
            found = _nearest_of(few, wish)
        else:
            found = self._nearest(key, wish, wish.url) or self._nearest(key, wish, "")
        # Keys do not tell a WebSocket from a page.
        return None if found is not None and _is_socket(found.entry.url) != _is_socket(wish.url) else found

    def _few(self, key: str, wish: Wish) -> list[tuple[Entry, Archive]] | None:
        """All versions of a key in order of time, as most have few: one look-up tells what four would."""
        found: list[tuple[Entry, Archive]] = []
        for archive in self.archives:
            entries = Versions(archive.index, key, wish.post).few(_FEW)
            if entries is None:
                return None
            shown = entries if wish.method != "GET" else got(archive.catalog, entries)
            found += [(entry, archive) for entry in shown]
        return found if len(self.archives) == 1 else sorted(found, key=lambda each: each[0].moment)

    def _nearest(self, key: str, wish: Wish, url: str) -> Found | None:
        start = Moment(wish.moment.micros - wish.moment.micros % SECOND)
        found: list[Found] = []
        for archive in self.archives:
            versions = Versions(archive.index, key, wish.post)
            after = versions.since(start, url)
            if after is not None and after.moment.micros < start.micros + SECOND:
                return Found(archive, after)
            near = (after, versions.before(start, url))
            found += [Found(archive, entry) for entry in near if entry is not None]
        return min(found, key=lambda each: abs(each.entry.moment.micros - start.micros), default=None)

    def around(self, found: Found) -> Neighbours:
        """A version among all that are filed with it and can be asked for by their moments."""
        if found.known is not None:
            return around_in(found.entry, found.known)
        entry = found.entry
        start = Moment(entry.moment.micros - entry.moment.micros % SECOND)
        ends = [each for archive in self.archives for each in _ends(archive, entry, start)]
        return around_in(entry, sorted([entry, *ends], key=_moment))

    def versions(self, key: str, since: Moment | None = None) -> Iterator[Found]:
        """All versions of a key from a moment on, in order of time, whatever method they answer."""
        return self._merged({archive: Versions(archive.index, key).all(since) for archive in self.archives})

    def mementos(self, key: str, since: Moment | None = None) -> Iterator[Found]:
        """Those of them that were had by GET."""
        every = {archive: Versions(archive.index, key).all(since) for archive in self.archives}
        return self._merged({archive: got(archive.catalog, entries) for archive, entries in every.items()})

    def _merged(self, entries: Mapping[Archive, Iterator[Entry]]) -> Iterator[Found]:
        rows = [map(partial(Found, archive), each) for archive, each in entries.items()]
        return heapq.merge(*rows, key=lambda found: found.entry.moment.micros)

    def first(self, key: str, since: Moment) -> Entry | None:
        """The first memento from a moment on."""
        ways = [got(archive.catalog, Versions(archive.index, key).all(since)) for archive in self.archives]
        return min((each for way in ways for each in islice(way, 1)), key=_moment, default=None)

    def last(self, key: str, before: Moment = END) -> Entry | None:
        """The last memento before a moment."""
        ways = [got(archive.catalog, Versions(archive.index, key).backwards(before)) for archive in self.archives]
        return max((each for way in ways for each in islice(way, 1)), key=_moment, default=None)

    def views(self, key: str) -> list[Versions]:
        """The versions of a key in each archive."""
        return [Versions(archive.index, key) for archive in self.archives]

    def indexes(self) -> list[Index]:
        """The indexes of all archives."""
        return [archive.index for archive in self.archives]

    def close(self) -> None:
        """Let go of the archives."""
        for archive in self.archives:
            archive.close()


def holding_of(found: Found) -> Holding:
    """What is held of an entry; damage is told with where it is."""
    try:
        return found.read()
    except StorageError as error:
        raise StorageError(f"{found.archive.path}: {error}") from error


def _ends(archive: Archive, entry: Entry, start: Moment) -> Iterator[Entry]:
    """Of the versions filed with one that was captured in a second: the first and last before it, and after it."""
    versions = Versions(archive.index, entry.key, entry.post)
    spans = (versions.all(), versions.backwards(start), versions.all(start.plus(1)), versions.backwards(END))
    for span in spans:
        yield from islice(got(archive.catalog, span), 1)


def _nearest_of(few: list[tuple[Entry, Archive]], wish: Wish) -> Found | None:
    """The version nearest to a moment among all, one within the very second first."""
    start = wish.moment.micros - wish.moment.micros % SECOND

    def distance(each: tuple[Entry, Archive]) -> tuple[bool, bool, int, bool]:
        micros = each[0].moment.micros
        is_within = start <= micros < start + SECOND
        return each[0].url != wish.url, not is_within, 0 if is_within else abs(micros - start), micros < start

    if not few:
        return None
    entry, archive = min(few, key=distance)
    return Found(archive, entry, tuple(other for other, _ in few))


def around_in(entry: Entry, known: Sequence[Entry]) -> Neighbours:
    """A version among all that are filed with it."""
    second = entry.moment.micros // SECOND
    before = [each for each in known if each.moment.micros // SECOND < second]
    after = [each for each in known if each.moment.micros // SECOND > second]
    return Neighbours(
        _version(entry),
        _version(before[0] if before else entry),
        _version(after[-1] if after else entry),
        _version(before[-1]) if before else None,
        _version(after[0]) if after else None,
    )


def _is_socket(url: str) -> bool:
    return url.startswith(("ws:", "wss:"))


def _moment(entry: Entry) -> int:
    return entry.moment.micros


def _version(entry: Entry) -> Version:
    return Version(entry.url, entry.moment)
