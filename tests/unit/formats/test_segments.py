"""Segments, beacons and windows: the layers below the readers."""

import gzip
import io
import random
import re
from typing import Any

import pytest
import zstandard
from isal import isal_zlib

from webkeep.formats.warc import GZIP_MAGIC
from webkeep.formats.warc.gzip_member import store_chunks
from webkeep.formats.warc.record_start import RecordStartFinder
from webkeep.formats.warc.segment_window import MAX_RECORD_HEAD_BYTES, DecompressedWindow
from webkeep.formats.warc.segments import (
    GLIMPSE_BYTES,
    CorruptSegmentError,
    GzipSegment,
    PlainSegment,
    RawInput,
    Segment,
    find_stored_member_end,
    gunzip_start,
)
from webkeep.formats.warc.zstd_frames import ZstdSegment, may_hold_prefix, new_decompressor, skip_skippable_frame

TEXTS = [b"", b"a", b"text " * 100, bytes(300_000), random.Random(1).randbytes(300_000)]


def raw_of(data: bytes, position: int = 0) -> RawInput:
    return RawInput(io.BytesIO(data), position)


def drained(segment: Segment) -> bytes:
    pieces = []
    while piece := segment.next_piece():
        pieces.append(piece)
        assert len(piece) <= 256 * 1024
    assert segment.done
    assert segment.next_piece() == b""
    return b"".join(pieces)


def compressed(data: bytes, how: str) -> bytes:
    if how == "zstd":
        return zstandard.ZstdCompressor().compress(data)
    return isal_zlib.compress(data, 2, wbits=31) if how == "isal" else gzip.compress(data, int(how), mtime=0)


@pytest.mark.parametrize("how", ["isal", "0", "1", "9", "zstd"])
def test_segments_end_where_the_next_begins(how: str) -> None:
    parts = [compressed(text, how) for text in TEXTS]
    raw = raw_of(b"before" + b"".join(parts) + b"after", 6)
    at = 6
    for text, part in zip(TEXTS, parts, strict=True):
        segment = ZstdSegment(raw, new_decompressor()) if how == "zstd" else GzipSegment(raw)
        assert segment.start == at
        assert drained(segment) == text
        at += len(part)
        assert segment.end == raw.position == at
    assert raw.peek(10) == b"after"


@pytest.mark.parametrize("how", ["isal", "0", "9", "zstd"])
@pytest.mark.parametrize("size", [5000, 262_144, 262_145, 524_288])
def test_a_cut_anywhere_near_the_edges_is_noticed(how: str, size: int) -> None:
    data = compressed(random.Random(size).randbytes(size), how)
    for kept in {*range(25), *range(len(data) - 25, len(data)), 16_384, 131_072, len(data) // 2}:
        if kept < len(data):
            raw = raw_of(data[:kept])
            segment = ZstdSegment(raw, new_decompressor()) if how == "zstd" else GzipSegment(raw)
            with pytest.raises(CorruptSegmentError, match="cut off"):
                drained(segment)


def test_a_plain_segment_is_the_rest_of_the_file() -> None:
    segment = PlainSegment(raw_of(TEXTS[4], 10))
    assert drained(segment) == TEXTS[4][10:]
    assert (segment.start, segment.end) == (10, len(TEXTS[4]))


@pytest.mark.parametrize(
    "data",
    [
        b"\x28\xb5\x2f\xfd",
        b"\x28\xb5\x2f\xfd\x00\x58\x07\x00\x00",
        b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8 + b"\x01\x00\x00",
        b"\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00",
        b"\x28\xb5\x2f\xfd\x03\x58\x01\x02\x03\x04\x01\x00\x00",
        b"\x28\xb5\x2f\xfd\x08\x58\x01\x00\x00",
    ],
    ids=["magic alone", "kind reserved", "size beyond all", "window too large", "dictionary unknown", "bit reserved"],
)
def test_frames_that_are_none_are_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptSegmentError, match="zstd frame is"):
        drained(ZstdSegment(raw_of(data + bytes(30)), new_decompressor()))


def test_skippable_frames_are_passed_over() -> None:
    raw = raw_of(b"\x57\x2a\x4d\x18\x02\0\0\0xxrest")
    assert skip_skippable_frame(raw)
    assert (raw.position, raw.peek(4)) == (10, b"rest")
    assert not skip_skippable_frame(raw)
    assert not skip_skippable_frame(raw_of(b"\x57\x2a\x4d\x18\x02"))
    assert not skip_skippable_frame(raw_of(b"\x67\x2a\x4d\x18\x02\0\0\0"))


