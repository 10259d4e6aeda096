"""The queues of leased hosts in memory, as far as they were read: candidates by number, by host in the order of their
ranks, and by group.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from webkeep.frontier.urls import Candidate, is_shorter_way


def keep_shorter_way(candidate: Candidate, way: Candidate) -> Candidate:
    """A candidate that counts from a way to it, where that is the shorter one."""
    is_shorter = is_shorter_way(way, candidate)
    return candidate._replace(depth=way.depth, outside=way.outside) if is_shorter else candidate


class HeldQueues:
    """What one worker holds of the queues, in one thread."""

    def __init__(self, group_of: Callable[[str], str]) -> None:
        """`group_of` gives the politeness group of a host."""
        self._group_of = group_of
        self._heaps: dict[str, list[tuple[int, int]]] = {}
        self._counts: dict[str, int] = {}
        self.held: dict[int, Candidate] = {}
        """What is queued here, by number."""
        self.hosts_by_group: dict[str, set[str]] = {}
        """The hosts of each group that is leased, as far as they were met."""

    def put(self, candidate: Candidate) -> None:
        """Hold a candidate."""
        self.held[candidate.id] = candidate
        self._counts[candidate.host] = self._counts.get(candidate.host, 0) + 1
        heapq.heappush(self._heaps.setdefault(candidate.host, []), (candidate.rank, candidate.id))
        group = self._group_of(candidate.host)
        if group in self.hosts_by_group:
            self.hosts_by_group[group].add(candidate.host)

    def shorten(self, number: int, way: Candidate) -> None:
        """Have a candidate count from a shorter way to it, if it is held."""
        candidate = self.held.get(number)
        if candidate is not None:
            self.held[number] = keep_shorter_way(candidate, way)

    def remove(self, number: int) -> None:
        """Hold a candidate no longer, if it was."""
        candidate = self.held.pop(number, None)
        if candidate is not None:
            self._counts[candidate.host] -= 1

    def first(self, host: str) -> Candidate | None:
        """The candidate of a host whose turn is next."""
        queue = self._heaps.get(host)
        while queue:
            rank, number = queue[0]
            candidate = self.held.get(number)
            if candidate is not None and candidate.rank == rank:
                return candidate
            heapq.heappop(queue)
        return None

    def drop_host(self, host: str) -> list[int]:
        """Hold nothing of a host any more; gives the numbers of what was."""
        dropped = [number for _, number in self._heaps.pop(host, ()) if self.held.pop(number, None) is not None]
        self._counts.pop(host, None)
        return dropped

    def first_via(self, host: str) -> int:
        """The number of what led to one of a host's candidates; 0 where nothing did."""
        held = (self.held.get(number) for _, number in self._heaps.get(host, ()))
        return next((each.via for each in held if each is not None and each.via), 0)

    def hosts(self) -> list[str]:
        """The hosts that have something queued here."""
        return [host for host, count in self._counts.items() if count]

    def count(self, host: str) -> int:
        """How many candidates of a host are held."""
        return self._counts.get(host, 0)

    def count_of_group(self, group: str) -> int:
        """How many candidates of a group are held."""
        return sum(map(self.count, self.hosts_by_group.get(group, ())))
