"""Records written: heads, small members, large members."""

import gzip
import random
from collections.abc import Iterator
from io import BytesIO

import pytest

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import WarcReader, build_member, build_record_head, read_stored_from, stream_member
from webkeep.model import BytesBody

FIELDS = [
    ("WARC-Type", "resource"),
    ("WARC-Record-ID", "<urn:test:1>"),
    ("WARC-Date", "2024-03-01T12:00:00Z"),
    ("WARC-Target-URI", "http://example.org/é"),
]
NOISE = random.Random(1).randbytes(3_000_000)


class Chunked:
    """A body that comes in chunks."""

    def __init__(self, data: bytes, step: int) -> None:
        self.data, self.step = data, step
        self.size = len(data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        return (self.data[at : at + self.step] for at in range(start, len(self.data), self.step))


def test_a_head_is_what_the_standard_asks_for() -> None:
    assert build_record_head(FIELDS, 12) == (
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:1>\r\nWARC-Date: 2024-03-01T12:00:00Z\r\n"
        b"WARC-Target-URI: http://example.org/\xc3\xa9\r\nContent-Length: 12\r\n\r\n"
    )
    assert build_record_head([], 0, "WARC/1.0") == b"WARC/1.0\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize("value", ["a\r\nContent-Length: 5", "a\nb", "a\r\n\r\nb", "\ud800", "\udcff", ""])
def test_no_value_breaks_out_of_its_line(value: str) -> None:
    head = build_record_head([*FIELDS, ("X", value)], 0)
    (record,) = WarcReader(BytesIO(head + b"\r\n\r\n"), "test", Flaws(Strictness.FAIL))
    assert len(record.headers) == len(FIELDS) + 2
    assert record.size == 0


@pytest.mark.parametrize("block", [b"", b"text", b"text " * 10_000, NOISE[:600], NOISE[:500_000]], ids=len)
def test_a_small_record_is_one_member(block: bytes) -> None:
    head = build_record_head(FIELDS, len(block))
    member = build_member(head, block)
    assert gzip.decompress(member) == head + block + b"\r\n\r\n"
    (record,) = WarcReader(BytesIO(member), "test", Flaws(Strictness.FAIL))
    assert (record.offset, record.length) == (0, len(member))


@pytest.mark.parametrize("step", [1000, 65_536, 10_000_000])
@pytest.mark.parametrize("data", [b"text " * 600_000, NOISE, b"text " * 300_000 + NOISE], ids=["text", "noise", "both"])
def test_a_large_record_is_one_member_in_pieces(data: bytes, step: int) -> None:
    prefix = b"HTTP/1.1 200 OK\r\n\r\n"
    head = build_record_head(FIELDS, len(prefix) + len(data))
    member = b"".join(stream_member(head, prefix, Chunked(data, step)))
    assert gzip.decompress(member) == head + prefix + data + b"\r\n\r\n"


def test_what_does_not_compress_is_stored_and_can_be_entered() -> None:
    head = build_record_head(FIELDS, len(NOISE))
    stream = BytesIO(b"".join(stream_member(head, b"", BytesBody(NOISE))))
    pieces = read_stored_from(stream, 0, len(head) + 2_999_000)
    assert pieces is not None
    assert b"".join(pieces) == NOISE[2_999_000:] + b"\r\n\r\n"


def test_what_compresses_is_compressed() -> None:
    data = b"text " * 600_000
    assert len(b"".join(stream_member(b"", b"", BytesBody(data)))) < len(data) / 50
