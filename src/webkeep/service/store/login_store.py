"""Login profiles as rows: what is told of them, and beside it what they hold, sealed."""

from __future__ import annotations

import json
from collections.abc import Collection

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.logins import LoginProfile, LoginState
from webkeep.service.store.sql_database import ResultRow, SqlDatabase, make_keepable

_TOLD = "id, collection, name, facts, created, renewed, checked, state, message"


class LoginStore:
    """All login profiles of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def add(self, profile: LoginProfile, sealed: str) -> None:
        """Keep a new one; a collection has no two of one name."""
        named = (profile.id, profile.collection, profile.name, _facts_text(profile), sealed)
        added = self._sql.change(
            "INSERT INTO login_profile (id, collection, name, facts, sealed, created, renewed, state, message) "
            "VALUES (?,?,?,?,?,?,?,?,'') ON CONFLICT DO NOTHING",
            (*named, profile.created.micros, profile.renewed.micros, profile.state.value),
        )
        if not added:
            raise UsageError(f"{profile.collection} has a login {profile.name!r} already; choose another name")

    def replace(self, profile: LoginProfile, sealed: str) -> None:
        """Keep what a renewal gave in the place of what was there; whether it holds is open again."""
        self._change(
            profile.id,
            "facts = ?, sealed = ?, renewed = ?, checked = NULL, state = ?, message = ''",
            (_facts_text(profile), sealed, profile.renewed.micros, LoginState.UNKNOWN.value),
        )

    def rename(self, profile: LoginProfile, name: str) -> None:
        """Call one something else."""
        taken = self._sql.rows(
            "SELECT id FROM login_profile WHERE collection = ? AND name = ? AND id <> ?",
            (profile.collection, name, profile.id),
        )
        if taken:
            raise UsageError(f"{profile.collection} has a login {name!r} already; choose another name")
        self._change(profile.id, "name = ?", (name,))

    def note_state(self, profile_id: str, state: LoginState, message: str, now: Moment) -> None:
        """Keep what is known of whether it holds."""
        values = (state.value, make_keepable(message), now.micros)
        self._change(profile_id, "state = ?, message = ?, checked = ?", values)

    def delete(self, profile_id: str) -> None:
        """Forget one with all that it holds."""
        self._sql.change("DELETE FROM login_profile WHERE id = ?", (profile_id,))

    def get(self, profile_id: str) -> LoginProfile:
        """One by its id."""
        rows = self._sql.rows(f"SELECT {_TOLD} FROM login_profile WHERE id = ?", (profile_id,))
        if not rows:
            raise UsageError(f"there is no login {profile_id[:40]!r}; it may have been deleted")
        return _profile_from_row(rows[0])

    def read_sealed(self, profile_id: str) -> str:
        """What one holds, sealed."""
        rows = self._sql.rows("SELECT sealed FROM login_profile WHERE id = ?", (profile_id,))
        if not rows:
            raise UsageError(f"there is no login {profile_id[:40]!r}; it may have been deleted")
        return str(rows[0][0])

    def list_profiles(self, collection: str) -> list[LoginProfile]:
        """Those of a collection, by name."""
        rows = self._sql.rows(f"SELECT {_TOLD} FROM login_profile WHERE collection = ? ORDER BY name", (collection,))
        return [_profile_from_row(row) for row in rows]

    def list_profiles_of(self, collections: Collection[str] | None) -> list[LoginProfile]:
        """Those of some collections, or of all, by name."""
        chosen = None if collections is None else sorted(collections)
        within = "" if chosen is None else f"WHERE collection IN ({', '.join('?' * len(chosen))})" if chosen else None
        if within is None:
            return []
        query = f"SELECT {_TOLD} FROM login_profile {within} ORDER BY collection, name"
        return [_profile_from_row(row) for row in self._sql.rows(query, tuple(chosen or ()))]

    def _change(self, profile_id: str, assignments: str, values: tuple[str | int, ...]) -> None:
        if not self._sql.change(f"UPDATE login_profile SET {assignments} WHERE id = ?", (*values, profile_id)):
            raise UsageError("this login was deleted meanwhile")


def _facts_text(profile: LoginProfile) -> str:
    facts = {"url": profile.url, "start": profile.start, "page": profile.page}
    return json.dumps({**facts, "is_local_allowed": profile.is_local_allowed})


def _profile_from_row(row: ResultRow) -> LoginProfile:
    profile_id, collection, name, text, created, renewed, checked, state, message = row
    facts = json.loads(str(text))
    return LoginProfile(
        str(profile_id),
        str(collection),
        str(name),
        str(facts["url"]),
        str(facts["start"]),
        str(facts["page"]),
        Moment(int(created or 0)),
        Moment(int(renewed or 0)),
        None if checked is None else Moment(int(checked)),
        LoginState(str(state)),
        str(message),
        bool(facts["is_local_allowed"]),
    )
