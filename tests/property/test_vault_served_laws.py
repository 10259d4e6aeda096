"""The law of pages that were served before: whatever was, an answer is sent as if it were the first."""

import gzip

from hypothesis import given, settings, strategies as st

from webkeep.model import Moment
from webkeep.vault.middleware import CarrierOptions
from webkeep.vault.middleware.carried_blocks import CarriedBlocks
from webkeep.vault.middleware.carrier_response import CarrierResponse
from webkeep.vault.middleware.known_pages import KnownPages

PAGE = b"<!doctype html><title>T</title><p>1 m</p>" + b"<p>words</p>" * 9
BODIES = [
    PAGE,
    PAGE.replace(b"1 m", b"2 m"),
    PAGE + b"<!--",
    PAGE.decode().encode("utf-16"),
    gzip.compress(PAGE),
    b"<p>x",
]
FIELDS = [
    (b"etag", b'"1"'),
    (b"etag", b'"2"'),
    (b"Content-Encoding", b"gzip"),
    (b"cache-control", b"no-transform"),
    (b"last-modified", b"Thu, 01 Jan 2026 00:00:00 GMT"),
]
BLOCKS = [
    CarriedBlocks(b"<!-- one -->", "111111", Moment.parse("2026-01-02")),
    CarriedBlocks(b"<!-- two -->", "222222", Moment.parse("2026-01-03")),
]
ANSWERS = st.tuples(
    st.sampled_from(BLOCKS),
    st.sampled_from([200, 200, 200, 304, 404]),
    st.lists(st.sampled_from(FIELDS), max_size=2),
    st.booleans(),
    st.sampled_from([BODIES[0], *BODIES]),
    st.integers(0, 60),
    st.booleans(),
)
Answer = tuple[CarriedBlocks, int, list[tuple[bytes, bytes]], bool, bytes, int, bool]


def send(answer: Answer, options: CarrierOptions, known: KnownPages) -> tuple[list[tuple[bytes, bytes]], bytes]:
    blocks, status, more, says_length, body, cut, is_head = answer
    fields = [
        (b"content-type", b"text/html"),
        *more,
        *([(b"content-length", b"%d" % len(body))] if says_length else []),
    ]
    response = CarrierResponse(blocks, options, known, is_head)
    response.on_head(status, fields)
    pieces = [response.feed(body[:cut], more=True)] if cut else []
    pieces.append(response.feed(body[cut:], more=False))
    return list(response.fields), b"".join(piece or b"" for piece in pieces)


@given(
    st.lists(ANSWERS, max_size=4), st.integers(1, 3), st.sampled_from([CarrierOptions(), CarrierOptions(visible=True)])
)
@settings(max_examples=300, deadline=None)
def test_an_answer_is_sent_as_if_it_were_the_first(answers: list[Answer], times: int, options: CarrierOptions) -> None:
    known = KnownPages()
    for answer in answers:
        for _ in range(times):
            assert send(answer, options, known) == send(answer, options, KnownPages())
