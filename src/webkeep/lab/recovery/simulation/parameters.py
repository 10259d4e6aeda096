"""The recovery simulator's parameters, read from the data file that comes with it (parameters.toml), and what each of
them means.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from webkeep.recover.repositories import DateKind, VersionDepth


@dataclass(frozen=True, slots=True)
class CacheBehaviour:
    """How a flat repository treats pages; times are in days."""

    first_crawl: float
    jitter: float
    """By how much the first crawl of a page may come earlier or later."""
    take: float
    """The chance that a visit comes about, to take the page or to find it gone."""
    lag: int
    """From the crawl until the copy can be had."""
    publish: float
    """The chance that it ever can."""
    revisit: int
    flicker: float
    """The chance that a copy cannot be had on some day."""
    horizon: int
    """The day on which nobody looks any more."""
    resurrect: float
    """The chance that a purged copy comes back."""
    resurrect_on: int


@dataclass(frozen=True, slots=True)
class DecayParameters:
    """A collection that loses pages by plan, and who watches it."""

    bins: int
    days: int
    own_images_bin: int
    """The bin in which every page has pictures of its own."""
    collections: int
    caches: Mapping[str, CacheBehaviour]


@dataclass(frozen=True, slots=True)
class BoundedNormal:
    """A normal distribution that is kept within bounds."""

    mean: float
    deviation: float
    least: float
    most: float

    def draw(self, chance: random.Random) -> float:
        """One number."""
        return min(max(chance.gauss(self.mean, self.deviation), self.least), self.most)


@dataclass(frozen=True, slots=True)
class SiteDistribution:
    """What sites are like."""

    size_mu: float
    size_sigma: float
    html: float
    image: float
    document: float
    other: float
    factor: BoundedNormal
    """How well a site as a whole is held."""
    obsolete: float
    """URLs of earlier versions, to each present one."""
    obsolete_linked: float
    orphaned: float


@dataclass(frozen=True, slots=True)
class EngineSample:
    """What a search engine answered to random queries, and had in its cache."""

    live: float
    """The share of URLs that still answer."""
    indexed: Mapping[str, float]
    """The share of each kind among what it finds."""
    cached: Mapping[str, float]
    """The share of each kind that can be had from its cache."""


@dataclass(frozen=True, slots=True)
class SamplingParameters:
    """Random queries to search engines."""

    urls: int
    archived: float
    """The share of URLs that an archive has."""
    engines: Mapping[str, EngineSample]


@dataclass(frozen=True, slots=True)
class RandomSiteParameters:
    """Sites watched for weeks: how they are held, and how their pages and copies change."""

    factor: BoundedNormal
    """How well a site as a whole is held."""
    obsolete: float
    orphaned: float
    never_changing: float
    always_changing: float
    weekly_chance: float
    """Of those pages that change sometimes."""
    altered: float
    """Copies that differ although the page did not change."""
    similar: float
    """Changed texts that say nearly the same."""
    fresh_days: float
    archive_days: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LibraryParameters:
    """Digital libraries: how many papers an archive and caches have."""

    archive_mean: float
    archive_spread: float
    """The sum of both parameters of the beta distribution that shares are drawn from."""
    caches_mean: float
    caches_deviation: float
    pages: float
    """The share of resources held that are no papers."""


@dataclass(frozen=True, slots=True)
class InjectedSegment:
    """A part of the server components, spread over pages."""

    pages: int
    needed: int
    """Pages of these that bring it back."""
    share: float
    """Of the bytes of all segments."""


@dataclass(frozen=True, slots=True)
class InjectionParameters:
    """A digital library whose server components are in its pages; what was done to them, and how caches follow."""

    pages: int
    orphan_linked_week: int
    """The week from which on something leads to the last page."""
    segments: tuple[InjectedSegment, ...]
    moved_week: int
    moved_segment: int
    moved_needed: int
    packed_anew_week: int
    packed_anew_needed: int
    comment_days: tuple[float, float]
    """Until caches show a page whose comments alone changed, at least and at most."""
    visible_days: tuple[float, float]
    """The same where its visible text changed."""


@dataclass(frozen=True, slots=True)
class RepositoryHolder:
    """What a repository holds, as chances by kind, and what it costs to ask."""

    name: str
    depth: VersionDepth
    dates: DateKind
    html: float
    image: float
    other: float
    obsolete: float
    listing_page: int
    """Rows that one listing request brings."""
    queries: int
    """Requests to bring home a resource without knowing its versions."""
    asked: int
    """Requests to learn that a URL is not held, where no listing says how it is spelled."""


@dataclass(frozen=True, slots=True)
class SimulationParameters:
    """All of them."""

    decay: DecayParameters
    sampling: SamplingParameters
    site: SiteDistribution
    holders: tuple[RepositoryHolder, ...]
    weeks: RandomSiteParameters
    libraries: LibraryParameters
    injection: InjectionParameters
    quota: Mapping[str, int]
    """Requests a day, by repository."""


@cache
def read_parameters() -> SimulationParameters:
    """The parameters as they were committed."""
    return _parse_parameters((files("webkeep.lab.recovery") / "parameters.toml").read_text(encoding="utf-8"))


def _parse_parameters(text: str) -> SimulationParameters:
    data = tomllib.loads(text)
    decay, caches = _split_tables(data["decay"])
    sampling, engines = _split_tables(data["sampled"])
    first, last = data["weeks"].pop("archive_days")
    return SimulationParameters(
        DecayParameters(**decay, caches={name: CacheBehaviour(**value) for name, value in caches.items()}),
        SamplingParameters(**sampling, engines={name: EngineSample(**value) for name, value in engines.items()}),
        SiteDistribution(**_parse_factor(data["site"])),
        tuple(_build_holder(name, habits) for name, habits in data["holding"].items()),
        RandomSiteParameters(**_parse_factor(data["weeks"]), archive_days=(first, last)),
        LibraryParameters(**data["libraries"]),
        _parse_injection(data["server_components"]),
        data["quota"],
    )


def _split_tables(table: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The plain values of a table, and the tables in it."""
    plain = {name: value for name, value in table.items() if not isinstance(value, dict)}
    return plain, {name: value for name, value in table.items() if isinstance(value, dict)}


def _parse_factor(table: dict[str, Any]) -> dict[str, Any]:
    return {**table, "factor": BoundedNormal(**table["factor"])}


def _parse_injection(table: dict[str, Any]) -> InjectionParameters:
    moved, anew = table["moved"], table["packed_anew"]
    return InjectionParameters(
        pages=table["pages"],
        orphan_linked_week=table["orphan_linked_week"],
        segments=tuple(InjectedSegment(**each) for each in table["segments"]),
        moved_week=moved["week"],
        moved_segment=moved["segment"],
        moved_needed=moved["needed"],
        packed_anew_week=anew["week"],
        packed_anew_needed=anew["needed"],
        comment_days=tuple(table["comment_days"]),
        visible_days=tuple(table["visible_days"]),
    )


def _build_holder(name: str, habits: dict[str, Any]) -> RepositoryHolder:
    depth, dates = VersionDepth(habits.pop("depth")), DateKind(habits.pop("dates"))
    return RepositoryHolder(name, depth, dates, **habits)
