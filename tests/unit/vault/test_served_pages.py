"""What an application answers once more is sent once more, and nothing else is taken for it."""

import gzip

import pytest

from webkeep.model import Moment
from webkeep.vault.middleware import CarrierOptions, served_pages
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.carrier_response import CarrierResponse
from webkeep.vault.middleware.known_pages import KnownPages
from webkeep.vault.middleware.served_pages import ServedPage, ServedPages
from webkeep.vault.middleware.validators import HeaderField

BLOCKS = CarriedBlocks(b"<!-- block -->", "abc123", Moment.parse("2026-01-02T03:04:05Z"))
PAGE = b"<!DOCTYPE html><html><body><p>Hello</p></body></html>"
HTML = (b"content-type", b"text/html")
Sent = tuple[list[HeaderField], bytes]


def head_of(body: bytes, *more: HeaderField) -> list[HeaderField]:
    return [HTML, (b"content-length", b"%d" % len(body)), *more]


def answer(
    known: KnownPages,
    body: bytes = PAGE,
    *more: HeaderField,
    status: int = 200,
    pieces: int = 1,
    is_head: bool = False,
    blocks: CarriedBlocks = BLOCKS,
    options: CarrierOptions | None = None,
) -> Sent:
    """What is sent for a body in some pieces, all but the first of them empty."""
    response = CarrierResponse(blocks, options or CarrierOptions(), known, is_head)
    response.on_head(status, head_of(body, *more))
    sent = [response.feed(b"" if number else body, more=number < pieces - 1) for number in range(pieces)]
    return list(response.fields), b"".join(each or b"" for each in sent)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Pages of which it was asked whether they can carry blocks."""
    asked: list[bytes] = []
    real = KnownPages.can_carry
    monkeypatch.setattr(KnownPages, "can_carry", lambda *args: asked.append(args[2]) or real(*args))
    return asked


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize("options", [CarrierOptions(), CarrierOptions(visible=True)])
def test_the_third_answer_is_the_second_one(judged: list[bytes], pieces: int, options: CarrierOptions) -> None:
    known = KnownPages()
    sent = [answer(known, pieces=pieces, options=options) for _ in range(4)]
    assert sent[0] == sent[1] == sent[2] == sent[3]
    assert sent[3][1].endswith(BLOCKS.comments)
    assert len(judged) == 2


def test_a_compressed_page_is_packed_twice_only(judged: list[bytes]) -> None:
    known, packed = KnownPages(), gzip.compress(PAGE, mtime=0)
    sent = [answer(known, packed, (b"content-encoding", b"gzip")) for _ in range(4)]
    assert sent[3] == sent[0]
    assert gzip.decompress(sent[3][1]) == PAGE + BLOCKS.comments
    assert len(judged) == 2


def kept() -> KnownPages:
    known = KnownPages()
    for _ in range(3):
        answer(known)
    assert known.served.get(BLOCKS.mark) is not None
    return known


@pytest.mark.parametrize(
    "body", [PAGE.replace(b"Hello", b"Other"), PAGE + b"\n", PAGE[:-7], b"", PAGE + BLOCKS.comments]
)
def test_a_page_that_changed_is_another_one(body: bytes) -> None:
    known = kept()
    assert answer(known, body) == answer(KnownPages(), body)
    assert answer(known, body) == answer(KnownPages(), body)
    assert answer(known) == answer(KnownPages())


@pytest.mark.parametrize(
    "field",
    [
        (b"etag", b'"other"'),
        (b"cache-control", b"no-transform"),
        (b"content-encoding", b"gzip"),
        (b"content-range", b"bytes 0-52/99"),
        (b"set-cookie", b"visitor=1"),
        (b"last-modified", b"Thu, 01 Jan 2026 00:00:00 GMT"),
    ],
)
def test_another_head_is_read_anew(field: HeaderField) -> None:
    known = kept()
    assert answer(known, PAGE, field) == answer(KnownPages(), PAGE, field)
    assert answer(known) == answer(KnownPages())


@pytest.mark.parametrize("status", [206, 304, 404])
def test_another_status_is_read_anew(status: int) -> None:
    assert answer(kept(), status=status) == answer(KnownPages(), status=status)


def test_a_request_for_the_head_gets_no_body_of_before() -> None:
    fields, body = answer(kept(), is_head=True)
    assert (fields, body) == answer(KnownPages(), is_head=True)
    assert BLOCKS.comments not in body


def test_blocks_that_moved_are_put_into_the_page_of_before() -> None:
    moved = CarriedBlocks(b"<!-- moved -->", "def456", Moment.parse("2026-01-03T00:00:00Z"))
    assert answer(kept(), blocks=moved)[1] == PAGE + moved.comments


def test_whoever_changes_a_head_changes_no_later_one() -> None:
    known = kept()
    expected = answer(known)
    response = CarrierResponse(BLOCKS, CarrierOptions(), known)
    response.on_head(200, head_of(PAGE))
    response.feed(PAGE, more=False)
    assert isinstance(response.fields, list)
    response.fields.append((b"x-server", b"1"))
    assert answer(known) == expected


def test_a_head_that_the_application_writes_over_is_another_one() -> None:
    known, tag = KnownPages(), bytearray(b'"1"')
    said = head_of(PAGE, (b"etag", tag))  # type: ignore[arg-type]
    for number in range(3):
        response = CarrierResponse(BLOCKS, CarrierOptions(), known)
        response.on_head(200, said)
        response.feed(PAGE, more=False)
        assert dict(response.fields)[b"etag"] == b'"%d-vabc123"' % (number + 1)
        answer(known, PAGE, (b"etag", b'"%d"' % (number + 1)))  # it is kept by now
        tag[1] += 1


def test_pages_that_are_never_the_same_twice_are_not_kept() -> None:
    known = KnownPages()
    for number in range(10):
        answer(known, PAGE.replace(b"Hello", b"%d" % number))
    assert known.served.get(BLOCKS.mark) is None


def test_a_page_without_a_length_of_its_own_stays_without() -> None:
    known = KnownPages()
    for _ in range(4):
        response = CarrierResponse(BLOCKS, CarrierOptions(), known)
        response.on_head(200, [HTML])
        assert response.feed(PAGE, more=False) == PAGE + BLOCKS.comments
        assert list(response.fields) == [HTML]


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served_pages, "_MAX_KEPT_BYTES", 20_000)
    served = ServedPages()
    for number in range(200):
        served.keep(str(number % 40), ServedPage(200, [HTML], b"", 1, [HTML], b"x" * (number + 1000)))
        held = [each for mark in range(40) if (each := served.get(str(mark))) is not None]
        assert held
        assert sum(each.size for each in held) <= 20_000
