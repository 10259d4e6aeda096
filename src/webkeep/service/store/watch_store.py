"""Watches as rows, and by a digest each what they have told of: so that nothing is captured twice for one version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from webkeep.model import Moment
from webkeep.service.jobs import JobOrder
from webkeep.service.store.job_store import JobStore
from webkeep.service.store.sql_database import ResultRow, SqlDatabase
from webkeep.service.watches import StoredWatch, Watch, WatchedItem, WatchKind, WatchState

_COLUMNS = "id, collection, seed, kind, url, poll, facts, state, next_look, is_off"
_MAX_JOB_SEEDS = 1000
"""Pages that one job captures; where more are new, there are several jobs."""


class WatchStore:
    """All watches of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def add(self, stored: StoredWatch) -> None:
        """Enter a watch."""
        watch = stored.watch
        facts = json.dumps(
            {
                "settings": dict(watch.settings),
                "is_local_allowed": watch.is_local_allowed,
                "takes_present": watch.takes_present,
            }
        )
        named = (watch.id, watch.collection, watch.seed, watch.kind.value, watch.url, watch.poll_seconds, facts)
        self._sql.change(
            f"INSERT INTO watch ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (*named, json.dumps(asdict(stored.state)), stored.next_look.micros, int(stored.is_off)),
        )

    def take_due(self, now: Moment, limit: int) -> list[StoredWatch]:
        """The watches that are to look, those that wait for longest first.

        One that would wait for longer than from one look to the next has a clock that was set back.
        """
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM watch WHERE is_off = 0 AND (next_look <= ? OR next_look > ? + poll * 1000000) "
            "ORDER BY next_look, id LIMIT ?",
            (now.micros, now.micros, limit),
        )
        return [_watch_from_row(row) for row in rows]

    def list_watches(self, collection: str = "") -> list[StoredWatch]:
        """The watches of a collection, or all; by id."""
        where, values = ("WHERE collection = ?", (collection,)) if collection else ("", ())
        return [
            _watch_from_row(row) for row in self._sql.rows(f"SELECT {_COLUMNS} FROM watch {where} ORDER BY id", values)
        ]

    def get(self, watch_id: str) -> StoredWatch | None:
        """A watch by its id; None where there is none."""
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM watch WHERE id = ?", (watch_id,))
        return _watch_from_row(rows[0]) if rows else None

    def switch(self, watch_id: str, is_off: bool, next_look: Moment) -> None:
        """Have a watch look again from a moment on, or not for now."""
        values = (int(is_off), next_look.micros, watch_id)
        self._sql.change("UPDATE watch SET is_off = ?, next_look = ? WHERE id = ?", values)

    def delete(self, watch_id: str) -> bool:
        """Look no more; whether it was there."""
        with self._sql.transaction():
            self._sql.change("DELETE FROM watch_item WHERE watch = ?", (watch_id,))
            return self._sql.change("DELETE FROM watch WHERE id = ?", (watch_id,)) > 0

    def record_look(
        self, watch: Watch, items: Sequence[WatchedItem], jobs: JobStore | None, archive: str, now: Moment
    ) -> list[str]:
        """Note what a look found, and submit jobs for what is new, all or nothing; gives the pages that are new.

        Without a job store it is only noted.
        """
        with self._sql.transaction():
            new = list(dict.fromkeys(item.url for item in items if self._note(watch.id, item)))
            for start in range(0, len(new) if jobs is not None else 0, _MAX_JOB_SEEDS):
                plan = {**watch.settings, "seeds": new[start : start + _MAX_JOB_SEEDS]}
                plan |= {} if watch.is_local_allowed else {"public_only": True}
                order = JobOrder(watch.collection, archive, plan, seed=watch.seed, schedule=watch.id, due=now)
                # A clock that was set back may have been at this moment before.
                while jobs is not None and jobs.submit(order, now) is None:
                    order = replace(order, due=Moment((order.due or now).micros + 1))
        return new

    def move_on(self, watch_id: str, state: WatchState, next_look: Moment) -> None:
        """Note how far a watch has come, and when it looks next."""
        self._sql.change(
            "UPDATE watch SET state = ?, next_look = ? WHERE id = ?",
            (json.dumps(asdict(state)), next_look.micros, watch_id),
        )

    def _note(self, watch_id: str, item: WatchedItem) -> bool:
        digest = hashlib.sha256(item.version.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        insert = "INSERT INTO watch_item (watch, version) VALUES (?,?) ON CONFLICT DO NOTHING"
        return self._sql.change(insert, (watch_id, digest)) > 0


def _watch_from_row(row: ResultRow) -> StoredWatch:
    watch_id, collection, seed, kind, url, poll, facts, state, next_look, is_off = row
    told = json.loads(str(facts))
    kept = json.loads(str(state))
    watch = Watch(str(watch_id), str(collection), str(seed), WatchKind(str(kind)), str(url), int(poll or 0), **told)
    validators = tuple((name, value) for name, value in kept.pop("validators"))
    return StoredWatch(watch, WatchState(**kept, validators=validators), Moment(int(next_look or 0)), bool(is_off))
