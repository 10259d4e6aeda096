"""SURT forms and prefixes."""

import json
from pathlib import Path

import pytest

from webkeep.url.surt_prefix import SurtPrefixes, build_surt_form, build_surt_prefix

PREFIXES = json.loads((Path(__file__).parents[2] / "data/url/surt_prefixes.json").read_text())


@pytest.mark.parametrize("case", PREFIXES, ids=[case["url"] for case in PREFIXES])
def test_forms_and_prefixes(case: dict[str, str]) -> None:
    assert build_surt_form(case["url"]) == case["form"]
    assert build_surt_prefix(case["url"]) == case["prefix"]


def test_a_prefix_without_slash_takes_in_subdomains() -> None:
    below = SurtPrefixes([build_surt_prefix("http://example.org")])
    assert below.covers("http://example.org/x")
    assert below.covers("http://a.b.example.org/x")
    assert not below.covers("http://example.org.uk/x")
    assert not below.covers("http://examples.org/x")


def test_a_prefix_with_slash_takes_in_a_directory() -> None:
    directory = SurtPrefixes([build_surt_prefix("http://example.org/a/page")])
    assert directory.covers("http://example.org/a/other/x")
    assert not directory.covers("http://example.org/ab")
    assert not directory.covers("http://www.example.org/a/x")


def test_the_widest_of_nested_prefixes_is_found() -> None:
    prefixes = SurtPrefixes(
        ["http://(org,example,)/a/", "http://(org,example,", "http://(net,", "http://(org,example,)/a/b/"]
    )
    assert prefixes.find_prefix("http://(org,example,)/a/b/c") == "http://(org,example,"
    assert prefixes.find_prefix("http://(org,") is None
    assert SurtPrefixes([]).find_prefix("http://(org,") is None
