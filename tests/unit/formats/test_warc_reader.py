"""WARC files read: versions, ways of compression, places, blocks, header fields."""

import gzip
import struct
import tracemalloc
from collections.abc import Iterable, Iterator
from io import BytesIO

import pytest
import zstandard
from isal import isal_zlib
from warc_bytes import members, starts, warc_record

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import WarcReader, WarcRecord, parse_named_fields
from webkeep.model import Moment

BLOCKS = [b"", b"one", b"\r\n\r\n", b"WARC/1.1\r\nWARC-Type: x\r\n\r\n", b"page " * 5000, bytes(range(256)) * 2000]
RECORDS = [warc_record(number, block) for number, block in enumerate(BLOCKS)]
DICTIONARY = zstandard.train_dictionary(4096, [warc_record(n, b"sample %d" % n * 9) for n in range(400)]).as_bytes()


def frames(records: Iterable[bytes], dictionary: bytes | None = None, level: int = 3) -> list[bytes]:
    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    compressor = zstandard.ZstdCompressor(level=level, dict_data=known, write_checksum=True)
    return [compressor.compress(record) for record in records]


def skippable(data: bytes) -> bytes:
    return b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(data)) + data


def fed(record: bytes) -> bytes:
    """A frame whose writer did not know how much would come."""
    compressor = zstandard.ZstdCompressor().compressobj()
    return (
        b"".join(compressor.compress(record[at : at + 999]) for at in range(0, len(record), 999)) + compressor.flush()
    )


def with_extra_fields(data: bytes) -> bytes:
    """A gzip member with every optional header field, as some crawlers write them."""
    extra = b"sl\x08\0" + struct.pack("<II", len(data), 7)
    head = b"\x1f\x8b\x08\x1c\0\0\0\0\0\x03" + struct.pack("<H", len(extra)) + extra + b"name\0comment\0"
    return head + gzip.compress(data, mtime=0)[10:]


LAYOUTS: dict[str, tuple[bytes, list[bytes]]] = {
    "plain": (b"", RECORDS),
    "gzip": (b"", members(RECORDS)),
    "isal": (b"", [isal_zlib.compress(record, 2, wbits=31) for record in RECORDS]),
    "gzip, stored": (b"", [gzip.compress(record, 0, mtime=0) for record in RECORDS]),
    "gzip, extra fields": (b"", [with_extra_fields(record) for record in RECORDS]),
    "zstd": (b"", frames(RECORDS)),
    "zstd, sizes unknown": (b"", [fed(record) for record in RECORDS]),
    "zstd, hard": (b"", frames(RECORDS, level=19)),
    "zstd, dictionary": (skippable(DICTIONARY), frames(RECORDS, DICTIONARY)),
    "zstd, dictionary compressed": (
        skippable(zstandard.ZstdCompressor().compress(DICTIONARY)),
        frames(RECORDS, DICTIONARY),
    ),
    "zstd, dictionary that is not used": (skippable(DICTIONARY), frames(RECORDS)),
}
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


def read(data: bytes, start: int = 0) -> Iterator[WarcRecord]:
    return iter(WarcReader(BytesIO(data), "test", Flaws(Strictness.FAIL), start))


@every_layout
@pytest.mark.parametrize("how", ["whole", "in part", "not at all", "in chunks"])
def test_every_record_is_read_at_its_place(layout: str, how: str) -> None:
    before, pieces = LAYOUTS[layout]
    found = []
    for record, block in zip(read(before + b"".join(pieces)), BLOCKS, strict=True):
        assert record.size == len(block)
        if how == "whole":
            assert record.read() == block
            assert record.read() == b""
        elif how == "in part":
            assert block.startswith(next(record.chunks(), b""))
        elif how == "in chunks":
            chunks = list(record.chunks())
            assert b"".join(chunks) == block
            assert all(chunks)
        record.finish()
        assert record.intact
        found.append((record.id, record.offset - len(before), record.length))
    assert found == [
        (f"urn:test:{number}", at, len(piece))
        for number, (at, piece) in enumerate(zip(starts(pieces), pieces, strict=True))
    ]


@every_layout
def test_reading_begins_at_any_record(layout: str) -> None:
    before, pieces = LAYOUTS[layout]
    data = before + b"".join(pieces)
    for number, at in enumerate(starts(pieces)):
        records = read(data, len(before) + at)
        first = next(records)
        assert (first.id, first.offset) == (f"urn:test:{number}", len(before) + at)
        assert first.read() == BLOCKS[number]
        assert len(list(records)) == len(BLOCKS) - number - 1


@pytest.mark.parametrize("version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"])
@pytest.mark.parametrize("compressed", [False, True])
def test_every_version_is_read(version: str, compressed: bool) -> None:
    data = warc_record(1, b"block", version)
    (record,) = read(gzip.compress(data) if compressed else data)
    assert (record.version, record.type, record.url) == (version, "resource", "http://example.org/1")


