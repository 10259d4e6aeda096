"""Collections and their seeds as rows; which archive a seed belongs to is decided when it comes in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.collections import (
    CollectionFacts,
    CollectionPurpose,
    CollectionSeed,
    SeedEntry,
    archive_name,
    site_of,
)
from webkeep.service.jobs import JobState, new_job_id
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, SqlValue, escape_pattern, make_keepable
from webkeep.url import parse_seed

_FACTS = "name, title, description, subjects, creator, rights, purpose, archives, quota, is_public, picture, left_out"
_SEED = "id, collection, url, archive, settings, notes, created"

NEVER_CAPTURED = "never"
"""The state of seeds that have had no job."""
_LAST_STATE = "(SELECT state FROM job WHERE job.seed = seed.id ORDER BY created DESC, id DESC LIMIT 1)"
_TABLES_OF_COLLECTIONS = ("seed", "schedule", "watch", "job", "account_role", "api_token", "webhook", "login_profile")
"""What belongs to a collection, and goes with it."""


@dataclass(frozen=True, slots=True)
class _SeedPlacement:
    """Which archive of a collection seeds go into: that of their site, else the one with the fewest."""

    urls: set[str]
    archive_of: dict[str, str]
    loads: Counter[str]

    def place(self, url: str) -> tuple[str, str]:
        """The site and the archive of one more seed."""
        site = site_of(url)
        archive = self.archive_of.setdefault(site, min(self.loads, key=lambda each: (self.loads[each], each)))
        self.urls.add(url)
        self.loads[archive] += 1
        return site, archive


class CollectionStore:
    """All collections of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def create(self, facts: CollectionFacts, now: Moment) -> None:
        """Begin a collection."""
        self._check_left_out(facts)
        values = (*_facts_values(facts), now.micros)
        marks = ", ".join("?" * len(values))
        insert = f"INSERT INTO collection ({_FACTS}, created) VALUES ({marks}) ON CONFLICT DO NOTHING"
        if not self._sql.change(insert, values):
            raise UsageError(f"there is a collection {facts.name} already; choose another name")

    def update(self, facts: CollectionFacts) -> None:
        """Say something else of a collection; archives can become more, and never fewer."""
        known = self.get(facts.name)
        if facts.archives < known.archives:
            raise UsageError(f"{facts.name} has {known.archives} archives, and keeps what is in them; say no fewer")
        self._check_left_out(facts)
        names = ", ".join(f"{name} = ?" for name in _FACTS.split(", "))
        self._sql.change(f"UPDATE collection SET {names} WHERE name = ?", (*_facts_values(facts), facts.name))

    def _check_left_out(self, facts: CollectionFacts) -> None:
        """Refuse what would have pages captured by nobody: two collections that leave each other's out."""
        left_out = {each.name: each.left_out for each in self.list_collections()} if facts.left_out else {}
        pending, seen = [(name, name) for name in facts.left_out], {facts.name}
        while pending:
            name, first = pending.pop()
            if name == facts.name:
                raise UsageError(
                    f"{first} leaves out what {facts.name} holds, and pages of both would be captured by neither; "
                    "have one of them leave out nothing of the other"
                )
            if name not in left_out:
                raise UsageError(f"there is no collection {name[:80]!r} to leave out; name one that is there")
            pending += [(each, first) for each in left_out[name] if name not in seen]
            seen.add(name)

    def _forget_left_out(self, name: str) -> None:
        for each in self.list_collections():
            if name in each.left_out:
                kept = json.dumps([other for other in each.left_out if other != name])
                self._sql.change("UPDATE collection SET left_out = ? WHERE name = ?", (kept, each.name))

    def choose_picture(self, name: str, page: str) -> CollectionFacts:
        """Have a page stand for a collection; empty for one of its seeds."""
        facts = replace(self.get(name), picture=parse_seed(page) if page else "")
        self._sql.change("UPDATE collection SET picture = ? WHERE name = ?", (facts.picture, name))
        return facts

    def get(self, name: str) -> CollectionFacts:
        """A collection by its name."""
        rows = self._sql.rows(f"SELECT {_FACTS} FROM collection WHERE name = ?", (name,))
        if not rows:
            raise UsageError(f"there is no collection {name[:80]!r}; webkeep job collection FOLDER lists them")
        return _facts_from_row(rows[0])

    def list_collections(self) -> list[CollectionFacts]:
        """All of them, by name."""
        return [_facts_from_row(row) for row in self._sql.rows(f"SELECT {_FACTS} FROM collection ORDER BY name")]

    def list_page(self, names: Collection[str] | None, limit: int, after: str = "") -> list[CollectionFacts]:
        """So many behind a name, by name; of these alone where they are given."""
        chosen = None if names is None else sorted(names)
        within = "" if chosen is None else f"AND name IN ({', '.join('?' * len(chosen))}) " if chosen else "AND 1 = 0 "
        query = f"SELECT {_FACTS} FROM collection WHERE name > ? {within}ORDER BY name LIMIT ?"
        return [_facts_from_row(row) for row in self._sql.rows(query, (after, *(chosen or ()), limit))]

    def add_seeds(self, name: str, entries: Iterable[SeedEntry], now: Moment) -> list[CollectionSeed]:
        """Take seeds in; those that are there already stay as they are. Gives the new ones."""
        facts = self.get(name)
        added: list[CollectionSeed] = []
        with self._sql.transaction():
            placement = self._read_placement(facts)
            for entry in entries:
                if entry.url in placement.urls:
                    continue
                site, archive = placement.place(entry.url)
                seed = CollectionSeed(new_job_id(), name, entry.url, archive, entry.settings, entry.notes, now)
                self._insert(seed, site)
                added.append(seed)
        return added

    def _read_placement(self, facts: CollectionFacts) -> _SeedPlacement:
        rows = self._sql.rows("SELECT url, site, archive FROM seed WHERE collection = ?", (facts.name,))
        loads = Counter({archive_name(number): 0 for number in range(1, facts.archives + 1)})
        loads.update(str(archive) for _, _, archive in rows)
        archive_of = {str(site): str(archive) for _, site, archive in rows}
        return _SeedPlacement({str(url) for url, _, _ in rows}, archive_of, loads)

    def change_seed(self, seed: CollectionSeed) -> None:
        """Keep other settings and notes of a seed."""
        settings = json.dumps(dict(seed.settings), ensure_ascii=False)
        self._sql.change("UPDATE seed SET settings = ?, notes = ? WHERE id = ?", (settings, seed.notes, seed.id))

    def move_seed(self, seed: CollectionSeed, name: str) -> CollectionSeed:
        """Have a seed belong to another collection, with its schedules and watches; what was captured stays there."""
        with self._sql.transaction():
            placement = self._read_placement(self.get(name))
            if seed.url in placement.urls:
                raise UsageError(f"{seed.url[:200]} is a seed of {name} already; delete one of the two")
            return self._place_seed(seed, name, placement)

    def move_seeds(self, source: str, target: str) -> str:
        """Have all seeds of a collection belong to another, but those that it has already; gives its name."""
        if source == target:
            raise UsageError(f"they are seeds of {target} already; choose another collection")
        with self._sql.transaction():
            placement = self._read_placement(self.get(target))
            for seed in self.seeds(source):
                if seed.url not in placement.urls:
                    self._place_seed(seed, target, placement)
                    if LOGIN_OPTION in seed.settings:  # a login belongs to one collection
                        kept = {name: value for name, value in seed.settings.items() if name != LOGIN_OPTION}
                        self.change_seed(replace(seed, settings=kept))
        return target

    def _place_seed(self, seed: CollectionSeed, name: str, placement: _SeedPlacement) -> CollectionSeed:
        _, archive = placement.place(seed.url)
        self._sql.change("UPDATE seed SET collection = ?, archive = ? WHERE id = ?", (name, archive, seed.id))
        for table in ("schedule", "watch"):
            self._sql.change(f"UPDATE {table} SET collection = ? WHERE seed = ?", (name, seed.id))
        return replace(seed, collection=name, archive=archive)

    def _insert(self, seed: CollectionSeed, site: str) -> None:
        settings = json.dumps(dict(seed.settings), ensure_ascii=False)
        self._sql.change(
            f"INSERT INTO seed ({_SEED}, site) VALUES (?,?,?,?,?,?,?,?)",
            (seed.id, seed.collection, seed.url, seed.archive, settings, seed.notes, seed.created.micros, site),
        )

    def seeds(self, name: str) -> list[CollectionSeed]:
        """The seeds of a collection, in the order in which they came in."""
        rows = self._sql.rows(f"SELECT {_SEED} FROM seed WHERE collection = ? ORDER BY created, url", (name,))
        return [_seed_from_row(row) for row in rows]

    def seeds_page(
        self, name: str, limit: int, after: tuple[Moment, str] | None = None, words: str = "", state: str = ""
    ) -> list[CollectionSeed]:
        """So many seeds of a collection behind the one of that moment and URL, in the order in which they came in: all,
        or those that a search finds.
        """
        wheres, values = _write_seed_conditions(name, words, state)
        if after is not None:
            wheres.append("created >= ? AND (created > ? OR url > ?)")
            values += [after[0].micros, after[0].micros, after[1]]
        query = f"SELECT {_SEED} FROM seed WHERE {' AND '.join(wheres)} ORDER BY created, url LIMIT ?"
        return [_seed_from_row(row) for row in self._sql.rows(query, [*values, limit])]

    def count_seeds_of(self, names: Sequence[str]) -> dict[str, int]:
        """How many seeds each of some collections has that has any."""
        if not names:
            return {}
        query = f"SELECT collection, count(*) FROM seed WHERE collection IN ({', '.join('?' * len(names))}) GROUP BY 1"
        return {str(name): int(count or 0) for name, count in self._sql.rows(query, tuple(names))}

    def count_seeds(self, name: str) -> int:
        """How many seeds a collection has."""
        return int(self._sql.rows("SELECT count(*) FROM seed WHERE collection = ?", (name,))[0][0] or 0)

    def search_seeds(
        self, name: str, words: str = "", state: str = "", first: int = 0, limit: int = 200
    ) -> tuple[list[CollectionSeed], int]:
        """Some seeds of a collection, by what is in their URLs and notes and by the state of their last job; and how
        many there are so. The state `never` is of those that have had no job.
        """
        wheres, values = _write_seed_conditions(name, words, state)
        where = " AND ".join(wheres)
        count = self._sql.rows(f"SELECT count(*) FROM seed WHERE {where}", values)[0][0]
        rows = self._sql.rows(
            f"SELECT {_SEED} FROM seed WHERE {where} ORDER BY created, url, id LIMIT ? OFFSET ?",
            (*values, limit, first),
        )
        return [_seed_from_row(row) for row in rows], int(count or 0)

    def find_seed(self, name: str, url: str) -> CollectionSeed | None:
        """The seed of a collection with that URL."""
        rows = self._sql.rows(f"SELECT {_SEED} FROM seed WHERE collection = ? AND url = ?", (name, url))
        return _seed_from_row(rows[0]) if rows else None

    def seed(self, seed_id: str) -> CollectionSeed | None:
        """A seed by its id; None where it was deleted."""
        rows = self._sql.rows(f"SELECT {_SEED} FROM seed WHERE id = ?", (seed_id,))
        return _seed_from_row(rows[0]) if rows else None

    def remove(self, name: str, put_aside: Callable[[], None]) -> list[str]:
        """Remove a collection with all that is known of it, while its archives are put aside; gives its jobs.

        It is refused while a job of it runs; if its archives cannot be put aside, nothing is removed.
        """
        with self._sql.transaction():
            self.get(name)
            rows = self._sql.rows("SELECT id, state FROM job WHERE collection = ?", (name,))
            running = sum(state == JobState.RUNNING.value for _, state in rows)
            if running:
                raise UsageError(f"a job of {name} runs; stop it first, and remove the collection when it has ended")
            watches = "DELETE FROM watch_item WHERE watch IN (SELECT id FROM watch WHERE collection = ?)"
            events = "DELETE FROM job_event WHERE job IN (SELECT id FROM job WHERE collection = ?)"
            told = "DELETE FROM webhook_delivery WHERE webhook IN (SELECT id FROM webhook WHERE collection = ?)"
            for statement in (watches, events, told):
                self._sql.change(statement, (name,))
            for table in _TABLES_OF_COLLECTIONS:
                self._sql.change(f"DELETE FROM {table} WHERE collection = ?", (name,))
            self._sql.change("DELETE FROM collection WHERE name = ?", (name,))
            self._forget_left_out(name)
            put_aside()
        return [str(job) for job, _ in rows]

    def delete_seed(self, seed: CollectionSeed) -> None:
        """Capture a seed no more; what was captured of it stays, and so does the history of its jobs."""
        with self._sql.transaction():
            self._sql.change("DELETE FROM schedule WHERE seed = ?", (seed.id,))
            self._sql.change("DELETE FROM watch_item WHERE watch IN (SELECT id FROM watch WHERE seed = ?)", (seed.id,))
            self._sql.change("DELETE FROM watch WHERE seed = ?", (seed.id,))
            self._sql.change("DELETE FROM seed WHERE id = ?", (seed.id,))


