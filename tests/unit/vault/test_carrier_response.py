"""What a response of a page becomes when the page carries blocks, for every kind of response there is."""

import gzip
import zlib

import brotli
import pytest
import zstandard

from webkeep.model import Moment
from webkeep.vault.blocks import (
    BlockSigner,
    ScannedBlock,
    SegmentIdentity,
    can_carry,
    make_comment,
    scan_blocks,
    strip_blocks,
)
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.carrier_response import CarrierOptions, CarrierResponse
from webkeep.vault.middleware.known_pages import KnownPages
from webkeep.vault.middleware.validators import request_fields

SIGNER = BlockSigner(bytes(32))
SEGMENT = SegmentIdentity(
    SIGNER.vault, "app", "20260102T030405Z-0a0b0c0d", "rs-gf256-cauchy", 3, 1, 5, "ab" * 32, "none"
)
MOVED = Moment.parse("2026-01-02T03:04:05Z")
BLOCKS = CarriedBlocks(make_comment(SEGMENT, 1, b"block", SIGNER), "abc123", MOVED)
PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
HTML = (b"Content-Type", b"text/html; charset=utf-8")


def answer(
    status: int,
    fields: list[tuple[bytes, bytes]],
    *body: bytes,
    options: CarrierOptions | None = None,
    head: bool = False,
) -> tuple[dict[bytes, bytes], bytes]:
    response = CarrierResponse(BLOCKS, options or CarrierOptions(), KnownPages(), head)
    response.on_head(status, fields)
    sent = [response.feed(piece, more=True) for piece in body[:-1]]
    sent.append(response.feed(body[-1] if body else b"", more=False))
    return {name.lower(): value for name, value in response.fields}, b"".join(piece or b"" for piece in sent)


def blocks_in(page: bytes) -> list[bytes]:
    return [each.data for each in scan_blocks([page]) if isinstance(each, ScannedBlock)]


@pytest.mark.parametrize(
    "pieces", [(PAGE,), (PAGE[:20], PAGE[20:]), (PAGE, b""), tuple(bytes([each]) for each in PAGE)]
)
@pytest.mark.parametrize("length", [[], [(b"content-length", b"%d" % len(PAGE))]])
def test_a_page_has_its_blocks_at_its_end(pieces: tuple[bytes, ...], length: list[tuple[bytes, bytes]]) -> None:
    fields, page = answer(200, [HTML, *length], *pieces)
    assert page == PAGE + BLOCKS.comments
    assert fields.get(b"content-length") in ((b"%d" % len(page),) if length else (None,))


@pytest.mark.parametrize(
    ("coding", "pack", "unpack"),
    [
        (b"gzip", gzip.compress, gzip.decompress),
        (b"deflate", zlib.compress, zlib.decompress),
        (b"br", brotli.compress, brotli.decompress),
        (b"zstd", zstandard.compress, zstandard.decompress),
    ],
)
def test_a_compressed_page_stays_compressed(coding: bytes, pack, unpack) -> None:  # type: ignore[no-untyped-def]
    packed = pack(PAGE)
    fields, body = answer(200, [HTML, (b"Content-Encoding", coding), (b"Content-Length", b"1")], packed[:9], packed[9:])
    assert unpack(body) == PAGE + BLOCKS.comments
    assert fields[b"content-length"] == b"%d" % len(body)


@pytest.mark.parametrize(
    ("status", "fields", "body"),
    [
        (200, [(b"Content-Type", b"image/png")], PAGE),
        (200, [(b"Content-Type", b"text/html"), (b"Content-Encoding", b"rot13")], PAGE),
        (200, [(b"Content-Type", b"text/html"), (b"Content-Encoding", b"gzip")], b"\x1f\x8bbroken"),
        (200, [(b"Content-Type", b"text/html"), (b"Cache-Control", b"no-transform")], PAGE),
        (206, [(b"Content-Type", b"text/html"), (b"Content-Range", b"bytes 0-9/99")], PAGE[:10]),
        (404, [(b"Content-Type", b"text/html")], PAGE),
        (204, [], b""),
        (200, [(b"Content-Type", b"text/html"), (b"Content-Length", b"13")], b"<p>a part</p>"),
        (200, [(b"Content-Type", b"text/html")], b"<p>a part</p>"),
        (200, [(b"Content-Type", b"text/html")], b"<!doctype html><script>left open"),
        (200, [(b"Content-Type", b"text/html")], b"<!doctype html><p>a<!-- left open"),
        (200, [(b"Content-Type", b"text/html"), (b"Content-Length", b"0")], b""),
    ],
)
def test_what_can_carry_nothing_passes_as_it_is(status: int, fields: list[tuple[bytes, bytes]], body: bytes) -> None:
    sent, passed = answer(status, fields, body)
    assert passed == body
    assert sent.get(b"content-length") == dict(fields).get(b"Content-Length")


