"""A transfer that breaks off is continued, and what came is kept as it came, part by part."""

from pathlib import Path

import pytest
from fetcher_calls import fetch, wire
from raw_server import Cut, Held, RawServer

from webkeep.fetch import FetchFailure, FetchLimits, FetchRequest
from webkeep.formats.http import join_ranges
from webkeep.redaction import Redactor

BODY = bytes(range(256)) * 4
FIELDS = b'ETag: "v1"\r\nAccept-Ranges: bytes\r\n'
WHOLE = b"HTTP/1.1 200 OK\r\n%sContent-Length: 1024\r\n\r\n" % FIELDS


def rest(start: int, end: int = 1024, fields: bytes = b'ETag: "v1"\r\n', total: int = 1024) -> bytes:
    return (
        b"HTTP/1.1 206 Partial Content\r\n%sContent-Range: bytes %d-%d/%d\r\nContent-Length: %d\r\n\r\n"
        % (fields, start, total - 1, total, total - start)
        + BODY[start:end]
    )


def test_the_rest_is_asked_for_and_kept_beside_what_came(tmp_path: Path) -> None:
    answers = [WHOLE + BODY[:100], rest(100, 600), rest(600)]
    with RawServer(*map(Cut, answers)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, headers=(("X-Mine", "1"),), private=True))
    assert fetched.is_whole
    assert fetched.request_count == 3
    assert [wire(part) for part in fetched.parts] == answers
    assert fetched.exchange is fetched.parts[0]
    assert [part.truncated for part in fetched.parts] == ["disconnect", "disconnect", ""]
    assert b"Range: bytes=600-\r\n" in server.received[2]
    assert b'If-Range: "v1"\r\n' in server.received[2]
    assert b"X-Mine: 1\r\n" in server.received[2]
    assert fetched.request.headers == (("X-Mine", "1"),)
    payload = join_ranges(fetched.parts)
    assert payload is not None
    assert b"".join(payload.body.chunks()) == BODY


def test_a_server_that_begins_anew_counts(tmp_path: Path) -> None:
    anew = WHOLE.replace(b"v1", b"v2") + BODY[::-1]
    with RawServer(Cut(WHOLE + BODY[:100]), Cut(anew)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.is_whole
    assert [wire(part) for part in fetched.parts] == [WHOLE + BODY[:100], anew]
    assert fetched.exchange is fetched.parts[1]


def test_one_that_begins_anew_and_breaks_off_is_continued_from_there(tmp_path: Path) -> None:
    anew = WHOLE.replace(b"v1", b"v2") + BODY[:50]
    with RawServer(Cut(WHOLE + BODY[:100]), Cut(anew), rest(50, fields=b'ETag: "v2"\r\n')) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.is_whole
    assert b'bytes=50-\r\nIf-Range: "v2"\r\n' in server.received[2]
    payload = join_ranges(fetched.parts[1:])
    assert payload is not None
    assert payload.is_whole


def test_it_is_tried_twice_and_no_more(tmp_path: Path) -> None:
    with RawServer(Cut(WHOLE + BODY[:10]), *(Cut(rest(at, at + 10)) for at in range(10, 100, 10))) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert fetched.request_count == 3
    assert len(fetched.parts) == 3
    assert len(server.received) == 3


@pytest.mark.parametrize(
    "answer",
    [
        rest(100, fields=b'ETag: "v2"\r\n'),
        rest(200),
        rest(100, total=1000),
        b"HTTP/1.1 416 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        b"",
    ],
    ids=["another version", "a gap", "another length", "416", "503", "nothing"],
)
def test_what_does_not_fit_is_left_out(tmp_path: Path, answer: bytes) -> None:
    with RawServer(Cut(WHOLE + BODY[:100]), Cut(answer), Cut(rest(100))) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert "not continued" in fetched.detail
    assert [wire(part) for part in fetched.parts] == [WHOLE + BODY[:100]]
    assert fetched.request_count == len(server.received)


DATES = b"Date: Fri, 01 Mar 2024 12:00:00 GMT\r\nLast-Modified: Fri, 01 Mar 2024 11:00:00 GMT\r\n"


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        (DATES, 2),
        (b'ETag: W/"v1"\r\n' + DATES, 1),
        (b"Last-Modified: Fri, 01 Mar 2024 11:00:00 GMT\r\n", 1),
        (DATES.replace(b"11:00", b"12:00"), 1),
        (DATES.replace(b"2024 11", b"99999999999 11"), 1),
        (DATES.replace(b"GMT", b"-0000", 1), 2),
        (b'ETag: "v1"\r\nAccept-Ranges: none\r\n', 1),
        (b"", 1),
    ],
)
def test_only_a_version_that_can_be_told_apart_is_continued(tmp_path: Path, fields: bytes, asked: int) -> None:
    broken = b"HTTP/1.1 200 OK\r\n%sContent-Length: 1024\r\n\r\n" % fields + BODY[:100]
    with RawServer(Cut(broken), Cut(rest(100, fields=b""))) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert len(server.received) == asked
    assert fetched.is_whole is (asked == 2)


@pytest.mark.parametrize(
    "broken",
    [
        b'HTTP/1.1 404 No\r\nETag: "v1"\r\nContent-Length: 1024\r\n\r\nshort',
        b'HTTP/1.1 200 OK\r\nETag: "v1"\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nshort',
        WHOLE,
    ],
    ids=["no success", "chunked", "no body yet"],
)
def test_other_broken_answers_are_left_as_they_are(tmp_path: Path, broken: bytes) -> None:
    with RawServer(Cut(broken), Cut(rest(5))) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True))
    assert fetched.failure is FetchFailure.DISCONNECTED
    assert wire(fetched.exchange) == broken
    assert len(server.received) == 1


def test_a_silent_server_is_not_asked_for_the_rest(tmp_path: Path) -> None:
    with RawServer(Held(WHOLE + BODY[:100]), rest(100)) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(seconds=0.3)))
    assert fetched.failure is FetchFailure.TIMEOUT
    assert len(server.received) == 1


def test_a_limit_of_size_is_for_all_parts(tmp_path: Path) -> None:
    with RawServer(Cut(WHOLE + BODY[:100]), Cut(rest(100))) as server:
        (fetched,) = fetch(tmp_path, FetchRequest(server.url, private=True, limits=FetchLimits(size=500)))
    assert fetched.failure is FetchFailure.TOO_LARGE
    assert [part.body.size for part in fetched.parts] == [100, 400]


def test_the_parts_keep_credentials_out_of_records(tmp_path: Path) -> None:
    asked = b'HTTP/1.1 401 Who?\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    with RawServer(asked, Cut(WHOLE + BODY[:100]), rest(100)) as server:
        request = FetchRequest(server.url.replace("//", "//me:secret@"), private=True)
        (fetched,) = fetch(tmp_path, request)
    assert fetched.is_whole
    assert fetched.request_count == 3
    for part, sent in zip(fetched.parts, server.received[1:], strict=True):
        assert b"Authorization: Basic " in sent
        assert b"Authorization: [redacted]\r\n" in Redactor().redact(part).exchange.request
