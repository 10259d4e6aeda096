from datetime import UTC, datetime, timedelta, timezone

import pytest

from webkeep.errors import UsageError
from webkeep.model import Moment, parse_moment

NOON = Moment.parse("2024-03-01T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024", "2024-01-01T00:00:00Z"),
        ("2024-03", "2024-03-01T00:00:00Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        (" 2024-03-01T12:00 ", "2024-03-01T12:00:00Z"),
        ("2024-03-01 12:00:07", "2024-03-01T12:00:07Z"),
        ("2024-03-01T12:00:07.5Z", "2024-03-01T12:00:07.500000Z"),
        ("2024-03-01T12:00:07,123456789Z", "2024-03-01T12:00:07.123456Z"),
        ("2024-03-01T12:00:00+02:00", "2024-03-01T10:00:00Z"),
        ("2024-03-01T12:00:00-0530", "2024-03-01T17:30:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("20240301120007", "2024-03-01T12:00:07Z"),
        ("20240301120007123", "2024-03-01T12:00:07.123000Z"),
        ("202403", "2024-03-01T00:00:00Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
    ],
)
def test_spellings(text: str, iso: str) -> None:
    moment = Moment.parse(text)
    assert moment.iso() == str(moment) == iso
    assert Moment.parse(moment.iso()) == moment
    assert Moment.parse(moment.digits()).micros == moment.micros // 1_000_000 * 1_000_000


@pytest.mark.parametrize(
    "text", ["", "now-ish", "2024-13", "2023-02-29", "2024-03-01T25:00", "123", "²⁰²⁴", "0000", "2024-3-1", "20241301"]
)
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(UsageError, match="not a moment"):
        Moment.parse(text)


def test_datetimes() -> None:
    assert Moment.from_datetime(datetime(2024, 3, 1, 12, tzinfo=UTC)) == NOON
    assert Moment.from_datetime(datetime(2024, 3, 1, 12)) == NOON
    assert Moment.from_datetime(datetime(2024, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))) == NOON
    assert NOON.datetime == datetime(2024, 3, 1, 12, tzinfo=UTC)


def test_arithmetic_and_order() -> None:
    assert NOON.plus(0.000001).micros == NOON.micros + 1
    assert NOON.plus(-3600).iso() == "2024-03-01T11:00:00Z"
    assert NOON.plus(90).seconds_since(NOON) == 90
    assert sorted([NOON, NOON.plus(-1), NOON.plus(1)]) == [NOON.plus(-1), NOON, NOON.plus(1)]


@pytest.mark.parametrize(
    ("words", "iso"),
    [
        ("now", "2024-03-01T12:00:00Z"),
        ("Today", "2024-03-01T00:00:00Z"),
        (" yesterday ", "2024-02-29T00:00:00Z"),
        ("3 days ago", "2024-02-27T12:00:00Z"),
        ("1 hour ago", "2024-03-01T11:00:00Z"),
        ("90 seconds ago", "2024-03-01T11:58:30Z"),
        ("2 weeks ago", "2024-02-16T12:00:00Z"),
        ("2024-02", "2024-02-01T00:00:00Z"),
    ],
)
def test_as_a_person_would_write(words: str, iso: str) -> None:
    assert parse_moment(words, NOON).iso() == iso


def test_words_that_mean_nothing() -> None:
    with pytest.raises(UsageError, match="not a moment"):
        parse_moment("last christmas", NOON)
