"""A password is asked for, and guessing it is slow."""

import base64

import pytest

from webkeep.model import Moment
from webkeep.replay.choice.access_rules import ServerPassword
from webkeep.replay.endpoints.basic_auth import MAX_GUESSES, SECONDS_PER_GUESS, PasswordCheck


class SetClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = Moment.parse("2024-03-01T12:00:00Z")

    def now(self) -> Moment:
        return self.moment


def given(password: str) -> str:
    return "Basic " + base64.b64encode(f"me:{password}".encode()).decode()


def status(check: PasswordCheck, password: str, client: str = "192.0.2.1") -> int:
    answer = check.refusal(client, given(password) if password else "")
    return 200 if answer is None else answer.status


def test_whoever_guesses_has_to_wait_even_with_the_right_one() -> None:
    clock = SetClock()
    check = PasswordCheck(ServerPassword("right"), clock)
    assert [status(check, f"wrong {number}") for number in range(MAX_GUESSES)] == [401] * MAX_GUESSES
    answer = check.refusal("192.0.2.1", given("right"))
    assert answer is not None
    assert (answer.status, dict(answer.fields)["Retry-After"]) == (429, "7")
    clock.moment = clock.moment.plus(SECONDS_PER_GUESS + 1)
    assert status(check, "wrong again") == 401
    assert status(check, "right") == 429
    clock.moment = clock.moment.plus(SECONDS_PER_GUESS * MAX_GUESSES)
    assert status(check, "right") == 200


def test_nobody_waits_for_anothers_guesses() -> None:
    check = PasswordCheck(ServerPassword("right"), SetClock())
    for number in range(MAX_GUESSES):
        status(check, f"wrong {number}")
    assert status(check, "right", "192.0.2.2") == 200
    assert status(check, "") == 401, "to come without a password is no guess"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("", "", True),
    ],
)
def test_a_network_of_version_6_guesses_as_one(one: str, other: str, same: bool) -> None:
    check = PasswordCheck(ServerPassword("right"), SetClock())
    for number in range(MAX_GUESSES):
        status(check, f"wrong {number}", one)
    assert status(check, "right", other) == (429 if same else 200)


def test_what_is_held_of_guesses_has_an_end() -> None:
    check = PasswordCheck(ServerPassword("right"), SetClock())
    for number in range(10_100):
        status(check, "wrong", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(check._wrong_guesses) == 10_000


def test_a_proxy_asks_as_proxies_do() -> None:
    answer = PasswordCheck(ServerPassword("right"), SetClock()).refusal("192.0.2.1", "", is_proxy=True)
    assert answer is not None
    assert (answer.status, dict(answer.fields)["Proxy-Authenticate"][:5]) == (407, "Basic")
