import pytest

from webkeep.replay.delivery.byte_range import ByteRange, UnsatisfiableRangeError, parse_range


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
