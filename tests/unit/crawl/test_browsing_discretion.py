"""Discretion: what of a login's local storage is hidden, and where."""

from __future__ import annotations

import json

from webkeep.crawl.browsing.discretion import Discretion
from webkeep.model import BytesBody, Exchange, Moment

TOKEN = "eyJhbGciOi.JIUzI1NiJ9"
ODD = 'with"quote-and-more'
STORES = {
    "https://example.org": {"auth": json.dumps({"user": {"token": TOKEN}, "odd": [ODD]}), "theme": "dark-and-light"}
}


def test_secrets_become_stars_of_their_length() -> None:
    discretion = Discretion(STORES)
    assert (
        discretion.hidden(f"a {TOKEN} dark-and-light b".encode()) == f"a {'*' * len(TOKEN)} dark-and-light b".encode()
    )
    told = json.loads(discretion.hidden(json.dumps({"dom": ODD}).encode()))
    assert set(told["dom"]) == {"*"}


def test_places_and_sentences_are_no_secrets() -> None:
    held = {
        "last": "/account/settings/profile",
        "home": "https://example.org/start",
        "said": "welcome back, old friend",
    }
    words = " ".join(held.values()).encode()
    assert Discretion({"https://example.org": held}).hidden(words) == words


def test_requests_tell_nothing_but_their_url() -> None:
    url = f"http://example.org/{TOKEN}"
    head = f"POST /{TOKEN} HTTP/1.1\r\nX-Session: {TOKEN}\r\n\r\n".encode()
    exchange = Exchange(
        url, Moment(0), b"HTTP/1.1 200 OK\r\n\r\n", request=head, request_body=BytesBody(TOKEN.encode())
    )
    cleaned = Discretion(STORES).cleaned(exchange)
    assert cleaned.request == head.replace(f": {TOKEN}".encode(), b": " + b"*" * len(TOKEN))
    assert b"".join(cleaned.request_body.chunks()) == b"*" * len(TOKEN)
    assert Discretion({}).cleaned(exchange) is exchange
