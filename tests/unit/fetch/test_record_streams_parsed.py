"""Chunks and WebSocket frames, however their bytes are cut on the way."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from webkeep.fetch.proxy import WebSocketFrameReader
from webkeep.fetch.proxy.chunk_decoder import ChunkDecoder
from webkeep.fetch.proxy.websocket_frames import WebSocketFrame

BODIES = st.lists(st.binary(min_size=1, max_size=200), max_size=8)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    marks = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(marks)]


@given(BODIES, st.lists(st.integers(0, 5000), max_size=20))
def test_chunks_come_out_as_they_went_in(bodies: list[bytes], cuts: list[int]) -> None:
    data = b"".join(b"%X;a=b\r\n%s\r\n" % (len(body), body) for body in bodies) + b"0\r\nT: x\r\n\r\nrest"
    chunks = ChunkDecoder()
    found = b"".join(chunks.feed(piece) for piece in pieces(data, cuts))
    assert (found, chunks.rest, chunks.is_done, chunks.is_broken) == (b"".join(bodies), b"rest", True, False)


@pytest.mark.parametrize(
    "data",
    [b"5\nhello\r\n0\r\n\r\n", b" 5\r\nhello\r\n", b"0x5\r\nhello\r\n", b"-1\r\n", b"\r\n", b"5\r\nhelloXX0\r\n\r\n",
     b"5;\x00\r\nhello", b"0\r\nT: x\n\r\n", b"f" * 16 + b"\r\n", b"1" * 5000, b"0\r\n" + b"T: x\r\n" * 6000],
)  # fmt: skip
def test_broken_chunks_are_seen(data: bytes) -> None:
    chunks = ChunkDecoder()
    chunks.feed(data)
    assert chunks.is_broken
    assert not chunks.is_done


def framed(frame: WebSocketFrame, key: bytes) -> bytes:
    size = len(frame.payload)
    first = bytes([frame.flags << 4 | frame.opcode])
    mask = 0x80 if key else 0
    if size < 126:
        length = bytes([mask | size])
    elif size < 1 << 16:
        length = bytes([mask | 126]) + size.to_bytes(2, "big")
    else:
        length = bytes([mask | 127]) + size.to_bytes(8, "big")
    payload = bytes(byte ^ key[at % 4] for at, byte in enumerate(frame.payload)) if key else frame.payload
    return first + length + key + payload


FRAMES = st.builds(
    lambda opcode, flags, payload: WebSocketFrame(opcode, flags, payload, len(payload)),
    st.integers(0, 15),
    st.integers(0, 15),
    st.one_of(st.binary(max_size=300), st.just(b"x" * 70_000)),
)


@given(
    st.lists(st.tuples(FRAMES, st.sampled_from([b"", b"\x01\x02\x03\x04"])), max_size=5),
    st.lists(st.integers(0, 100_000), max_size=20),
)
def test_frames_come_out_as_they_went_in(sent: list[tuple[WebSocketFrame, bytes]], cuts: list[int]) -> None:
    data = b"".join(framed(frame, key) for frame, key in sent)
    reader = WebSocketFrameReader()
    found = [frame for piece in pieces(data, cuts) for frame in reader.feed(piece)]
    assert found == [frame for frame, _ in sent]


def test_of_a_very_long_frame_the_beginning_is_kept() -> None:
    long = WebSocketFrame(2, 8, b"y" * (3 << 20), 3 << 20)
    after = WebSocketFrame(1, 8, b"after", 5)
    data = framed(long, b"") + framed(after, b"")
    reader = WebSocketFrameReader()
    found = [frame for at in range(0, len(data), 65536) for frame in reader.feed(data[at : at + 65536])]
    assert found == [WebSocketFrame(2, 8, b"y" * (1 << 20), 3 << 20), after]
