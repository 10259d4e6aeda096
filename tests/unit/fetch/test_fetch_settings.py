"""How the fetcher is set up: what is checked, and what never shows."""

import pytest

from webkeep.errors import UsageError
from webkeep.fetch import Credentials, parse_header, parse_proxy, split_credentials
from webkeep.fetch.settings import curl_header_lines


@pytest.mark.parametrize(
    ("url", "stripped", "credentials"),
    [
        ("https://example.org/a@b", "https://example.org/a@b", None),
        ("https://me:p%40ss%3A@example.org:81/x?y#z", "https://example.org:81/x?y#z", Credentials("me", "p@ss:")),
        ("ftp://me@example.org/", "ftp://example.org/", Credentials("me")),
        ("http://:pw@example.org/", "http://example.org/", Credentials("", "pw")),
        ("http://a@b:c@example.org/", "http://example.org/", Credentials("a@b", "c")),
        ("http://@example.org/", "http://example.org/", None),
    ],
)
def test_credentials_are_taken_out_of_urls(url: str, stripped: str, credentials: Credentials | None) -> None:
    assert split_credentials(url) == (stripped, credentials)


def test_a_url_that_cannot_be_read_does_not_show_its_password() -> None:
    with pytest.raises(UsageError) as caught:
        split_credentials("http://me:secret@[::/")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_passwords_do_not_show() -> None:
    assert "secret" not in repr(Credentials("me", "secret"))
    assert "secret" not in repr(parse_proxy("http://me:secret@proxy.example"))


@pytest.mark.parametrize(
    ("text", "url", "user"),
    [
        ("proxy.example:3128", "http://proxy.example:3128", ""),
        ("http://me:pw@proxy.example", "http://proxy.example:3128", "me"),
        ("socks5h://[::1]:9050", "socks5h://[::1]:9050", ""),
        ("socks5://proxy.example", "socks5://proxy.example:1080", ""),
        ("https://proxy.example", "https://proxy.example:443", ""),
    ],
)
def test_proxies_are_read(text: str, url: str, user: str) -> None:
    proxy = parse_proxy(text)
    assert proxy.url == url
    assert (proxy.credentials.user if proxy.credentials else "") == user


@pytest.mark.parametrize("text", ["", "ftp://proxy.example", "http://", "http://host:port", "http://[::1", "://x"])
def test_what_is_no_proxy_is_a_wrong_call(text: str) -> None:
    with pytest.raises(UsageError, match="proxy"):
        parse_proxy(text)


def test_a_way_through_is_asked_for_with_credentials() -> None:
    asked = parse_proxy("http://me:pw@proxy.example").connect_request("site.example:443", "webkeep")
    assert asked.startswith(b"CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n")
    assert b"Proxy-Authorization: Basic bWU6cHc=\r\n\r\n" in asked


def test_headers_are_read_and_merged() -> None:
    assert parse_header("X-Key:  a: b ") == ("X-Key", "a: b")
    merged = curl_header_lines((("A", "1"), ("B", "1")), (("b", "2"), ("C", "2"), ("C", "3")), (("c", "4"),))
    assert merged == ["A: 1", "b: 2", "c: 4"]


@pytest.mark.parametrize("text", ["", "no colon", ": value", "two words: x", "X: a\nY: b", "é: x"])
def test_what_is_no_header_is_a_wrong_call(text: str) -> None:
    with pytest.raises(UsageError, match="header"):
        parse_header(text)
