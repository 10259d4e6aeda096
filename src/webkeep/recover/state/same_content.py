"""Which pages of a lost site show the very same, by the lists of the repositories; above how many it is rather an error
page than one page of several names.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.recover.state.recovery_rows import int_column
from webkeep.recover.state.recovery_store import PAGE_SQL, RecoveryStore

_MAX_NAMES_PER_PAGE = 4
"""What more pages than these show alike is an error page rather than a page of several names."""
_MAX_GROUPS, _MAX_PAIRS = 5000, 2000
"""Pages and pairs that rules are learned and tried on: enough to tell, and no more than a second's work."""


def same_content_groups(store: RecoveryStore) -> Iterator[list[str]]:
    """The keys of pages that show the very same, group by group."""
    groups = store.query_rows(
        f"SELECT group_concat(DISTINCT resource) FROM held WHERE digest <> '' AND {PAGE_SQL} GROUP BY digest "
        "HAVING count(DISTINCT resource) BETWEEN 2 AND ? LIMIT ?",
        (_MAX_NAMES_PER_PAGE, _MAX_GROUPS),
    )
    for (numbers,) in groups:
        keys = store.query_rows(f"SELECT key FROM resource WHERE id IN ({numbers!s}) ORDER BY key")
        yield [str(key) for (key,) in keys]


def count_same_content(store: RecoveryStore, old: str, new: str) -> tuple[int, int]:
    """Of how many pairs of pages, whose keys have `new` where the other's have `old`, the same is shown, and not."""
    ((same, pairs),) = store.query_rows(
        "SELECT ifnull(sum(EXISTS (SELECT 1 FROM held AS a JOIN held AS b ON a.digest = b.digest "
        "WHERE a.resource = one AND b.resource = other AND a.digest <> '')), 0), count(*) FROM "
        "(SELECT one.id AS one, other.id AS other FROM resource AS one JOIN resource AS other "
        "ON other.key = replace(one.key, ?, ?) WHERE instr(one.key, ?) AND one.id <> other.id "
        "AND EXISTS (SELECT 1 FROM held WHERE resource = one.id AND digest <> '') "
        "AND EXISTS (SELECT 1 FROM held WHERE resource = other.id AND digest <> '') LIMIT ?)",
        (old, new, old, _MAX_PAIRS),
    )
    return int_column(same), int_column(pairs) - int_column(same)
