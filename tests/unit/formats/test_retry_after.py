"""Retry-After and Content-Length, as servers write them."""

import pytest

from webkeep.formats.http import declared_length, parse_retry_after
from webkeep.model import Headers, Moment

TEN_YEARS = 10 * 365 * 86400.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120),
        ("Wed, 01 Jan 2020 12:01:00 GMT", 60),
        ("Wed, 01 Jan 2020 11:00:00 GMT", 0),
        ("Fri, 01 Jan 2100 11:00:00 GMT", TEN_YEARS),
        ("9" * 400, TEN_YEARS),
        ("١٢", None),
        ("soon", None),
        ("", None),
    ],
    ids=["seconds", "date", "past", "far", "long", "other digits", "nonsense", "none"],
)
def test_retry_after_by_the_clock_of_the_server(text: str, seconds: float | None) -> None:
    headers = Headers((("Retry-After", text), ("Date", "Wed, 01 Jan 2020 12:00:00 GMT")))
    assert parse_retry_after(headers, Moment.parse("2030")) == seconds


def test_retry_after_by_our_clock_where_the_server_names_no_time() -> None:
    headers = Headers((("Retry-After", "Wed, 01 Jan 2020 12:01:00 GMT"),))
    assert parse_retry_after(headers, Moment.parse("2020-01-01T12:00:30Z")) == 30


@pytest.mark.parametrize(
    ("text", "length"), [("0", 0), (" 12 ", 12), ("", None), ("-1", None), ("1e3", None), ("9" * 19, None), ("²", None)]
)
def test_lengths(text: str, length: int | None) -> None:
    assert declared_length(Headers((("Content-Length", text),))) == length
