"""robots.txt by RFC 9309: groups, the longest match, wildcards, delays, sitemaps; and held against protego."""

import itertools
import random

import pytest
from protego import Protego

from webkeep.formats.site import MAX_ROBOTS_BYTES, parse_robots

FILE = b"""\xef\xbb\xbf# a comment
User-agent: *
Disallow: /private/   # not for all
Allow: /private/open
Disallow: /*.zip$
Crawl-delay: 2.5

User-agent: Webkeep/1.0
User-agent: other
Disallow: /only
Sitemap: https://e.example/map.xml
Sitemap: /second.xml

User-Agent: WEBKEEP
Allow: /only/this
"""


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("/", True),
        ("", True),
        ("/private", True),
        ("/private/", False),
        ("/private/a", False),
        ("/private/open", True),
        ("/private/opened", True),
        ("/a.zip", False),
        ("/a.zip?x", True),
        ("/a/b.zip", False),
        ("/robots.txt", True),
        ("/pr%69vate/a", False),
    ],
)
def test_the_longest_rule_decides(target: str, allowed: bool) -> None:
    assert parse_robots(FILE).rules_for("somebody").allows(target) is allowed


def test_a_crawler_has_its_own_groups_joined_and_not_those_of_all() -> None:
    rules = parse_robots(FILE).rules_for("webkeep")
    assert rules.agent == "webkeep"
    assert rules.allows("/private/a")
    assert not rules.allows("/only")
    assert rules.allows("/only/this")
    assert rules.delay is None


def test_a_refusal_names_its_rule() -> None:
    rule = parse_robots(FILE).rules_for("somebody").deciding_rule("/private/x")
    assert str(rule) == "Disallow: /private/ (line 3)"


def test_delays_and_sitemaps() -> None:
    robots = parse_robots(FILE)
    assert robots.rules_for("somebody").delay == 2.5
    assert robots.sitemaps == ("https://e.example/map.xml", "/second.xml")
    assert parse_robots(b"User-agent: *\nCrawl-delay: 99999999").rules_for("x").delay == 99999999
    assert parse_robots(b"User-agent: *\nCrawl-delay: soon").rules_for("x").delay is None


@pytest.mark.parametrize(
    ("pattern", "target", "fits"),
    [
        ("/a*c", "/abc", True),
        ("/a*c", "/abd", False),
        ("/a*c$", "/abcd", False),
        ("/a*c$", "/abcdc", True),
        ("/*", "/", True),
        ("*/b", "/a/b/c", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/$", "/", True),
        ("/a**b", "/axb", True),
        ("/é", "/%C3%A9", True),
        ("/%c3%a9", "/é", True),
        ("/%7Ejoe", "/~joe", True),
        ("/a%2Fb", "/a/b", False),
        ("/ab*ab$", "/ab", False),
    ],
)
def test_patterns(pattern: str, target: str, fits: bool) -> None:
    rules = parse_robots(f"User-agent: *\nDisallow: {pattern}".encode()).rules_for("x")
    assert rules.allows(target) is not fits


def test_of_two_rules_as_long_the_one_that_allows_counts() -> None:
    assert parse_robots(b"User-agent: *\nDisallow: /a\nAllow: /a").rules_for("x").allows("/ab")


def test_careless_files_are_understood() -> None:
    robots = parse_robots(b"useragent: *\r\nDissallow /a\rdisallow:/b\ndisallow:\nUser agent: z\nDisallow: /")
    rules = robots.rules_for("x")
    assert [rules.allows(target) for target in ("/a", "/b", "/c")] == [False, False, True]
    assert not robots.rules_for("z").allows("/c")


def test_rules_before_any_group_and_of_an_empty_file_count_for_nobody() -> None:
    assert parse_robots(b"Disallow: /\nUser-agent: x\nAllow: /").rules_for("y").allows("/")
    assert parse_robots(b"").rules_for("y").allows("/")


def test_what_lies_beyond_the_bound_is_not_read() -> None:
    content = b"User-agent: *\n" + b"#" * MAX_ROBOTS_BYTES + b"\nDisallow: /"
    assert parse_robots(content).rules_for("x").allows("/a")


def test_a_pattern_of_stars_is_matched_without_going_back() -> None:
    pattern = "/" + "*a" * 500 + "*b"
    rules = parse_robots(f"User-agent: *\nDisallow: {pattern}".encode()).rules_for("x")
    assert rules.allows("/" + "a" * 20_000)


def test_decisions_agree_with_protego() -> None:
    chance = random.Random(9309)
    pieces = ["/", "a", "b", "*", "/a", "/b", "%7E", "?q=1", "$"]
    targets = ["/" + "".join(parts) for parts in itertools.product(["", "a", "b/", "~", "?q=1"], repeat=3)]
    for _ in range(300):
        lines = ["User-agent: *"]
        for _ in range(chance.randrange(1, 6)):
            pattern = "/" + "".join(chance.choices(pieces[:-1], k=chance.randrange(4))) + chance.choice(["", "", "$"])
            lines.append(f"{chance.choice(['Allow', 'Disallow'])}: {pattern}")
        text = "\n".join(lines)
        ours, theirs = parse_robots(text.encode()).rules_for("webkeep"), Protego.parse(text)
        for target in targets:
            assert ours.allows(target) == theirs.can_fetch(f"https://e.example{target}", "webkeep"), (text, target)
