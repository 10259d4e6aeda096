"""People of the service as values: roles, tokens, sessions, what holds up guessing, the audit log."""

import csv
import io

import pytest
from argon2 import PasswordHasher

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import (
    ACCOUNT_RULE,
    ADDRESS_RULE,
    ALL_COLLECTIONS,
    FORGOTTEN_SECONDS,
    AccountPasswords,
    AccountRole,
    AccountSession,
    ApiToken,
    AuditEntry,
    LoginFailures,
    Permission,
    SessionTerm,
    address_key,
    check_account_name,
    check_new_password,
    count_failure,
    derive_csrf_token,
    has_permission,
    hash_secret,
    is_session_live,
    limit_roles,
    new_secret,
    render_audit_table,
    wait_seconds,
)

NOW = Moment.parse("2026-05-01T12:00:00Z")
READER, CURATOR, ADMINISTRATOR = AccountRole
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.mark.parametrize(
    ("roles", "permission", "collection", "expected"),
    [
        ({}, Permission.ANYONE, "", True),
        ({}, Permission.SIGNED_IN, "", True),
        ({}, Permission.READ, "town", False),
        ({}, Permission.READ, "", False),
        ({"town": READER}, Permission.READ, "town", True),
        ({"town": READER}, Permission.READ, "other", False),
        ({"town": READER}, Permission.READ, "", True),
        ({"town": READER}, Permission.CURATE, "town", False),
        ({"town": CURATOR}, Permission.CURATE, "town", True),
        ({"town": CURATOR}, Permission.ADMINISTER, "town", False),
        ({"town": ADMINISTRATOR}, Permission.ADMINISTER, "town", True),
        ({"town": ADMINISTRATOR}, Permission.ADMINISTER, "", False),
        ({ALL_COLLECTIONS: READER, "town": CURATOR}, Permission.CURATE, "town", True),
        ({ALL_COLLECTIONS: CURATOR, "town": READER}, Permission.CURATE, "town", True),
        ({ALL_COLLECTIONS: ADMINISTRATOR}, Permission.ADMINISTER, "", True),
        ({ALL_COLLECTIONS: CURATOR}, Permission.ADMINISTER, "", False),
    ],
)
def test_what_roles_allow(
    roles: dict[str, AccountRole], permission: Permission, collection: str, expected: bool
) -> None:
    assert has_permission(roles, permission, collection) is expected


def token(scope: Permission, collection: str = ALL_COLLECTIONS, expires: Moment | None = None) -> ApiToken:
    return ApiToken("id", "ada", "a script", scope, collection, NOW, expires)


def test_a_token_is_never_good_for_more_than_its_account_or_its_scope() -> None:
    roles = {"town": ADMINISTRATOR, "press": READER}
    assert limit_roles(roles, token(Permission.READ)) == {"town": READER, "press": READER}
    assert limit_roles(roles, token(Permission.CURATE)) == {"town": CURATOR, "press": READER}
    assert limit_roles(roles, token(Permission.ADMINISTER)) == roles
    assert limit_roles(roles, token(Permission.CURATE, "press")) == {"press": READER}
    assert limit_roles(roles, token(Permission.ADMINISTER, "elsewhere")) == {}
    assert limit_roles({ALL_COLLECTIONS: CURATOR}, token(Permission.ADMINISTER, "town")) == {"town": CURATOR}


def test_a_token_ends_at_its_moment() -> None:
    assert token(Permission.READ).is_live(NOW.plus(1e9))
    assert token(Permission.READ, expires=NOW.plus(5)).is_live(NOW.plus(4))
    assert not token(Permission.READ, expires=NOW.plus(5)).is_live(NOW.plus(5))
    with pytest.raises(UsageError, match="no scope"):
        token(Permission.SIGNED_IN)