def test_reading_from_beyond_the_end_gives_nothing() -> None:
    assert list(read(RECORDS[1], 10_000)) == []


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_an_http_message_behind_bare_line_feeds_is_left_whole(end: str) -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    record = next(read(warc_record(1, block, end=end)))
    assert record.read() == block
    assert record.raw_head + block + b"\r\n\r\n" == warc_record(1, block, end=end)


def test_a_head_longer_than_a_feed_is_read() -> None:
    long = "X-Long: " + "y" * 300_000
    record = next(read(gzip.compress(warc_record(1, b"block", fields=long))))
    assert (len(record.get("x-long")), record.read()) == (300_000, b"block")


def test_fields_of_all_kinds() -> None:
    head = (
        b"WARC/1.0\r\nWARC-Type:  Response \r\nFolded: a\r\n b\r\n\tc\r\nno colon\r\nTwice: 1\r\ntwice: 2\r\n"
        b"UTF8: \xc3\xa9\r\nLatin: \xe9\r\nBare: x\nEmpty:\r\nColon: a:b\r\n\r\n"
    )
    version, headers = parse_named_fields(head)
    assert version == "WARC/1.0"
    assert headers.fields == (
        ("WARC-Type", "Response"),
        ("Folded", "a b c"),
        ("Twice", "1"),
        ("twice", "2"),
        ("UTF8", "é"),
        ("Latin", "é"),
        ("Bare", "x"),
        ("Empty", ""),
        ("Colon", "a:b"),
    )


@pytest.mark.parametrize("length", range(-4, 0))
def test_a_member_that_is_all_head_has_no_negative_block(length: int) -> None:
    flaws = Flaws()
    head = warc_record(1, b"")[:-4].replace(b"Length: 0", b"Length: %d" % length)
    found = [(record.read(), record.held) for record in WarcReader(BytesIO(gzip.compress(head)), "test", flaws)]
    assert found == [(b"", 0)]
    assert [each.code for each in flaws.findings] == ["length-missing"]


def test_what_a_record_says_of_itself() -> None:
    fields = "WARC-Target-URI: <http://example.org/<a>>\nContent-Type: Application/HTTP; msgtype=response"
    data = warc_record(1, b"").replace(b"WARC-Target-URI: http://example.org/1", fields.replace("\n", "\r\n").encode())
    (record,) = read(data.replace(b"resource", b"Response"))
    assert (record.type, record.url, record.id) == ("response", "http://example.org/<a>", "urn:test:1")
    assert record.moment == Moment.parse("2024-03-01T12:00:00Z")
    assert record.is_http
    assert record.missing_fields() == []


@pytest.mark.parametrize(
    ("date", "flaw"),
    [
        ("2024-02-29T12:00:00Z", None),
        ("2024-03-01T12:00:00.123456789Z", None),
        ("2024-03-01T12:00:60Z", None),
        ("2024-03", None),
        ("20240301120000", None),
        ("2024-03-01T12:00:00+01:00", None),
        ("2024-02-30T12:00:00Z", "date-bad"),
        ("yesterday", "date-bad"),
        ("", "field-missing"),
    ],
)
def test_dates_are_looked_at(date: str, flaw: str | None) -> None:
    flaws = Flaws()
    data = warc_record(1, b"").replace(b"2024-03-01T12:00:00Z", date.encode())
    (record,) = WarcReader(BytesIO(data), "test", flaws)
    assert [each.code for each in flaws.findings] == ([flaw] if flaw else [])
    assert (record.moment is None) == (flaw is not None)


def test_a_record_left_behind_gives_nothing_and_takes_nothing() -> None:
    """A plain file has one stretch for all records: a stale iterator must not eat into the next."""
    records = read(b"".join(RECORDS))
    first = next(record for record in records if record.size > 20_000)
    stale, staler = first.chunks(), first.chunks()
    assert next(stale)
    following = next(records)
    assert list(stale) == []
    assert list(staler) == []
    assert first.read() == b""
    assert (following.read(), following.offset) == (BLOCKS[5], starts(RECORDS)[5])


def test_two_iterators_of_one_block_share_it() -> None:
    record = next(record for record in read(b"".join(RECORDS)) if record.size > 100_000)
    one, two = record.chunks(), record.chunks()
    pieces = [next(one), next(two), next(one)]
    assert b"".join([*pieces, *two, *one]) == BLOCKS[5]
    assert record.unread == 0


def test_finishing_twice_changes_nothing() -> None:
    records = read(b"".join(LAYOUTS["gzip"][1]))
    record = next(records)
    record.finish()
    length = record.length
    record.finish()
    assert record.length == length > 0
    assert next(records).id == "urn:test:1"


def test_a_broken_block_ends_without_an_error_and_is_marked() -> None:
    member = bytearray(isal_zlib.compress(warc_record(1, bytes(range(256)) * 9000), 2, wbits=31))
    member[-5] ^= 1
    flaws = Flaws()
    record = next(iter(WarcReader(BytesIO(bytes(member)), "test", flaws)))
    assert record.intact
    b"".join(record.chunks())
    record.finish()
    assert not record.intact
    assert record.length == 0
    assert [(each.code, each.offset) for each in flaws.findings] == [("corrupt", 0)]


