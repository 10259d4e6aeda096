"""Figures of archives for the home page, of what may be seen alone: which sites, captures and certificates are told,
how far versions are counted, and how long a figure that took long to add up is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from webkeep.coherence.certificates import CertificateSummary
from webkeep.memento import MementoVersion
from webkeep.model import Capture, Moment, RecordType
from webkeep.quality.certificates import read_certificate_summary
from webkeep.quality.report import REPORT_NAME
from webkeep.replay.choice import END_OF_TIME, MAX_KEY, Memento, MementoLookup
from webkeep.store.archive import Archive
from webkeep.store.index import CaptureTotals, IndexRange, UrlVersions
from webkeep.store.views import ArchiveOverview, read_overview
from webkeep.url import surt

T = TypeVar("T")

MAX_FRONT_PAGES = 3
"""How many seeds of a capture are told: a card has room for no more."""

_MAX_SITES = 200
"""Hosts that the home page lists of an archive; it says where there are more."""
_MAX_ENTRIES_TRIED = 50
"""Entries tried for one that may be seen, so that a closed site costs no more than this."""
_MAX_CAPTURES = 50
"""The newest captures, as many as the home page lists."""
_MAX_VERSIONS_COUNTED = 20_000
"""Versions of a site are counted up to this number; beyond it the page says "more than"."""
_LIFETIME_FACTOR = 10.0
"""How much longer than it took to make a value is kept at least."""
_NO_MOMENT = Moment(0)
"""Stands for the moments of a site without versions."""


@dataclass(frozen=True, slots=True)
class SiteFigures:
    """A host in an archive."""

    host: str
    versions: int
    is_more: bool
    """Whether there are more versions than were counted."""
    first: Moment
    last: Moment
    front: MementoVersion | None
    """The latest version of its front page, where there is one."""


@dataclass(frozen=True, slots=True)
class CaptureFigures:
    """A capture, what it adds up to, and what its certificate says."""

    capture: Capture
    totals: CaptureTotals
    certificate: CertificateSummary | None
    fronts: tuple[MementoVersion, ...]
    """What it began with: the first versions it has of some of its seeds, or its first page where it has no seeds."""
    is_partial: bool = False
    """Whether some of it is closed."""


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """An archive in figures."""

    name: str
    overview: ArchiveOverview
    sites: tuple[SiteFigures, ...]
    has_more_sites: bool
    captures: tuple[CaptureFigures, ...]
    """The latest first."""
    has_report: bool = False
    """Whether `webkeep report` has made a report of it that all may see."""


def read_archive_figures(archive: Archive, name: str, lookup: MementoLookup) -> ArchiveFigures:
    """Add up an archive, as far as it may be seen."""
    found = list(islice(archive.index.list_site_keys(), _MAX_SITES + 1))
    captures = list(archive.captures())[-_MAX_CAPTURES:][::-1]
    return ArchiveFigures(
        name,
        _visible_overview(archive, lookup) if lookup.access.has_hiding_rules() else read_overview(archive),
        tuple(each for site in found[:_MAX_SITES] if (each := _read_site_figures(archive, site, lookup)) is not None),
        len(found) > _MAX_SITES,
        tuple(
            figures
            for each in captures
            if (
                figures := _read_capture_figures(archive, _with_visible_seeds(each, lookup), lookup)
            ).totals.observations
            or not figures.is_partial
        ),
        find_report(archive, lookup) is not None,
    )


def find_report(archive: Archive, lookup: MementoLookup) -> Path | None:
    """The report that was made of an archive; none where some of it is closed, for the report tells of all of it."""
    path = archive.layout.reports / REPORT_NAME
    return path if path.is_file() and not lookup.access.has_hiding_rules() else None


def _visible_overview(archive: Archive, lookup: MementoLookup) -> ArchiveOverview:
    """What an archive adds up to of what may be seen, which takes a look at each version."""
    key, urls, versions, size = "", set[str](), 0, 0
    count, first, last = 0, _NO_MOMENT, _NO_MOMENT
    for entry in archive.index.entries(IndexRange("", MAX_KEY)):
        if entry.record_type == RecordType.METADATA or not lookup.is_visible(Memento(archive, entry)):
            continue
        if entry.key != key:
            key, urls, count = entry.key, set(), count + len(urls)
        urls.add(entry.url)
        first = min(first, entry.moment) if versions else entry.moment
        last = max(last, entry.moment)
        versions, size = versions + 1, size + entry.place.length
    began, ended = (first, last) if versions else (None, None)
    return ArchiveOverview(versions, count + len(urls), size, began, ended, 0, size)


def _visible_totals(archive: Archive, capture: Capture, lookup: MementoLookup) -> CaptureTotals:
    """What a capture adds up to of what may be seen."""
    now, urls, count, size = lookup.clock.now(), set[int](), 0, 0
    for each in archive.catalog.observations.all(capture.id):
        if lookup.access.allows(surt(each.url), each.moment, now):
            urls.add(hash(each.url))
            count, size = count + 1, size + each.size
    return CaptureTotals(count, len(urls), size)


def _read_capture_figures(archive: Archive, capture: Capture, lookup: MementoLookup) -> CaptureFigures:
    every = archive.catalog.observations.totals(capture.id)
    totals = _visible_totals(archive, capture, lookup) if lookup.access.has_hiding_rules() else every
    is_partial = totals.observations < every.observations
    fronts = [_find_seed_version(archive, capture, seed, lookup) for seed in capture.seeds[:MAX_FRONT_PAGES]]
    if not capture.seeds:
        fronts = [_find_first_page(archive, capture, lookup)]
    held = tuple(each for each in fronts if each is not None)
    return CaptureFigures(
        capture, totals, None if is_partial else read_certificate_summary(archive, capture.id), held, is_partial
    )


def _find_seed_version(archive: Archive, capture: Capture, seed: str, lookup: MementoLookup) -> MementoVersion | None:
    """The first version of a seed from the time of a capture; the latest where what was captured is older."""
    for entry in islice(UrlVersions(archive.index, surt(seed)).all(capture.started), _MAX_ENTRIES_TRIED):
        if capture.finished is not None and entry.moment > capture.finished:
            break
        if lookup.is_visible(Memento(archive, entry)):
            return MementoVersion(entry.url, entry.moment)
    return _find_latest_version(archive, surt(seed), lookup)


def _find_first_page(archive: Archive, capture: Capture, lookup: MementoLookup) -> MementoVersion | None:
    """A page among the first things that a capture has."""
    now = lookup.clock.now()
    for each in islice(archive.observations(capture.id), _MAX_ENTRIES_TRIED):
        if each.media_type == "text/html" and lookup.access.allows(surt(each.url), each.moment, now):
            return MementoVersion(each.url, each.moment)
    return None


def _with_visible_seeds(capture: Capture, lookup: MementoLookup) -> Capture:
    """A capture with those of its seeds that may be seen."""
    now = lookup.clock.now()
    seeds = tuple(seed for seed in capture.seeds if lookup.access.allows(surt(seed), capture.started, now))
    return capture if seeds == capture.seeds else replace(capture, seeds=seeds)


def _read_site_figures(archive: Archive, site: str, lookup: MementoLookup) -> SiteFigures | None:
    low, high = site, f"{site[:-1]}*"
    count, first, last = (_count_visible_versions if lookup.access.may_hide(low, high) else _count_all_versions)(
        archive, low, high, lookup
    )
    if not count:
        return None
    host = ".".join(reversed(site.rstrip(")").partition(":")[0].split(",")))
    port = site.rstrip(")").partition(":")[2]
    shown = f"{host}:{port}" if port else host
    return SiteFigures(
        shown, count, count >= _MAX_VERSIONS_COUNTED, first, last, _find_latest_version(archive, f"{site}/", lookup)
    )


def _find_latest_version(archive: Archive, key: str, lookup: MementoLookup) -> MementoVersion | None:
    """The latest version of a key that can be shown."""
    latest = islice(UrlVersions(archive.index, key).all_before(END_OF_TIME), _MAX_ENTRIES_TRIED)
    seen = (each for each in latest if lookup.is_visible(Memento(archive, each)))
    return next((MementoVersion(each.url, each.moment) for each in seen), None)


def _count_all_versions(archive: Archive, low: str, high: str, _lookup: MementoLookup) -> tuple[int, Moment, Moment]:
    """How many versions a site has, and from when to when, by one look at the index."""
    totals = archive.index.count_versions(low, high, _MAX_VERSIONS_COUNTED)
    return (totals.versions, totals.first, totals.last) if totals is not None else (0, _NO_MOMENT, _NO_MOMENT)


def _count_visible_versions(archive: Archive, low: str, high: str, lookup: MementoLookup) -> tuple[int, Moment, Moment]:
    """The same of the versions that may be seen, which takes a look at each."""
    entries = islice(archive.index.entries(IndexRange(low, high)), _MAX_VERSIONS_COUNTED)
    moments = [
        entry.moment
        for entry in entries
        if entry.record_type != RecordType.METADATA and lookup.is_visible(Memento(archive, entry))
    ]
    return (len(moments), min(moments), max(moments)) if moments else (0, _NO_MOMENT, _NO_MOMENT)


class CachedValue(Generic[T]):
    """A value that is made anew when it is asked for and has become old, or what it depends on has changed."""

    def __init__(self, make: Callable[[], T], seconds: float, state: Callable[[], object] = lambda: None) -> None:
        self._make = make
        self._seconds = seconds
        self._state = state
        self._value: tuple[T, object] | None = None
        self._expires_at = float("-inf")

    def get(self) -> T:
        """The value, at most so many seconds old; one that took long to make lasts longer."""
        state, began = self._state(), time.monotonic()
        if self._value is None or began > self._expires_at or self._value[1] != state:
            self._value = self._make(), state
            made = time.monotonic()
            self._expires_at = made + max(self._seconds, _LIFETIME_FACTOR * (made - began))
        return self._value[0]
