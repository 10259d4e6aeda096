"""The tables and figures of Brunelle et al. for the pages of an archive, as numbers.

Deferred are pages that load more once they are run or acted upon. Levels are the numbers of interactions from the
load on; R is what views need, R_new what a level needs and none before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, stdev

from webkeep.quality.coverage import Coverage
from webkeep.quality.walked import WalkedPage

TOP = 10
RANKED = 300


@dataclass(frozen=True, slots=True)
class Held:
    """What an archive holds of a resource."""

    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Of many numbers."""

    mean: float = 0.0
    deviation: float = 0.0
    least: float = 0.0
    most: float = 0.0
    middle: float = 0.0

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """The spread of these."""
        if not numbers:
            return cls()
        deviation = stdev(numbers) if len(numbers) > 1 else 0.0
        return cls(fmean(numbers), deviation, min(numbers), max(numbers), median(numbers))


@dataclass(frozen=True, slots=True)
class Kinship:
    """Table 1 and 2 for some pages."""

    pages: int
    depth: Spread
    breadth: Spread
    descendants: Spread

    @classmethod
    def of(cls, pages: Sequence[WalkedPage]) -> Kinship:
        """That of these pages."""
        return cls(
            len(pages),
            Spread.of([page.depth for page in pages]),
            Spread.of([page.breadth for page in pages]),
            Spread.of([page.descendants for page in pages]),
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
    def total(self) -> int:
        """All bytes."""
        return sum(self.by_level.values()) + self.note_bytes

    @property
    def each(self) -> float:
        """Bytes a page."""
        return self.total / self.pages if self.pages else 0.0


@dataclass(frozen=True, slots=True)
class StateReport:
    """All tables and figures."""

    deferred: Kinship
    others: Kinship
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
class Surroundings:
    """What the report needs beside the pages."""

    held: Mapping[str, Held] = field(default_factory=dict)
    fast_seconds: float = 0.0
    fast_urls: int = 0
    elsewhere: Coverage | None = None
    """What another archive holds of the pages' resources."""
    source: str = ""
    runs: int = 0
    """How often pages were run, in all captures together."""


def state_report(pages: Sequence[WalkedPage], around: Surroundings) -> StateReport:
    """The report on some pages."""
    fresh = frozenset().union(*(page.fresh for page in pages))
    found = frozenset().union(*(page.found for page in pages))
    on_load = frozenset().union(*(page.found_on_load for page in pages))
    deferred = [page for page in pages if page.is_deferred(fresh)]
    others = [page for page in pages if not page.is_deferred(fresh)]
    beyond = _beyond_load(pages)
    occurrences = Counter(each for page in pages for view in page.views if view.level for each in view.resources)
    top = occurrences.most_common(TOP)
    sizes = sorted(held.size for each in beyond if (held := around.held.get(each)) and _is_image(held))
    return StateReport(
        Kinship.of(deferred),
        Kinship.of(others),
        tuple(_events(deferred, others)),
        tuple(_levels(pages, around)),
        dict(Counter(_type(around.held.get(each)) for each in beyond).most_common()),
        tuple(sizes),
        tuple(top),
        sum(count for _, count in top) / max(sum(occurrences.values()), 1),
        tuple(count for _, count in occurrences.most_common(RANKED)),
        tuple(sorted((len(page.resources) for page in deferred), reverse=True)),
        _storage(deferred, around.held),
        _storage(others, around.held),
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


def _beyond_load(pages: Iterable[WalkedPage]) -> frozenset[str]:
    """What only views beyond the load need."""
    loaded: set[str] = set()
    later: set[str] = set()
    for page in pages:
        for level, held in page.by_level.items():
            (later if level else loaded).update(held)
    return frozenset(later - loaded)


def _events(deferred: Sequence[WalkedPage], others: Sequence[WalkedPage]) -> Iterable[EventRow]:
    brought = sum((page.brought for page in (*deferred, *others)), Counter[str]())
    whole = max(sum(brought.values()), 1)
    names = sorted({event for page in (*deferred, *others) for event in page.events | set(page.brought)})
    rows = [EventRow(name, _share(deferred, name), _share(others, name), brought[name] / whole) for name in names]
    return sorted(rows, key=lambda row: (-row.contribution, -row.deferred, row.event))


def _share(pages: Sequence[WalkedPage], event: str) -> float:
    return sum(event in page.events for page in pages) / len(pages) if pages else 0.0


def _levels(pages: Sequence[WalkedPage], around: Surroundings) -> Iterable[LevelRow]:
    fresh = frozenset().union(*(page.fresh for page in pages))
    yield LevelRow("fast tier", around.fast_seconds, around.fast_urls, around.fast_urls, 0.0)
    known: set[str] = set()
    seconds, urls = around.fast_seconds, around.fast_urls
    for level in range(max((max(page.by_level, default=0) for page in pages), default=0) + 1):
        here = {each for page in pages for each in page.by_level.get(level, ())} - known
        spent = sum(page.seconds.get(level, 0.0) for page in pages)
        added = len(here & fresh) if around.fast_urls else len(here)
        seconds, urls = seconds + spent, urls + added
        missing = _share_missing(here, around.elsewhere)
        yield LevelRow(f"s{level}", seconds, urls, added, added / spent if spent else 0.0, missing)
        known |= here


def _share_missing(resources: set[str], elsewhere: Coverage | None) -> float | None:
    known = resources - elsewhere.unknown if elsewhere is not None else set()
    return len(known & elsewhere.missing) / len(known) if elsewhere is not None and known else None


def _storage(pages: Sequence[WalkedPage], held: Mapping[str, Held]) -> StorageRow:
    by_level: Counter[int] = Counter()
    count = 0
    for page in pages:
        for level, added in page.added.items():
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


def _type(held: Held | None) -> str:
    return held.media_type or "unknown" if held is not None else "not held"


def _is_image(held: Held) -> bool:
    return held.media_type.startswith("image/")
