"""Surveys: what a repository holds of a name, from when, year by year, found out with a few requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from webkeep.model import Finding, Moment
from webkeep.recover.limits import Estimate, Limit, Load, estimated
from webkeep.recover.plan import Policy
from webkeep.recover.repository import ALWAYS, Held, Miss, Period, Reason, Repository
from webkeep.recover.repository_traits import Traits
from webkeep.recover.worth import version_of
from webkeep.url import surt
from webkeep.url.key_range import Match

FEW = 3
"""How many requests of a listing are looked at; that there is more shows with the one after them."""

KeyOf = Callable[[Held], str | None]
"""By what a resource is known; None of what is not wanted."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one repository says it holds."""

    traits: Traits
    rows: int = 0
    """Versions that were seen in the listing."""
    urls: int = 0
    years: Mapping[int, int] = field(default_factory=dict)
    """How many versions are of each year."""
    first: Moment | None = None
    last: Moment | None = None
    is_complete: bool = True
    """Whether that is all; else there is more than was looked at."""
    of_page: bool = False
    """Whether only the versions of the one page could be asked for, not those of the site."""
    requests: int = 0
    miss: Miss | None = None
    findings: tuple[Finding, ...] = ()
    keys: frozenset[int] = frozenset()
    """Hashes of what can be recovered out of it and is wanted."""

    @property
    def holds_something(self) -> bool:
        """Whether there is anything."""
        return self.rows > 0


class _Tally:
    """Counts rows as they come by."""

    def __init__(self, traits: Traits, key_of: KeyOf) -> None:
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

    def take(self, held: Held) -> None:
        self.rows += 1
        wanted = self._key_of(held)
        if wanted is not None and version_of(0, held, self._traits) is not None:
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


async def surveyed(
    repository: Repository,
    url: str,
    match: Match = Match.PREFIX,
    period: Period = ALWAYS,
    most_requests: int = FEW,
    key_of: KeyOf = lambda held: surt(held.url),
) -> Survey:
    """What a repository holds of a site, or of its first page where it cannot list."""
    traits = repository.traits
    tally = _Tally(traits, key_of)
    requests, complete, miss = 0, True, None
    findings: list[Finding] = []
    batches = repository.listing(url, match, period) if traits.lists else repository.versions(url, period)
    async for batch in batches:
        requests += batch.requests
        findings += batch.findings
        for held in batch.rows:
            tally.take(held)
        complete = complete and not batch.capped
        miss = batch.miss
        if requests > most_requests and not traits.local:
            complete = False
            break
    if miss is not None and miss.reason is Reason.UNSUPPORTED:
        miss = None
    return Survey(
        traits,
        tally.rows,
        tally.urls,
        dict(sorted(tally.years.items())),
        tally.first,
        tally.last,
        complete and miss is None,
        not traits.lists,
        requests,
        miss,
        tuple(findings),
        frozenset(tally.keys),
    )


def estimate_of(
    surveys: Sequence[Survey], limits: Mapping[str, Limit | None], asks_all: bool = False, most: int | None = None
) -> Estimate:
    """What recovering costs: the listings once more, and each resource of whoever gives it for the fewest requests.

    With `asks_all`, of everyone who has it. `limits` has the limit of each repository, by its name.
    """
    cheapest_first = sorted(surveys, key=lambda each: each.traits.requests_per_resource)
    taken: set[int] = set()
    loads = []
    for each in cheapest_first:
        own = each.keys if asks_all else each.keys - taken
        taken |= each.keys
        count = len(own) if most is None else min(len(own), most)
        per_resource = each.traits.requests_per_resource
        loads.append(Load(count, each.requests, 1, per_resource, limits.get(each.traits.name)))
    return estimated(loads)


def doubts_of(surveys: Sequence[Survey], policy: Policy, linked_only: bool) -> list[str]:
    """Why what a recovery costs cannot be told beforehand; nothing where it can."""
    doubts = []
    if linked_only or not policy.takes_all:
        doubts.append("only what pages lead to is wanted, and the pages are not known yet")
    for each in surveys:
        name = each.traits.name
        if each.of_page and not each.traits.local:
            doubts.append(f"{name} cannot say what it holds of a whole site")
        elif each.miss is not None and each.miss.reason is not Reason.NOT_HELD:
            doubts.append(f"{name} did not say all that it holds")
        elif not each.is_complete:
            doubts.append(f"{name} holds more than was looked at")
    return doubts
