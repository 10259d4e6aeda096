"""Accounts and their roles as rows; there is always an administrator, once there was one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import ALL_COLLECTIONS, Account, AccountRole
from webkeep.service.store.sql_database import ResultRow, SqlDatabase


class AccountStore:
    """All accounts of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def create(self, name: str, password_hash: str, now: Moment) -> None:
        """Begin an account, without roles."""
        insert = "INSERT INTO account (name, password, locked, created) VALUES (?,?,0,?) ON CONFLICT DO NOTHING"
        if not self._sql.change(insert, (name, password_hash, now.micros)):
            raise UsageError(f"there is an account {name} already; choose another name")

    def create_with_role(self, name: str, password_hash: str, collection: str, role: AccountRole, now: Moment) -> None:
        """Begin an account with its first role; the first of all accounts is an administrator, or nobody would be."""
        if (collection, role) != (ALL_COLLECTIONS, AccountRole.ADMINISTRATOR) and not self.has_administrator():
            raise UsageError("the first account is an administrator of all collections; make that one first")
        with self._sql.transaction():
            self.create(name, password_hash, now)
            self.set_role(name, collection, role)

    def find(self, name: str) -> Account | None:
        """An account by its name."""
        rows = self._sql.rows("SELECT name, created, locked FROM account WHERE name = ?", (name,))
        if not rows:
            return None
        roles = self._sql.rows("SELECT account, collection, role FROM account_role WHERE account = ?", (name,))
        return _account_from_row(rows[0], roles)

    def get(self, name: str) -> Account:
        """An account that must be there."""
        account = self.find(name)
        if account is None:
            raise UsageError(f"there is no account {name[:80]!r}")
        return account

    def list_accounts(self) -> list[Account]:
        """All of them, by name."""
        roles: dict[str, list[ResultRow]] = defaultdict(list)
        for row in self._sql.rows("SELECT account, collection, role FROM account_role ORDER BY collection"):
            roles[str(row[0])].append(row)
        rows = self._sql.rows("SELECT name, created, locked FROM account ORDER BY name")
        return [_account_from_row(row, roles[str(row[0])]) for row in rows]

    def has_accounts(self) -> bool:
        """Whether there is any, so that people log in."""
        return bool(self._sql.rows("SELECT name FROM account LIMIT 1"))

    def has_administrator(self) -> bool:
        """Whether anybody may do everything."""
        query = (
            "SELECT name FROM account JOIN account_role ON account = name "
            "WHERE locked = 0 AND collection = ? AND role = ? LIMIT 1"
        )
        return bool(self._sql.rows(query, (ALL_COLLECTIONS, AccountRole.ADMINISTRATOR.value)))

    def find_password(self, name: str) -> str | None:
        """What is kept of an account's password; nothing where it is locked or not there."""
        rows = self._sql.rows("SELECT password FROM account WHERE name = ? AND locked = 0", (name,))
        return str(rows[0][0]) if rows else None

    def renew_hash(self, name: str, known: str, renewed: str) -> None:
        """Keep the same password by better parameters, unless it was changed meanwhile."""
        self._sql.change("UPDATE account SET password = ? WHERE name = ? AND password = ?", (renewed, name, known))

    def set_password(self, name: str, password_hash: str) -> None:
        """Change a password; whoever is logged in by the old one is so no longer."""
        with self._sql.transaction():
            if not self._sql.change("UPDATE account SET password = ? WHERE name = ?", (password_hash, name)):
                raise UsageError(f"there is no account {name[:80]!r}")
            self._sql.change("DELETE FROM account_session WHERE account = ?", (name,))

    def set_role(self, name: str, collection: str, role: AccountRole | None) -> None:
        """Give a role in a collection or in all, or take it."""
        self.get(name)
        with self._keeping_an_administrator():
            self._sql.change("DELETE FROM account_role WHERE account = ? AND collection = ?", (name, collection))
            if role is not None:
                insert = "INSERT INTO account_role (account, collection, role) VALUES (?,?,?)"
                self._sql.change(insert, (name, collection, role.value))

    def set_locked(self, name: str, is_locked: bool) -> None:
        """Shut an account out, or let it in again."""
        with self._keeping_an_administrator():
            if not self._sql.change("UPDATE account SET locked = ? WHERE name = ?", (int(is_locked), name)):
                raise UsageError(f"there is no account {name[:80]!r}")
            if is_locked:
                self._sql.change("DELETE FROM account_session WHERE account = ?", (name,))

    def delete(self, name: str) -> None:
        """End an account with its roles, sessions and tokens; what it did stays in the audit log."""
        with self._keeping_an_administrator():
            if not self._sql.change("DELETE FROM account WHERE name = ?", (name,)):
                raise UsageError(f"there is no account {name[:80]!r}")
            for table in ("account_role", "account_session", "api_token"):
                self._sql.change(f"DELETE FROM {table} WHERE account = ?", (name,))

    @contextmanager
    def _keeping_an_administrator(self) -> Iterator[None]:
        with self._sql.transaction():
            had_one = self.has_administrator()
            yield
            if had_one and not self.has_administrator():
                raise UsageError("that is the last administrator; make another one first")


def _account_from_row(row: ResultRow, roles: Sequence[ResultRow]) -> Account:
    name, created, locked = row
    by_collection = {str(collection): AccountRole(str(role)) for _, collection, role in roles}
    return Account(str(name), Moment(int(created or 0)), by_collection, bool(locked))
