"""Doubts about versions that only all of them together can raise: one page everywhere, another owner of the name; what
counts as a break, after which hardly anything shows the same as before.
"""

from __future__ import annotations

from webkeep.recover.state.recovery_rows import VersionState, int_column
from webkeep.recover.state.recovery_store import PAGE_SQL, RecoveryStore

_SHOWN_SQL = "micros IS NOT NULL AND (status IS NULL OR status BETWEEN 200 AND 299)"
_MIN_RESOURCES_BEFORE, _MAX_CARRIED_SHARE = 5, 0.05
"""A break: so many resources were there before, and at most this share of them shows the same afterwards."""
_SAMPLED_ROWS = 60_000
"""About how many held versions are looked at to tell a break; of a larger store every n-th resource counts."""


def mark_repeated_doubtful(store: RecoveryStore, fewest: int) -> int:
    """Doubt versions of pages whose content so many resources share; the answer is how many versions they are."""
    return store.change_rows(
        f"UPDATE held SET state = {VersionState.DOUBTFUL} WHERE state = {VersionState.NOT_YET} AND {PAGE_SQL} "
        f"AND digest IN "
        f"(SELECT digest FROM held WHERE digest <> '' AND {PAGE_SQL} GROUP BY digest "
        "HAVING count(DISTINCT resource) >= ?)",
        (fewest,),
    )


def is_content_break(store: RecoveryStore, home: int, moment: int) -> bool:
    """Whether from a moment on hardly anything was captured that showed the same as before; by some if many."""
    ((rows,),) = store.query_rows("SELECT ifnull(max(id), 0) FROM held")
    some = f"resource <> ? AND {_SHOWN_SQL} AND resource % {1 + int_column(rows) // _SAMPLED_ROWS} = 0"
    ((before,),) = store.query_rows(
        f"SELECT count(DISTINCT resource) FROM held WHERE {some} AND micros < ?", (home, moment)
    )
    ((carried,),) = store.query_rows(
        f"SELECT count(DISTINCT resource) FROM (SELECT resource FROM held WHERE {some} GROUP BY resource, digest "
        "HAVING min(micros) < ? AND max(micros) >= ?)",
        (home, moment, moment),
    )
    return int_column(before) >= _MIN_RESOURCES_BEFORE and int_column(carried) <= _MAX_CARRIED_SHARE * int_column(
        before
    )


def has_version_before(store: RecoveryStore, resource: int, micros: int) -> bool:
    """Whether a version of a resource is older than a moment."""
    return bool(store.query_rows("SELECT 1 FROM held WHERE resource = ? AND micros < ? LIMIT 1", (resource, micros)))


def refuse_versions_from(store: RecoveryStore, micros: int, remark: str) -> int:
    """Refuse all versions from a moment on; the answer is how many they are."""
    return store.change_rows(
        f"UPDATE held SET state = {VersionState.REFUSED}, remark = ? WHERE micros >= ? "
        f"AND state IN ({VersionState.NOT_YET},{VersionState.DOUBTFUL})",
        (remark, micros),
    )
