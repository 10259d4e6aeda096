"""Reading and joining URLs as a browser does."""

import json
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.url import Url, normalize_url, parse_seed, parse_url, resolve_url, split_url
from webkeep.url.whatwg_url import MAX_URL_CHARS

JOINS = json.loads((Path(__file__).parents[2] / "data/url/joins.json").read_text())


@pytest.mark.parametrize("case", JOINS, ids=[case["why"] + ": " + ascii(case["ref"]) for case in JOINS])
def test_joins(case: dict[str, str]) -> None:
    assert resolve_url(case["base"], case["ref"]) == case["url"]


def test_a_url_has_parts() -> None:
    url = parse_url("HTTPS://User:pw@BÜCHER.example:8443/a b/../c?x=1#y")
    assert url == Url(
        "https://User:pw@xn--bcher-kva.example:8443/c?x=1#y",
        "https", "User:pw", "xn--bcher-kva.example", 8443, "/c", "?x=1", "#y",
    )  # fmt: skip
    assert (url.authority, url.origin) == ("xn--bcher-kva.example:8443", "https://xn--bcher-kva.example:8443")
    assert (url.target, url.effective_port, str(url)) == ("/c?x=1", 8443, url.href)


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("http://a.org", 80),
        ("https://a.org", 443),
        ("ftp://a.org", 21),
        ("http://[::1]:81", 81),
        ("mailto:a@b.org", None),
    ],
)
def test_the_port_to_connect_to(text: str, port: int | None) -> None:
    assert parse_url(text).effective_port == port


def test_an_empty_query_is_not_none() -> None:
    assert [parse_url(text).query for text in ("http://a.org/", "http://a.org/?")] == ["", "?"]


@pytest.mark.parametrize("text", ["", "example.org", "http://", "http://a b/", "//example.org/", "http://[::1", "\0"])
def test_what_is_no_url_is_an_error_of_the_caller(text: str) -> None:
    assert normalize_url(text) is None
    with pytest.raises(UsageError, match="not a URL"):
        parse_url(text)


def test_an_error_shows_a_long_text_in_part() -> None:
    with pytest.raises(UsageError) as caught:
        parse_url("x" * 100_000)
    assert len(str(caught.value)) < 400


def test_split_takes_normal_forms_only() -> None:
    with pytest.raises(UsageError, match="parse first"):
        split_url("Example.org")


def test_text_beyond_the_limit_is_no_url() -> None:
    long = "http://a.org/" + "x" * (MAX_URL_CHARS - 13)
    assert normalize_url(long) == long
    assert normalize_url(long + "x") is None
    assert resolve_url("http://a.org/", "x" * (MAX_URL_CHARS + 1)) is None


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert normalize_url("http://a.org/\ud800") == "http://a.org/%EF%BF%BD"
    assert resolve_url("http://a.org/\udc00", "?\ud83d\ude00\ud83d") == "http://a.org/%EF%BF%BD?%F0%9F%98%80%EF%BF%BD"
    assert resolve_url("http://a.org/", "http://\ud800 /") is None


@pytest.mark.parametrize(
    ("ref", "encoding", "url"),
    [
        ("é?é#é", "windows-1252", "http://a.org/%C3%A9?%E9#%C3%A9"),
        ("?日é", "shift_jis", "http://a.org/?%93%FA%26%23233%3B"),
        ("?ソ", "shift_jis", "http://a.org/?%83\\"),
        ("?日本x", "iso2022_jp", "http://a.org/?%1B$BF|K\\%1B(Bx"),
        ("?é", "utf-16", "http://a.org/?%C3%A9"),
        ("?é", "no such encoding", "http://a.org/?%C3%A9"),
        ("?é", "nul\0", "http://a.org/?%C3%A9"),
        ("?\ud800", "latin-1", "http://a.org/?%26%2365533%3B"),
        ("é#?é", "latin-1", "http://a.org/%C3%A9#?%C3%A9"),
        ("ws://a.org/?é", "latin-1", "ws://a.org/?%C3%A9"),
        ("mailto:x?é", "latin-1", "mailto:x?%C3%A9"),
        ("http://a b/?é", "latin-1", None),
    ],
)
def test_queries_are_spelled_in_the_encoding_of_their_page(ref: str, encoding: str, url: str | None) -> None:
    assert resolve_url("http://a.org/", ref, encoding) == url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org", "http://example.org/"),
        (" Example.org/a#b ", "http://example.org/a"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("https://example.org", "https://example.org/"),
        ("https:example.org", "https://example.org/"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
    ],
)
def test_seeds_are_read_as_people_type_them(text: str, url: str) -> None:
    assert parse_seed(text) == url


@pytest.mark.parametrize(
    "text", ["", "   ", "mailto:a@b.org", "ftp://example.org/", "javascript:alert(1)", "a b", "\ud800 "]
)
def test_seeds_are_web_addresses(text: str) -> None:
    with pytest.raises(UsageError, match="not a web address"):
        parse_seed(text)