def test_raw_input_gives_and_takes_back() -> None:
    raw = raw_of(bytes(range(100)))
    assert raw.peek(4) == bytes([0, 1, 2, 3])
    assert raw.take(2) == bytes([0, 1])
    assert raw.position == 2
    data = raw.feed(1000)
    raw.push_back(data[-10:])
    assert (raw.position, raw.peek(1)) == (90, bytes([90]))
    assert raw.take(50) == bytes(range(90, 100))
    assert raw.take(1) == raw.feed(1) == raw.peek(1) == b""


class Trickle(io.BytesIO):
    """A stream that never gives more than a few bytes at a time."""

    def readinto(self, buffer: Any, /) -> int:
        return super().readinto(memoryview(buffer)[:777])


@pytest.mark.parametrize("stream", [io.BytesIO, Trickle])
def test_raw_input_looks_as_far_ahead_as_it_is_asked_to(stream: type[io.BytesIO]) -> None:
    data = random.Random(3).randbytes(500_000)
    raw = RawInput(stream(data), 5)
    assert len(raw.peek_buffer(1)) >= 1
    assert raw.take(1000) == data[5:1005]
    for size in (10, 150_000, 190_000, 1000):
        ahead = raw.peek_buffer(size)
        assert len(ahead) >= size
        assert ahead == data[1005 : 1005 + len(ahead)]
    assert raw.position == 1005
    assert raw.take(300_000) == data[1005:301_005]
    assert raw.peek_buffer(300_000) == data[301_005:]
    raw.advance(198_995)
    assert raw.peek_buffer(1) == b""
    raw.seek(7)
    assert (raw.peek(3), raw.position) == (data[7:10], 7)


@pytest.mark.parametrize(("count", "skipped"), [(1, 1), (50, 50), (90, 90), (91, 90), (10_000, 90)])
def test_raw_input_skips_no_more_than_there_is(count: int, skipped: int) -> None:
    raw = raw_of(bytes(range(100)), 10)
    assert raw.skip(count) == skipped
    assert raw.position == 10 + skipped
    assert raw.take(100) == bytes(range(10 + skipped, 100))


@pytest.mark.parametrize("at", [0, 5, (1 << 20) - 2, (1 << 20) - GLIMPSE_BYTES - 1, (1 << 20) + 77, (2 << 20) - 3])
def test_a_search_finds_what_lies_across_its_windows(at: int) -> None:
    data = bytes(at) + b"needle" + b"x" * 5000
    assert list(raw_of(data).search(re.compile(b"needle"), 0)) == [(at, data[at : at + GLIMPSE_BYTES])]
    assert list(raw_of(data).search(re.compile(b"needle"), at + 1)) == []


def test_a_search_goes_on_though_the_stream_was_moved() -> None:
    raw = raw_of(b"needle".ljust(1 << 20) * 3)
    found = []
    for at, _ in raw.search(re.compile(b"needle"), 0):
        found.append(at)
        raw.seek(17)
    assert found == [0, 1 << 20, 2 << 20]