def test_sessions_end_by_idleness_and_by_age() -> None:
    term = SessionTerm(100, 1000)
    session = AccountSession("key", "ada", NOW, NOW.plus(50))
    assert is_session_live(session, NOW.plus(149), term)
    assert not is_session_live(session, NOW.plus(150), term)
    assert not is_session_live(AccountSession("key", "ada", NOW, NOW.plus(999)), NOW.plus(1000), term)
    assert is_session_live(session, NOW.plus(-500), term)  # a clock set back


def test_guessing_is_held_up_ever_longer_and_at_last_forgiven() -> None:
    failures: LoginFailures | None = None
    delays = []
    for _ in range(20):
        delays.append(wait_seconds(failures, ACCOUNT_RULE, NOW))
        failures = count_failure(failures, NOW)
    free = ACCOUNT_RULE.free_failures + 1
    assert delays[:free] == [0] * free
    assert delays[free:] == [min(2**power, ACCOUNT_RULE.max_seconds) for power in range(20 - free)]
    assert wait_seconds(failures, ACCOUNT_RULE, NOW.plus(ACCOUNT_RULE.max_seconds)) == 0
    assert wait_seconds(failures, ACCOUNT_RULE, NOW.plus(-1e6)) == ACCOUNT_RULE.max_seconds
    assert count_failure(failures, NOW.plus(FORGOTTEN_SECONDS)).count == 1
    assert wait_seconds(LoginFailures(10**6, NOW), ADDRESS_RULE, NOW) == ADDRESS_RULE.max_seconds


def test_addresses_of_one_network_are_counted_together() -> None:
    assert address_key("2001:db8::1") == address_key("2001:db8::ffff:1") != address_key("2001:db8:0:1::1")
    assert address_key("::ffff:192.0.2.1") == address_key("192.0.2.1") != address_key("192.0.2.2")
    assert address_key("nonsense") == address_key("")


def test_passwords_fit_or_do_not_and_are_hashed_anew_when_parameters_change() -> None:
    passwords = AccountPasswords(CHEAP)
    kept = passwords.hash("correct horse battery")
    assert kept.startswith("$argon2id$")
    assert "horse" not in kept
    assert passwords.is_right(kept, "correct horse battery")
    assert not passwords.is_right(kept, "correct horse batterz")
    assert not passwords.is_right(None, "a password that nobody has")
    assert not passwords.is_right("no hash", "correct horse battery")
    assert not passwords.is_outdated(kept)
    assert AccountPasswords(PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)).is_outdated(kept)


@pytest.mark.parametrize("name", ["", "-x", "a b", "ä", "a/b", "x" * 64, "a\n", "*", "<b>"])
def test_no_account_has_such_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="not a name"):
        check_account_name(name if name != "a\n" else "a\nb")


def test_names_are_small() -> None:
    assert check_account_name(" Ada.L@example.org ") == "ada.l@example.org"


@pytest.mark.parametrize(
    "password", ["short", "x" * 12, "abababababab", "y" * 2000, "long enough\0but", "adalovelace" * 2]
)
def test_a_password_that_is_guessed_soon_is_refused_and_not_repeated(password: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_new_password(password, "adalovelace")
    assert password not in str(caught.value)


def test_secrets_differ_and_do_not_show_in_what_is_kept() -> None:
    first, second = new_secret(), new_secret()
    assert first != second
    assert len(first) >= 43
    assert first not in hash_secret(first) + derive_csrf_token(first)
    assert hash_secret(first) != derive_csrf_token(first) != derive_csrf_token(second)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "  =cmd|' /C calc'!A0", "\r=1", "|x"])
def test_no_field_of_the_table_is_a_formula(text: str) -> None:
    entry = AuditEntry(NOW, text, text, text, text, text, 7)
    rows = list(csv.reader(io.StringIO(render_audit_table([entry]), newline="")))
    assert rows[0][:3] == ["number", "at", "who"]
    assert rows[1][0] == "7"
    assert rows[1][2:] == [f"'{text}"] * 5


def test_entries_have_an_end() -> None:
    long = "x" * 10_000
    assert len(AuditEntry(NOW, long, long, long, long, long).shorten().subject) == 500
