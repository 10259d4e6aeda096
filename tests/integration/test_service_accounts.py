"""Accounts, sessions, tokens and the audit log in the store; on SQLite and on a real PostgreSQL server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_cluster import cluster_folder, running_cluster
from service_databases import KINDS, service_database

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    AccountRole,
    AccountSession,
    ApiToken,
    AuditEntry,
    Permission,
    SessionTerm,
    hash_secret,
)
from webkeep.service.store import (
    AccountStore,
    AuditStore,
    SessionStore,
    SqlDatabase,
    TokenStore,
)

NOW = Moment.parse("2026-05-01T12:00:00Z")
READER, CURATOR, ADMINISTRATOR = AccountRole


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "service") as address:
        yield address


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlDatabase]:
    with service_database(request, tmp_path) as opened:
        yield opened


@pytest.fixture
def accounts(database: SqlDatabase) -> AccountStore:
    store = AccountStore(database)
    assert not store.has_accounts()
    store.create("ada", "hash of ada", NOW)
    store.set_role("ada", ALL_COLLECTIONS, ADMINISTRATOR)
    store.create("ben", "hash of ben", NOW)
    return store


def test_accounts_are_kept_with_their_roles(accounts: AccountStore) -> None:
    accounts.set_role("ben", "town", CURATOR)
    accounts.set_role("ben", "press", READER)
    accounts.set_role("ben", "town", READER)
    ada, ben = accounts.list_accounts()
    assert ada.is_administrator
    assert (ben.name, ben.roles, ben.created) == ("ben", {"town": READER, "press": READER}, NOW)
    assert accounts.get("ben") == ben
    accounts.set_role("ben", "town", None)
    assert accounts.get("ben").roles == {"press": READER}
    with pytest.raises(UsageError, match="already"):
        accounts.create("ben", "other", NOW)
    assert accounts.find_password("ben") == "hash of ben"
    assert accounts.find("nobody") is None
    with pytest.raises(UsageError, match="no account"):
        accounts.set_role("nobody", "town", READER)


@pytest.mark.parametrize("removal", ["delete", "lock", "demote", "take"])
def test_the_last_administrator_stays(accounts: AccountStore, removal: str) -> None:
    def remove() -> None:
        match removal:
            case "delete":
                accounts.delete("ada")
            case "lock":
                accounts.set_locked("ada", True)
            case "demote":
                accounts.set_role("ada", ALL_COLLECTIONS, CURATOR)
            case _:
                accounts.set_role("ada", ALL_COLLECTIONS, None)

    with pytest.raises(UsageError, match="last administrator"):
        remove()
    assert accounts.get("ada").is_administrator
    accounts.set_role("ben", ALL_COLLECTIONS, ADMINISTRATOR)
    remove()
    assert accounts.has_administrator()


def test_locked_accounts_have_no_password_and_no_sessions(accounts: AccountStore, database: SqlDatabase) -> None:
    sessions = SessionStore(database)
    sessions.begin(AccountSession(hash_secret("secret"), "ben", NOW, NOW))
    accounts.set_locked("ben", True)
    assert accounts.find_password("ben") is None
    assert sessions.find(hash_secret("secret"), NOW) is None
    accounts.set_locked("ben", False)
    assert accounts.find_password("ben") == "hash of ben"
    assert sessions.find(hash_secret("secret"), NOW) is None


def test_another_password_ends_sessions_and_a_better_hash_does_not(
    accounts: AccountStore, database: SqlDatabase
) -> None:
    sessions = SessionStore(database)
    sessions.begin(AccountSession("one", "ben", NOW, NOW))
    sessions.begin(AccountSession("two", "ada", NOW, NOW))
    accounts.renew_hash("ben", "hash of ben", "better")
    accounts.renew_hash("ben", "hash of ben", "too late")
    assert accounts.find_password("ben") == "better"
    assert sessions.find("one", NOW) is not None
    accounts.set_password("ben", "another")
    assert sessions.find("one", NOW) is None
    assert sessions.find("two", NOW) is not None


def test_whoever_is_deleted_leaves_nothing_that_lets_in(accounts: AccountStore, database: SqlDatabase) -> None:
    sessions, tokens = SessionStore(database), TokenStore(database)
    sessions.begin(AccountSession("one", "ben", NOW, NOW))
    tokens.create(ApiToken("id", "ben", "script", Permission.READ, ALL_COLLECTIONS, NOW), "secret")
    accounts.set_role("ben", "town", CURATOR)
    accounts.delete("ben")
    assert sessions.find("one", NOW) is None
    assert tokens.find("secret", NOW) is None
    accounts.create("ben", "another ben", NOW)
    assert accounts.get("ben").roles == {}


def test_sessions_last_while_they_are_used_and_no_longer_than_their_term(database: SqlDatabase) -> None:
    sessions = SessionStore(database, SessionTerm(100, 300))
    sessions.begin(AccountSession("one", "ada", NOW, NOW, "192.0.2.1"))
    found = sessions.find("one", NOW.plus(70))
    assert found is not None
    assert (found.account, found.address, found.is_local) == ("ada", "192.0.2.1", False)
    assert sessions.find("one", NOW.plus(160)) is not None  # its use was noted
    assert sessions.find("one", NOW.plus(250)) is not None
    assert sessions.find("one", NOW.plus(300)) is None
    assert sessions.find("one", NOW) is None  # gone for good, whatever the clock says
    sessions.begin(AccountSession("two", "", NOW, NOW))
    sessions.begin(AccountSession("three", "", NOW.plus(100), NOW.plus(100)))
    assert database.rows("SELECT key FROM account_session") == [("three",)]
    sessions.end("three")
    assert sessions.find("three", NOW.plus(100)) is None


def test_attempts_count_before_they_are_made(database: SqlDatabase) -> None:
    sessions = SessionStore(database)
    waits = [sessions.begin_attempt("ada", "192.0.2.1", NOW) for _ in range(6)]
    assert waits == [0, 0, 0, 0, 0, 1]
    assert sessions.begin_attempt("ada", "192.0.2.2", NOW) == 1  # by another address too
    assert sessions.begin_attempt("ben", "192.0.2.1", NOW) == 0
    assert sessions.begin_attempt("ada", "192.0.2.1", NOW.plus(1)) == 0
    assert sessions.begin_attempt("ada", "192.0.2.1", NOW.plus(2)) == 1
    sessions.forgive("ada", "192.0.2.1")
    assert sessions.begin_attempt("ada", "192.0.2.1", NOW.plus(2)) == 0


def test_an_address_that_tries_many_names_waits_even_where_one_is_its_own(database: SqlDatabase) -> None:
    sessions = SessionStore(database)
    waits = []
    for number in range(30):
        waits.append(sessions.begin_attempt(f"name{number}", "192.0.2.1", NOW))
        if sessions.begin_attempt("mallory", "192.0.2.1", NOW) == 0:
            sessions.forgive("mallory", "192.0.2.1")
    assert waits[-1] > 0
    assert all("name" not in str(key) for (key,) in database.rows("SELECT key FROM login_failure"))


def test_tokens_are_found_by_what_was_shown_and_kept_without_it(database: SqlDatabase) -> None:
    tokens = TokenStore(database)
    token = ApiToken("id", "ada", "script", Permission.CURATE, "town", NOW, NOW.plus(100))
    tokens.create(token, "webkeep_secret")
    assert tokens.find("webkeep_secret", NOW) == token
    assert tokens.list_tokens("ada")[0].used == NOW
    assert tokens.find("webkeep_secreT", NOW) is None
    assert tokens.find("webkeep_secret", NOW.plus(100)) is None
    assert not any("webkeep_secret" in str(row) for row in database.rows("SELECT * FROM api_token"))
    with pytest.raises(UsageError, match="no such token"):
        tokens.revoke("ben", "id")
    tokens.revoke("ada", "id")
    assert tokens.find("webkeep_secret", NOW) is None


def test_the_audit_log_grows_in_order_whatever_the_clock_says(database: SqlDatabase) -> None:
    audit = AuditStore(database)
    for number in range(5):
        audit.append(AuditEntry(NOW.plus(-number), "ada", "192.0.2.1", f"act {number}", "bad\0\ud800 text"))
    entries = audit.list_entries(3)
    assert [(entry.number, entry.action) for entry in entries] == [(5, "act 4"), (4, "act 3"), (3, "act 2")]
    assert [entry.number for entry in audit.list_entries(9, before=3)] == [2, 1]
    assert entries[0].subject == "bad?? text"
    assert not [name for name in vars(AuditStore) if "delete" in name or "update" in name]