def _write_seed_conditions(name: str, words: str, state: str) -> tuple[list[str], list[SqlValue]]:
    """What a search for seeds asks of their rows, and the values in it."""
    wheres: list[str] = ["collection = ?"]
    values: list[SqlValue] = [name]
    if words:
        wheres.append("(lower(url) LIKE ? ESCAPE '!' OR lower(notes) LIKE ? ESCAPE '!')")
        pattern = f"%{escape_pattern(make_keepable(words.lower()))}%"
        values += [pattern, pattern]
    if state:
        wheres.append(f"coalesce({_LAST_STATE}, ?) = ?")
        values += [NEVER_CAPTURED, state]
    return wheres, values


def _facts_values(facts: CollectionFacts) -> tuple[int | str | None, ...]:
    subjects = json.dumps(facts.subjects, ensure_ascii=False)
    said = (facts.name, facts.title, facts.description, subjects, facts.creator, facts.rights)
    return (
        *said,
        facts.purpose.value,
        facts.archives,
        facts.quota,
        int(facts.is_public),
        facts.picture,
        json.dumps(facts.left_out),
    )


def _facts_from_row(row: ResultRow) -> CollectionFacts:
    name, title, description, subjects, creator, rights, purpose, archives, quota, is_public, picture, left_out = row
    return CollectionFacts(
        str(name),
        str(title),
        str(description),
        tuple(json.loads(str(subjects))),
        str(creator),
        str(rights),
        CollectionPurpose(str(purpose)),
        int(archives or 0),
        None if quota is None else int(quota),
        bool(is_public),
        str(picture),
        tuple(json.loads(str(left_out))),
    )


def _seed_from_row(row: ResultRow) -> CollectionSeed:
    seed_id, collection, url, archive, settings, notes, created = row
    named = (str(seed_id), str(collection), str(url), str(archive))
    return CollectionSeed(*named, json.loads(str(settings)), str(notes), Moment(int(created or 0)))
