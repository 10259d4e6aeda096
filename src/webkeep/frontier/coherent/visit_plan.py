"""The visit plan of a capture that is to be coherent: which URL of each host a strategy would visit next, which parts
of a site have their turn together, and what is revisited.

A site can be made coherent part by part. Parts are taken one after the other, small ones together, and while some are
under way only their URLs have a turn. Where nothing divides it, the site is one part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webkeep.coherence.strategies import CaptureStrategy, LearnedSizeEstimate, RevisitOrder, VisitOrder
from webkeep.frontier.urls.candidate import Candidate, UrlRole

MIN_VISIT_SECONDS = 0.01
"""Seconds that a request takes at least, for plans of visits to hosts that need no delay."""

_MIN_URLS_TOGETHER = 25
"""So many URLs are taken together: one that is alone is seen once, and proves nothing."""


class _HostVisits:
    """The URLs of one host in the order that a strategy gives them; it begins with the first visit."""

    def __init__(self, strategy: CaptureStrategy, rate: Callable[[str], float], delay: Callable[[], float]) -> None:
        self._strategy = strategy
        self._rate = rate
        self._delay = delay
        self._early: list[tuple[int, str]] = []
        """What was found before the first visit: seeds, and what sitemaps and earlier captures tell."""
        self._has_known_size = False
        self._order: VisitOrder[int] | None = None
        self._dropped: VisitOrder[int] | None = None
        self.waiting = 0

    def add(self, number: int, url: str, is_seed: bool) -> None:
        self.waiting += 1
        if self._order is None:
            self._early.append((number, url))
            self._has_known_size = self._has_known_size or not is_seed
        else:
            self._order.add(number, self._rate(url))

    def next(self) -> int | None:
        if self._order is None:
            self._start_order()
        number = None if self._order is None else self._order.take_next()
        self.waiting = 0 if number is None else self.waiting - 1
        return number

    def _start_order(self) -> None:
        size = LearnedSizeEstimate(len(self._early) if self._has_known_size else None)
        order: VisitOrder[int] = self._strategy.start_order(size, max(self._delay(), MIN_VISIT_SECONDS))
        for number, url in self._early:
            order.add(number, self._rate(url))
        self._order, self._early = order, []

    def drop(self) -> None:
        """Let go of what waits; which visits were made is still known."""
        self._dropped = self._order or self._dropped
        self._order, self._early, self.waiting = None, [], 0

    def revisits(self, visits: Sequence[int]) -> list[int]:
        """The numbers of what is to be revisited after these visits, some of which another process may have made."""
        if self._strategy.revisiting is RevisitOrder.NONE or not visits:
            return []
        order = self._order or self._dropped or self._strategy.start_order(LearnedSizeEstimate(), MIN_VISIT_SECONDS)
        made = set(visits)
        planned = [number for number in self._strategy.order_revisits(order, visits) if number in made]
        known = {*planned, visits[-1]}
        return planned + [number for number in reversed(visits) if number not in known]


class VisitPlan:
    """What a strategy makes of the URLs that were found, host by host and part by part."""

    def __init__(
        self,
        strategy: CaptureStrategy,
        rate: Callable[[str], float],
        delay: Callable[[str], float],
        part_of: Callable[[str], str] = lambda _: "",
    ) -> None:
        """`rate` is how often a URL changes in a second, `delay` the seconds between visits to a host."""
        self._strategy = strategy
        self._rate = rate
        self._delay = delay
        self.part_of = part_of
        """The part that a URL belongs to."""
        self._later: dict[str, list[tuple[str, int, str, bool]]] = {}
        """Host, number and URL of what waits in parts whose turn has not come, and whether it is a seed."""
        self._lines: dict[str, _HostVisits] = {}
        self.parts: frozenset[str] = frozenset()
        """The parts whose turn it is."""

    def add_candidate(self, candidate: Candidate) -> None:
        """Take note of a URL that is to be visited."""
        part, is_seed = self.part_of(candidate.url), candidate.role is UrlRole.SEED
        if part in self.parts:
            self._host_visits(candidate.host).add(candidate.id, candidate.url, is_seed)
        else:
            self._later.setdefault(part, []).append((candidate.host, candidate.id, candidate.url, is_seed))

    def _host_visits(self, host: str) -> _HostVisits:
        if host not in self._lines:
            self._lines[host] = _HostVisits(self._strategy, self._rate, lambda: self._delay(host))
        return self._lines[host]

    def waiting_count(self, host: str) -> int:
        """How many URLs of a host have their turn now."""
        if not self.parts:
            self.start_next_parts()
        line = self._lines.get(host)
        return 0 if line is None else line.waiting

    def next_id(self, host: str) -> int | None:
        """The number of the URL of a host whose turn it is."""
        return self._lines[host].next() if self.waiting_count(host) else None

    def drop_settled(self, is_queued: Callable[[str], bool]) -> None:
        """Let go of what waits of hosts that have nothing queued: it came by another way, as what a browser fetches."""
        for host in [host for host, line in self._lines.items() if line.waiting and not is_queued(host)]:
            self.drop(host)

    def drop(self, host: str = "") -> None:
        """Let go of what waits of one host, or of all."""
        for key in [host] if host else list(self._lines):
            if key in self._lines:
                self._lines[key].drop()
        for part, waiting in list(self._later.items()):
            kept = [each for each in waiting if host and each[0] != host]
            self._later[part] = kept
            if not kept:
                del self._later[part]

    def start_next_parts(self) -> bool:
        """Give the next parts their turn, or those again that have something new; False where nothing waits."""
        if any(line.waiting for line in self._lines.values()):
            return True
        chosen: list[str] = []
        count = 0
        for part, waiting in self._later.items():
            chosen.append(part)
            count += len(waiting)
            if count >= _MIN_URLS_TOGETHER:
                break
        if chosen:
            self.start_parts(chosen)
        return bool(chosen)

    def start_parts(self, parts: Sequence[str]) -> None:
        """Give these parts their turn."""
        self.parts, self._lines = frozenset(parts), {}
        for part in parts:
            for host, number, url, is_seed in self._later.pop(part, []):
                self._host_visits(host).add(number, url, is_seed)

    @property
    def pending_parts(self) -> frozenset[str]:
        """The parts whose turn is still to come."""
        return frozenset(self._later)

    @property
    def has_revisits(self) -> bool:
        """Whether anything is visited again."""
        return self._strategy.revisiting is not RevisitOrder.NONE

    def revisits(self, host: str, visits: Sequence[int]) -> list[int]:
        """The numbers of those visits to a host that are to be made again, in their order."""
        return self._host_visits(host).revisits(visits)
