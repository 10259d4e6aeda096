"""The book of a recovery: every URL of the lost site, who holds which version of it, and what became of both.

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
from webkeep.recover.book_rows import (
    HELD,
    RESOURCE,
    Desk,
    Entry,
    Holding,
    Resource,
    State,
    Taken,
    address,
    held_values,
    holding_of,
    integer,
    resource_of,
    writable,
)
from webkeep.recover.repository import Held
from webkeep.store.job_database import JobDatabase, Row

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


_SHOWN = "micros IS NOT NULL AND (status IS NULL OR status BETWEEN 200 AND 299)"
PAGE = "(media = '' OR media LIKE 'text/html%') AND (status IS NULL OR status = 200)"
"""What is said in SQL of a held version that may show a page."""
_ENOUGH_BEFORE, _FEW_CARRIED = 5, 0.05
"""A break: so many resources were there before, and at most this share of them shows the same afterwards."""
_LOOKED_AT = 60_000
_TOGETHER = 500
"""How many rows are asked for in one query."""

__all__ = ["Book", "Desk", "Entry", "Holding", "Resource", "State", "Taken"]


class Book:
    """The book of one recovery."""

    def __init__(self, path: Path) -> None:
        self._base = JobDatabase(path, _SCHEMA)
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._spent: Counter[int] = Counter()

    def repository(self, name: str) -> int:
        """The number that stands for a repository."""
        if name not in self._numbers:
            self._base.write("INSERT OR IGNORE INTO repository (name) VALUES (?)", (name,))
            ((number,),) = self._base.rows("SELECT number FROM repository WHERE name = ?", (name,))
            self._numbers[name] = integer(number)
        return self._numbers[name]

    def desks(self) -> list[Desk]:
        """What is known of every repository."""
        self._book_spent()
        sql = "SELECT name, is_open, resume, listed, requests, trouble, is_listed FROM repository ORDER BY number"
        return [
            Desk(str(row[0]), bool(row[1]), str(row[2]), integer(row[3]), integer(row[4]), str(row[5]), bool(row[6]))
            for row in self._base.rows(sql)
        ]

    def note_listing(self, desk: Desk) -> None:
        """Keep how far the listing of a repository has come."""
        sql = "UPDATE repository SET is_open=?, resume=?, listed=?, trouble=?, is_listed=? WHERE number=?"
        values = (desk.is_open, desk.resume, desk.listed, writable(desk.trouble), desk.is_listed)
        self._base.write(sql, (*values, self.repository(desk.name)))

    def spend(self, name: str, requests: int) -> None:
        """Count requests to a repository."""
        self._spent[self.repository(name)] += requests

    def _book_spent(self) -> None:
        if self._spent:
            rows = [(requests, number) for number, requests in self._spent.items()]
            self._spent.clear()
            self._base.write_many("UPDATE repository SET requests = requests + ? WHERE number = ?", rows)

    def add_held(self, rows: Iterable[tuple[str, int, Held]], state: State) -> None:
        """Add held versions with the keys and priorities of their resources."""
        listed = list(rows)
        self._base.write_many(
            "INSERT INTO resource (key, url, state, priority) VALUES (?,?,?,?) ON CONFLICT (key) DO NOTHING",
            [(key, address(held.url), state, priority) for key, priority, held in listed],
        )
        self._base.write_many(
            "INSERT INTO held (resource, repository, url, micros, uri, status, media, digest, length, dates, revisit, "
            "file, offset, size) SELECT id,?,?,?,?,?,?,?,?,?,?,?,?,? FROM resource WHERE key = ? "
            "ON CONFLICT DO NOTHING",
            [(*held_values(held, self.repository(held.repository)), key) for key, _, held in listed],
        )

    def enter(self, entries: Sequence[Entry]) -> None:
        """Queue what something led to; what is known already may come to be nearer, current, or needed."""
        self._base.write_many(
            "INSERT INTO resource (key, url, state, priority, via, is_embed, is_current, wanted) "
            f"VALUES (?,?,{State.QUEUED},?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET "
            f"state = CASE WHEN state = {State.LISTED} THEN {State.QUEUED} ELSE state END, "
            "via = CASE WHEN via = 0 OR excluded.is_current > is_current THEN excluded.via ELSE via END, "
            "priority = min(priority, excluded.priority), is_current = max(is_current, excluded.is_current), "
            "is_embed = max(is_embed, excluded.is_embed), wanted = ifnull(wanted, excluded.wanted)",
            [tuple(each) for each in entries],
        )
        self._base.write_many(
            "INSERT OR IGNORE INTO alias (resource, url) SELECT id, ? FROM resource WHERE key = ? AND url <> ?",
            [(each.url, each.key, each.url) for each in entries],
        )

    def merge(self, resource: Resource, other: Resource) -> None:
        """Take a resource that nobody holds for another spelling of one that someone does."""
        self._base.write("INSERT OR IGNORE INTO alias (resource, url) VALUES (?,?)", (other.id, resource.url))
        self._base.write("UPDATE OR IGNORE alias SET resource = ? WHERE resource = ?", (other.id, resource.id))
        self._base.write("DELETE FROM resource WHERE id = ?", (resource.id,))
        self.enter(
            [Entry(other.key, other.url, resource.priority, resource.via, resource.is_embed, resource.is_current)]
        )

    def promote(self, entries: Sequence[Entry]) -> None:
        """Queue what something may lead to, if someone is known to hold it."""
        self._base.write_many(
            f"UPDATE resource SET state = {State.QUEUED}, priority = min(priority, ?) "
            f"WHERE key = ? AND state = {State.LISTED}",
            [(each.priority, each.key) for each in entries],
        )

    def aliases(self) -> Iterator[tuple[Resource, str]]:
        """Spellings that pages use of recovered resources, other than the first that was known."""
        last = (-1, "")
        columns = ", ".join(f"resource.{name}" for name in RESOURCE.split(", "))
        while rows := self._base.rows(
            f"SELECT alias.resource, alias.url, {columns} FROM alias JOIN resource ON resource.id = alias.resource "
            f"WHERE +state = {State.RECOVERED} AND (alias.resource, alias.url) > (?, ?) "
            "ORDER BY alias.resource, alias.url LIMIT 1000",
            last,
        ):
            for row in rows:
                yield resource_of(row[2:]), str(row[1])
            last = (integer(rows[-1][0]), str(rows[-1][1]))

    def queue_listed(self) -> None:
        """Queue everything that someone holds."""
        self._base.write(f"UPDATE resource SET state = {State.QUEUED} WHERE state = {State.LISTED}")

    def next(self, count: int, now: Moment, passed: Iterable[int] = ()) -> list[Resource]:
        """What is to be recovered next, the most important first, less what was passed already."""
        skipped = ",".join(map(str, passed))
        rows = self._base.rows(
            f"SELECT {RESOURCE} FROM resource WHERE state = {State.QUEUED} AND again <= ? AND id NOT IN ({skipped}) "
            "ORDER BY priority, id LIMIT ?",
            (now.micros, count),
        )
        return [resource_of(row) for row in rows]

    def next_turn(self) -> Moment | None:
        """When something is to be had that is waiting now."""
        ((least,),) = self._base.rows(f"SELECT min(again) FROM resource WHERE state = {State.QUEUED}")
        return None if least is None else Moment(integer(least))

    def resource(self, key: str) -> Resource | None:
        """The resource of a key."""
        rows = self._base.rows(f"SELECT {RESOURCE} FROM resource WHERE key = ?", (key,))
        return resource_of(rows[0]) if rows else None

    def resources_of(self, keys: Sequence[str]) -> dict[str, Resource]:
        """The resources of keys, by those; of some there may be none."""
        found: dict[str, Resource] = {}
        for start in range(0, len(keys), _TOGETHER):
            some = tuple(keys[start : start + _TOGETHER])
            marks = ",".join("?" * len(some))
            rows = self._base.rows(f"SELECT {RESOURCE} FROM resource WHERE key IN ({marks})", some)
            found |= {resource.key: resource for resource in map(resource_of, rows)}
        return found

    def resources(self, *states: State) -> Iterator[Resource]:
        """All resources in some states, by their keys; read piece by piece, so that the book may change meanwhile.

        The plus keeps SQLite from taking the states' index, by which it would have to sort all of them for each piece.
        """
        wanted = ",".join(str(int(state)) for state in states or tuple(State))
        last = ""
        while rows := self._base.rows(
            f"SELECT {RESOURCE} FROM resource WHERE key > ? AND +state IN ({wanted}) ORDER BY key LIMIT 1000", (last,)
        ):
            yield from map(resource_of, rows)
            last = str(rows[-1][1])

    def holdings(self, resource: int) -> list[Holding]:
        """The versions that are held of a resource."""
        rows = self._base.rows(f"SELECT {HELD} FROM held WHERE resource = ?", (resource,))
        return [holding_of(row, self._name(row[1])) for row in rows]

    def holdings_of(self, resources: Sequence[int]) -> dict[int, list[Holding]]:
        """The versions that are held of several resources."""
        found: dict[int, list[Holding]] = {each: [] for each in resources}
        marks = ",".join(map(str, resources))
        for row in self._base.rows(f"SELECT {HELD}, resource FROM held WHERE resource IN ({marks})"):
            found[integer(row[-1])].append(holding_of(row, self._name(row[1])))
        return found

    def _name(self, number: object) -> str:
        if number not in self._names:
            rows = self._base.rows("SELECT number, name FROM repository")
            self._names = {integer(known): str(name) for known, name in rows}
        return self._names[integer(number)]

    def find_held(self, resource: int, held: Held) -> int:
        """The number of a held version, which is added where it is new."""
        row = self._base.rows(f"SELECT key FROM resource WHERE id = {resource}")
        self.add_held([(str(row[0][0]), 0, held)], State.QUEUED)
        micros = -1 if held.moment is None else held.moment.micros
        sql = "SELECT id FROM held WHERE resource = ? AND repository = ? AND ifnull(micros, -1) = ? AND uri = ?"
        ((number,),) = self._base.rows(sql, (resource, self.repository(held.repository), micros, address(held.uri)))
        return integer(number)

    def mark(self, holding: int, taken: Taken, remark: str = "", facts: str = "") -> None:
        """Keep what has become of a held version."""
        self._base.write(
            "UPDATE held SET state=?, remark=?, facts=? WHERE id=?", (taken, writable(remark), facts, holding)
        )

    def want(self, resource: int, holdings: Iterable[int]) -> None:
        """Say that versions are needed, beside what was chosen."""
        numbers = ",".join(map(str, holdings))
        self._base.write(f"UPDATE held SET state = {Taken.WANTED} WHERE id IN ({numbers}) AND state = {Taken.NOT_YET}")
        self._base.write(
            f"UPDATE resource SET state = {State.QUEUED} WHERE id = ? AND state IN ({State.RECOVERED},{State.LISTED})",
            (resource,),
        )

    def choose(self, resource: int, holding: int) -> None:
        """Have a version taken because a person chose it; what is had already need not be asked for again."""
        self._base.write("UPDATE resource SET chosen = ? WHERE id = ?", (holding, resource))
        self._base.write(f"UPDATE held SET state = {Taken.WANTED} WHERE id = ? AND state <> {Taken.STORED}", (holding,))
        self._base.write(
            f"UPDATE resource SET state = {State.QUEUED} WHERE id = ? AND EXISTS "
            f"(SELECT 1 FROM held WHERE id = ? AND state = {Taken.WANTED})",
            (resource, holding),
        )

    def settle(self, resource: int, state: State, chosen: int | None = None, note: str = "") -> None:
        """Keep how the recovery of a resource ended."""
        sql = "UPDATE resource SET state = ?, chosen = ifnull(?, chosen), note = ? WHERE id = ?"
        self._base.write(sql, (state, chosen, writable(note), resource))

    def requeue(self, resource: int) -> None:
        """Go for a resource once more."""
        self._base.write(f"UPDATE resource SET state = {State.QUEUED} WHERE id = ?", (resource,))

    def postpone(self, resource: int, again: Moment, note: str, priority: int | None = None) -> None:
        """Try a resource again from a moment on."""
        sql = "UPDATE resource SET again = ?, note = ?, tries = tries + 1, priority = ifnull(?, priority) WHERE id = ?"
        self._base.write(sql, (again.micros, writable(note), priority, resource))

    def doubt_repeated(self, fewest: int) -> int:
        """Doubt versions of pages whose content so many resources share; the answer is how many versions they are."""
        return self._base.write(
            f"UPDATE held SET state = {Taken.DOUBTFUL} WHERE state = {Taken.NOT_YET} AND {PAGE} AND digest IN "
            f"(SELECT digest FROM held WHERE digest <> '' AND {PAGE} GROUP BY digest "
            "HAVING count(DISTINCT resource) >= ?)",
            (fewest,),
        )

    def is_break(self, home: int, moment: int) -> bool:
        """Whether from a moment on hardly anything was captured that showed the same as before; by some if many."""
        ((rows,),) = self._base.rows("SELECT ifnull(max(id), 0) FROM held")
        some = f"resource <> ? AND {_SHOWN} AND resource % {1 + integer(rows) // _LOOKED_AT} = 0"
        ((before,),) = self._base.rows(
            f"SELECT count(DISTINCT resource) FROM held WHERE {some} AND micros < ?", (home, moment)
        )
        ((carried,),) = self._base.rows(
            f"SELECT count(DISTINCT resource) FROM (SELECT resource FROM held WHERE {some} GROUP BY resource, digest "
            "HAVING min(micros) < ? AND max(micros) >= ?)",
            (home, moment, moment),
        )
        return integer(before) >= _ENOUGH_BEFORE and integer(carried) <= _FEW_CARRIED * integer(before)

    def is_held_before(self, resource: int, micros: int) -> bool:
        """Whether a version of a resource is older than a moment."""
        return bool(self._base.rows("SELECT 1 FROM held WHERE resource = ? AND micros < ? LIMIT 1", (resource, micros)))

    def refuse_from(self, micros: int, remark: str) -> int:
        """Refuse all versions from a moment on; the answer is how many they are."""
        return self._base.write(
            f"UPDATE held SET state = {Taken.REFUSED}, remark = ? WHERE micros >= ? "
            f"AND state IN ({Taken.NOT_YET},{Taken.DOUBTFUL})",
            (remark, micros),
        )

    def reopen(self) -> None:
        """Forget whose lists were read and what was missed or failed, but nothing that was had."""
        self._base.write("UPDATE repository SET is_open = 1, is_listed = 0, resume = '', requests = 0, listed = 0")
        self._base.write(
            f"UPDATE held SET state = {Taken.NOT_YET} WHERE state IN ({Taken.TROUBLE},{Taken.ABSENT},{Taken.WANTED})"
        )
        self._base.write(
            f"UPDATE resource SET state = {State.QUEUED}, tries = 0, again = 0, note = '' "
            f"WHERE state IN ({State.MISSING},{State.QUEUED})"
        )

    def newest_held(self) -> int:
        """The number of the held version that was added last."""
        ((number,),) = self._base.rows("SELECT ifnull(max(id), 0) FROM held")
        return integer(number)

    def renewed(self, since: int) -> Iterator[Resource]:
        """Resources of which versions were added behind a number."""
        last = 0
        while rows := self._base.rows(
            f"SELECT {RESOURCE} FROM resource WHERE id > ? AND EXISTS "
            "(SELECT 1 FROM held WHERE held.resource = resource.id AND +held.id > ?) ORDER BY id LIMIT 1000",
            (last, since),
        ):
            yield from map(resource_of, rows)
            last = integer(rows[-1][0])

    def counts(self) -> dict[State, int]:
        """How many resources are in each state."""
        rows = self._base.rows("SELECT state, count(*) FROM resource GROUP BY state")
        return {State(integer(state)): integer(count) for state, count in rows}

    def count(self, sql: str, values: tuple[object, ...] = ()) -> list[Row]:
        """The rows of a query that only counts."""
        return self._base.rows(sql, values)

    def keep(self, name: str, value: str) -> None:
        """Keep a fact by its name."""
        self._base.write("INSERT OR REPLACE INTO fact (name, value) VALUES (?,?)", (name, value))

    def kept(self, name: str) -> str:
        """A fact that was kept, or ""."""
        rows = self._base.rows("SELECT value FROM fact WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    @property
    def is_due(self) -> bool:
        """Whether changes are enough to be worth a commit."""
        return self._base.is_due

    def commit(self, at_once: bool = False) -> None:
        """Put changes on disk, where that is due."""
        self._book_spent()
        self._base.commit(at_once)

    def close(self) -> None:
        """Put everything on disk and let go of it."""
        self._book_spent()
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
