"""Lookup keys and ranges of them."""

import json
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.url import UrlMatch, key_range, parse_url_pattern, surt
from webkeep.url.surt_key_rules import complete_surt

DATA = Path(__file__).parents[2] / "data/url"
KEYS = json.loads((DATA / "keys.json").read_text())
RANGES = json.loads((DATA / "key_ranges.json").read_text())


@pytest.mark.parametrize("case", KEYS, ids=[ascii(case["url"]) for case in KEYS])
def test_keys(case: dict[str, str]) -> None:
    assert surt(case["url"]) == case["key"]
    assert "".join(complete_surt(case["url"])) == case["key"]


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.org:99999/A b", "http://example.org:99999/A%20b"),
        ("http://example.org:x/", "http://example.org:x/"),
        (" \t\n", "-"),
        ("http://example.org/\ud800", "org,example)/%ef%bf%bd"),
        ("filedesc://a b\n", "filedesc://a%20b"),
        ("http://256.1.1.1/", "1,1,1,256)/"),
        ("http://1.09.1.1/", "1,1,09,1)/"),
        ("http://" + "0" * 5000 + "2130706433/", "1,0,0,127)/"),
        ("http://" + "9" * 100_000 + "/", "255,255,255,255)/"),
    ],
)
def test_keys_where_other_tools_fail(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/%" + "25" * 200_000,
        "http://a.org/" + "%4" * 200_000 + "%31",
        "http://a.org/" + "../" * 100_000,
        "http://a.org/?" + "cfid=" * 100_000,
        "http://a.org/?" + "&cftoken=x" * 50_000,
        "http://a.org/x.aspx" + "/(s(abcdefghijklmnopqrstuvwx))" * 20_000 + "/%3F",
    ],
    ids=["nested escapes", "chained escapes", "dots", "cfid", "cftoken", "path sessions"],
)
def test_hostile_text_takes_no_square_of_its_length(url: str) -> None:
    # The suite's limit on time is the assertion: a square of these lengths takes hours.
    assert surt(url).startswith("org,a)/")


@pytest.mark.parametrize("case", RANGES, ids=[f"{case['match']} {case['url']}" for case in RANGES])
def test_ranges(case: dict[str, str]) -> None:
    assert key_range(case["url"], UrlMatch(case["match"])) == (case["low"], case["high"])


@pytest.mark.parametrize("match", [UrlMatch.HOST, UrlMatch.DOMAIN])
def test_only_hosts_have_ranges_of_hosts(match: UrlMatch) -> None:
    with pytest.raises(UsageError, match="has no host"):
        key_range("urn:x", match)


def test_nothing_has_no_range() -> None:
    with pytest.raises(UsageError, match="no URL"):
        key_range(" ", UrlMatch.EXACT)


@pytest.mark.parametrize(
    ("text", "url", "match"),
    [
        ("example.org/a", "example.org/a", UrlMatch.EXACT),
        ("example.org/a*", "example.org/a", UrlMatch.PREFIX),
        ("*.example.org", "example.org", UrlMatch.DOMAIN),
        ("*.example.org/*", "example.org/", UrlMatch.DOMAIN),
        ("localhost:8080/*", "http://localhost:8080/", UrlMatch.PREFIX),
        ("urn:x:*", "urn:x:", UrlMatch.PREFIX),
    ],
)
def test_patterns(text: str, url: str, match: UrlMatch) -> None:
    assert parse_url_pattern(text) == (url, match)
