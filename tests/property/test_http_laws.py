"""Laws of HTTP messages: what is put together comes apart again, and nothing ever raises."""

import gzip
import zlib

import brotli
import zstandard
from hypothesis import given, strategies as st

from webkeep.formats.cdx import post_query
from webkeep.formats.codings import decode_body
from webkeep.formats.http import (
    head_length,
    parse_request,
    parse_response,
    split_response,
    take_head,
    take_response_head,
)
from webkeep.model import Headers

NAMES = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", min_size=1, max_size=20)
VALUES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="\x7f\x85\xa0"), max_size=30)
FIELDS = st.lists(st.tuples(NAMES, VALUES), max_size=12)
CODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "identity": lambda data: data,
}


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    return [*pieces, data[at:]]


@given(st.integers(100, 999), FIELDS, st.sampled_from(["\r\n", "\n"]), st.binary(max_size=50))
def test_a_written_head_is_read_back(status: int, fields: list[tuple[str, str]], end: str, body: bytes) -> None:
    text = end.join([f"HTTP/1.1 {status} Reason", *(f"{name}: {value}" for name, value in fields), "", ""])
    data = text.encode()
    head, offset = split_response(data + body)
    # A body that begins with a line end is told from the head only where lines end in CR LF.
    assert offset == len(data)
    assert (head.status, head.reason) == (status, "Reason")
    assert head.headers == Headers(tuple(fields))


@given(st.binary(max_size=300) | st.binary(max_size=200).map(lambda tail: b"HTTP/1.1 200 OK\r\n" + tail))
def test_any_bytes_are_a_head(data: bytes) -> None:
    parse_response(data)
    parse_request(data)
    assert 0 <= head_length(data) <= len(data)


@given(st.binary(max_size=200).map(lambda tail: b"HTTP/1.1 200 OK\n" + tail), st.lists(st.integers(0, 9), max_size=30))
def test_a_streamed_head_is_that_of_the_whole(data: bytes, sizes: list[int]) -> None:
    head, rest = take_head(cut(data, sizes))
    assert len(head) == head_length(data)
    assert head + b"".join(rest) == data


@given(st.binary(max_size=200), st.lists(st.integers(0, 9), max_size=30))
def test_no_byte_of_a_response_is_lost(data: bytes, sizes: list[int]) -> None:
    head, rest = take_response_head(cut(data, sizes))
    assert head + b"".join(rest) == data


@given(
    st.binary(max_size=3000),
    st.lists(st.sampled_from(sorted(CODERS)), max_size=4),
    st.lists(st.integers(1, 700), max_size=20),
    st.booleans(),
)
def test_what_is_coded_is_decoded(content: bytes, names: list[str], sizes: list[int], chunked: bool) -> None:
    body = content
    for name in names:
        body = CODERS[name](body)
    headers = Headers((("Content-Encoding", ", ".join(names)),))
    if chunked:
        headers = headers.with_field("Transfer-Encoding", "chunked")
        parts = [part for part in cut(body, sizes) if part]
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    flaws: list[str] = []
    assert b"".join(decode_body(headers, cut(body, sizes), on_flaw=lambda code, _: flaws.append(code))) == content
    assert flaws == []


@given(st.binary(max_size=400), st.sampled_from([*CODERS, "chunked"]), st.lists(st.integers(0, 60), max_size=9))
def test_no_body_makes_decoding_raise(body: bytes, name: str, sizes: list[int]) -> None:
    field = "Transfer-Encoding" if name == "chunked" else "Content-Encoding"
    once = b"".join(decode_body(Headers(((field, name),)), [body]))
    if name in ("chunked", "identity"):
        assert b"".join(decode_body(Headers(((field, name),)), cut(body, sizes))) == once


@given(
    st.sampled_from(["POST", "PUT", "GET"]),
    st.sampled_from(
        ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", ""]
    ),
    st.binary(max_size=300) | st.text(max_size=100).map(str.encode),
)
def test_any_body_has_a_key(method: str, content_type: str, body: bytes) -> None:
    query = post_query(method, content_type, body)
    assert query.startswith(f"__wb_method={method}") if method != "GET" else query == ""
    assert len(query) <= 4096 + len("__wb_method=POST&")
