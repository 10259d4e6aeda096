"""Usage statistics of recoveries that visitors asked for (VI.6): by month, per recovery, by repository and by domain.

The ratio of means and the mean of ratios differ, and both are told: a large site that was lost wholly weighs in the
first, and in the second no more than a small one.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webkeep.service.recoveries.visitor_order import LostExtent, end_of_name
from webkeep.service.recoveries.visitor_recovery import RecoveryYield, VisitorRecovery

_DAY_SECONDS = 86400.0
_LITTLE_SHARE, _MOST_SHARE = 0.1, 0.8
"""Where a recovery counts as one that gave little, and as one that gave nearly all."""


@dataclass(frozen=True, slots=True)
class FigureSpread:
    """One figure over all recoveries."""

    mean: float = 0.0
    least: float = 0.0
    most: float = 0.0
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class RepositoryUse:
    """What one repository did for all recoveries."""

    name: str
    used_share: float
    """Of recoveries that asked it."""
    contributed_share: float
    """Of all that was recovered."""
    mean_requests: float


@dataclass(frozen=True, slots=True)
class MonthOfUse:
    """What was done in one month."""

    month: str
    completed: int
    recovered: int


@dataclass(frozen=True, slots=True)
class DomainUse:
    """What was recovered of sites whose names end alike."""

    end: str
    recoveries: int
    mean_share: float


@dataclass(frozen=True, slots=True)
class UsageStatistics:
    """All figures; shares are of completed recoveries where nothing else is said."""

    completed: int = 0
    recovered: int = 0
    months: tuple[MonthOfUse, ...] = ()
    discovered_each: FigureSpread = FigureSpread()
    recovered_each: FigureSpread = FigureSpread()
    days_each: FigureSpread = FigureSpread()
    single_page_share: float = 0.0
    unfetched_share: float = 0.0
    """Of those that recovered something: never picked up."""
    mean_share: float = 0.0
    """The mean of what each recovered of what it discovered."""
    mean_share_of_some: float = 0.0
    """The same over those that recovered something."""
    ratio_of_means: float = 0.0
    nothing_share: float = 0.0
    little_share: float = 0.0
    most_share: float = 0.0
    sole_contributor_share: float = 0.0
    """Where one repository gave all that was recovered."""
    repositories: tuple[RepositoryUse, ...] = ()
    domains: tuple[DomainUse, ...] = ()
    """By the ends of names, the commonest first."""


def compute_usage(recoveries: Iterable[VisitorRecovery]) -> UsageStatistics:
    """The figures over all that were completed, be they deleted since or not."""
    done = [(each, each.outcome) for each in recoveries if each.outcome is not None and each.ended is not None]
    if not done:
        return UsageStatistics()
    yields = [outcome for _, outcome in done]
    some = [outcome for outcome in yields if outcome.recovered]
    recovered, discovered = sum(each.recovered for each in yields), sum(each.discovered for each in yields)
    unfetched = [each for each, outcome in done if outcome.recovered and each.picked_up is None]
    return UsageStatistics(
        len(done),
        recovered,
        _count_months(done),
        _spread([each.discovered for each in yields]),
        _spread([each.recovered for each in yields]),
        _spread([_days_of(each) for each, _ in done]),
        _share_of(done, lambda pair: pair[0].order.extent is LostExtent.PAGE),
        len(unfetched) / len(some) if some else 0.0,
        statistics.fmean(each.share for each in yields),
        statistics.fmean(each.share for each in some) if some else 0.0,
        recovered / discovered if discovered else 0.0,
        _share_of(yields, lambda each: not each.recovered),
        _share_of(yields, lambda each: each.share < _LITTLE_SHARE),
        _share_of(yields, lambda each: each.share >= _MOST_SHARE),
        _share_of(yields, lambda each: sum(count > 0 for count in each.contributions.values()) == 1),
        _use_of_repositories(yields, recovered),
        _count_domains(done),
    )


_CompletedRecovery = tuple[VisitorRecovery, RecoveryYield]
_Item = TypeVar("_Item")


def _share_of(items: Sequence[_Item], is_so: Callable[[_Item], bool]) -> float:
    return sum(map(is_so, items)) / len(items)


def _spread(values: Sequence[float]) -> FigureSpread:
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return FigureSpread(statistics.fmean(values), min(values), max(values), deviation)


def _days_of(recovery: VisitorRecovery) -> float:
    since = recovery.confirmed or recovery.created
    return max(0.0, (recovery.ended or since).seconds_since(since) / _DAY_SECONDS)


def _count_months(done: Sequence[_CompletedRecovery]) -> tuple[MonthOfUse, ...]:
    completed: Counter[str] = Counter()
    recovered: Counter[str] = Counter()
    for each, outcome in done:
        ended = (each.ended or each.created).datetime
        month = f"{ended.year}-{ended.month:02}"
        completed[month] += 1
        recovered[month] += outcome.recovered
    return tuple(MonthOfUse(month, completed[month], recovered[month]) for month in sorted(completed))


def _use_of_repositories(yields: Sequence[RecoveryYield], recovered: int) -> tuple[RepositoryUse, ...]:
    names = sorted({name for each in yields for name in (*each.requests, *each.contributions)})
    found = []
    for name in names:
        used = [each for each in yields if each.requests.get(name) or each.contributions.get(name)]
        given = sum(each.contributions.get(name, 0) for each in yields)
        asked = sum(each.requests.get(name, 0) for each in used)
        share = given / recovered if recovered else 0.0
        found.append(RepositoryUse(name, len(used) / len(yields), share, asked / len(used) if used else 0.0))
    return tuple(sorted(found, key=lambda each: (-each.contributed_share, each.name)))


def _count_domains(done: Sequence[_CompletedRecovery]) -> tuple[DomainUse, ...]:
    shares: dict[str, list[float]] = defaultdict(list)
    for each, outcome in done:
        shares[end_of_name(each.order.url)].append(outcome.share)
    rows = [DomainUse(end, len(each), statistics.fmean(each)) for end, each in shares.items()]
    return tuple(sorted(rows, key=lambda row: (-row.recoveries, row.end)))
