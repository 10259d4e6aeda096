"""ARC files read: the one line that is a head, and records like those of WARC files."""

from io import BytesIO

import pytest
from warc_bytes import arc_record, members, starts

from webkeep.formats import Flaws, Strictness
from webkeep.formats.warc import ArcReader
from webkeep.formats.warc.arc_reader import ArcLine, parse_arc_line

DESCRIPTION = b"1 0 Keeper\nURL IP-address Archive-date Content-type Archive-length\n"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello"
RECORDS = [
    arc_record("filedesc://test.arc", DESCRIPTION, "text/plain", "0.0.0.0"),
    arc_record("http://example.org/", HTTP),
    arc_record("https://example.org/empty", b"", address="::1"),
    arc_record("dns:example.org", b"20240301120000\nexample.org. 5 IN A 127.0.0.1\n", "text/dns", "-"),
    arc_record("http://example.org/last", HTTP + b"\n\n" + b"http://example.org/ 1.2.3.4 20240301120000 x 1\n" * 9000),
]


def described(data: bytes) -> list[tuple[str, str, str, str, int, int, bool]]:
    found = []
    for record in ArcReader(BytesIO(data), "test.arc", Flaws(Strictness.FAIL)):
        record.finish()
        address, media_type = record.get("warc-ip-address"), record.get("content-type")
        assert record.moment is not None
        assert record.moment.digits() == "20240301120000"
        found.append((record.type, record.url, address, media_type, record.offset, record.length, record.intact))
    return found


@pytest.mark.parametrize("pieces", [RECORDS, members(RECORDS)], ids=["plain", "gzip"])
def test_arc_records_are_read_as_warc_records(pieces: list[bytes]) -> None:
    places = zip(starts(pieces), map(len, pieces), strict=True)
    response = "application/http; msgtype=response"
    assert described(b"".join(pieces)) == [
        (*each, *place, True)
        for each, place in zip(
            [
                ("warcinfo", "filedesc://test.arc", "", "text/plain"),
                ("response", "http://example.org/", "127.0.0.1", response),
                ("response", "https://example.org/empty", "::1", response),
                ("resource", "dns:example.org", "", "text/dns"),
                ("response", "http://example.org/last", "127.0.0.1", response),
            ],
            places,
            strict=True,
        )
    ]


@pytest.mark.parametrize("pieces", [RECORDS, members(RECORDS)], ids=["plain", "gzip"])
def test_blocks_and_identifiers(pieces: list[bytes]) -> None:
    blocks, identifiers = [], []
    for record in ArcReader(BytesIO(b"".join(pieces)), "test.arc", Flaws(Strictness.FAIL)):
        blocks.append(record.read())
        identifiers.append(record.id)
        assert (record.version, record.raw_head[-1:]) == ("ARC/1.0", b"\n")
    assert blocks[0] == DESCRIPTION
    assert blocks[1] == HTTP
    assert len(blocks[4]) == len(RECORDS[4]) - len(RECORDS[4].partition(b"\n")[0]) - 2
    assert len(set(identifiers)) == len(RECORDS)


@pytest.mark.parametrize("pieces", [RECORDS, members(RECORDS)], ids=["plain", "gzip"])
def test_reading_begins_at_any_arc_record(pieces: list[bytes]) -> None:
    for number, start in enumerate(starts(pieces)):
        reader = ArcReader(BytesIO(b"".join(pieces)), "test.arc", Flaws(Strictness.FAIL), start)
        assert [record.offset for record in reader] == starts(pieces)[number:]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (b"http://a/ 1.2.3.4 20240301120000 text/html 17\n", "http://a/|1.2.3.4|20240301120000|text/html"),
        (b"http://a/b c 1.2.3.4 20240301120000 text/html 17\r\n", "http://a/b c|1.2.3.4|20240301120000|text/html"),
        (b"http://a/ ::1 20240301120000 a/b; charset=x 17", "http://a/|::1|20240301120000|a/b; charset=x"),
        (b"http://a/ 1.2.3.4 20240301120000 17", "http://a/|1.2.3.4|20240301120000|"),
        (b"http://a/ 1.2.3.4 20240301120000  17", "http://a/|1.2.3.4|20240301120000|"),
        (b"http://a/ - 20240301120000 no-type 17", "http://a/|-|20240301120000|no-type"),
        (b"http://a/ host 20240301120000 text/html 17", "http://a/|host|20240301120000|text/html"),
        (b"http://a/ 1.2.3.4 20240301 text/html 17", "http://a/|1.2.3.4|20240301|text/html"),
        (
            b"http://a/ 1.2.3.4 20240301120000 a/b 200 - 123456 x 17",
            "http://a/|1.2.3.4|20240301120000|a/b 200 - 123456 x",
        ),
        (b"http://\xff/ 1.2.3.4 20240301120000 text/html 17", "http://\ufffd/|1.2.3.4|20240301120000|text/html"),
    ],
)
def test_lines_that_are_heads(line: bytes, read: str) -> None:
    assert parse_arc_line(line) == ArcLine(17, *read.split("|"))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"http://a/",
        b"http://a/ 1.2.3.4 20240301120000 text/html -1\n",
        b"http://a/ 1.2.3.4 20240301120000 text/html 1x\n",
        b"http://a/ 1.2.3.4 20240301120000 text/html \n",
        b"http://a/ 1.2.3.4 20240301120000 text/html 9999999999999999999\n",
        b"http://a/ 1.2.3.4 yesterday text/html 17\n",
        b"no-url 1.2.3.4 20240301120000 text/html 17\n",
        b" http://a/ 1.2.3.4 20240301120000 text/html 17\n",
        b"20240301120000 text/html 17\n",
        b"http://a/ 20240301120000 text/html 17\n",
        "http://a/ 1.2.3.4 ٢٠٢٤٠٣٠١١٢٠٠٠٠ text/html 17\n".encode(),
    ],
)
def test_lines_that_are_none(line: bytes) -> None:
    assert parse_arc_line(line) is None


@pytest.mark.parametrize(
    "data",
    [
        b"http://a/ " + b"20240301120000 " * 60_000,
        b"http://a/ 1.2.3.4 20240301120000 " + b"1" * 900_000,
        (b"\nhttp://a/ 1.2.3.4 20240301120000 " + b"1" * 4000) * 300,
        b"\na:" * 300_000,
        b"http://a/ 1.2.3.4 20240301120000 x 999999999\n" * 20_000,
    ],
    ids=["dates", "digits", "lines of digits", "schemes", "lengths beyond the end"],
)
def test_hostile_arc_files_take_no_square_of_their_length(data: bytes) -> None:
    # The suite's limit on time is the assertion: a square of these lengths takes hours.
    flaws = Flaws()
    for record in ArcReader(BytesIO(data), "test.arc", flaws):
        assert all(record.chunks())
        record.finish()
        assert not record.intact
    assert flaws.findings
