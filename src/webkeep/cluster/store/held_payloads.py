"""Payloads that workers hold on their disks: entered by digest, found by others that come upon the same, so that they
refer to them and do not store them, and counted where several hold one after all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.store.cluster_database import ClusterDatabase, LeaseLostError
from webkeep.model import Moment, RecordPlace
from webkeep.store.archive import Archive
from webkeep.store.index import StoredPayload

LEAST_PAYLOAD_BYTES = 16 * 1024
"""On disk. Of smaller ones a row in the database would take more than a second copy costs."""
_ROWS_PER_PART = 5000
"""In transactions of their own, each of which prolongs the lease."""
_NO_PLACE = RecordPlace("", 0, 0)
_PROLONG = f"""
UPDATE worker SET expires = clock_timestamp() + INTERVAL '{LEASE_SECONDS} s'
WHERE id = %s AND state = 'alive' RETURNING name
"""
_ENTER = """
INSERT INTO payload (digest, keeper, bytes, check_hash, url, moment)
SELECT digest, worker.name, held.bytes, check_hash, url, moment
FROM unnest(%s::TEXT[], %s::BIGINT[], %s::BYTEA[], %s::TEXT[], %s::BIGINT[])
AS held (digest, bytes, check_hash, url, moment), worker WHERE worker.id = %s
ON CONFLICT (digest, keeper) DO NOTHING
"""
_FORGET = "DELETE FROM payload WHERE keeper = (SELECT name FROM worker WHERE id = %s)"
_FIND = """
SELECT DISTINCT ON (digest) digest, keeper, check_hash, url, moment FROM payload
WHERE digest = ANY(%s) AND keeper <> %s AND check_hash <> ''
    AND (SELECT state FROM worker WHERE name = keeper ORDER BY joined DESC LIMIT 1) <> 'lost'
ORDER BY digest, moment, keeper
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


def large_payloads(archive: Archive) -> Iterator[StoredPayload]:
    """What an archive holds that is worth telling others of."""
    return archive.catalog.payloads.large(LEAST_PAYLOAD_BYTES)


def enter_payloads(
    database: ClusterDatabase, worker: int, payloads: Iterable[StoredPayload], anew: bool = False
) -> None:
    """Say which payloads a worker holds; done twice, it is as done once.

    With `anew`, what was entered under its name before is forgotten: its archive may be another one by now.
    """
    left = iter(payloads)
    if anew:
        database.transact(lambda within: within.change(_FORGET, (worker,)))
    while part := list(islice(left, _ROWS_PER_PART)):
        _enter_prolonged(database, worker, part)


def _enter_prolonged(database: ClusterDatabase, worker: int, part: list[StoredPayload]) -> None:
    def enter(within: ClusterDatabase) -> None:
        if not within.rows(_PROLONG, (worker,)):
            raise LeaseLostError("this worker was not heard of for too long; what it had is others' now")
        enter_part(within, worker, part)

    database.transact(enter)


def enter_part(database: ClusterDatabase, worker: int, part: Sequence[StoredPayload]) -> None:
    """Say of some payloads that a worker holds them, by one statement; within a transaction."""
    if not part:
        return
    columns = (
        [each.digest for each in part],
        [each.place.length for each in part],
        [each.check for each in part],
        [each.url for each in part],
        [each.moment.micros for each in part],
    )
    database.change(_ENTER, (*columns, worker))


def find_payloads(database: ClusterDatabase, keeper: str, digests: Sequence[str]) -> list[StoredPayload]:
    """Which of these payloads workers of other names hold, the one that had it first; within a transaction.

    One that was lost and did not come back may have lost its disk: nobody refers to it until it does.
    """
    return [
        StoredPayload(str(digest), bytes(check), None, _NO_PLACE, "", str(url), Moment(int(micros)), holder=str(holder))
        for digest, holder, check, url, micros in database.rows(_FIND, (list(digests), keeper))
    ]


def count_repeated(database: ClusterDatabase) -> RepeatedPayloads:
    """What more than one worker holds; within a transaction."""
    ((count, size),) = database.rows(_COUNT)
    return RepeatedPayloads(int(count), int(size))
