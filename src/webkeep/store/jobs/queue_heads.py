"""The beginnings of hosts' queues in memory, as far as they fit; the rest of each queue is on disk. How many candidates
are held, in all and of a host.

A host's window holds all of its queued candidates up to a horizon, in the order in which they are taken. What is added
before the horizon goes into the window, what is added behind it stays on disk until the window is filled again.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict

from webkeep.frontier.urls import Candidate

QueuePlace = tuple[int, int]
"""Where a candidate stands in its host's queue: its rank and its number."""

BEFORE_ALL: QueuePlace = (-1, 0)
"""A horizon before everything."""

_MAX_CANDIDATES_PER_HOST = 4000
"""Candidates of one host in memory; half of them are let go where there are more."""
_MIN_CANDIDATES_PER_HOST = 4
"""Fewer would have the disk asked for nearly every candidate."""
_MAX_HELD_CANDIDATES = 40_000
"""Candidates of all hosts together; the queues beyond are on disk."""


class QueueHead:
    """The beginning of one host's queue."""

    __slots__ = ("_heap", "held", "horizon")

    def __init__(self) -> None:
        self._heap: list[QueuePlace] = []
        self.held: dict[int, Candidate] = {}
        self.horizon: QueuePlace | None = BEFORE_ALL
        """Up to where the queue is held; None where all of it is."""

    def cover_all(self) -> None:
        """All of the queue is held, as nothing of it lies on disk."""
        self.horizon = None

    def cover_to(self, horizon: QueuePlace | None) -> None:
        """The queue is held up to there."""
        self.horizon = horizon

    def covers(self, place: QueuePlace) -> bool:
        """Whether something at that place belongs into the window."""
        return self.horizon is None or place <= self.horizon

    def put(self, candidate: Candidate) -> None:
        """Hold a candidate, in place of what was held under its number."""
        heapq.heappush(self._heap, (candidate.rank, candidate.id))
        self.held[candidate.id] = candidate

    def first(self) -> Candidate | None:
        """The first that is held."""
        while self._heap:
            rank, number = self._heap[0]
            candidate = self.held.get(number)
            if candidate is not None and candidate.rank == rank:
                return candidate
            heapq.heappop(self._heap)
        return None

    def pop(self) -> None:
        """Let go of the first."""
        del self.held[heapq.heappop(self._heap)[1]]

    def narrow(self, width: int) -> None:
        """Hold no more than so many; those further behind are found on disk again."""
        places = sorted((candidate.rank, candidate.id) for candidate in self.held.values())
        self.horizon = places[width - 1] if width else BEFORE_ALL
        for _, number in places[width:]:
            del self.held[number]
        self._heap = places[:width]


class QueueHeads:
    """The windows of all hosts, together of bounded size."""

    def __init__(self, most: int = _MAX_HELD_CANDIDATES, widest: int = _MAX_CANDIDATES_PER_HOST) -> None:
        self._heads: OrderedDict[str, QueueHead] = OrderedDict()
        self._max_held = most
        self._max_per_host = widest
        self._size = 0

    def head_of(self, host: str) -> QueueHead:
        """The window of a host, an empty one if it had none."""
        window = self._heads.get(host)
        if window is None:
            window = self._heads[host] = QueueHead()
        else:
            self._heads.move_to_end(host)
        return window

    def put(self, candidate: Candidate) -> None:
        """Hold a candidate if its place is within the window of its host."""
        window = self.head_of(candidate.host)
        if window.covers((candidate.rank, candidate.id)):
            before = len(window.held)
            window.put(candidate)
            if len(window.held) > self._max_per_host:
                window.narrow(self._max_per_host // 2)
            self._size += len(window.held) - before
            self._shrink()

    def fill(self, host: str, candidates: list[Candidate], horizon: QueuePlace | None) -> None:
        """Hold these, which come next, up to a new horizon."""
        window = self.head_of(host)
        for candidate in candidates:
            window.put(candidate)
        window.cover_to(horizon)
        self._size += len(candidates)
        self._shrink()

    def drop(self, host: str, number: int) -> None:
        """Let go of a candidate, if it is held."""
        window = self._heads.get(host)
        if window is not None and window.held.pop(number, None) is not None:
            self._size -= 1

    def pop(self, window: QueueHead) -> None:
        """Let go of a window's first."""
        window.pop()
        self._size -= 1

    def close(self, host: str) -> None:
        """Let go of all that is held of a host."""
        window = self._heads.pop(host, None)
        if window is not None:
            self._size -= len(window.held)

    def clear(self) -> None:
        """Let go of everything."""
        self._heads.clear()
        self._size = 0

    @property
    def fair_share(self) -> int:
        """How many each host may hold if all hold as many."""
        return min(
            max(self._max_held // (2 * max(len(self._heads), 1)), _MIN_CANDIDATES_PER_HOST), self._max_per_host // 2
        )

    def _shrink(self) -> None:
        """Narrow the windows of those hosts that were not used for longest, and close those that are narrow."""
        while self._size > self._max_held and len(self._heads) > 1:
            host, window = next(iter(self._heads.items()))
            before, share = len(window.held), self.fair_share
            if before > share:
                window.narrow(share)
                self._heads.move_to_end(host)
                self._size -= before - share
            else:
                self.close(host)
