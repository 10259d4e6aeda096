"""HTTP dates are read in all their forms, and what is no date is no error."""

import pytest

from webkeep.formats.http import parse_http_date
from webkeep.model import Moment

NOVEMBER = Moment.parse("1994-11-06T08:49:37Z")


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 -0000",
        "Sun, 06 Nov 1994 10:49:37 +0200",
        "6 Nov 1994 08:49:37",
        "  Sun, 06 Nov 1994 08:49:37 GMT  ",
    ],
)
def test_one_moment_in_all_its_forms(text: str) -> None:
    assert parse_http_date(text) == NOVEMBER


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "x",
        "-Nov-94 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
        "Mon, 01 Jan 2020 99999999999999:00:00 GMT",
        "Mon, 01 Jan 2020 00:00:00 +99999999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 -2300",
        "Mon, 01 Jan 2020 00:00:00 GMT" + " " * 10_000,
        "Mon, 01 Jan " + "9" * 5000 + " 00:00:00 GMT",
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_http_date(text) is None


def test_the_last_second_that_can_be_written_is_read() -> None:
    last = parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT")
    assert last is not None
    assert last.iso() == "9999-12-31T23:59:59Z"
