"""Figures of archives for the home page, remembered for a while because adding up takes time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from webkeep.coherence.certificate import Summary
from webkeep.errors import WebkeepError
from webkeep.memento import Version
from webkeep.model import Capture, Moment
from webkeep.quality.kept import certificate_urn, read_part
from webkeep.replay.access import LAST_KEY
from webkeep.replay.collection import END, Found
from webkeep.replay.looking import Looker
from webkeep.replay.origins import sites
from webkeep.store.archive import Archive
from webkeep.store.index import Span
from webkeep.store.observations import Totals
from webkeep.store.overview import Overview, overview
from webkeep.store.versions import Versions
from webkeep.url import surt

T = TypeVar("T")

FRONTS = 3
"""How many seeds of a capture are told."""

_SITES = 200
_FEW = 50
_CAPTURES = 50
_COUNTED = 20_000
_LASTING = 10.0
"""How much longer than it took to make a value is kept at least."""
_LARGEST_SUMMARY = 8 << 20
_NEVER = Moment(0)
_SITE = (
    "SELECT count(*), min(moment), max(moment) FROM "
    "(SELECT moment FROM entry WHERE key >= ? AND key < ? AND type <> 'metadata' LIMIT ?)"
)


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """A host in an archive."""

    host: str
    versions: int
    is_more: bool
    """Whether there are more versions than were counted."""
    first: Moment
    last: Moment
    front: Version | None
    """The latest version of its front page, where there is one."""


@dataclass(frozen=True, slots=True)
class CaptureFigures:
    """A capture, what it adds up to, and what its certificate says."""

    capture: Capture
    totals: Totals
    certificate: Summary | None
    fronts: tuple[Version, ...]
    """What it began with: the first versions it has of some of its seeds, or its first page where it has no seeds."""
    is_partial: bool = False
    """Whether some of it is closed."""


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """An archive in figures."""

    name: str
    overview: Overview
    sites: tuple[SiteFigures, ...]
    has_more_sites: bool
    captures: tuple[CaptureFigures, ...]
    """The latest first."""


def archive_figures(archive: Archive, name: str, looker: Looker) -> ArchiveFigures:
    """Add up an archive, as far as it may be seen."""
    found = list(islice(sites(archive.index), _SITES + 1))
    captures = list(archive.captures())[-_CAPTURES:][::-1]
    return ArchiveFigures(
        name,
        _open_overview(archive, looker) if looker.access.hides() else overview(archive),
        tuple(each for site in found[:_SITES] if (each := _site(archive, site, looker)) is not None),
        len(found) > _SITES,
        tuple(
            figures
            for each in captures
            if (figures := _capture(archive, _seen(each, looker), looker)).totals.observations or not figures.is_partial
        ),
    )


def _open_overview(archive: Archive, looker: Looker) -> Overview:
    """What an archive adds up to of what may be seen, which takes a look at each version."""
    key, urls, versions, size = "", set[str](), 0, 0
    count, first, last = 0, _NEVER, _NEVER
    for entry in archive.index.entries(Span("", LAST_KEY)):
        if entry.record_type == "metadata" or not looker.shows(Found(archive, entry)):
            continue
        if entry.key != key:
            key, urls, count = entry.key, set(), count + len(urls)
        urls.add(entry.url)
        first = min(first, entry.moment) if versions else entry.moment
        last = max(last, entry.moment)
        versions, size = versions + 1, size + entry.place.length
    began, ended = (first, last) if versions else (None, None)
    return Overview(versions, count + len(urls), size, began, ended, 0, size)


def _open_totals(archive: Archive, capture: Capture, looker: Looker) -> Totals:
    """What a capture adds up to of what may be seen."""
    now, urls, count, size = looker.clock.now(), set[int](), 0, 0
    for each in archive.catalog.observations.all(capture.id):
        if looker.access.shows(surt(each.url), each.moment, now):
            urls.add(hash(each.url))
            count, size = count + 1, size + each.size
    return Totals(count, len(urls), size)


def _capture(archive: Archive, capture: Capture, looker: Looker) -> CaptureFigures:
    every = archive.catalog.observations.totals(capture.id)
    totals = _open_totals(archive, capture, looker) if looker.access.hides() else every
    is_partial = totals.observations < every.observations
    fronts = [_seed(archive, capture, seed, looker) for seed in capture.seeds[:FRONTS]]
    if not capture.seeds:
        fronts = [_first_page(archive, capture, looker)]
    held = tuple(each for each in fronts if each is not None)
    return CaptureFigures(capture, totals, None if is_partial else certificate(archive, capture.id), held, is_partial)


def _seed(archive: Archive, capture: Capture, seed: str, looker: Looker) -> Version | None:
    """The first version of a seed from the time of a capture; the latest where what was captured is older."""
    for entry in islice(Versions(archive.index, surt(seed)).all(capture.started), _FEW):
        if capture.finished is not None and entry.moment > capture.finished:
            break
        if looker.shows(Found(archive, entry)):
            return Version(entry.url, entry.moment)
    return _front(archive, surt(seed), looker)


def _first_page(archive: Archive, capture: Capture, looker: Looker) -> Version | None:
    """A page among the first things that a capture has."""
    now = looker.clock.now()
    for each in islice(archive.observations(capture.id), _FEW):
        if each.media_type == "text/html" and looker.access.shows(surt(each.url), each.moment, now):
            return Version(each.url, each.moment)
    return None


def certificate(archive: Archive, capture: str) -> Summary | None:
    """What the certificate of a capture says, where there is one that can be read."""
    try:
        for entry in archive.entries(certificate_urn(capture)):
            content = b"".join(archive.read(entry).content(_LARGEST_SUMMARY))
            part = read_part(content)
            if part.summary is not None:
                return part.summary
    except WebkeepError:
        return None  # what is wrong with it is for `webkeep certify` to say
    return None


def _seen(capture: Capture, looker: Looker) -> Capture:
    """A capture with those of its seeds that may be seen."""
    now = looker.clock.now()
    seeds = tuple(seed for seed in capture.seeds if looker.access.shows(surt(seed), capture.started, now))
    return capture if seeds == capture.seeds else replace(capture, seeds=seeds)


def _site(archive: Archive, site: str, looker: Looker) -> SiteFigures | None:
    low, high = site, f"{site[:-1]}*"
    count, first, last = (_visible if looker.access.may_hide(low, high) else _counted)(archive, low, high, looker)
    if not count:
        return None
    host = ".".join(reversed(site.rstrip(")").partition(":")[0].split(",")))
    port = site.rstrip(")").partition(":")[2]
    shown = f"{host}:{port}" if port else host
    return SiteFigures(shown, count, count >= _COUNTED, first, last, _front(archive, f"{site}/", looker))


def _front(archive: Archive, key: str, looker: Looker) -> Version | None:
    """The latest version of a key that can be shown."""
    latest = islice(Versions(archive.index, key).backwards(END), _FEW)
    seen = (each for each in latest if looker.shows(Found(archive, each)))
    return next((Version(each.url, each.moment) for each in seen), None)


def _counted(archive: Archive, low: str, high: str, _looker: Looker) -> tuple[int, Moment, Moment]:
    """How many versions a site has, and from when to when, by one look at the index."""
    row = archive.index.database.one(_SITE, (low, high, _COUNTED))
    if row is None or not isinstance(row[0], int) or not isinstance(row[1], int) or not isinstance(row[2], int):
        return 0, _NEVER, _NEVER
    return row[0], Moment(row[1]), Moment(row[2])


def _visible(archive: Archive, low: str, high: str, looker: Looker) -> tuple[int, Moment, Moment]:
    """The same of the versions that may be seen, which takes a look at each."""
    entries = islice(archive.index.entries(Span(low, high)), _COUNTED)
    moments = [
        entry.moment for entry in entries if entry.record_type != "metadata" and looker.shows(Found(archive, entry))
    ]
    return (len(moments), min(moments), max(moments)) if moments else (0, _NEVER, _NEVER)


class Remembered(Generic[T]):
    """A value that is made anew when it is asked for and has become old, or what it depends on has changed."""

    def __init__(self, make: Callable[[], T], seconds: float, state: Callable[[], object] = lambda: None) -> None:
        self._make = make
        self._seconds = seconds
        self._state = state
        self._value: tuple[T, object] | None = None
        self._old_from = float("-inf")

    def get(self) -> T:
        """The value, at most so many seconds old; one that took long to make lasts longer."""
        state, began = self._state(), time.monotonic()
        if self._value is None or began > self._old_from or self._value[1] != state:
            self._value = self._make(), state
            made = time.monotonic()
            self._old_from = made + max(self._seconds, _LASTING * (made - began))
        return self._value[0]
