"""Recoveries of visitors as rows: every change by the table of their states, the queue by confirmation.

A change says which state it starts from; where the row has moved on meanwhile, nothing is changed. Once a recovery is
deleted, who asked for it and the link to it are gone from its row; what is left are figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from webkeep.model import Moment
from webkeep.service.accounts import hash_secret
from webkeep.service.jobs import JobKind, JobOrder
from webkeep.service.recoveries import (
    OPEN_RECOVERY_STATES,
    VISITOR_COLLECTION,
    AddressUse,
    LostExtent,
    RecoveryYield,
    VisitorLimits,
    VisitorOrder,
    VisitorRecovery,
    VisitorRecoveryEvent,
    VisitorRecoveryState,
    blank_url,
    check_limits,
    next_recovery_state,
)
from webkeep.service.store.job_store import JobStore
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, SqlValue, make_keepable
from webkeep.service.store.visitor_block_store import BlockedAddressError, mail_key, network_key

_COLUMNS = (
    "id, state, asked, created, mail, link, code, confirmed, started, ended, picked_up, reminders, last_reminder, job, "
    "survey, outcome, message"
)
_DAY_SECONDS = 86400.0


class VisitorRecoveryStore:
    """All recoveries that visitors asked for."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def add(self, recovery: VisitorRecovery, address: str, limits: VisitorLimits) -> None:
        """Keep what somebody asks for, from an address on the network; raises where that is too much."""
        since = recovery.created.plus(-_DAY_SECONDS)
        keys = [network_key(address), *([mail_key(recovery.mail)] if recovery.mail else [])]
        with self._sql.transaction():
            if any(self._is_blocked(key) for key in keys):
                raise BlockedAddressError("nothing is taken from your address; ask whoever runs this service")
            uses = tuple(self._use_of(key, since) for key in keys)
            check_limits(uses, self.count_open(), limits)
            asked = json.dumps(asdict(recovery.order), sort_keys=True)
            named = (recovery.id, recovery.state.value, make_keepable(asked), recovery.created.micros)
            known = (recovery.mail, recovery.link, hash_secret(recovery.link), recovery.code)
            self._sql.change(
                "INSERT INTO visitor_recovery (id, state, asked, created, mail, link, link_hash, code, reminders, job, "
                "survey, outcome, message) VALUES (?,?,?,?,?,?,?,?,0,'','','','')",
                (*named, *known),
            )
            for key in keys:
                self._sql.change(
                    "INSERT INTO visitor_use (recovery, address, at) VALUES (?,?,?)",
                    (recovery.id, hash_secret(key), recovery.created.micros),
                )

    def _use_of(self, key: str, since: Moment) -> AddressUse:
        marks = ", ".join("?" * len(OPEN_RECOVERY_STATES))
        rows = self._sql.rows(
            f"SELECT count(CASE WHEN u.at > ? THEN 1 END), count(CASE WHEN r.state IN ({marks}) THEN 1 END) "
            "FROM visitor_use u JOIN visitor_recovery r ON r.id = u.recovery WHERE u.address = ?",
            (since.micros, *(each.value for each in OPEN_RECOVERY_STATES), hash_secret(key)),
        )
        return AddressUse(int(rows[0][0] or 0), int(rows[0][1] or 0))

    def _is_blocked(self, key: str) -> bool:
        return bool(self._sql.rows("SELECT 1 FROM visitor_block WHERE address = ?", (hash_secret(key),)))

    def find(self, recovery_id: str) -> VisitorRecovery | None:
        """A recovery by its id, for administrators."""
        return self._find("id", recovery_id)

    def find_by_link(self, link: str) -> VisitorRecovery | None:
        """A recovery by its link; found by a hash, so that the time it takes tells nothing of how much is right."""
        found = self._find("link_hash", hash_secret(link)) if link else None
        return None if found is None or found.state is VisitorRecoveryState.DELETED else found

    def _find(self, column: str, value: str) -> VisitorRecovery | None:
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM visitor_recovery WHERE {column} = ?", (value,))
        return _recovery_from_row(rows[0]) if rows else None

    def list_recoveries(
        self, states: Iterable[VisitorRecoveryState] = (), limit: int | None = None
    ) -> list[VisitorRecovery]:
        """Those in some states or all: by their turn where they wait, else the newest first."""
        named = [each.value for each in states]
        where = f"WHERE state IN ({', '.join('?' * len(named))})" if named else ""
        order = "turn, id" if named == [VisitorRecoveryState.QUEUED.value] else "created DESC, id"
        bound, values = ("", named) if limit is None else (" LIMIT ?", [*named, limit])
        sent: list[SqlValue] = [*values]
        rows = self._sql.rows(f"SELECT {_COLUMNS} FROM visitor_recovery {where} ORDER BY {order}{bound}", sent)
        return [_recovery_from_row(row) for row in rows]

    def search(self, text: str, states: Iterable[VisitorRecoveryState] = ()) -> list[VisitorRecovery]:
        """Those in whose address, mail address or id a text stands."""
        wanted = text.strip().lower()
        said = ((each, f"{each.id} {each.mail} {each.order.url}".lower()) for each in self.list_recoveries(states))
        return [each for each, words in said if wanted in words]

    def list_remains(self) -> list[VisitorRecovery]:
        """Those that are deleted and have something left on the disk or in the list of jobs."""
        rows = self._sql.rows(
            f"SELECT {_COLUMNS} FROM visitor_recovery WHERE state = ? AND job <> ''",
            (VisitorRecoveryState.DELETED.value,),
        )
        return [_recovery_from_row(row) for row in rows]

    def note_removal(self, recovery: VisitorRecovery) -> None:
        """Note that nothing is left of one that was deleted."""
        self._sql.change(
            "UPDATE visitor_recovery SET job = '' WHERE id = ? AND state = ?",
            (recovery.id, VisitorRecoveryState.DELETED.value),
        )

    def count_open(self) -> int:
        """How many are not over yet."""
        marks = ", ".join("?" * len(OPEN_RECOVERY_STATES))
        states = [each.value for each in OPEN_RECOVERY_STATES]
        return int(self._sql.rows(f"SELECT count(*) FROM visitor_recovery WHERE state IN ({marks})", states)[0][0] or 0)

    def count_ahead(self, recovery: VisitorRecovery) -> int:
        """How many are done before one that waits."""
        queued = [each.id for each in self.list_recoveries([VisitorRecoveryState.QUEUED])]
        return queued.index(recovery.id) if recovery.id in queued else 0

    def keep_survey(self, recovery_id: str, survey: Mapping[str, Any]) -> None:
        """Keep what repositories said before; nothing of one that was withdrawn while they were asked."""
        self._sql.change(
            "UPDATE visitor_recovery SET survey = ? WHERE id = ? AND state <> ?",
            (make_keepable(json.dumps(dict(survey))), recovery_id, VisitorRecoveryState.DELETED.value),
        )

    def confirm(self, recovery: VisitorRecovery, now: Moment) -> bool:
        """Have it wait for its turn, behind all that wait already; whether it was this call that did."""
        with self._sql.transaction():
            rows = self._sql.rows(
                "SELECT coalesce(max(turn), 0) FROM visitor_recovery WHERE state = ?",
                (VisitorRecoveryState.QUEUED.value,),
            )
            turn = max(int(rows[0][0] or 0) + 1, now.micros)
            return self._move(recovery, VisitorRecoveryEvent.CONFIRM, {"confirmed": now.micros, "turn": turn})

    def start(self, recovery: VisitorRecovery, plan: Mapping[str, Any], jobs: JobStore, now: Moment) -> bool:
        """Submit its job; whether it was this call that did, since no two may."""
        with self._sql.transaction():
            started = {"started": now.micros, "reminders": 0, "last_reminder": None}
            if not self._move(recovery, VisitorRecoveryEvent.START, started):
                return False
            job = jobs.submit(JobOrder(VISITOR_COLLECTION, recovery.id, plan, JobKind.RECOVER), now)
            change = "UPDATE visitor_recovery SET job = ? WHERE id = ?"
            return bool(job is not None and self._sql.change(change, (job.id, recovery.id)))

    def finish(self, recovery: VisitorRecovery, outcome: RecoveryYield, now: Moment) -> bool:
        """Note what it came to."""
        values: dict[str, SqlValue] = {"ended": now.micros, "outcome": make_keepable(json.dumps(asdict(outcome)))}
        return self._move(recovery, VisitorRecoveryEvent.FINISH, values)

    def fail(self, recovery: VisitorRecovery, message: str, now: Moment) -> bool:
        """Note that it did not work."""
        values: dict[str, SqlValue] = {"ended": now.micros, "message": make_keepable(message)[:500]}
        return self._move(recovery, VisitorRecoveryEvent.FAIL, values)

    def delete(self, recovery: VisitorRecovery, message: str) -> bool:
        """Forget who asked, for what, and where it is; figures stay, and that somebody asked counts for its day."""
        asked = make_keepable(json.dumps(asdict(replace(recovery.order, url=blank_url(recovery.order.url)))))
        blank: dict[str, SqlValue] = {"mail": "", "link": "", "link_hash": recovery.id, "code": "", "survey": ""}
        blank["asked"] = asked
        return self._move(recovery, VisitorRecoveryEvent.DELETE, {**blank, "message": message})

    def forget_uses(self, before: Moment) -> None:
        """Forget from where somebody asked, once that was long ago and it is over."""
        marks = ", ".join("?" * len(OPEN_RECOVERY_STATES))
        self._sql.change(
            f"DELETE FROM visitor_use WHERE at < ? AND recovery NOT IN (SELECT id FROM visitor_recovery "
            f"WHERE state IN ({marks}))",
            (before.micros, *(each.value for each in OPEN_RECOVERY_STATES)),
        )

    def note_pickup(self, recovery: VisitorRecovery, now: Moment) -> None:
        """Note that the result was fetched, the first time."""
        self._sql.change(
            "UPDATE visitor_recovery SET picked_up = ? WHERE id = ? AND picked_up IS NULL", (now.micros, recovery.id)
        )

    def note_reminder(self, recovery: VisitorRecovery, now: Moment) -> bool:
        """Note that somebody is reminded; whether nobody did so meanwhile."""
        change = (
            "UPDATE visitor_recovery SET reminders = reminders + 1, last_reminder = ? "
            "WHERE id = ? AND state = ? AND reminders = ?"
        )
        return bool(self._sql.change(change, (now.micros, recovery.id, recovery.state.value, recovery.reminders)))

    def move_in_queue(self, recovery_id: str, step: str) -> None:
        """Have one that waits go first, a place up, a place down, or last."""
        with self._sql.transaction():
            rows = self._sql.rows(
                "SELECT id, turn FROM visitor_recovery WHERE state = ? ORDER BY turn, id",
                (VisitorRecoveryState.QUEUED.value,),
            )
            ids, turns = [str(row[0]) for row in rows], [int(row[1] or 0) for row in rows]
            if recovery_id not in ids:
                return
            place = ids.index(recovery_id)
            aims = {"first": 0, "up": max(place - 1, 0), "down": place + 1, "last": len(ids)}
            ids.remove(recovery_id)
            ids.insert(aims.get(step, place), recovery_id)
            turn = 0
            for each, known in zip(ids, turns, strict=True):
                turn = max(known, turn + 1)
                self._sql.change("UPDATE visitor_recovery SET turn = ? WHERE id = ?", (turn, each))

    def _move(self, recovery: VisitorRecovery, event: VisitorRecoveryEvent, values: Mapping[str, SqlValue]) -> bool:
        state = next_recovery_state(recovery.state, event)
        names = "".join(f", {name} = ?" for name in values)
        change = f"UPDATE visitor_recovery SET state = ?{names} WHERE id = ? AND state = ?"
        return bool(self._sql.change(change, (state.value, *values.values(), recovery.id, recovery.state.value)))


def _recovery_from_row(row: ResultRow) -> VisitorRecovery:
    named = dict(zip(_COLUMNS.split(", "), row, strict=True))
    asked = json.loads(str(named["asked"]))
    order = VisitorOrder(
        **{**asked, "extent": LostExtent(asked["extent"]), "repositories": tuple(asked["repositories"])}
    )
    outcome = json.loads(str(named["outcome"])) if named["outcome"] else None
    return VisitorRecovery(
        str(named["id"]),
        order,
        VisitorRecoveryState(str(named["state"])),
        Moment(int(named["created"] or 0)),
        str(named["mail"]),
        str(named["link"]),
        str(named["code"]),
        confirmed=_moment(named["confirmed"]),
        started=_moment(named["started"]),
        ended=_moment(named["ended"]),
        picked_up=_moment(named["picked_up"]),
        reminders=int(named["reminders"] or 0),
        last_reminder=_moment(named["last_reminder"]),
        job=str(named["job"]),
        survey=json.loads(str(named["survey"])) if named["survey"] else None,
        outcome=None if outcome is None else RecoveryYield(**outcome),
        message=str(named["message"]),
    )


def _moment(value: SqlValue) -> Moment | None:
    return None if value is None else Moment(int(value))
