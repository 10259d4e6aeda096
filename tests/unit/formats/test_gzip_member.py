"""Gzip members as they are written: what any inflater gives back, and reaching into stored ones."""

import gzip
import random
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise

import pytest

from webkeep.formats.warc import read_stored_from
from webkeep.formats.warc.gzip_member import (
    compress_chunks,
    compress_member,
    is_compressible,
    store_chunks,
    store_member,
)

BLOCK = 65535
SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 17]
TEXT = b"<p>Low water at six, high water at noon.</p>\n" * 200


def noise(size: int) -> bytes:
    return random.Random(size).randbytes(size)


def sliced(data: bytes, step: int) -> Iterator[bytes]:
    return (data[at : at + step] for at in range(0, len(data), step))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("step", [1000, BLOCK, 100_000, 1_000_000])
def test_any_gunzip_gives_back_what_was_stored(size: int, step: int) -> None:
    data = noise(size)
    member = b"".join(store_chunks(sliced(data, step)))
    assert gzip.decompress(member) == data
    assert len(member) == 10 + size + 5 * max(1, -(-size // BLOCK)) + 8
    assert store_member(data) == member


@pytest.mark.parametrize("size", SIZES)
def test_any_gunzip_gives_back_what_was_compressed(size: int) -> None:
    data = (TEXT * (size // len(TEXT) + 1))[:size]
    assert gzip.decompress(compress_member(data)) == data
    assert gzip.decompress(b"".join(compress_chunks(sliced(data, 10_000)))) == data


def test_stored_pieces_are_of_bounded_size() -> None:
    assert max(map(len, store_chunks([noise(1_000_000)]))) == BLOCK


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", [0, 1234])
def test_a_stored_member_is_entered_at_any_byte(size: int, before: int) -> None:
    data = noise(size)
    stream = BytesIO(b"x" * before + b"".join(store_chunks([data])) + b"what follows")
    edges = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, size // 2, size - 1}
    for start in sorted(each for each in edges if 0 <= each < size):
        pieces = read_stored_from(stream, before, start)
        assert pieces is not None
        assert b"".join(pieces) == data[start:]


@pytest.mark.parametrize("size", [10, BLOCK, BLOCK + 1])
def test_no_stored_member_is_entered_beyond_its_end(size: int) -> None:
    stream = BytesIO(b"".join(store_chunks([noise(size)])))
    for start in (size + 1, size + BLOCK, 1 << 40):
        assert read_stored_from(stream, 0, start) is None


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"\x1f\x8b\x08",
        compress_member(TEXT),
        gzip.compress(noise(100_000), 0, mtime=0),
        compress_member(noise(200_000)),
        b"WARC/1.1\r\n",
    ],
    ids=["nothing", "magic alone", "text", "stored by others", "noise", "plain"],
)
def test_other_members_are_not_entered(member: bytes) -> None:
    for start in (0, 1, 70_000):
        assert read_stored_from(BytesIO(member), 0, start) is None


def test_a_member_whose_blocks_are_laid_out_otherwise_is_not_entered() -> None:
    data = noise(4 * BLOCK)
    member = bytearray(b"".join(store_chunks([data])))
    second = 10 + BLOCK + 5
    member[second : second + 5] = b"\x00\x01\x00\xfe\xff"
    assert read_stored_from(BytesIO(member), 0, 2 * BLOCK + 1) is None


@pytest.mark.parametrize(("kept", "left"), [(BLOCK + 15, BLOCK), (BLOCK + 17, BLOCK), (BLOCK + 120, BLOCK + 100)])
def test_a_stored_member_that_breaks_off_gives_what_there_is(kept: int, left: int) -> None:
    data = noise(3 * BLOCK)
    member = b"".join(store_chunks([data]))
    pieces = read_stored_from(BytesIO(member[:kept]), 0, 5)
    assert pieces is not None
    assert b"".join(pieces) == data[5:left]


@pytest.mark.parametrize(
    ("sample", "worth"),
    [
        (b"", True),
        (noise(500), True),
        (TEXT, True),
        (bytes(10_000), True),
        (noise(10_000), False),
        (gzip.compress(noise(3000) + TEXT), False),
        (noise(50) * 200, True),
        (bytes(n * 7 % 130 for n in range(10_000)), True),
    ],
    ids=["nothing", "little", "text", "zeros", "noise", "gzip", "noise again and again", "middling"],
)
def test_what_is_worth_compressing(sample: bytes, worth: bool) -> None:
    assert is_compressible(sample) is worth


def test_stored_members_take_many_small_chunks_in_their_stride() -> None:
    chunks = [b"%d," % number for number in range(60_000)]
    pieces = list(store_chunks(iter(chunks)))
    assert gzip.decompress(b"".join(pieces)) == b"".join(chunks)
    assert all(len(head) == 5 for head, block in pairwise(pieces[1:]) if len(block) == BLOCK)
