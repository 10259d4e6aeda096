"""Surveys: what a repository holds of a name, from when, year by year, found out with a few requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webkeep.model import Finding, Moment
from webkeep.recover.limits import Estimate, Limit, Load, estimated
from webkeep.recover.repository import ALWAYS, Held, Miss, Period, Reason, Repository
from webkeep.recover.repository_traits import Traits
from webkeep.url import surt
from webkeep.url.key_range import Match

FEW = 3
"""How many requests of a listing are looked at; that there is more shows with the one after them."""


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

    @property
    def holds_something(self) -> bool:
        """Whether there is anything."""
        return self.rows > 0


class _Tally:
    """Counts rows as they come by."""

    def __init__(self) -> None:
        self.rows = 0
        self.urls = 0
        self.years: Counter[int] = Counter()
        self.first: Moment | None = None
        self.last: Moment | None = None
        self._before = ""
        self._seen: set[int] = set()

    def take(self, held: Held) -> None:
        self.rows += 1
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
    repository: Repository, url: str, match: Match = Match.PREFIX, period: Period = ALWAYS, most_requests: int = FEW
) -> Survey:
    """What a repository holds of a site, or of its first page where it cannot list."""
    traits = repository.traits
    tally = _Tally()
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
    )


def estimate_of(surveys: Sequence[Survey], limits: Mapping[str, Limit | None]) -> Estimate:
    """What recovering costs: at least one request for each URL of whoever has most, and a look at every listing.

    `limits` has the limit of each repository, by its name; how far holdings overlap is not known beforehand.
    """
    largest = max(surveys, key=lambda each: each.urls, default=None)
    return estimated(
        Load(
            each.urls if each is largest else 0,
            each.rows,
            each.traits.listing_page,
            each.traits.requests_per_resource,
            limits.get(each.traits.name),
        )
        for each in surveys
    )
