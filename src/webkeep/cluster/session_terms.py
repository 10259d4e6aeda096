"""By what one session of a worker goes: how much it takes at once, and what it shares with others."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.cluster.payload_sharing import ClusterPayloads
from webkeep.store.index import StoredPayload


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """By what one session goes."""

    max_groups: int
    """That it has at once."""
    changes: str
    """What was changed about the plan before it began."""
    payloads: ClusterPayloads | None = None
    """What workers have on their disks, where that is shared."""

    def take_stored_payloads(self) -> list[StoredPayload]:
        """What came onto the disk since this was asked last, to be handed over."""
        return [] if self.payloads is None else self.payloads.take_stored()
