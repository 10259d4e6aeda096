"""Laws of the fetcher: nothing that comes is lost, however it is cut."""

from hypothesis import given, strategies as st

from webkeep.fetch.client.chunk_scanner import ChunkScanner
from webkeep.fetch.client.lenient_response import LenientResponse
from webkeep.formats.codings.chunked import decode_chunked
from webkeep.formats.http import join_ranges
from webkeep.model import BytesBody, Exchange, Moment

SIGNS = [
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.1 100 C\r\n\r\n",
    b"ICY 200\r\n",
    b"Content-Length: 5\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"\r\n",
    b"\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"bad\r\n",
    b"\0",
]
PIECES = st.sampled_from(SIGNS) | st.binary(max_size=20)


@given(st.lists(PIECES, max_size=12), st.integers(1, 40))
def test_whatever_comes_is_kept(pieces: list[bytes], size: int) -> None:
    data, reply, body = b"".join(pieces), LenientResponse(), b""
    taken = 0
    for at in range(0, len(data), size):
        body += reply.feed(data[at : at + size])
        taken = min(at + size, len(data))
        if reply.is_done:
            break
    body += reply.close()
    # Interim answers before the head are all that is passed over.
    assert data[:taken].endswith(reply.head + body)
    passed_over = data[:taken].removesuffix(reply.head + body)
    assert not passed_over or passed_over.lstrip(b"\r\n").startswith(b"HTTP/1.1 100")


@given(st.lists(st.binary(min_size=1, max_size=30), max_size=6), st.booleans(), st.integers(1, 50))
def test_the_end_of_chunks_is_found_wherever_they_are_cut(chunks: list[bytes], trailer: bool, size: int) -> None:
    coded = b"".join(b"%x;e=1\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    coded += b"0\r\nT: x\r\n\r\n" if trailer else b"0\r\n\r\n"
    end = ChunkScanner()
    ended = [end.feed(coded[at : at + size]) for at in range(0, len(coded), size)]
    assert ended == [False] * (len(ended) - 1) + [True]
    assert b"".join(decode_chunked([coded], lambda code, message: None)) == b"".join(chunks)


@given(st.binary(min_size=1, max_size=100), st.data())
def test_parts_that_cover_a_whole_make_it_up(body: bytes, data: st.DataObject) -> None:
    reached = data.draw(st.integers(0, len(body)))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    parts = [Exchange("u:", Moment(0), head, BytesBody(body[:reached]))]
    while reached < len(body):
        start, came = data.draw(st.integers(0, reached)), data.draw(st.integers(1, len(body)))
        head = b"HTTP/1.1 206 P\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (start, len(body) - 1, len(body))
        parts.append(Exchange("u:", Moment(0), head, BytesBody(body[start : start + came])))
        reached = max(reached, min(start + came, len(body)))
    whole = join_ranges(parts)
    assert whole is not None
    assert whole.is_whole
    at = data.draw(st.integers(0, len(body)))
    assert b"".join(whole.body.chunks(at)) == body[at:]
