"""Sessions as rows, and the failures of logins that hold up further ones."""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import (
    ACCOUNT_RULE,
    ADDRESS_RULE,
    FORGOTTEN_SECONDS,
    AccountSession,
    LoginFailures,
    SessionTerm,
    account_key,
    address_key,
    count_failure,
    is_session_live,
    wait_seconds,
)
from webkeep.service.store.sql_database import ResultRow, SqlDatabase

_SESSION = "key, account, created, seen, address"
_NOTED_SECONDS = 60
"""So much later a use is noted again: not every picture of a page is a write."""


class SessionStore:
    """Who is logged in, and who tries to."""

    def __init__(self, database: SqlDatabase, term: SessionTerm | None = None) -> None:
        self._sql = database
        self._term = term or SessionTerm()

    def begin(self, session: AccountSession) -> None:
        """Keep a new session; those that have ended by themselves are forgotten."""
        now, term = session.created, self._term
        with self._sql.transaction():
            self._sql.change(
                "DELETE FROM account_session WHERE created <= ? OR seen <= ?",
                (now.plus(-term.absolute_seconds).micros, now.plus(-term.idle_seconds).micros),
            )
            values = (session.key, session.account, session.created.micros, session.seen.micros, session.address)
            self._sql.change(f"INSERT INTO account_session ({_SESSION}) VALUES (?,?,?,?,?)", values)

    def find(self, key: str, now: Moment, is_use: bool = True) -> AccountSession | None:
        """The session whose secret has that hash, where it still holds; it does for longer where this is a use."""
        rows = self._sql.rows(f"SELECT {_SESSION} FROM account_session WHERE key = ?", (key,))
        if not rows:
            return None
        session = _session_from_row(rows[0])
        if not is_session_live(session, now, self._term):
            self.end(key)
            return None
        if is_use and now.seconds_since(session.seen) >= _NOTED_SECONDS:
            self._sql.change("UPDATE account_session SET seen = ? WHERE key = ?", (now.micros, key))
        return session

    def list_sessions(self, account: str, now: Moment) -> list[AccountSession]:
        """Those of an account that still hold, the newest first."""
        query = f"SELECT {_SESSION} FROM account_session WHERE account = ? ORDER BY created DESC, key"
        sessions = [_session_from_row(row) for row in self._sql.rows(query, (account,))]
        return [each for each in sessions if is_session_live(each, now, self._term)]

    def end_own(self, account: str, key: str) -> None:
        """End a session of an account."""
        if not self._sql.change("DELETE FROM account_session WHERE key = ? AND account = ?", (key, account)):
            raise UsageError("there is no such session; it may have ended already")

    def end(self, key: str) -> None:
        """End a session: its cookie is worth nothing."""
        self._sql.change("DELETE FROM account_session WHERE key = ?", (key,))

    def begin_attempt(self, name: str, address: str, now: Moment) -> float:
        """Count an attempt to log in as failed until it succeeds, so that many at once gain nothing.

        Gives how many seconds it has to wait, and then it is not to be made; it was not counted either.
        """
        keys = ((account_key(name), ACCOUNT_RULE), (address_key(address), ADDRESS_RULE))
        with self._sql.transaction():
            forgotten = now.plus(-FORGOTTEN_SECONDS).micros
            self._sql.change("DELETE FROM login_failure WHERE last <= ?", (forgotten,))
            known = {key: self._failures(key) for key, _ in keys}
            wait = max(wait_seconds(known[key], rule, now) for key, rule in keys)
            if wait > 0:
                return wait
            for key, _ in keys:
                self._keep_failures(key, count_failure(known[key], now))
        return 0.0

    def forgive(self, name: str, address: str) -> None:
        """The attempt succeeded: the account's failures are forgotten, and of the address's this one.

        Else one who has an account could try those of others without ever waiting.
        """
        with self._sql.transaction():
            self._sql.change("DELETE FROM login_failure WHERE key = ?", (account_key(name),))
            lessen = "UPDATE login_failure SET count = count - 1 WHERE key = ? AND count > 0"
            self._sql.change(lessen, (address_key(address),))

    def _failures(self, key: str) -> LoginFailures | None:
        rows = self._sql.rows("SELECT count, last FROM login_failure WHERE key = ?", (key,))
        return LoginFailures(int(rows[0][0] or 0), Moment(int(rows[0][1] or 0))) if rows else None

    def _keep_failures(self, key: str, failures: LoginFailures) -> None:
        self._sql.change("DELETE FROM login_failure WHERE key = ?", (key,))
        insert = "INSERT INTO login_failure (key, count, last) VALUES (?,?,?)"
        self._sql.change(insert, (key, failures.count, failures.last.micros))


def _session_from_row(row: ResultRow) -> AccountSession:
    key, account, created, seen, address = row
    moments = (Moment(int(created or 0)), Moment(int(seen or 0)))
    return AccountSession(str(key), str(account), *moments, str(address))
