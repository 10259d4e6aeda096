"""Laws of HTTP dates: what is written is read again, and no text is an error."""

from datetime import UTC, datetime
from email.utils import format_datetime

from hypothesis import given, strategies as st

from webkeep.formats.http import parse_http_date
from webkeep.model import Moment

WORDS = st.sampled_from(["Mon,", "Jan", "-", ":", "+", ",", " ", "GMT", "00:00:00", "2020", "-0000", "1", "9" * 20])


@given(st.lists(WORDS | st.text(max_size=4), max_size=12).map("".join))
def test_any_text_is_a_writable_moment_or_none(text: str) -> None:
    read = parse_http_date(text)
    assert read is None or read.iso().endswith("Z")


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31)))
def test_what_is_written_is_read_again(when: datetime) -> None:
    second = when.replace(microsecond=0, tzinfo=UTC)
    assert parse_http_date(format_datetime(second, usegmt=True)) == Moment.from_datetime(second)
