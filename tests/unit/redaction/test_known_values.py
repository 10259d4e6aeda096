"""What of a person's login is known to be secret, and that ordinary words are not."""

from __future__ import annotations

import json

import pytest

from webkeep.redaction import KnownValues, cookie_secrets, header_secrets, login_secrets, stored_secrets

TOKEN = "eyJhbGciOi.JIUzI1NiJ9"
ODD = 'with"quote-and-more'
STORES = {
    "https://example.org": {"auth": json.dumps({"user": {"token": TOKEN}, "odd": [ODD]}), "theme": "dark-and-light"}
}


def test_what_is_stored_is_found_within_json() -> None:
    known = KnownValues(stored_secrets(STORES))
    assert known.hide(f"a {TOKEN} dark-and-light b", "X") == ("a X dark-and-light b", 1)
    assert json.loads(known.hide(json.dumps({"dom": ODD}), "X")[0]) == {"dom": "X"}


def test_places_and_sentences_are_no_secrets() -> None:
    held = {
        "last": "/account/settings/profile",
        "home": "https://example.org/start",
        "said": "welcome back, old friend",
    }
    words = " ".join(held.values())
    assert KnownValues(stored_secrets({"https://example.org": held})).hide(words, "X") == (words, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("lang", "de"), ("theme", "dark"), ("seen", "2024-01-01"), ("n", "1234567"), ("tab", "News")],
)
def test_settings_in_cookies_are_words_of_every_page(name: str, value: str) -> None:
    assert list(cookie_secrets(name, value)) == []


def test_cookies_that_know_someone_again() -> None:
    assert list(cookie_secrets("x", "a1b2c3d4")) == ["x=a1b2c3d4", "a1b2c3d4"]
    assert list(cookie_secrets("session_id", "abc")) == ["session_id=abc"]


def test_a_password_that_is_a_word_hides_no_pages() -> None:
    assert "weather" not in list(login_secrets("me", "weather"))
    assert "we4ther" in list(login_secrets("me", "we4ther"))
    assert list(header_secrets("de")) == []
    assert set(header_secrets("Bearer abc123def")) == {"Bearer abc123def", "abc123def"}
