"""Logins sealed: what opens them, what does not, and what lies on the disk."""

import base64
import json
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.service.logins import (
    PASSPHRASE_VARIABLE,
    LoginContent,
    LoginKeyFile,
    LoginLockedError,
    check_profile_name,
    content_from_bytes,
)

SECRET = b"the cookie of a member"


def key_file(folder: Path, passphrase: str = "") -> LoginKeyFile:
    return LoginKeyFile(folder / "logins.key", {PASSPHRASE_VARIABLE: passphrase} if passphrase else {})


def test_what_is_sealed_opens_for_what_it_is_bound_to_alone(tmp_path: Path) -> None:
    sealed = key_file(tmp_path).seal(SECRET, "town 1")
    assert SECRET not in base64.b64decode(sealed)
    assert key_file(tmp_path).seal(SECRET, "town 1") != sealed
    assert key_file(tmp_path).open(sealed, "town 1") == SECRET
    with pytest.raises(LoginLockedError, match="renew it"):
        key_file(tmp_path).open(sealed, "press 1")


@pytest.mark.parametrize("place", [0, 1, 5, 13, 20, -1])
def test_what_was_changed_anywhere_does_not_open(tmp_path: Path, place: int) -> None:
    raw = bytearray(base64.b64decode(key_file(tmp_path).seal(SECRET, "town 1")))
    raw[place] ^= 1
    with pytest.raises(LoginLockedError):
        key_file(tmp_path).open(base64.b64encode(raw).decode(), "town 1")


@pytest.mark.parametrize("sealed", ["", "AQ==", "no base64", "AQ" * 20])
def test_what_was_never_sealed_does_not_open(tmp_path: Path, sealed: str) -> None:
    key_file(tmp_path).seal(SECRET, "town 1")
    with pytest.raises(LoginLockedError):
        key_file(tmp_path).open(sealed, "town 1")


def test_the_key_is_for_its_owner_alone_and_a_lost_one_opens_nothing(tmp_path: Path) -> None:
    sealed = key_file(tmp_path).seal(SECRET, "town 1")
    path = tmp_path / "logins.key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.unlink()
    with pytest.raises(LoginLockedError, match="put it back"):
        key_file(tmp_path).open(sealed, "town 1")
    assert not path.exists(), "a key that opens nothing is not put in its place"
    path.write_text("garbled")
    with pytest.raises(LoginLockedError, match="is no key of logins"):
        key_file(tmp_path).seal(SECRET, "town 1")


def test_a_passphrase_that_is_given_later_takes_the_key_off_the_disk(tmp_path: Path) -> None:
    sealed = key_file(tmp_path).seal(SECRET, "town 1")
    path = tmp_path / "logins.key"
    key = json.loads(path.read_text())["key"]
    assert key_file(tmp_path, "open sesame").open(sealed, "town 1") == SECRET
    assert key not in path.read_text()
    assert base64.b64decode(key) not in base64.b64decode(json.loads(path.read_text())["wrapped"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert key_file(tmp_path, "open sesame").open(sealed, "town 1") == SECRET
    with pytest.raises(LoginLockedError, match="locked by a passphrase"):
        key_file(tmp_path).open(sealed, "town 1")
    with pytest.raises(LoginLockedError, match="is not that of the logins"):
        key_file(tmp_path, "open says me").open(sealed, "town 1")


def test_what_a_login_holds_is_never_printed_and_has_a_bound() -> None:
    content = LoginContent(({"name": "member", "value": "secret"},), {"https://town.example": {"token": "secret"}})
    assert "secret" not in repr(content)
    assert content_from_bytes(content.to_bytes()) == content
    assert LoginContent((), {"https://town.example": {}}).is_empty
    with pytest.raises(UsageError, match="log in to one site alone"):
        LoginContent(({"value": "x" * 9_000_000},)).to_bytes()


def test_names_are_words_of_one_line() -> None:
    assert check_profile_name("  Ada \n at town ") == "Ada at town"
    for wrong in ("", "  ", "x" * 101):
        with pytest.raises(UsageError, match="a login needs a name"):
            check_profile_name(wrong)
