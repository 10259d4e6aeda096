"""What of a person's login is known to be secret, and that ordinary words are not."""

from __future__ import annotations

import base64
import gzip
import json
from urllib.parse import quote, quote_plus

import pytest

from webkeep.model import BytesBody, Exchange, Moment
from webkeep.redaction import Redactor
from webkeep.redaction.values import KnownValues, cookie_secrets, header_secrets, login_secrets, stored_secrets

TOKEN = "eyJhbGciOi.JIUzI1NiJ9"
ODD = 'with"quote-and-more'
STORES = {
    "https://example.org": {"auth": json.dumps({"user": {"token": TOKEN}, "odd": [ODD]}), "theme": "dark-and-light"}
}


def test_what_is_stored_is_found_within_json() -> None:
    known = KnownValues(stored_secrets(STORES))
    assert known.hide_values(f"a {TOKEN} dark-and-light b", "X") == ("a X dark-and-light b", 1)
    assert json.loads(known.hide_values(json.dumps({"dom": ODD}), "X")[0]) == {"dom": "X"}


def test_places_and_sentences_are_no_secrets() -> None:
    held = {
        "last": "/account/settings/profile",
        "home": "https://example.org/start",
        "said": "welcome back, old friend",
    }
    words = " ".join(held.values())
    assert KnownValues(stored_secrets({"https://example.org": held})).hide_values(words, "X") == (words, 0)


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


MINE = "Ab1!x(y)&/z9~*'Q 7"
PLAIN = b"HTTP/1.1 200 OK\r\n\r\n"
BY_SCRIPTS = quote(MINE, safe="!'()*~-_.")
SPELLINGS = {
    "as it is": MINE,
    "encodeURIComponent": BY_SCRIPTS,
    "URLSearchParams": quote_plus(MINE, safe="*-._").replace("~", "%7E"),
    "small letters": quote(MINE, safe="").lower().replace("ab1", "Ab1").replace("q", "Q"),
    "everything": "".join(f"%{byte:02x}" for byte in MINE.encode()),
    "twice": quote(quote(MINE, safe=""), safe=""),
    "three times": quote(quote(quote_plus(MINE))),
    "JSON": json.dumps(MINE),
    "JSON of Go": json.dumps(MINE).replace("&", "\\u0026"),
    "JSON of PHP": json.dumps(MINE).replace("/", "\\/"),
    "JSON in JSON": json.dumps(json.dumps(MINE)),
    "HTML": "<p>Ab1!x(y)&amp;/z9~*&#39;Q 7</p>",
    "HTML in a URL": quote("Ab1!x(y)&amp;/z9~*&#x27;Q 7"),
    "Base64": base64.b64encode(MINE.encode()).decode(),
    "Base64 behind a name": base64.b64encode(f"me:{MINE}".encode()).decode(),
    "Base64 behind another": base64.urlsafe_b64encode(f"you:{MINE}:x".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_no_spelling_hides_what_is_known(spelling: str) -> None:
    known = KnownValues([MINE])
    hidden, count = known.hide_values(f"before {spelling} behind", "X")
    assert count == 1
    assert hidden.startswith("before ")
    assert hidden.endswith(" behind")
    assert not known.occur_in(hidden)
    assert len(hidden) <= len("before X behind") + 16


def asked(body: bytes = b"", kind: str = "", line: bytes = b"GET / HTTP/1.1", answer: bytes = PLAIN) -> bytes:
    head = line + f"\r\nContent-Type: {kind}\r\n\r\n".encode()
    given = Exchange("http://a.test/", Moment(0), answer, BytesBody(), head, BytesBody(body))
    held = Redactor(known=KnownValues([MINE])).redact(given).exchange
    return held.request + held.response + b"".join(held.request_body.chunks())


@pytest.mark.parametrize(
    "held",
    [
        asked(b"\x00\x01" + MINE.encode() + b"\xff", "application/octet-stream"),
        asked(b"\x89PNG" + MINE.encode(), "image/png"),
        asked(gzip.compress(MINE.encode()), "application/octet-stream"),
        asked(json.dumps({"a": MINE}).encode("utf-16"), "application/json"),
        asked(
            f'--XX\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n{MINE}\r\n--XX--'.encode(),
            "multipart/form-data; boundary=XX",
        ),
        asked(b"x" * (9 << 20) + MINE.encode(), "video/mp4"),
        asked(answer=b"HTTP/1.1 200 " + MINE.encode() + b"\r\n\r\n"),
        asked(answer=b"HTTP/1.1 200 OK\r\n" + MINE.encode() + b"\r\n\r\n"),
        asked(answer=b"HTTP/1.1 200 OK\r\nX-" + MINE.encode() + b": 1\r\n\r\n"),
        asked(line=b"Ab1!x(y)&/z9~*'Q+7 / HTTP/1.1"),
    ],
    ids=["bytes", "picture", "gzip", "UTF-16", "file", "film", "reason", "no field", "name of a field", "method"],
)
def test_what_is_known_is_in_no_place(held: bytes) -> None:
    assert MINE.encode() not in held.replace(b"\0", b"")
    assert MINE.replace(" ", "+").encode() not in held
    assert b"redacted" in held.replace(b"\0", b"")


def test_messages_of_bytes_hide_nothing_known_either() -> None:
    redactor = Redactor(known=KnownValues([MINE]))
    for data in (b"\x00\x01" + MINE.encode(), b"\x00 password " + MINE.encode()):
        for from_client in (True, False):
            assert MINE.encode() not in redactor.redact_message(data, from_client, is_text=False)[0]


def test_what_a_person_gave_is_never_forgotten() -> None:
    known = KnownValues(["hUnter2-Session"])
    for number in range(6000):
        known.learn(cookie_secrets("visit", f"{number * 7919:024x}"))
    assert known.hide_values("/x/hUnter2-Session", "X") == ("/x/X", 1)
    assert known.hide_values(f"a {5999 * 7919:024x} b", "X") == ("a X b", 1)
    assert not known.occur_in(f"{7919:024x}")


def test_values_that_begin_alike_are_told_apart_wherever_they_stand() -> None:
    known = KnownValues()
    values = ["a" * 9 + f"{number:04d}" + "b" * (number % 90) for number in range(1200)]
    known.learn(values)
    for at, value in enumerate(values[::100]):
        assert known.hide_values(f"{'-' * at}{value}-", "X") == (f"{'-' * at}X-", 1)
    assert known.hide_values("a" * 200_000, "X")[1] == 0
