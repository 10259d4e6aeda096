"""One page in a flat repository, such as a search engine's cache: when its copy appears, when it is purged or comes
back, and on which days it can be had.

    the page   t0 ─────────────────── tr
    the copy        td ─ ta ───────────────── tp

From t0 to ta the page is vulnerable, from ta to tr replicated, from tr to tp endangered, and unrecoverable thereafter.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Iterator
from dataclasses import dataclass

from webkeep.lab.recovery.simulation.parameters import CacheBehaviour


class CacheState(enum.StrEnum):
    """How a page and its copy stand on some day."""

    VULNERABLE = "vulnerable"
    REPLICATED = "replicated"
    ENDANGERED = "endangered"
    UNRECOVERABLE = "unrecoverable"


@dataclass(frozen=True, slots=True)
class CachedCopy:
    """What became of one page in one repository; days on which nothing happened are None."""

    removed: float
    """The day on which the page left its server."""
    crawled: float | None = None
    available: float | None = None
    purged: float | None = None
    """The last day of the copy, the horizon where it outlasts that."""
    reachable: float = 0.0
    """On how many days the copy could be had."""
    away: tuple[float, float] | None = None
    """From when until when it was purged, where it came back."""

    @property
    def kept_days(self) -> float:
        """For how many days the copy was kept."""
        return 0.0 if self.available is None or self.purged is None else self.purged - self.available

    @property
    def accessibility(self) -> float:
        """The share of its days on which the copy could be had."""
        return self.reachable / self.kept_days if self.kept_days else 0.0

    @property
    def endangered_days(self) -> float:
        """For how many days the page was kept, or about to be shown, though it had left its server."""
        if self.available is None or self.purged is None:
            return 0.0
        return max(self.purged - self.removed, 0.0)

    def state_on(self, day: float) -> CacheState:
        """How the page stands on some day."""
        is_away = self.away is not None and self.away[0] <= day < self.away[1]
        is_kept = self.available is not None and self.purged is not None and self.available <= day < self.purged
        is_kept = is_kept and not is_away
        if day < self.removed:
            return CacheState.REPLICATED if is_kept else CacheState.VULNERABLE
        return CacheState.ENDANGERED if is_kept else CacheState.UNRECOVERABLE


def simulate_copy(life: float, habits: CacheBehaviour, chance: random.Random) -> CachedCopy:
    """What becomes of a page that stays so many days."""
    visits = _draw_visits(habits, chance)
    crawled = next(visits, life)
    if crawled >= life:
        return CachedCopy(life)
    available = crawled + habits.lag
    purged = next((day for day in visits if day >= life), float(habits.horizon))
    if chance.random() >= habits.publish or available >= min(purged, habits.horizon):
        return CachedCopy(life, crawled)
    share = 1 - habits.flicker
    if purged < habits.resurrect_on and chance.random() < habits.resurrect:
        end, away = float(habits.horizon), (purged, float(habits.resurrect_on))
        return CachedCopy(life, crawled, available, end, (end - available - away[1] + away[0]) * share, away)
    return CachedCopy(life, crawled, available, purged, (purged - available) * share)


def _draw_visits(habits: CacheBehaviour, chance: random.Random) -> Iterator[float]:
    """The days on which the page is asked for; a visit that does not come about neither takes it nor misses it."""
    day = habits.first_crawl + chance.uniform(-habits.jitter, habits.jitter)
    while day < habits.horizon:
        if chance.random() < habits.take:
            yield day
        day += habits.revisit
