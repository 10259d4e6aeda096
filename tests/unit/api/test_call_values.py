"""Paths and moments as programs give them, and which part of an archive is meant."""

from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from webkeep.api.arguments.call_values import read_path, read_paths
from webkeep.api.arguments.selections import SelectionRequest
from webkeep.errors import UsageError
from webkeep.model import Moment, parse_period_end, read_moment

NOW = Moment.parse("2026-01-15T12:00:00Z")


def test_paths_are_texts_or_objects() -> None:
    assert read_path("a/b") == read_path(Path("a/b")) == Path("a/b")


def test_a_single_path_may_stand_for_a_list() -> None:
    assert read_paths("a/b") == read_paths(Path("a/b")) == read_paths(iter(["a/b"])) == [Path("a/b")]


@pytest.mark.parametrize("value", ["", "  ", None, 5, b"a"])
def test_what_is_no_path_is_told(value: Any) -> None:
    with pytest.raises(UsageError, match=r"name a place|give a text or a Path"):
        read_path(value)


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-01",
        Moment.parse("2024-03-01"),
        date(2024, 3, 1),
        datetime(2024, 3, 1, tzinfo=UTC),
        datetime(2024, 3, 1),
        datetime(2024, 3, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_moments_are_of_several_types(value: Any) -> None:
    assert read_moment(value, NOW) == Moment.parse("2024-03-01")


def test_a_text_may_name_a_period() -> None:
    assert read_moment("2024-03", NOW, parse_period_end) == Moment.parse("2024-03-31T23:59:59.999999Z")
    assert read_moment(date(2024, 3, 31), NOW, parse_period_end) == Moment.parse("2024-03-31T23:59:59.999999Z")
    assert read_moment(None, NOW) is None


@pytest.mark.parametrize("value", [5, 2024.5, b"2024"])
def test_what_is_no_moment_is_told(value: Any) -> None:
    with pytest.raises(UsageError, match="is no moment; give a Moment, a datetime, or a text"):
        read_moment(value, NOW)


def test_a_match_that_is_none_is_told() -> None:
    with pytest.raises(UsageError, match="--match cannot be 'sort of'; it may be exact, prefix, host, domain"):
        SelectionRequest("example.org", "sort of")
    with pytest.raises(UsageError, match="the URL is empty; give it a value or leave it out"):
        SelectionRequest(" ")
