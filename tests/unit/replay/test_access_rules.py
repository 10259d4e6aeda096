import base64
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.replay.choice import secret_label
from webkeep.replay.choice.access_rules import AccessRules, ServerPassword, parse_rule_options, read_rule_file
from webkeep.url import surt

NOW = Moment.parse("20240601")


def shows(access: AccessRules, url: str, at: str) -> bool:
    return access.allows(surt(url), Moment.parse(at), NOW)


def test_the_first_rule_that_concerns_a_version_decides() -> None:
    access = parse_rule_options(["allow:example.org/open*", "block:example.org", "embargo:30:*.example.net"], NOW)
    assert shows(access, "http://example.org/open/a", "2020")
    assert not shows(access, "http://example.org/closed", "2020")
    assert not shows(access, "http://sub.example.net/", "20240520")
    assert shows(access, "http://sub.example.net/", "20240101")
    assert shows(access, "http://elsewhere.example/", "2024")


def test_a_file_of_rules_knows_times(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text('[[rule]]\naccess = "block"\nfrom = "2019"\nuntil = "2020"\n')
    access = read_rule_file(path, NOW)
    assert shows(access, "http://example.org/", "2018")
    assert not shows(access, "http://example.org/", "20190601")
    assert not shows(access, "http://example.org/", "20201231235959"), "until a year is until its end"
    assert shows(access, "http://example.org/", "2021")


@pytest.mark.parametrize(
    ("pattern", "hidden"),
    [
        ("example.org", ["", "a", "a/b"]),
        ("http://example.org", ["", "a", "a/b"]),
        ("example.org/a", ["a"]),
        ("http://example.org/a", ["a"]),
        ("example.org/a*", ["a", "a/b"]),
        ("example.org/", [""]),
    ],
)
def test_a_rule_is_about_a_host_a_url_or_a_prefix(pattern: str, hidden: list[str]) -> None:
    access = parse_rule_options([f"block:{pattern}"], NOW)
    paths = [path for path in ("", "a", "a/b") if not access.allows(surt(f"http://example.org/{path}"), NOW, NOW)]
    assert paths == hidden


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "rule = 1",
        "a = 1",
        "[[rule]]\naccess = 'maybe'",
        "[[rule]]\naccess = 'block'\ndays = 3",
        "[[rule]]\naccess = 'embargo'",
        "[[rule]]\naccess = 'block'\ncolour = 'red'",
        "[[rule]]\naccess = 'block'\nfrom = 'someday'",
    ],
)
def test_a_file_that_means_nothing_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(UsageError):
        read_rule_file(path, NOW)


@pytest.mark.parametrize("text", ["", "block", "maybe:x", "embargo:example.org", "embargo:x:example.org"])
def test_a_rule_that_means_nothing_is_told(text: str) -> None:
    with pytest.raises(UsageError):
        parse_rule_options([text], NOW)


@pytest.mark.parametrize(
    ("field", "right"),
    [
        ("Basic " + base64.b64encode("any:pässword".encode()).decode(), True),
        ("basic " + base64.b64encode("x:pässword".encode()).decode(), True),
        ("Basic " + base64.b64encode(b"any:wrong").decode(), False),
        ("Basic !!!", False),
        ("Bearer x", False),
        ("", False),
    ],
)
def test_a_password_is_known_by_itself(field: str, right: bool) -> None:
    assert ServerPassword("pässword").matches(field) is right


def test_a_secret_label_is_a_label_and_differs_by_salt() -> None:
    label = secret_label("x", b"1")
    assert label.isalnum()
    assert len(label) < 40
    assert label != secret_label("x", b"2")
