"""The tables and figures of Brunelle et al. (deferred representations) for the pages of an archive, as numbers: tree
shapes, events, levels, overlap and storage, and how many resources are ranked.

Deferred are pages that load more once they are run or acted upon. Levels are the numbers of interactions from the
load on; R is what views need, R_new what a level needs and none before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, stdev

from webkeep.browser import resource_url
from webkeep.model import CONTENT_TYPES, RecordPlace
from webkeep.quality.states.coverage import ArchiveCoverage, AskCoverage
from webkeep.quality.states.walked_pages import WalkedPage, newest_walks, read_walked_pages
from webkeep.store.archive import Archive
from webkeep.store.views import read_outlines

TOP_RESOURCES = 10
"""The resources that most views need, as many as the paper lists."""
MAX_RANKED_RESOURCES = 300
"""Points of the curve of resources by how many views need them."""


@dataclass(frozen=True, slots=True)
class HeldResource:
    """What an archive holds of a resource."""

    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class NumberSpread:
    """Of many numbers."""

    mean: float = 0.0
    deviation: float = 0.0
    minimum: float = 0.0
    maximum: float = 0.0
    median: float = 0.0

    @classmethod
    def from_numbers(cls, numbers: Sequence[float]) -> NumberSpread:
        """The spread of these."""
        if not numbers:
            return cls()
        deviation = stdev(numbers) if len(numbers) > 1 else 0.0
        return cls(fmean(numbers), deviation, min(numbers), max(numbers), median(numbers))


@dataclass(frozen=True, slots=True)
class StateTreeShape:
    """Table 1 and 2 for some pages."""

    pages: int
    depth: NumberSpread
    breadth: NumberSpread
    descendants: NumberSpread

    @classmethod
    def from_pages(cls, pages: Sequence[WalkedPage]) -> StateTreeShape:
        """That of these pages."""
        return cls(
            len(pages),
            NumberSpread.from_numbers([page.depth for page in pages]),
            NumberSpread.from_numbers([page.breadth for page in pages]),
            NumberSpread.from_numbers([page.descendants for page in pages]),
        )


@dataclass(frozen=True, slots=True)
class EventRow:
    """A row of table 3."""

    event: str
    deferred: float
    """The share of deferred pages on which something listens for it."""
    others: float
    contribution: float
    """Its share of the resources that interactions brought."""


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A column of table 4, and a bar of figures 7 and 8."""

    name: str
    seconds: float
    """Spent up to here."""
    urls: int
    """Known up to here."""
    added: int
    new_a_second: float
    missing: float | None = None
    """The share of what was added that another archive does not hold, where it said so or the contrary of any."""


@dataclass(frozen=True, slots=True)
class StorageRow:
    """A part of table 7."""

    pages: int
    resources_each: float
    resource_bytes: float
    """The mean."""
    by_level: dict[int, int]
    """Bytes of what each level adds."""
    note_bytes: int

    @property
    def total_bytes(self) -> int:
        """All bytes."""
        return sum(self.by_level.values()) + self.note_bytes

    @property
    def bytes_a_page(self) -> float:
        """Bytes a page."""
        return self.total_bytes / self.pages if self.pages else 0.0


@dataclass(frozen=True, slots=True)
class StateReport:
    """All tables and figures."""

    deferred: StateTreeShape
    others: StateTreeShape
    events: tuple[EventRow, ...]
    levels: tuple[LevelRow, ...]
    types: dict[str, int]
    """Figure 9: what levels beyond the load added, by media type."""
    image_sizes: tuple[int, ...]
    overlap: tuple[tuple[str, int], ...]
    """Table 5: resources that most views beyond the load need, and how many do."""
    overlap_share: float
    ranked: tuple[int, ...]
    """Figure 10: in how many views resources occur, the most frequent first."""
    contributions: tuple[int, ...]
    """Figure 11: how many resources each page brings, the most first."""
    storage_deferred: StorageRow
    storage_others: StorageRow
    descendants: int
    note_bytes: int
    clicks: int
    """URLs that nothing but the browser led to, and that were asked for only when something was done to a page."""
    fresh: int
    """URLs that nothing but the browser led to."""
    loaded: int
    """Those among them that pages asked for as they loaded."""
    coverage_from: str = ""
    coverage_unknown: int = 0
    """Resources about which the other archive gave no answer."""
    runs: int = 0
    """How often pages were run, in all captures together."""
    views: int = 0
    """How many views the pages have, the first ones as they load among them."""


@dataclass(slots=True)
class StateReportContext:
    """What the report needs beside the pages."""

    held: Mapping[str, HeldResource] = field(default_factory=dict)
    fast_seconds: float = 0.0
    fast_urls: int = 0
    elsewhere: ArchiveCoverage | None = None
    """What another archive holds of the pages' resources."""
    source: str = ""
    runs: int = 0
    """How often pages were run, in all captures together."""


