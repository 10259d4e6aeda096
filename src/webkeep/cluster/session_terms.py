"""By what one session of a worker goes: how much it takes at once, and what it shares with others."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.cluster.payload_sharing import ClusterPayloads
from webkeep.cluster.store.cluster_rows import WorkerNews
from webkeep.crawl.requests import PUBLIC_PREFIX, PrivateHosts
from webkeep.store.index import StoredPayload


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """By what one session goes."""

    max_groups: int
    """That it has at once."""
    changes: str
    """What was changed about the plan before it began."""
    private_hosts: PrivateHosts
    """That any worker found."""
    payloads: ClusterPayloads | None = None
    """What workers have on their disks, where that is shared."""

    def learn_hosts(self, news: WorkerNews) -> None:
        """Know which hosts lie in private networks, and which of those that came over are public for good."""
        told = ((name, text) for _, name, text in news.texts if name.startswith(PUBLIC_PREFIX))
        self.private_hosts.restore((*news.private_hosts, *told))

    def take_stored_payloads(self) -> list[StoredPayload]:
        """What came onto the disk since this was asked last, to be handed over."""
        return [] if self.payloads is None else self.payloads.take_stored()
