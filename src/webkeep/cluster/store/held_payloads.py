"""Payloads that more than one worker holds: within its archive each holds everything once, and what several of them
came upon (a library of scripts that two sites have) is counted, so that it can be told what that takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.store.cluster_database import ClusterDatabase, LeaseLostError

LEAST_PAYLOAD_BYTES = 16 * 1024
"""On disk. Of smaller ones a row in the database would take more than a second copy costs."""
_ROWS_PER_PART = 5000
"""In transactions of their own, each of which prolongs the lease."""
_PROLONG = f"""
UPDATE worker SET expires = clock_timestamp() + INTERVAL '{LEASE_SECONDS} s'
WHERE id = %s AND state = 'alive' RETURNING name
"""
_ENTER = """
INSERT INTO payload (digest, keeper, bytes) SELECT digest, %s, bytes FROM unnest(%s::TEXT[], %s::BIGINT[])
AS held (digest, bytes) ON CONFLICT (digest, keeper) DO NOTHING
"""
_COUNT = """
SELECT count(*), coalesce(sum(beside), 0)::BIGINT
FROM (SELECT sum(bytes) - min(bytes) AS beside FROM payload GROUP BY digest HAVING count(*) > 1) repeated
"""


class RepeatedPayloads(NamedTuple):
    """What several workers hold."""

    payloads: int
    spare_bytes: int
    """That all take beside the first of each."""


def enter_payloads(database: ClusterDatabase, worker: int, payloads: Iterable[tuple[str, int]]) -> None:
    """Say which payloads a worker holds, by digest, with their sizes on its disk; done twice, it is as done once."""
    left = iter(payloads)
    while part := list(islice(left, _ROWS_PER_PART)):
        _enter_part(database, worker, part)


def _enter_part(database: ClusterDatabase, worker: int, part: list[tuple[str, int]]) -> None:
    def enter(within: ClusterDatabase) -> None:
        names = within.rows(_PROLONG, (worker,))
        if not names:
            raise LeaseLostError("this worker was not heard of for too long; what it had is others' now")
        within.change(_ENTER, (names[0][0], [digest for digest, _ in part], [size for _, size in part]))

    database.transact(enter)


def count_repeated(database: ClusterDatabase) -> RepeatedPayloads:
    """What more than one worker holds; within a transaction."""
    ((count, size),) = database.rows(_COUNT)
    return RepeatedPayloads(int(count), int(size))
