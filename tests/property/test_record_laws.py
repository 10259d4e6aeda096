"""Laws of record files: what is written is read, and damage costs no more than what it touches."""

from collections.abc import Iterator
from io import BytesIO

import pytest
import zstandard
from hypothesis import given, settings, strategies as st

from webkeep.errors import FormatError
from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import WarcReader, WarcRecord, build_member, build_record_head, stream_member
from webkeep.formats.warc.gzip_member import compress_member, store_chunks
from webkeep.model import BytesBody, Finding

patient = settings(max_examples=150)
"""Machines that do other work meanwhile make no law false."""

PLAIN_RECORD = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
LURES = st.sampled_from([PLAIN_RECORD, build_member(PLAIN_RECORD[:-4], b""), b"\r\n\r\n", b"\x1f\x8b\x08", b"\n\n"])
blocks = st.lists(st.binary(max_size=60) | LURES | st.binary(max_size=4).map(lambda data: data * 900), max_size=4).map(
    b"".join
)
values = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), max_size=20)
LAYOUTS = ("plain", "compressed", "stored", "streamed", "zstd")

Row = list[tuple[str, bytes]]
rows = st.lists(st.tuples(values, blocks), min_size=1, max_size=5)
Read = tuple[int, int, bytes]


def heads(row: Row) -> list[bytes]:
    return [
        build_record_head(
            [
                ("WARC-Type", "resource"),
                ("WARC-Record-ID", f"<urn:test:{number}>"),
                ("WARC-Date", "2024-03-01T12:00:00Z"),
                ("X-Value", value),
            ],
            len(block),
        )
        for number, (value, block) in enumerate(row)
    ]


def laid_out(head: bytes, block: bytes, layout: str) -> bytes:
    whole = head + block + b"\r\n\r\n"
    match layout:
        case "compressed":
            return build_member(head, block)
        case "stored":
            return b"".join(store_chunks([whole]))
        case "streamed":
            return b"".join(stream_member(head, b"", BytesBody(block)))
        case "zstd":
            return zstandard.ZstdCompressor(write_checksum=True).compress(whole)
    return whole


def written(row: Row, layout: str) -> list[bytes]:
    return [laid_out(head, block, layout) for head, (_, block) in zip(heads(row), row, strict=True)]


def wanted(row: Row, pieces: list[bytes]) -> list[Read]:
    found, at = [], 0
    for (_, block), piece in zip(row, pieces, strict=True):
        found.append((at, len(piece), block))
        at += len(piece)
    return found


def intact(data: bytes, flaws: Flaws) -> list[Read]:
    found = []
    for record in WarcReader(BytesIO(data), "test", flaws):
        block = record.read()
        record.finish()
        if record.intact:
            found.append((record.offset, record.length, block))
    return found


@given(rows, st.sampled_from(LAYOUTS))
@patient
def test_what_is_written_is_read(row: Row, layout: str) -> None:
    pieces = written(row, layout)
    assert intact(b"".join(pieces), Flaws(Strictness.FAIL)) == wanted(row, pieces)
    records = WarcReader(BytesIO(b"".join(pieces)), "test", Flaws(Strictness.FAIL))
    assert [record.get("x-value") for record in records] == [value for value, _ in row]


@given(rows, st.lists(st.sampled_from(LAYOUTS), min_size=5, max_size=5))
@patient
def test_layouts_may_follow_one_another(row: Row, layouts: list[str]) -> None:
    pieces = [laid_out(head, row[at][1], layouts[at]) for at, head in enumerate(heads(row))]
    assert intact(b"".join(pieces), Flaws(Strictness.FAIL)) == wanted(row, pieces)


@given(rows, st.sampled_from(LAYOUTS), st.data())
@patient
def test_a_cut_costs_nothing_that_lies_before_it(row: Row, layout: str, data: st.DataObject) -> None:
    pieces = written(row, layout)
    whole = b"".join(pieces)
    cut = data.draw(st.integers(0, len(whole)))
    before = [each for each in wanted(row, pieces) if each[0] + each[1] <= cut]
    flaws = Flaws()
    found = intact(whole[:cut], flaws)
    assert found[: len(before)] == before
    if layout != "plain":  # there a record may be whole but for its empty lines, and lures cannot be told from records
        assert len(found) == len(before)
    at_an_edge = cut in {0, *(at + length for at, length, _ in wanted(row, pieces))}
    assert at_an_edge == (not flaws.findings or cut == 0)
    if flaws.findings:
        with pytest.raises(FormatError):
            intact(whole[:cut], Flaws(Strictness.FAIL))


@given(rows, st.sampled_from(["compressed", "stored", "streamed", "zstd"]), st.data())
@settings(patient, max_examples=300)
def test_a_flipped_byte_costs_at_most_the_record_it_is_in(row: Row, layout: str, data: st.DataObject) -> None:
    pieces = written(row, layout)
    whole = bytearray(b"".join(pieces))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    others = [each for each in wanted(row, pieces) if not each[0] <= at < each[0] + each[1]]
    found = intact(bytes(whole), Flaws())
    assert [each for each in found if each in others] == others


@given(rows, st.sampled_from(LAYOUTS), st.binary(min_size=1, max_size=40), st.data())
@patient
def test_bytes_put_between_records_cost_none(row: Row, layout: str, noise: bytes, data: st.DataObject) -> None:
    pieces = written(row, layout)
    place = data.draw(st.integers(0, len(pieces)))
    put = [*pieces[:place], b"?" + noise, *pieces[place:]]
    flaws = Flaws()
    blocks = [block for _, _, block in intact(b"".join(put), flaws)]
    assert blocks == [block for _, block in row]
    assert flaws.findings


class Careful(WarcReader):
    """The same reader without its quick way."""

    def quick_records(self) -> Iterator[WarcRecord]:
        return iter(())


def told(reader: WarcReader, flaws: Flaws) -> tuple[list[object], list[Finding]]:
    records: list[object] = []
    for record in reader:
        block = record.read()
        record.finish()
        records.append((record.offset, record.length, record.intact, record.headers, record.raw_head, block))
    return records, flaws.findings


@given(rows, st.sampled_from(["compressed", "stored"]), st.data())
@settings(patient, max_examples=300)
def test_the_quick_way_and_the_careful_way_see_the_same(row: Row, layout: str, data: st.DataObject) -> None:
    records = [bytearray(head + block + b"\r\n\r\n") for head, (_, block) in zip(heads(row), row, strict=True)]
    for record in records:  # changed within its wrapping, which stays sound
        at = data.draw(st.integers(0, len(record)))
        record[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from([b"", b"\n", b"\r\n", b"\r", b"9", b" ", b"\t", b":", b": ", b"\xff"])
        )
    pack = compress_member if layout == "compressed" else lambda whole: b"".join(store_chunks([whole]))
    whole = b"".join(pack(bytes(record)) for record in records)
    quick, careful = Flaws(), Flaws()
    seen = told(WarcReader(BytesIO(whole), "test", quick), quick)
    assert seen == told(Careful(BytesIO(whole), "test", careful), careful)


@given(st.binary(max_size=300) | rows.map(lambda row: b"".join(written(row, "compressed"))), st.sampled_from([0, 1, 7]))
@patient
def test_no_bytes_raise_anything_of_their_own(data: bytes, start: int) -> None:
    list(WarcReader(BytesIO(data), "test", Flaws(), start))
    try:
        list(WarcReader(BytesIO(data), "test", Flaws(Strictness.FAIL), start))
    except FormatError as error:
        assert error.source == "test"
        assert 0 <= error.offset <= len(data)