def test_a_beacon_searches_no_stretch_twice() -> None:
    class Counting(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            self.taken += len(data)
            return data

    stream = Counting(bytes(1000) + b"no!" + bytes(1000) + b"yes" + bytes(1000))
    beacon = RecordStartFinder(RawInput(stream), re.compile(b"no!|yes"), lambda start: start.startswith(b"yes"))
    assert [beacon.find_after(at) for at in (0, 500, 1003, 2003)] == [2003] * 4
    assert stream.taken == 3006
    assert [beacon.find_after(at) for at in (2004, 2500, 9000)] == [None] * 3
    assert stream.taken == 3006 + 1002
    assert beacon.find_after(0) == 2003


def test_a_beacon_with_a_lead_points_behind_it() -> None:
    beacon = RecordStartFinder(raw_of(b"xx\nab"), re.compile(b"\na"), lambda start: start == b"ab", lead=1)
    assert [beacon.find_after(at) for at in (0, 3, 4)] == [3, 3, None]


def test_the_start_of_a_member_is_seen() -> None:
    assert gunzip_start(gzip.compress(b"WARC/1.0 and so on")[:40], 5) == b"WARC/"
    assert gunzip_start(b"\x1f\x8b\x08garbage", 5) == b""
    assert gunzip_start(b"", 5) == b""


def test_the_start_of_a_frame_is_seen() -> None:
    short, long = b"WARC/1.0 and so on", b"WARC/" + random.Random(2).randbytes(100_000)
    assert may_hold_prefix(b"WARC/", compressed(short, "zstd"), new_decompressor())
    assert may_hold_prefix(b"WARC/", compressed(long, "zstd")[:GLIMPSE_BYTES], new_decompressor())
    assert not may_hold_prefix(b"WARC/", compressed(b"HTML", "zstd"), new_decompressor())
    assert not may_hold_prefix(b"WARC/", compressed(short, "zstd")[:-2], new_decompressor())
    assert not may_hold_prefix(b"WARC/", b"\x28\xb5\x2f\xfd" + bytes(5000), new_decompressor())


@pytest.mark.parametrize("text", TEXTS)
def test_the_end_of_a_stored_member_is_known_without_its_checksum(text: bytes) -> None:
    whole = b"".join(store_chunks([text]))
    damaged = whole[:-8] + b"checksum"
    assert find_stored_member_end(raw_of(b"xy" + damaged + b"more"), 2) == 2 + len(whole)
    assert (find_stored_member_end(raw_of(damaged[:-10]), 0) or 0) >= len(damaged) - 10
    assert find_stored_member_end(raw_of(b"\x1f\x8b\x08\x04" + damaged[4:]), 0) is None


def test_other_members_are_not_passed_by_their_blocks() -> None:
    broken = bytearray(b"".join(store_chunks([TEXTS[4]])))
    broken[10 + 5 + 65535 + 3] ^= 1
    for data in (b"", GZIP_MAGIC, gzip.compress(TEXTS[2]), isal_zlib.compress(TEXTS[4], 2, wbits=31), bytes(broken)):
        end = find_stored_member_end(raw_of(data), 0)
        assert end is None


def test_a_reason_is_given_in_few_words() -> None:
    data = bytearray(gzip.compress(b"text " * 100))
    data[-8] ^= 1
    with pytest.raises(CorruptSegmentError, match=r"^gzip member is corrupt \([a-z][a-z ,()-]+\)$"):
        drained(GzipSegment(raw_of(bytes(data))))


class Dripping:
    """A segment that gives one byte at a time."""

    start = 0

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.end = 0
        self.done = False

    def next_piece(self) -> bytes:
        piece = self._data[self.end : self.end + 1]
        self.end += len(piece)
        self.done = not piece
        return piece


def test_a_window_takes_what_comes_in_drops() -> None:
    window = DecompressedWindow(Dripping(b"\r\n\nA: b\r\nC: d\r\n\r\nline\n12345rest"))
    assert not window.skip_blank_lines()
    assert window.at == 3
    assert window.take_head() == b"A: b\r\nC: d\r\n\r\n"
    assert window.take_line() == b"line\n"
    assert window.peek(3) == b"123"
    assert window.take_some(5) == b"123"
    assert window.skip(2) == 2
    assert window.peek(100) == b"rest"
    assert window.skip(100) == 4
    assert window.at == 31
    assert window.is_at_end()
    assert window.is_exhausted
    assert (window.take_some(1), window.take_head(), window.take_line()) == (b"", None, None)


@pytest.mark.parametrize(
    ("data", "head"),
    [
        (b"A: b\r\n\r\nx", b"A: b\r\n\r\n"),
        (b"A: b\n\nx\r\n\r\n", b"A: b\n\n"),
        (b"A: b\n\r\nx\n\n", b"A: b\n\r\n"),
        (b"A: b\r\n\nx", b"A: b\r\n\n"),
        (b"A: b\r\nx", None),
    ],
)
def test_a_head_ends_at_the_first_empty_line(data: bytes, head: bytes | None) -> None:
    assert DecompressedWindow(Dripping(data)).take_head() == head
    assert DecompressedWindow(PlainSegment(raw_of(data))).take_head() == head


def test_no_head_or_line_is_looked_for_without_end() -> None:
    data = b"x" * (3 * MAX_RECORD_HEAD_BYTES)
    for look in (DecompressedWindow.take_head, DecompressedWindow.take_line):
        window = DecompressedWindow(PlainSegment(raw_of(data)))
        assert look(window) is None
        assert window.position == 0
        assert len(window.data) < 2 * MAX_RECORD_HEAD_BYTES
