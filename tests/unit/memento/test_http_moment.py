import pytest

from webkeep.errors import UsageError
from webkeep.memento import format_http_date, parse_accept_datetime, truncate_to_second
from webkeep.model import Moment


@pytest.mark.parametrize(
    ("iso", "written"),
    [
        ("2007-05-31T20:35:00Z", "Thu, 31 May 2007 20:35:00 GMT"),
        ("1994-11-06T08:49:37.999999Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 GMT"),
        ("9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ],
)
def test_moments_are_written_in_the_one_form(iso: str, written: str) -> None:
    assert format_http_date(Moment.parse(iso)) == written
    assert parse_accept_datetime(written) == truncate_to_second(Moment.parse(iso))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2007-05-31T20:35:00Z",
        "20070531203500",
        "Thu, 31 May 2007 20:35:00",
        "Thu, 31 May 2007 20:35:00 UTC",
        "Thu, 31 May 2007 20:35:00 +0000",
        "thu, 31 may 2007 20:35:00 gmt",
        "Thursday, 31-May-07 20:35:00 GMT",
        "Thu May 31 20:35:00 2007",
        "Thu, 31 Feb 2007 20:35:00 GMT",
        "Thu, 31 May 2007 24:35:00 GMT",
        "Thu, 31 May 0000 20:35:00 GMT",
        "Thu, ٣١ May 2007 20:35:00 GMT",
        "Thu, 31 May 2007 20:35:00 GMT" * 1000,
    ],
)
def test_every_other_form_is_an_error_of_the_client(text: str) -> None:
    with pytest.raises(UsageError):
        parse_accept_datetime(text)


def test_blanks_around_it_and_a_leap_second_are_forgiven() -> None:
    assert parse_accept_datetime("  Sat, 31 Dec 2016 23:59:60 GMT\t") == Moment.parse("20161231235959")
