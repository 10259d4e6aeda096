"""Surveys: what a repository holds of a name, from when, year by year, found out with a few requests; and what
recovering it would cost, or why that cannot be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from webkeep.model import Finding, Moment
from webkeep.recover.judging.version_ranking import rate_version
from webkeep.recover.plan import RecoveryPolicy
from webkeep.recover.politeness.rate_limits import RateLimit, RecoveryEstimate, RepositoryLoad, estimate_cost
from webkeep.recover.repositories.repository import (
    ALL_TIME,
    ListedVersion,
    MissReason,
    Repository,
    RepositoryMiss,
    TimePeriod,
)
from webkeep.recover.repositories.repository_traits import RepositoryTraits
from webkeep.url import UrlMatch, surt

MAX_INVENTORY_REQUESTS = 3
"""How many requests of a listing are looked at; that there is more shows with the one after them."""

KeyOf = Callable[[ListedVersion], str | None]
"""By what a resource is known; None of what is not wanted."""


@dataclass(frozen=True, slots=True)
class RepositoryInventory:
    """What one repository says it holds."""

    traits: RepositoryTraits
    rows: int = 0
    """Versions that were seen in the listing."""
    urls: int = 0
    years: Mapping[int, int] = field(default_factory=dict)
    """How many versions are of each year."""
    first: Moment | None = None
    last: Moment | None = None
    is_complete: bool = True
    """Whether that is all; else there is more than was looked at."""
    is_page_only: bool = False
    """Whether only the versions of the one page could be asked for, not those of the site."""
    requests: int = 0
    miss: RepositoryMiss | None = None
    findings: tuple[Finding, ...] = ()
    keys: frozenset[int] = frozenset()
    """Hashes of what can be recovered out of it and is wanted."""

    @property
    def has_rows(self) -> bool:
        """Whether there is anything."""
        return self.rows > 0


class _RowCounter:
    """Counts rows as they come by."""

    def __init__(self, traits: RepositoryTraits, key_of: KeyOf) -> None:
        self._traits = traits
        self._key_of = key_of
        self.keys: set[int] = set()
        self.rows = 0
        self.urls = 0
        self.years: Counter[int] = Counter()
        self.first: Moment | None = None
        self.last: Moment | None = None
        self._before = ""
        self._seen: set[int] = set()

    def count_row(self, held: ListedVersion) -> None:
        self.rows += 1
        wanted = self._key_of(held)
        if wanted is not None and rate_version(0, held, self._traits) is not None:
            self.keys.add(hash(wanted))
        key = surt(held.url)
        if key != self._before:  # rows of one URL stand together
            self._before = key
            self._seen.add(hash(key))
            self.urls = len(self._seen)
        if held.moment is not None:
            self.years[held.moment.datetime.year] += 1
            self.first = min(self.first or held.moment, held.moment)
            self.last = max(self.last or held.moment, held.moment)


async def take_inventory(
    repository: Repository,
    url: str,
    match: UrlMatch = UrlMatch.PREFIX,
    period: TimePeriod = ALL_TIME,
    most_requests: int = MAX_INVENTORY_REQUESTS,
    key_of: KeyOf = lambda held: surt(held.url),
) -> RepositoryInventory:
    """What a repository holds of a site, or of its first page where it cannot list."""
    traits = repository.traits
    counter = _RowCounter(traits, key_of)
    requests, complete, miss = 0, True, None
    findings: list[Finding] = []
    batches = repository.list_site(url, match, period) if traits.lists else repository.list_versions(url, period)
    async for batch in batches:
        requests += batch.requests
        findings += batch.findings
        for held in batch.rows:
            counter.count_row(held)
        complete = complete and not batch.is_capped
        miss = batch.miss
        if requests > most_requests and not traits.local:
            complete = False
            break
    if miss is not None and miss.reason is MissReason.UNSUPPORTED:
        miss = None
    return RepositoryInventory(
        traits,
        counter.rows,
        counter.urls,
        dict(sorted(counter.years.items())),
        counter.first,
        counter.last,
        complete and miss is None,
        not traits.lists,
        requests,
        miss,
        tuple(findings),
        frozenset(counter.keys),
    )


def estimate_recovery(
    inventories: Sequence[RepositoryInventory],
    limits: Mapping[str, RateLimit | None],
    asks_all: bool = False,
    most: int | None = None,
) -> RecoveryEstimate:
    """What recovering costs: the listings once more, and each resource of whoever gives it for the fewest requests.

    With `asks_all`, of everyone who has it. `limits` has the limit of each repository, by its name.
    """
    cheapest_first = sorted(inventories, key=lambda each: each.traits.requests_per_resource)
    taken: set[int] = set()
    loads = []
    for each in cheapest_first:
        own = each.keys if asks_all else each.keys - taken
        taken |= each.keys
        count = len(own) if most is None else min(len(own), most)
        per_resource = each.traits.requests_per_resource
        loads.append(RepositoryLoad(count, each.requests, 1, per_resource, limits.get(each.traits.name)))
    return estimate_cost(loads)


def estimate_doubts(inventories: Sequence[RepositoryInventory], policy: RecoveryPolicy, linked_only: bool) -> list[str]:
    """Why what a recovery costs cannot be told beforehand; nothing where it can."""
    doubts = []
    if linked_only or not policy.includes_orphans:
        doubts.append("only what pages lead to is wanted, and the pages are not known yet")
    for each in inventories:
        name = each.traits.name
        if each.is_page_only and not each.traits.local:
            doubts.append(f"{name} cannot say what it holds of a whole site")
        elif each.miss is not None and each.miss.reason is not MissReason.NOT_HELD:
            doubts.append(f"{name} did not say all that it holds")
        elif not each.is_complete:
            doubts.append(f"{name} holds more than was looked at")
    return doubts