def test_a_page_too_large_to_hold_passes_as_it_is() -> None:
    body = PAGE + b" " * (5 << 20)
    fields, passed = answer(200, [HTML, (b"Content-Length", b"%d" % len(body))], body[: 3 << 20], body[3 << 20 :])
    assert (passed, fields[b"content-length"]) == (body, b"%d" % len(body))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_page_in_utf_16_has_blocks_in_utf_16(encoding: str) -> None:
    page = ("\ufeff" + PAGE.decode()).encode(encoding)
    _, body = answer(200, [HTML], page)
    assert body.decode("utf-16") == (PAGE + BLOCKS.comments).decode()
    assert blocks_in(body) == [b"block"]
    assert strip_blocks(body) == page


@pytest.mark.parametrize(
    "page", [b"<!doctype html><title>x</title><p>no body element", b"<html><frameset></frameset></html>"]
)
def test_a_page_without_a_body_element_carries_too(page: bytes) -> None:
    assert blocks_in(answer(200, [HTML], page)[1]) == [b"block"]


def test_a_page_of_latin_1_carries_too() -> None:
    page = PAGE.replace(b"Hello", b"Caf\xe9")
    assert answer(200, [(b"Content-Type", b"text/html; charset=iso-8859-1")], page)[1] == page + BLOCKS.comments


def test_the_head_of_a_page_is_that_of_the_page_with_blocks() -> None:
    validators = [(b"ETag", b'W/"7"'), (b"Last-Modified", b"Thu, 01 Jan 2026 00:00:00 GMT"), (b"Content-MD5", b"x")]
    for status, head in ((200, False), (200, True), (304, False)):
        body = (PAGE,) if status == 200 and not head else ()
        fields, _ = answer(status, [HTML, (b"Content-Length", b"53"), *validators], *body, head=head)
        assert fields[b"etag"] == b'W/"7-vabc123"'
        assert fields[b"last-modified"] == b"Fri, 02 Jan 2026 03:04:05 GMT"
        assert b"content-md5" not in fields
        assert (b"content-length" in fields) == bool(body)


def test_a_later_time_of_the_page_stays() -> None:
    fields, _ = answer(200, [HTML, (b"Last-Modified", b"Sat, 03 Jan 2026 00:00:00 GMT")], PAGE)
    assert fields[b"last-modified"] == b"Sat, 03 Jan 2026 00:00:00 GMT"


def test_the_application_is_asked_by_its_own_validators() -> None:
    asked = [
        (b"if-none-match", b'"old-v000000", W/"7-vabc123", "bare"'),
        (b"if-modified-since", b"Thu, 01 Jan 2026 00:00:00 GMT"),
        (b"range", b"bytes=0-9"),
        (b"accept", b"*/*"),
    ]
    assert request_fields(asked, "abc123", MOVED) == [(b"if-none-match", b'W/"7"'), (b"accept", b"*/*")]
    later = [(b"if-modified-since", b"Sat, 03 Jan 2026 00:00:00 GMT"), (b"if-none-match", b'"bare"')]
    assert request_fields(later, "abc123", MOVED) == [later[0]]
    assert request_fields([(b"if-none-match", b"*")], "abc123", MOVED) == [(b"if-none-match", b"*")]


def test_the_visible_line_stands_in_the_body_and_goes_with_the_blocks() -> None:
    _, body = answer(200, [HTML], PAGE, options=CarrierOptions(visible=True))
    assert (
        b'<p>Hello</p><p class="webkeep-vault-modified">This page was modified on 2026-01-02T03:04:05Z.</p></body>'
        in body
    )
    assert strip_blocks(body) == PAGE


def test_pages_for_crawlers_only_say_what_they_hang_on() -> None:
    fields, _ = answer(200, [HTML], PAGE, options=CarrierOptions(crawlers_only="bot"))
    assert fields[b"vary"] == b"User-Agent"


def test_comments_may_follow_the_end_of_a_document() -> None:
    assert can_carry(b"<p>Hello</p></body></html> <!-- one --> <!-- </body> two -->\n")
    assert not can_carry(b"<p>Hello</p> <!-- </body> -->")