def build_state_report(pages: Sequence[WalkedPage], around: StateReportContext) -> StateReport:
    """The report on some pages."""
    fresh = frozenset().union(*(page.fresh for page in pages))
    found = frozenset().union(*(page.found for page in pages))
    on_load = frozenset().union(*(page.found_on_load for page in pages))
    deferred = [page for page in pages if page.is_deferred(fresh)]
    others = [page for page in pages if not page.is_deferred(fresh)]
    beyond = _resources_beyond_load(pages)
    occurrences = Counter(each for page in pages for view in page.views if view.level for each in view.resources)
    top = occurrences.most_common(TOP_RESOURCES)
    sizes = sorted(held.size for each in beyond if (held := around.held.get(each)) and _is_image(held))
    return StateReport(
        StateTreeShape.from_pages(deferred),
        StateTreeShape.from_pages(others),
        tuple(_event_rows(deferred, others)),
        tuple(_level_rows(pages, around)),
        dict(Counter(_type_name(around.held.get(each)) for each in beyond).most_common()),
        tuple(sizes),
        tuple(top),
        sum(count for _, count in top) / max(sum(occurrences.values()), 1),
        tuple(count for _, count in occurrences.most_common(MAX_RANKED_RESOURCES)),
        tuple(sorted((len(page.resources) for page in deferred), reverse=True)),
        _storage_row(deferred, around.held),
        _storage_row(others, around.held),
        sum(page.descendants for page in pages),
        sum(view.size for page in pages for view in page.views),
        len(found - on_load),
        len(found),
        len(on_load),
        around.source,
        len(around.elsewhere.unknown) if around.elsewhere is not None else 0,
        max(around.runs, len(pages)),
        sum(len(page.views) for page in pages),
    )


def _resources_beyond_load(pages: Iterable[WalkedPage]) -> frozenset[str]:
    """What only views beyond the load need."""
    loaded: set[str] = set()
    later: set[str] = set()
    for page in pages:
        for level, held in page.resources_by_level.items():
            (later if level else loaded).update(held)
    return frozenset(later - loaded)


def _event_rows(deferred: Sequence[WalkedPage], others: Sequence[WalkedPage]) -> Iterable[EventRow]:
    brought = sum((page.brought for page in (*deferred, *others)), Counter[str]())
    whole = max(sum(brought.values()), 1)
    names = sorted({event for page in (*deferred, *others) for event in page.events | set(page.brought)})
    rows = [
        EventRow(name, _event_share(deferred, name), _event_share(others, name), brought[name] / whole)
        for name in names
    ]
    return sorted(rows, key=lambda row: (-row.contribution, -row.deferred, row.event))


def _event_share(pages: Sequence[WalkedPage], event: str) -> float:
    return sum(event in page.events for page in pages) / len(pages) if pages else 0.0


def _level_rows(pages: Sequence[WalkedPage], around: StateReportContext) -> Iterable[LevelRow]:
    fresh = frozenset().union(*(page.fresh for page in pages))
    yield LevelRow("fast tier", around.fast_seconds, around.fast_urls, around.fast_urls, 0.0)
    known: set[str] = set()
    seconds, urls = around.fast_seconds, around.fast_urls
    for level in range(max((max(page.resources_by_level, default=0) for page in pages), default=0) + 1):
        here = {each for page in pages for each in page.resources_by_level.get(level, ())} - known
        spent = sum(page.seconds.get(level, 0.0) for page in pages)
        added = len(here & fresh) if around.fast_urls else len(here)
        seconds, urls = seconds + spent, urls + added
        missing = _share_missing(here, around.elsewhere)
        yield LevelRow(f"s{level}", seconds, urls, added, added / spent if spent else 0.0, missing)
        known |= here


def _share_missing(resources: set[str], elsewhere: ArchiveCoverage | None) -> float | None:
    known = resources - elsewhere.unknown if elsewhere is not None else set()
    return len(known & elsewhere.missing) / len(known) if elsewhere is not None and known else None


def _storage_row(pages: Sequence[WalkedPage], held: Mapping[str, HeldResource]) -> StorageRow:
    by_level: Counter[int] = Counter()
    count = 0
    for page in pages:
        for level, added in page.added_by_level.items():
            known = [held[each].size for each in added if each in held]
            by_level[level] += sum(known)
            count += len(known)
    return StorageRow(
        len(pages),
        count / len(pages) if pages else 0.0,
        sum(by_level.values()) / count if count else 0.0,
        dict(sorted(by_level.items())),
        sum(view.size for page in pages for view in page.views),
    )


def _type_name(held: HeldResource | None) -> str:
    return held.media_type or "unknown" if held is not None else "not held"


def _is_image(held: HeldResource) -> bool:
    return held.media_type.startswith("image/")


# From an archive to the report on its client-side states.


def read_state_report(
    archive: Archive, capture: str = "", source: str = "", ask: AskCoverage | None = None
) -> tuple[StateReport, list[WalkedPage]]:
    """The report on one capture or on all, and the pages that it is about."""
    walks = list(read_walked_pages(archive, capture))
    captures = {page.capture for page in walks}
    pages = newest_walks(walks, {each.id: number for number, each in enumerate(archive.captures())})
    held: dict[str, HeldResource] = {}
    for each in captures:
        for outline in read_outlines(archive, each):
            if outline.record_type in CONTENT_TYPES and outline.url.startswith(("http:", "https:")):
                held[resource_url(outline.url)] = HeldResource(
                    outline.media_type, _payload_size(archive, outline.place)
                )
    browser_seconds = sum(sum(page.seconds.values()) for page in walks)
    whole = sum(_capture_seconds(archive, each) for each in captures)
    fresh = frozenset().union(*(page.fresh for page in pages))
    elsewhere = None
    if ask is not None:
        elsewhere = ask(sorted(frozenset().union(*(page.resources for page in pages))))
    around = StateReportContext(
        held, max(whole - browser_seconds, 0.0), len(held.keys() - fresh), elsewhere, source, len(walks)
    )
    return build_state_report(pages, around), pages


def _payload_size(archive: Archive, place: RecordPlace) -> int:
    observation = archive.observation_at(place)
    return 0 if observation is None else observation.size


def _capture_seconds(archive: Archive, capture_id: str) -> float:
    capture = archive.capture(capture_id)
    return capture.finished.seconds_since(capture.started) if capture.finished is not None else 0.0
