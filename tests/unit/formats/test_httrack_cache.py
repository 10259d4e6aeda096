"""HTTrack's cache, as it is and as it should not be."""

import io
import struct
import zlib

import pytest
from hypothesis import given, settings, strategies as st

from webkeep.errors import FormatError
from webkeep.formats import HttrackResponse, read_httrack_cache


def cache(*entries: tuple[str, bytes, bytes]) -> bytes:
    """A cache of URLs, heads and contents, written as HTTrack does: heads in the local headers alone."""
    local, central = b"", b""
    for url, head, content in entries:
        name, packer = url.encode(), zlib.compressobj(wbits=-15)
        packed = packer.compress(content) + packer.flush()
        shared = struct.pack(
            "<HHHHHIIIH", 20, 0, 8, 0, 0x5861, zlib.crc32(content), len(packed), len(content), len(name)
        )
        central += b"PK\1\2\0\0" + shared + struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(local)) + name
        local += b"PK\3\4" + shared + struct.pack("<H", len(head)) + name + head + packed
    end = struct.pack("<4s4xHHIIH", b"PK\5\6", len(entries), len(entries), len(central), len(local), 0)
    return local + central + end


HEAD = (
    b"HTTP/1.1 200 OK\r\nX-In-Cache: 1\r\nContent-Type: text/html\r\nX-Charset: utf-8\r\n"
    b'Etag: "1"\r\nX-Save: a/i.html\r\n'
)
MOVED = b"HTTP/1.1 302 Found\r\nX-In-Cache: 0\r\nLocation: /new\r\n"
SAVED = b"HTTP/1.1 200 OK\r\nX-In-Cache: 0\r\nContent-Type: image/png\r\nX-Save: a/p.png\r\n"
GOOD = cache(
    ("http://a.example/", HEAD, b"<p>page"),
    ("http://a.example/old", MOVED, b""),
    ("http://a.example/p.png", SAVED, b""),
)


def read(data: bytes) -> list[HttrackResponse | FormatError]:
    return list(read_httrack_cache(io.BytesIO(data), "new.zip"))


def test_heads_and_contents_are_read() -> None:
    page, moved, picture = (each for each in read(GOOD) if isinstance(each, HttrackResponse))
    assert page.url == "http://a.example/"
    assert page.head == b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nEtag: "1"\r\n\r\n'
    assert (page.content, page.mirror_path) == (b"<p>page", "a/i.html")
    assert (moved.content, moved.head) == (b"", b"HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n")
    assert (picture.content, picture.mirror_path) == (None, "a/p.png")


def test_one_bad_entry_is_told_and_the_others_are_read() -> None:
    answers = read(cache(("http://a.example/", b"no head", b"x"), ("http://a.example/b", HEAD, b"b")))
    assert isinstance(answers[0], FormatError)
    assert isinstance(answers[1], HttrackResponse)


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip" * 100, GOOD[:-10]])
def test_what_is_no_cache_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(FormatError, match="no cache"):
        read(data)


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=6), st.integers(0, len(GOOD)))
@settings(max_examples=400)
def test_whatever_the_bytes_nothing_else_is_raised(changes: list[tuple[int, int]], end: int) -> None:
    data = bytearray(GOOD)
    for place, value in changes:
        data[place] = value
    for each in (bytes(data), bytes(data[:end])):
        try:
            read(each)
        except FormatError:
            continue