def test_large_plain_blocks_are_passed_over_without_being_read() -> None:
    class Counting(BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            self.taken += len(data)
            return data

    stream = Counting(warc_record(1, bytes(50 << 20)) + warc_record(2, b"x"))
    assert [record.id for record in WarcReader(stream, "test")] == ["urn:test:1", "urn:test:2"]
    assert stream.taken < 1 << 20


# Bombs: a few bytes that stand for very many


def zeros(size: int) -> Iterator[bytes]:
    piece = bytes(1 << 20)
    return (piece for _ in range(size >> 20))


def gzip_bomb(before: bytes, size: int, after: bytes) -> bytes:
    deflater = isal_zlib.compressobj(2, wbits=31)
    parts = [deflater.compress(before), *(deflater.compress(piece) for piece in zeros(size)), deflater.compress(after)]
    return b"".join([*parts, deflater.flush()])


def zstd_bomb(before: bytes, size: int, after: bytes) -> bytes:
    """Blocks of one byte that stands for 128 KB each, all of them within a few kilobytes."""

    def block(data: bytes, kind: int, length: int, last: int = 0) -> bytes:
        return (length << 3 | kind << 1 | last).to_bytes(3, "little") + data

    blocks = [block(before, 0, len(before)), block(b"\0", 1, 1 << 17) * (size >> 17), block(after, 0, len(after), 1)]
    return b"\x28\xb5\x2f\xfd\x00\x58" + b"".join(blocks)


SIZE = 400 << 20


@pytest.mark.parametrize("bomb", [gzip_bomb, zstd_bomb])
@pytest.mark.parametrize("taken", [True, False])
def test_a_large_block_is_streamed_in_bounded_memory(bomb: object, taken: bool) -> None:
    assert callable(bomb)
    head, _, after = warc_record(1, b"\0").replace(b"Length: 1\r", b"Length: %d\r" % SIZE).partition(b"\0")
    data = bomb(head, SIZE, after) + gzip.compress(warc_record(2, b"x"))
    tracemalloc.start()
    try:
        first, second = read(data), 0
        record = next(first)
        if taken:
            assert sum(map(len, record.chunks())) == SIZE
        second = next(first).offset
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert record.intact
    assert second == record.length == len(data) - len(gzip.compress(warc_record(2, b"x")))
    assert peak < 4 << 20


@pytest.mark.parametrize(
    ("before", "filling", "code"),
    [(b"WARC/1.1\r\nX: ", b"y", "header-unended"), (b"", b"\n", None), (b"", b"\0", "header-bad")],
    ids=["endless header", "endless line ends", "zeros"],
)
def test_bombs_without_a_record_are_passed_in_bounded_memory(before: bytes, filling: bytes, code: str | None) -> None:
    deflater = isal_zlib.compressobj(2, wbits=31)
    piece = filling * (1 << 20)
    parts = [deflater.compress(before), *(deflater.compress(piece) for _ in range(200)), deflater.flush()]
    data = b"".join(parts) + gzip.compress(warc_record(2, b"x"))
    flaws = Flaws()
    tracemalloc.start()
    try:
        assert [record.id for record in WarcReader(BytesIO(data), "test", flaws)] == ["urn:test:2"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [each.code for each in flaws.findings] == ([code] if code else [])
    assert peak < 8 << 20


def test_a_dictionary_that_unpacks_without_end_is_refused() -> None:
    flaws = Flaws()
    data = skippable(zstd_bomb(b"", SIZE, b"")) + frames(RECORDS)[0]
    assert list(WarcReader(BytesIO(data), "test", flaws)) == []
    assert [each.code for each in flaws.findings] == ["corrupt"]
    assert "larger than any reader takes" in flaws.findings[0].message


# Damage made to be expensive


@pytest.mark.parametrize(
    "data",
    [
        b"WARC/1.0\r\nA: b\r\nContent-Length: 99999999\r\nX:\r\n\r\n" * 20_000,
        b"WARC/1.0\r\nA:\r\n" * 50_000,
        b"WARC/1.0\r\nContent-Length: 1\r\n" * 30_000 + b"\r\n",
        b"WARC/1.0\r\nContent-Length: 1\r\nX: " * 30_000 + b"\r\n\r\n",
        b"\x1f\x8b\x08" * 300_000,
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x00\xff\xff\x00\x00WARC/" * 40_000,
        b"\x28\xb5\x2f\xfd\x00\x58\xfc\xff\x0f" * 100_000,
        b"WARC/1.0\n" * 100_000,
    ],
    ids=[
        "lengths beyond the end",
        "heads without end",
        "heads within heads",
        "heads within fields",
        "gzip magic",
        "stored members",
        "zstd magic",
        "versions",
    ],
)
def test_hostile_files_take_no_square_of_their_length(data: bytes) -> None:
    # The suite's limit on time is the assertion: a square of these lengths takes hours.
    flaws = Flaws()
    for record in WarcReader(BytesIO(data), "test", flaws):
        assert all(record.chunks())
        record.finish()
        assert not record.intact
    assert flaws.findings
