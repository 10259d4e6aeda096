"""Ranges of bytes: asked for by Range, told of by Content-Range."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from webkeep.formats.http import ByteRange, ContentRange, UnsatisfiableRangeError, parse_content_range, parse_range


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("bytes=0-0", ByteRange(0, 0)),
        ("bytes=0-", ByteRange(0, 99)),
        ("bytes=90-200", ByteRange(90, 99)),
        ("bytes=-10", ByteRange(90, 99)),
        ("bytes=-1000", ByteRange(0, 99)),
        (" Bytes = 1 - 2 ", ByteRange(1, 2)),
        ("", None),
        ("bytes=-", None),
        ("bytes=2-1", None),
        ("bytes=0-1,2-3", None),
        ("bytes=x-", None),
        ("bytes=" + "9" * 30 + "-", None),
    ],
)
def test_ranges_are_read(field: str, found: ByteRange | None) -> None:
    assert parse_range(field, 100) == found


@pytest.mark.parametrize(("field", "whole"), [("bytes=100-", 100), ("bytes=-0", 100), ("bytes=0-", 0), ("bytes=-5", 0)])
def test_what_is_not_there_cannot_be_had(field: str, whole: int) -> None:
    with pytest.raises(UnsatisfiableRangeError):
        parse_range(field, whole)


@given(st.text(max_size=40), st.integers(0, 1000))
def test_odd_ranges_never_fail(text: str, size: int) -> None:
    for spelled in (text, f"bytes={text}"):
        with suppress(UnsatisfiableRangeError):
            part = parse_range(spelled, size)
            assert part is None or 0 <= part.first <= part.last < size
        parse_content_range(spelled)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 200))
def test_a_range_is_what_it_says(first: int, last: int, size: int) -> None:
    if last >= first >= size:
        with pytest.raises(UnsatisfiableRangeError):
            parse_range(f"bytes={first}-{last}", size)
        return
    part = parse_range(f"bytes={first}-{last}", size)
    if last < first:
        assert part is None
    else:
        assert part == ByteRange(first, min(size, last + 1) - 1)
        assert parse_content_range(part.content_range(size)) == ContentRange(part.first, part.last, size)


@pytest.mark.parametrize(
    ("field", "found", "whole"),
    [
        ("bytes 0-99/100", ContentRange(0, 99, 100), True),
        (" Bytes  0-100/100 ", ContentRange(0, 100, 100), True),
        ("bytes 1-99/100", ContentRange(1, 99, 100), False),
        ("bytes 0-98/100", ContentRange(0, 98, 100), False),
        ("bytes 0-99/*", ContentRange(0, 99, None), False),
    ],
    ids=["all", "one too many", "from the middle", "not to the end", "of unknown length"],
)
def test_parts_say_what_they_are(field: str, found: ContentRange, whole: bool) -> None:
    assert parse_content_range(field) == found
    assert found.is_whole == whole


@pytest.mark.parametrize(
    "field", ["", "bytes */100", "bytes 5-4/100", "items 0-1/2", "bytes 0-1", f"bytes 0-{'9' * 20}/*"]
)
def test_parts_that_say_nothing(field: str) -> None:
    assert parse_content_range(field) is None
