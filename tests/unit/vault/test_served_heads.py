"""What follows from a head is worked out once for all pages that have it, and for no other head."""

import pytest

from webkeep.model import Moment
from webkeep.vault.middleware import CarrierOptions, carrier_response, served_heads
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.carrier_response import CarrierResponse
from webkeep.vault.middleware.known_pages import KnownPages
from webkeep.vault.middleware.served_heads import ServedHeads
from webkeep.vault.middleware.validators import HeaderField

BLOCKS = CarriedBlocks(b"<!-- block -->", "abc123", Moment.parse("2026-01-02T03:04:05Z"))
HTML = (b"content-type", b"text/html")
LENGTH = b"content-length"


def page_of(text: object) -> bytes:
    return f"<!DOCTYPE html><html><body><p>{text}</p>{'<p>words</p>' * 9}</body></html>".encode()


def answer(
    known: KnownPages,
    body: bytes,
    *fields: HeaderField,
    status: int = 200,
    is_head: bool = False,
    options: CarrierOptions | None = None,
) -> tuple[list[HeaderField], bytes | None]:
    response = CarrierResponse(BLOCKS, options or CarrierOptions(), known, is_head)
    response.on_head(status, list(fields))
    sent = response.feed(body, more=False)
    return list(response.fields), sent


def with_length(body: bytes, *more: HeaderField) -> list[HeaderField]:
    return [HTML, (LENGTH, b"%d" % len(body)), *more]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Heads that were read."""
    heads: list[object] = []
    real = carrier_response.response_fields
    monkeypatch.setattr(carrier_response, "response_fields", lambda *args: heads.append(args[0]) or real(*args))
    return heads


def known_heads() -> KnownPages:
    known = KnownPages()
    answer(known, page_of("first"), *with_length(page_of("first")))
    return known


def test_heads_that_differ_in_their_length_are_read_once(read: list[object]) -> None:
    known = KnownPages()
    for number in range(0, 2000, 400):
        body = page_of(number)
        assert answer(known, body, *with_length(body)) == (
            [HTML, (LENGTH, b"%d" % (len(body) + len(BLOCKS.comments)))],
            body + BLOCKS.comments,
        )
    assert len(read) == 1


@pytest.mark.parametrize("field", [(b"etag", b'"1"'), (b"Last-Modified", b"Thu, 01 Jan 2026 00:00:00 GMT")])
def test_heads_that_hang_on_the_page_are_read_each_time(read: list[object], field: HeaderField) -> None:
    known = KnownPages()
    for number in range(3):
        answer(known, page_of(number), *with_length(page_of(number), field))
    assert len(read) == 3


@pytest.mark.parametrize(
    "fields",
    [
        [HTML],
        [HTML, (LENGTH, b"1"), (LENGTH, b"2")],
        [HTML, (b"Content-Length", b"130")],
        [(LENGTH, b"130"), HTML, (b"cache-control", b"no-transform")],
        [(LENGTH, b"130"), (b"content-type", b"text/plain")],
        [(LENGTH, b"130"), HTML, (b"content-encoding", b"gzip")],
        [(LENGTH, b"130"), HTML, (b"content-range", b"bytes 0-52/99")],
    ],
)
@pytest.mark.parametrize("status", [200, 206, 404])
@pytest.mark.parametrize("is_head", [False, True])
def test_any_other_head_is_answered_as_if_it_were_the_first(
    fields: list[HeaderField], status: int, is_head: bool
) -> None:
    body = page_of("second")
    said = answer(known_heads(), body, *fields, status=status, is_head=is_head)
    assert said == answer(KnownPages(), body, *fields, status=status, is_head=is_head)


@pytest.mark.parametrize("body", [b"", b"<p>a fragment</p>", page_of("x<!--"), page_of("x<textarea>"), b"\x1b" * 9])
def test_a_known_head_gives_no_blocks_to_what_cannot_carry_any(body: bytes) -> None:
    assert answer(known_heads(), body, *with_length(body)) == (with_length(body), body)


def test_a_known_head_gives_no_blocks_to_a_page_that_is_too_large() -> None:
    known, body = known_heads(), page_of("x" * (5 << 20))
    assert answer(known, body, *with_length(body)) == (with_length(body), body)


def test_the_visible_line_is_put_into_each_page() -> None:
    known, options = KnownPages(), CarrierOptions(visible=True)
    for number in range(3):
        _, sent = answer(known, page_of(number), *with_length(page_of(number)), options=options)
        assert sent is not None and b"This page was modified on" in sent


def test_who_gets_blocks_is_told_to_caches_each_time() -> None:
    known, options = KnownPages(), CarrierOptions(crawlers_only="bot")
    for number in range(3):
        fields, _ = answer(known, page_of(number), *with_length(page_of(number)), options=options)
        assert fields.count((b"vary", b"User-Agent")) == 1


def test_fields_that_can_be_written_over_are_no_known_head() -> None:
    heads = ServedHeads()
    heads.keep(200, [HTML, (LENGTH, b"1")], [HTML, (LENGTH, b"2")])
    assert heads.find(200, [HTML, (LENGTH, b"9")]) == [HTML]
    assert heads.find(200, [(b"content-type", bytearray(b"text/html")), (LENGTH, b"9")]) is None  # type: ignore[list-item]
    assert heads.find(200, [list(HTML), (LENGTH, b"9")]) is None  # type: ignore[list-item]


def test_no_more_heads_are_known_than_an_application_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_heads, "_MAX_HEADS", 3)
    heads = ServedHeads()
    for number in range(10):
        said = [HTML, (b"set-cookie", b"%d" % number), (LENGTH, b"1")]
        heads.keep(200, said, said)
        assert heads.find(200, said) == said[:2]
        assert len(heads._heads) <= 3
