"""The host schedule: which host may be asked next, and from when on; hosts of one moment take turns."""

from __future__ import annotations

import heapq

_HEAP_SLACK_ENTRIES = 64
"""So many entries that hold no longer may lie in the heap before it is made anew."""


class HostSchedule:
    """Hosts by the moment from which on they may be asked; hosts of one moment take turns."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, str]] = []
        self._entries: dict[str, tuple[int, int]] = {}
        self._serial = 0

    def put(self, host: str, at: int) -> None:
        """Enter a host, or move it; one that is there for that moment keeps its turn."""
        known = self._entries.get(host)
        if known is not None and known[0] == at:
            return
        self._serial += 1
        self._entries[host] = (at, self._serial)
        heapq.heappush(self._heap, (at, self._serial, host))
        if len(self._heap) > 2 * len(self._entries) + _HEAP_SLACK_ENTRIES:
            self._heap = [(at, serial, host) for host, (at, serial) in self._entries.items()]
            heapq.heapify(self._heap)

    def drop(self, host: str) -> None:
        """Take a host out."""
        self._entries.pop(host, None)

    def next_due(self) -> int | None:
        """The earliest moment that a host is entered for."""
        while self._heap:
            at, serial, host = self._heap[0]
            if self._entries.get(host) == (at, serial):
                return at
            heapq.heappop(self._heap)
        return None

    def pop(self, now: int) -> str | None:
        """The host whose turn it is, taken out; None where all must wait."""
        at = self.next_due()
        if at is None or at > now:
            return None
        host = heapq.heappop(self._heap)[2]
        del self._entries[host]
        return host
