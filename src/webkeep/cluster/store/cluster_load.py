"""How much there is for workers to do: the hosts that somebody has or that wait for somebody, and who takes part."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.cluster_rows import CaptureState

_READ_LOAD = """
SELECT state, (SELECT count(*) FROM host_group WHERE owner IS NOT NULL),
    (SELECT count(*) FROM (
        SELECT 1 FROM host_group WHERE owner IS NULL AND pending AND free_at <= clock_timestamp() LIMIT %s
    ) waiting),
    (SELECT count(*) FROM course WHERE course.state <> 'done'),
    ARRAY(SELECT name FROM worker WHERE state = 'alive')
FROM capture
"""


@dataclass(frozen=True, slots=True)
class ClusterLoad:
    """What there is to do for the workers of a capture."""

    is_running: bool
    """Whether anything is to be asked for."""
    owned_hosts: int
    """Politeness groups that workers have."""
    waiting_hosts: int
    """Groups that have something queued, could be asked now and are nobody's; counted as far as anybody has room."""
    courses: int
    """Sites that are not done, where the capture goes by these: each is work for one worker."""
    workers: frozenset[str]
    """The names of those that take part."""

    @property
    def hosts(self) -> int:
        """How many hosts there are to be asked."""
        return self.owned_hosts + self.waiting_hosts


def read_load(database: ClusterDatabase, most_waiting: int) -> ClusterLoad:
    """How much there is to do, with so many waiting hosts counted at most."""

    def read(within: ClusterDatabase) -> ClusterLoad:
        for state, owned, waiting, courses, names in within.rows(_READ_LOAD, (most_waiting,)):
            return ClusterLoad(state == CaptureState.RUNNING, int(owned), int(waiting), int(courses), frozenset(names))
        return ClusterLoad(False, 0, 0, 0, frozenset())

    return database.transact(read)
