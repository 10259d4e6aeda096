"""Index entries as lines of CDXJ."""

import json

import pytest

from webkeep.model import Moment, RecordPlace
from webkeep.store.index import IndexEntry, cdx_line, cdx_lines
from webkeep.url import surt

NOON = Moment.parse("2024-03-01T12:00:00.75Z")


def entry(url: str = "http://example.org/a", file: str = "a.warc.gz", post: str = "", offset: int = 7) -> IndexEntry:
    place = RecordPlace(file, offset, 100)
    return IndexEntry(surt(url), NOON, place, url, "response", 200, "text/html", "sha1:ABC", post)


def test_a_line() -> None:
    key, timestamp, rest = str(cdx_line(entry())).split(" ", 2)
    assert (key, timestamp) == ("org,example)/a", "20240301120000")
    assert rest == json.dumps(
        {
            "url": "http://example.org/a",
            "mime": "text/html",
            "status": "200",
            "digest": "sha1:ABC",
            "length": "100",
            "offset": "7",
            "filename": "a.warc.gz",
        }
    )


def test_what_is_not_known_is_not_written() -> None:
    bare = IndexEntry("k", NOON, RecordPlace("a.warc.gz", 0, 1), "urn:x", "resource", None, "", "")
    assert set(cdx_line(bare).fields()) == {"url", "length", "offset", "filename"}


@pytest.mark.parametrize(("file", "length"), [("a.warc.gz", 100), ("a.warc.zst", 100), ("a.warc", 96)])
def test_lengths_of_plain_records_leave_out_what_stands_between_them(file: str, length: int) -> None:
    assert cdx_line(entry(file=file)).length == length


def test_keys_of_requests_with_a_body() -> None:
    asked = entry("http://example.org/form?x=1", post="__wb_method=POST&b=2&a=1")
    assert cdx_line(asked).key == "org,example)/form?x=1"
    line = cdx_line(asked, post=True)
    assert line.key == "org,example)/form?__wb_method=post&a=1&b=2&x=1"
    assert dict(line.extra) == {"requestBody": "b=2&a=1", "method": "POST"}
    assert dict(cdx_line(entry(), post=True).extra) == {}


@pytest.mark.parametrize("post", [False, True])
def test_lines_come_in_the_order_of_their_bytes(post: bool) -> None:
    urls = ["http://example.org/", "http://example.org/a", "http://example.org/a?b", "http://example.org/ä", "urn:x"]
    entries = [entry(url, offset=offset) for url in urls for offset in (30, 7, 100)]
    entries += [entry("http://example.org/a", post="__wb_method=POST&z=1"), entry("http://example.org/a?c", offset=1)]
    lines = list(cdx_lines(sorted(entries, key=lambda each: each.key), post))
    assert lines == sorted(lines, key=str.encode)
    assert len(lines) == len(entries)
