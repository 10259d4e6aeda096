"""Parts of one whole, joined for reading."""

import pytest

from webkeep.formats.http import join_ranges
from webkeep.model import BytesBody, Exchange, Moment

BODY = b"0123456789"


def first(data: bytes, fields: str = 'ETag: "1"\r\nContent-Length: 10\r\n') -> Exchange:
    return Exchange("http://x/", Moment(0), f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode(), BytesBody(data))


def rest(data: bytes, content_range: str, fields: str = "") -> Exchange:
    head = f"HTTP/1.1 206 Partial Content\r\nContent-Range: {content_range}\r\n{fields}\r\n"
    return Exchange("http://x/", Moment(1), head.encode(), BytesBody(data))


@pytest.mark.parametrize(
    "parts",
    [
        [first(BODY)],
        [first(BODY[:4]), rest(BODY[4:], "bytes 4-9/10", 'ETag: "1"\r\n')],
        [first(BODY[:4]), rest(BODY[4:6], "bytes 4-9/10"), rest(BODY[6:], "bytes 6-9/*")],
        [first(BODY[:6]), rest(BODY[2:], "bytes 2-9/10")],
        [first(BODY[:6]), rest(BODY[2:4], "bytes 2-3/10"), rest(BODY[5:], "Bytes  5-9/10")],
        [rest(BODY[:5], "bytes 0-4/10"), rest(BODY[5:], "bytes 5-9/10")],
        [first(BODY + b"beyond")],
        [first(b""), rest(BODY, "bytes 0-9/10")],
    ],
)
def test_parts_that_fit(parts: list[Exchange]) -> None:
    whole = join_ranges(parts)
    assert whole is not None
    assert whole.is_whole
    for start in range(12):
        assert b"".join(whole.body.chunks(start)) == BODY[start:]


def test_what_is_still_missing_is_told() -> None:
    whole = join_ranges([first(BODY[:4]), rest(BODY[4:6], "bytes 4-9/10")])
    assert whole is not None
    assert not whole.is_whole
    assert (whole.body.size, whole.length) == (6, 10)
    unknown = join_ranges([first(BODY, "")])
    assert unknown is not None
    assert not unknown.is_whole


@pytest.mark.parametrize(
    "later",
    [
        rest(BODY[5:], "bytes 5-9/10"),
        rest(BODY[4:], "bytes 4-9/11"),
        rest(BODY[4:], "bytes 4-9/10", 'ETag: "2"\r\n'),
        rest(BODY[4:], "bytes 4-9/10", "Content-Encoding: gzip\r\nETag: W/1\r\n"),
        rest(BODY[4:], "bytes 4-9/10", "Transfer-Encoding: chunked\r\n"),
        rest(BODY[4:], "bytes 9-4/10"),
        rest(BODY[4:], "bytes 4-10/10"),
        rest(BODY[4:], "bytes */10"),
        rest(BODY[4:], "lines 4-9/10"),
        rest(BODY[4:], "bytes 4-" + "9" * 5000 + "/10"),
        rest(BODY[4:], ""),
        Exchange("http://x/", Moment(1), b"HTTP/1.1 416 No\r\n\r\n"),
        Exchange("http://x/", Moment(1), b"", BytesBody(BODY[4:])),
    ],
    ids=[
        "gap",
        "length",
        "etag",
        "coding",
        "chunked",
        "backwards",
        "beyond",
        "none",
        "unit",
        "huge",
        "bare",
        "416",
        "0.9",
    ],
)
def test_parts_that_do_not_fit(later: Exchange) -> None:
    assert join_ranges([first(BODY[:4]), later]) is None


def test_nothing_is_no_whole() -> None:
    assert join_ranges([]) is None
