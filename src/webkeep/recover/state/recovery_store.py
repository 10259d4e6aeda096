"""The recovery store: every URL of the lost site, who holds which version of it, and what became of both, in SQLite;
its tables, the order of its queue, and what is forgotten when a site is recovered again.

It lies on disk, so that a site of any size needs little memory and a recovery can be stopped at any time. Keys, not
spellings, make a resource: who holds it under which spelling stands with each held version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.model import Moment
from webkeep.recover.repositories.repository import ListedVersion
from webkeep.recover.state.recovery_rows import (
    RESOURCE_COLUMNS,
    VERSION_COLUMNS,
    DiscoveredUrl,
    HeldVersion,
    RecoveredResource,
    RecoveryState,
    RepositoryStatus,
    VersionState,
    int_column,
    resource_from_row,
    storable_text,
    storable_url,
    version_from_row,
    version_row,
)
from webkeep.store.jobs import JobDatabase, JobRow

_SCHEMA = """
CREATE TABLE repository (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, is_open INTEGER NOT NULL DEFAULT 1,
    resume TEXT NOT NULL DEFAULT '', listed INTEGER NOT NULL DEFAULT 0, requests INTEGER NOT NULL DEFAULT 0,
    trouble TEXT NOT NULL DEFAULT '', is_listed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE resource (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, state INTEGER NOT NULL,
    priority INTEGER NOT NULL, again INTEGER NOT NULL DEFAULT 0, via INTEGER NOT NULL DEFAULT 0,
    is_embed INTEGER NOT NULL DEFAULT 0, is_current INTEGER NOT NULL DEFAULT 0, wanted INTEGER,
    tries INTEGER NOT NULL DEFAULT 0, chosen INTEGER, note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX resource_queue ON resource (state, priority, id);
CREATE TABLE held (
    id INTEGER PRIMARY KEY, resource INTEGER NOT NULL, repository INTEGER NOT NULL, url TEXT NOT NULL, micros INTEGER,
    uri TEXT NOT NULL, status INTEGER, media TEXT NOT NULL, digest TEXT NOT NULL, length INTEGER, dates TEXT NOT NULL,
    revisit INTEGER NOT NULL, file TEXT, offset INTEGER, size INTEGER, state INTEGER NOT NULL DEFAULT 0,
    remark TEXT NOT NULL DEFAULT '', facts TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX held_once ON held (resource, repository, ifnull(micros, -1), uri);
CREATE TABLE alias (
    resource INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (resource, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""


PAGE_SQL = "(media = '' OR media LIKE 'text/html%') AND (status IS NULL OR status = 200)"
"""What is said in SQL of a held version that may show a page."""
_QUERY_BATCH_ROWS = 500
"""How many rows are asked for in one query, each by a parameter of it."""

__all__ = [
    "DiscoveredUrl",
    "HeldVersion",
    "RecoveredResource",
    "RecoveryState",
    "RecoveryStore",
    "RepositoryStatus",
    "VersionState",
]


class RecoveryStore:
    """What one recovery keeps."""

    def __init__(self, path: Path) -> None:
        self._database = JobDatabase(path, _SCHEMA)
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._request_counts: Counter[int] = Counter()

    def repository_number(self, name: str) -> int:
        """The number that stands for a repository."""
        if name not in self._numbers:
            self._database.write("INSERT OR IGNORE INTO repository (name) VALUES (?)", (name,))
            ((number,),) = self._database.rows("SELECT number FROM repository WHERE name = ?", (name,))
            self._numbers[name] = int_column(number)
        return self._numbers[name]

    def repository_statuses(self) -> list[RepositoryStatus]:
        """What is known of every repository."""
        self._flush_request_counts()
        sql = "SELECT name, is_open, resume, listed, requests, trouble, is_listed FROM repository ORDER BY number"
        return [
            RepositoryStatus(
                str(row[0]),
                bool(row[1]),
                str(row[2]),
                int_column(row[3]),
                int_column(row[4]),
                str(row[5]),
                bool(row[6]),
            )
            for row in self._database.rows(sql)
        ]

    def save_listing_status(self, status: RepositoryStatus) -> None:
        """Keep how far the listing of a repository has come."""
        sql = "UPDATE repository SET is_open=?, resume=?, listed=?, trouble=?, is_listed=? WHERE number=?"
        values = (status.is_open, status.resume, status.listed, storable_text(status.trouble), status.is_listed)
        self._database.write(sql, (*values, self.repository_number(status.name)))

    def count_requests(self, name: str, requests: int) -> None:
        """Count requests to a repository."""
        self._request_counts[self.repository_number(name)] += requests

    def _flush_request_counts(self) -> None:
        if self._request_counts:
            rows = [(requests, number) for number, requests in self._request_counts.items()]
            self._request_counts.clear()
            self._database.write_many("UPDATE repository SET requests = requests + ? WHERE number = ?", rows)

    def add_versions(self, rows: Iterable[tuple[str, int, ListedVersion]], state: RecoveryState) -> None:
        """Add held versions with the keys and priorities of their resources."""
        listed = list(rows)
        self._database.write_many(
            "INSERT INTO resource (key, url, state, priority) VALUES (?,?,?,?) ON CONFLICT (key) DO NOTHING",
            [(key, storable_url(held.url), state, priority) for key, priority, held in listed],
        )
        self._database.write_many(
            "INSERT INTO held (resource, repository, url, micros, uri, status, media, digest, length, dates, revisit, "
            "file, offset, size) SELECT id,?,?,?,?,?,?,?,?,?,?,?,?,? FROM resource WHERE key = ? "
            "ON CONFLICT DO NOTHING",
            [(*version_row(held, self.repository_number(held.repository)), key) for key, _, held in listed],
        )

    def enqueue(self, entries: Sequence[DiscoveredUrl]) -> None:
        """Queue what something led to; what is known already may come to be nearer, current, or needed."""
        self._database.write_many(
            "INSERT INTO resource (key, url, state, priority, via, is_embed, is_current, wanted) "
            f"VALUES (?,?,{RecoveryState.QUEUED},?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET "
            f"state = CASE WHEN state = {RecoveryState.LISTED} THEN {RecoveryState.QUEUED} ELSE state END, "
            "via = CASE WHEN via = 0 OR excluded.is_current > is_current THEN excluded.via ELSE via END, "
            "priority = min(priority, excluded.priority), is_current = max(is_current, excluded.is_current), "
            "is_embed = max(is_embed, excluded.is_embed), wanted = ifnull(wanted, excluded.wanted)",
            [tuple(each) for each in entries],
        )
        self._database.write_many(
            "INSERT OR IGNORE INTO alias (resource, url) SELECT id, ? FROM resource WHERE key = ? AND url <> ?",
            [(each.url, each.key, each.url) for each in entries],
        )

    def merge_resources(self, resource: RecoveredResource, other: RecoveredResource) -> None:
        """Take a resource that nobody holds for another spelling of one that someone does."""
        self._database.write("INSERT OR IGNORE INTO alias (resource, url) VALUES (?,?)", (other.id, resource.url))
        self._database.write("UPDATE OR IGNORE alias SET resource = ? WHERE resource = ?", (other.id, resource.id))
        self._database.write("DELETE FROM resource WHERE id = ?", (resource.id,))
        self.enqueue(
            [
                DiscoveredUrl(
                    other.key, other.url, resource.priority, resource.via, resource.is_embed, resource.is_current
                )
            ]
        )

    def promote_listed(self, entries: Sequence[DiscoveredUrl]) -> None:
        """Queue what something may lead to, if someone is known to hold it."""
        self._database.write_many(
            f"UPDATE resource SET state = {RecoveryState.QUEUED}, priority = min(priority, ?) "
            f"WHERE key = ? AND state = {RecoveryState.LISTED}",
            [(each.priority, each.key) for each in entries],
        )

    def aliases(self) -> Iterator[tuple[RecoveredResource, str]]:
        """Spellings that pages use of recovered resources, other than the first that was known."""
        last = (-1, "")
        columns = ", ".join(f"resource.{name}" for name in RESOURCE_COLUMNS.split(", "))
        while rows := self._database.rows(
            f"SELECT alias.resource, alias.url, {columns} FROM alias JOIN resource ON resource.id = alias.resource "
            f"WHERE +state = {RecoveryState.RECOVERED} AND (alias.resource, alias.url) > (?, ?) "
            "ORDER BY alias.resource, alias.url LIMIT 1000",
            last,
        ):
            for row in rows:
                yield resource_from_row(row[2:]), str(row[1])
            last = (int_column(rows[-1][0]), str(rows[-1][1]))

    def enqueue_listed(self) -> None:
        """Queue everything that someone holds."""
        self._database.write(f"UPDATE resource SET state = {RecoveryState.QUEUED} WHERE state = {RecoveryState.LISTED}")

    def next_resources(self, count: int, now: Moment, passed: Iterable[int] = ()) -> list[RecoveredResource]:
        """What is to be recovered next, the most important first, less what was passed already."""
        skipped = ",".join(map(str, passed))
        rows = self._database.rows(
            f"SELECT {RESOURCE_COLUMNS} FROM resource WHERE state = {RecoveryState.QUEUED} AND again <= ? AND id "
            f"NOT IN ({skipped}) "
            "ORDER BY priority, id LIMIT ?",
            (now.micros, count),
        )
        return [resource_from_row(row) for row in rows]

    def next_due(self) -> Moment | None:
        """When something is to be had that is waiting now."""
        ((least,),) = self._database.rows(f"SELECT min(again) FROM resource WHERE state = {RecoveryState.QUEUED}")
        return None if least is None else Moment(int_column(least))

    def find_resource(self, key: str) -> RecoveredResource | None:
        """The resource of a key."""
        rows = self._database.rows(f"SELECT {RESOURCE_COLUMNS} FROM resource WHERE key = ?", (key,))
        return resource_from_row(rows[0]) if rows else None

    def find_resources(self, keys: Sequence[str]) -> dict[str, RecoveredResource]:
        """The resources of keys, by those; of some there may be none."""
        found: dict[str, RecoveredResource] = {}
        for start in range(0, len(keys), _QUERY_BATCH_ROWS):
            some = tuple(keys[start : start + _QUERY_BATCH_ROWS])
            marks = ",".join("?" * len(some))
            rows = self._database.rows(f"SELECT {RESOURCE_COLUMNS} FROM resource WHERE key IN ({marks})", some)
            found |= {resource.key: resource for resource in map(resource_from_row, rows)}
        return found

    def resources(self, *states: RecoveryState) -> Iterator[RecoveredResource]:
        """All resources in some states, by their keys; read piece by piece, so that the recovery store may change
        meanwhile.

        The plus keeps SQLite from taking the states' index, by which it would have to sort all of them for each piece.
        """
        wanted = ",".join(str(int(state)) for state in states or tuple(RecoveryState))
        last = ""
        while rows := self._database.rows(
            f"SELECT {RESOURCE_COLUMNS} FROM resource WHERE key > ? AND +state IN ({wanted}) ORDER BY key LIMIT 1000",
            (last,),
        ):
            yield from map(resource_from_row, rows)
            last = str(rows[-1][1])

    def held_versions(self, resource: int) -> list[HeldVersion]:
        """The versions that are held of a resource."""
        rows = self._database.rows(f"SELECT {VERSION_COLUMNS} FROM held WHERE resource = ?", (resource,))
        return [version_from_row(row, self._repository_name(row[1])) for row in rows]

    def held_versions_by_resource(self, resources: Sequence[int]) -> dict[int, list[HeldVersion]]:
        """The versions that are held of several resources."""
        found: dict[int, list[HeldVersion]] = {each: [] for each in resources}
        marks = ",".join(map(str, resources))
        for row in self._database.rows(f"SELECT {VERSION_COLUMNS}, resource FROM held WHERE resource IN ({marks})"):
            found[int_column(row[-1])].append(version_from_row(row, self._repository_name(row[1])))
        return found

    def _repository_name(self, number: object) -> str:
        if number not in self._names:
            rows = self._database.rows("SELECT number, name FROM repository")
            self._names = {int_column(known): str(name) for known, name in rows}
        return self._names[int_column(number)]

    def version_number(self, resource: int, held: ListedVersion) -> int:
        """The number of a held version, which is added where it is new."""
        row = self._database.rows(f"SELECT key FROM resource WHERE id = {resource}")
        self.add_versions([(str(row[0][0]), 0, held)], RecoveryState.QUEUED)
        micros = -1 if held.moment is None else held.moment.micros
        sql = "SELECT id FROM held WHERE resource = ? AND repository = ? AND ifnull(micros, -1) = ? AND uri = ?"
        ((number,),) = self._database.rows(
            sql, (resource, self.repository_number(held.repository), micros, storable_url(held.uri))
        )
        return int_column(number)

    def mark_version(self, version_id: int, taken: VersionState, remark: str = "", facts: str = "") -> None:
        """Keep what has become of a held version."""
        self._database.write(
            "UPDATE held SET state=?, remark=?, facts=? WHERE id=?", (taken, storable_text(remark), facts, version_id)
        )

    def request_versions(self, resource: int, version_ids: Iterable[int]) -> None:
        """Say that versions are needed, beside what was chosen."""
        numbers = ",".join(map(str, version_ids))
        self._database.write(
            f"UPDATE held SET state = {VersionState.WANTED} WHERE id IN ({numbers}) AND state = {VersionState.NOT_YET}"
        )
        self._database.write(
            f"UPDATE resource SET state = {RecoveryState.QUEUED} WHERE id = ? AND state IN "
            f"({RecoveryState.RECOVERED},{RecoveryState.LISTED})",
            (resource,),
        )

    def choose_version(self, resource: int, version_id: int) -> None:
        """Have a version taken because a person chose it; what is had already need not be asked for again."""
        self._database.write("UPDATE resource SET chosen = ? WHERE id = ?", (version_id, resource))
        self._database.write(
            f"UPDATE held SET state = {VersionState.WANTED} WHERE id = ? AND state <> {VersionState.STORED}",
            (version_id,),
        )
        self._database.write(
            f"UPDATE resource SET state = {RecoveryState.QUEUED} WHERE id = ? AND EXISTS "
            f"(SELECT 1 FROM held WHERE id = ? AND state = {VersionState.WANTED})",
            (resource, version_id),
        )

    def finish_resource(self, resource: int, state: RecoveryState, chosen: int | None = None, note: str = "") -> None:
        """Keep how the recovery of a resource ended."""
        sql = "UPDATE resource SET state = ?, chosen = ifnull(?, chosen), note = ? WHERE id = ?"
        self._database.write(sql, (state, chosen, storable_text(note), resource))

    def requeue(self, resource: int) -> None:
        """Go for a resource once more."""
        self._database.write(f"UPDATE resource SET state = {RecoveryState.QUEUED} WHERE id = ?", (resource,))

    def postpone(self, resource: int, again: Moment, note: str, priority: int | None = None) -> None:
        """Try a resource again from a moment on."""
        sql = "UPDATE resource SET again = ?, note = ?, tries = tries + 1, priority = ifnull(?, priority) WHERE id = ?"
        self._database.write(sql, (again.micros, storable_text(note), priority, resource))

    def reset_for_rerun(self) -> None:
        """Forget whose lists were read and what was missed or failed, but nothing that was had."""
        self._database.write("UPDATE repository SET is_open = 1, is_listed = 0, resume = '', requests = 0, listed = 0")
        self._database.write(
            f"UPDATE held SET state = {VersionState.NOT_YET} WHERE state IN "
            f"({VersionState.TROUBLE},{VersionState.ABSENT},{VersionState.WANTED})"
        )
        self._database.write(
            f"UPDATE resource SET state = {RecoveryState.QUEUED}, tries = 0, again = 0, note = '' "
            f"WHERE state IN ({RecoveryState.MISSING},{RecoveryState.QUEUED})"
        )

    def newest_version_number(self) -> int:
        """The number of the held version that was added last."""
        ((number,),) = self._database.rows("SELECT ifnull(max(id), 0) FROM held")
        return int_column(number)

    def resources_with_new_versions(self, since: int) -> Iterator[RecoveredResource]:
        """Resources of which versions were added behind a number."""
        last = 0
        while rows := self._database.rows(
            f"SELECT {RESOURCE_COLUMNS} FROM resource WHERE id > ? AND EXISTS "
            "(SELECT 1 FROM held WHERE held.resource = resource.id AND +held.id > ?) ORDER BY id LIMIT 1000",
            (last, since),
        ):
            yield from map(resource_from_row, rows)
            last = int_column(rows[-1][0])

    def count_by_state(self) -> dict[RecoveryState, int]:
        """How many resources are in each state."""
        rows = self._database.rows("SELECT state, count(*) FROM resource GROUP BY state")
        return {RecoveryState(int_column(state)): int_column(count) for state, count in rows}

    def query_rows(self, sql: str, values: tuple[object, ...] = ()) -> list[JobRow]:
        """The rows of a query that only counts."""
        return self._database.rows(sql, values)

    def change_rows(self, sql: str, values: tuple[object, ...] = ()) -> int:
        """Carry out a change to many rows; the answer is how many it changed."""
        return self._database.write(sql, values)

    def set_fact(self, name: str, value: str) -> None:
        """Keep a fact by its name."""
        self._database.write("INSERT OR REPLACE INTO fact (name, value) VALUES (?,?)", (name, value))

    def get_fact(self, name: str) -> str:
        """A fact that was kept, or ""."""
        rows = self._database.rows("SELECT value FROM fact WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    @property
    def is_commit_due(self) -> bool:
        """Whether changes are enough to be worth a commit."""
        return self._database.is_commit_due

    def commit(self, at_once: bool = False) -> None:
        """Put changes on disk, where that is due."""
        self._flush_request_counts()
        self._database.commit(at_once)

    def close(self) -> None:
        """Put everything on disk and let go of it."""
        self._flush_request_counts()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
