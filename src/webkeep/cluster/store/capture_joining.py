"""The capture of a database as a worker finds it, and the sessions in which it takes part."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.store.cluster_database import ClusterDatabase, check_version
from webkeep.cluster.store.cluster_rows import CaptureState

_WORKER_BITS = 62
"""Numbers of sessions are drawn by chance out of so many bits."""
_JOIN = f"""
INSERT INTO worker (id, name, has_browser, expires)
VALUES (%s, %s, %s, clock_timestamp() + INTERVAL '{LEASE_SECONDS} s')
"""


@dataclass(frozen=True, slots=True)
class JoinedCapture:
    """The capture that a worker takes part in, and the number of its session."""

    worker: int
    capture: str
    plan: str
    taken_down: str
    started_micros: int
    changes: str
    shares_payloads: bool = False


def find_capture(database: ClusterDatabase) -> tuple[str, CaptureState] | None:
    """The capture that the database has, and what is going on with it; refuses that of another version."""

    def find(within: ClusterDatabase) -> tuple[str, CaptureState] | None:
        if not within.rows("SELECT 1 FROM pg_namespace WHERE nspname = 'webkeep_cluster'"):
            return None
        for capture, state, schema_version, program in within.rows(
            "SELECT id, state, schema_version, program FROM capture"
        ):
            check_version(schema_version, program)
            return capture, CaptureState(state)
        return None

    return database.transact(find)


def join_capture(database: ClusterDatabase, name: str, has_browser: bool = False) -> JoinedCapture:
    """Begin a session of a worker."""

    def join(within: ClusterDatabase) -> JoinedCapture:
        ((capture, plan, taken_down, started, changes, shares, schema_version, program),) = within.rows(
            "SELECT id, plan, taken_down, (extract(epoch FROM started) * 1000000)::BIGINT, changes, shares_payloads, "
            "schema_version, program FROM capture FOR SHARE"
        )
        check_version(schema_version, program)
        worker = secrets.randbits(_WORKER_BITS)
        within.change(_JOIN, (worker, name, has_browser))
        return JoinedCapture(worker, capture, plan, taken_down, started, changes, shares)

    return database.transact(join)
