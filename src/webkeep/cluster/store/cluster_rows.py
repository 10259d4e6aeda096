"""What goes between a worker and the database of a cluster: rows of links, fates and queues, the batch that a worker
hands over, and the news that it gets for it. Plain values; nothing here asks anything.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from webkeep.store.index import StoredPayload


class LinkRow(NamedTuple):
    """A URL that was found, as it is handed over."""

    key: bytes
    url: str
    host: str
    host_group: str
    rank: int
    via: bytes
    facts: int
    outcome: int
    reason: str


class FateRow(NamedTuple):
    """What became of a URL that a worker had taken."""

    key: bytes
    url: str
    host: str
    host_group: str
    via: bytes
    facts: int
    outcome: int
    reason: str


class QueueRow(NamedTuple):
    """A place in a queue that a worker changed: put back, or asked for once more."""

    key: bytes
    rank: int
    facts: int


class HostCut(NamedTuple):
    """One fate for everything that is queued of a host, but for what its worker has taken."""

    host: str
    host_group: str
    outcome: int
    reason: str
    taken: tuple[bytes, ...]


class QueuedUrl(NamedTuple):
    """A URL that is queued, as a worker gets it."""

    key: bytes
    url: str
    host: str
    host_group: str
    rank: int
    via: str
    facts: int


class GroupRelease(NamedTuple):
    """A politeness group that a worker gives back, and after how many seconds it may be asked again."""

    host_group: str
    free_in_seconds: float


class ClaimedGroup(NamedTuple):
    """A politeness group that a worker has from now on."""

    host_group: str
    free_in_seconds: float
    """From when on it may be asked, by the database's clock."""
    lost_seconds_ago: float | None
    """When the lease of a worker ended that was lost with it; None where it was given back."""


class CaptureState(enum.StrEnum):
    """What is going on with the capture of a cluster."""

    RUNNING = "running"
    PAUSED = "paused"
    ENDING = "ending"
    """A limit is reached or somebody said so: nothing more is asked for, what is under way is finished."""
    OVER = "over"
    """Everything has its fate."""
    STOPPED = "stopped"
    """Nobody looks after it for now; the same command goes on with it."""


@dataclass(slots=True)
class WorkerBatch:
    """What a worker hands over at once: all of it holds, or nothing."""

    links: dict[bytes, LinkRow] = field(default_factory=dict)
    fates: list[FateRow] = field(default_factory=list)
    changes: list[QueueRow] = field(default_factory=list)
    requeues: list[QueueRow] = field(default_factory=list)
    cuts: list[HostCut] = field(default_factory=list)
    ways: dict[bytes, int] = field(default_factory=dict)
    """How few links lead to URLs, as packed facts, where that is counted."""
    read_again: dict[bytes, int] = field(default_factory=dict)
    """Pages whose links were entered once more, and the facts by which they count now."""
    not_held: list[bytes] = field(default_factory=list)
    """Pages whose links were to be entered once more, and that this worker cannot read."""
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """What is known of hosts, by group and name."""
    releases: list[GroupRelease] = field(default_factory=list)
    loans: list[GroupRelease] = field(default_factory=list)
    """Groups that others may ask something of, once."""
    returns: list[GroupRelease] = field(default_factory=list)
    """Groups of others that something was asked of."""
    lent: tuple[str, ...] = ()
    """Groups that were lent and did not come back yet."""
    held: tuple[str, ...] | None = None
    """All groups that it has, where the database was gone and may know of others; None where both know the same."""
    wanted: tuple[str, ...] = ()
    """Groups that something must be asked of that is in no queue."""
    room: int = 0
    """How many more groups it has room for."""
    payloads: list[StoredPayload] = field(default_factory=list)
    """What came onto its disk that others may refer to."""
    short: tuple[tuple[str, int], ...] = ()
    """Groups whose queues run short here, with how many of each are to be read, those held already included."""
    urls: int = 0
    """URLs that were settled by an answer, in all of the session."""
    under_way: int = 0
    bytes: int = 0
    in_flight: int = 0
    is_sharing: bool = False
    """Whether the limit on URLs is shared out."""
    is_hungry: bool = False
    """Whether it could ask for more URLs than it was granted."""

    more: tuple[WorkerBatch, ...] = ()
    """What came of URLs since it was made, one after the other, where it could not be handed over until now."""

    def with_more(self, later: WorkerBatch) -> WorkerBatch:
        """The batch together with what came since it was made."""
        came = (later.links, later.fates, later.changes, later.requeues, later.cuts, later.ways, later.read_again)
        is_more = any((*came, later.not_held, later.texts, later.payloads))
        return replace(
            self,
            more=(*self.more, later) if is_more else self.more,
            urls=later.urls,
            bytes=later.bytes,
            in_flight=later.in_flight,
            under_way=later.under_way,
            is_hungry=later.is_hungry,
        )

    @property
    def fate_count(self) -> int:
        """How many fates it has."""
        return len(self.fates) + sum(len(each.fates) for each in self.more)

    def add_link(self, row: LinkRow) -> None:
        """The better of two claims to one URL holds: one that queues it, then the one of smaller rank."""
        before = self.links.get(row.key)
        if before is None or (row.outcome != 0, row.rank) < (before.outcome != 0, before.rank):
            self.links[row.key] = row


@dataclass(frozen=True, slots=True)
class WorkerNews:
    """What a worker is told when it has handed over."""

    state: CaptureState
    reason: str
    changes: str
    claimed: tuple[ClaimedGroup, ...]
    pulled: tuple[QueuedUrl, ...]
    full: frozenset[str]
    """Groups of which more is queued than was read."""
    texts: tuple[tuple[str, str, str], ...]
    """Group, name and text of what is known of the hosts of groups that were claimed."""
    refreshed: frozenset[str]
    """Groups whose queues were read."""
    granted_urls: int | None
    bytes_elsewhere: int
    borrowed: tuple[ClaimedGroup, ...]
    """Groups of others of which something may be asked, once."""
    asked_for: tuple[str, ...]
    """Groups of which others would ask something that is in no queue of theirs."""
    returned: tuple[ClaimedGroup, ...]
    """Groups that were lent, and are the worker's alone again."""
    fenced: int
    """Fates that were not taken, as their hosts were no longer the worker's."""
    read_again: tuple[QueuedUrl, ...] = ()
    """Pages in the worker's archive to which a shorter way was found since, as they count now."""
    private_hosts: tuple[tuple[str, str], ...] = ()
    """All that is known of hosts in private networks, where that is more than it was."""
