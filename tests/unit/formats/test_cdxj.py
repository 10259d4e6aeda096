"""CDXJ lines written and read, and classic CDX read."""

import pytest

from webkeep.errors import FormatError
from webkeep.formats import Flaws
from webkeep.formats.cdx import CdxLine, parse_cdx_line, read_cdx
from webkeep.formats.cdx.cdxj import MAX_CDX_LINE_BYTES
from webkeep.model import Moment

RESPONSE = CdxLine(
    "com,example)/a?b=1",
    "20240301120000",
    "http://example.com/a?b=1",
    "text/html",
    "200",
    "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    1043,
    333,
    "one.warc.gz",
)
RESPONSE_TEXT = (
    'com,example)/a?b=1 20240301120000 {"url": "http://example.com/a?b=1", "mime": "text/html", "status": "200", '
    '"digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "length": "1043", "offset": "333", "filename": "one.warc.gz"}'
)


def read(*lines: bytes) -> tuple[list[CdxLine], Flaws]:
    flaws = Flaws()
    return list(read_cdx([b"\n".join(lines)], "index.cdxj", flaws)), flaws


def test_a_line_is_written_as_the_established_indexer_writes_it() -> None:
    assert str(RESPONSE) == RESPONSE_TEXT


def test_a_field_that_is_not_there_is_not_written() -> None:
    revisit = CdxLine(
        "com,example)/", "20240301120000", "http://example.com/", "warc/revisit", None, None, 10, 0, "a.warc"
    )
    assert str(revisit) == (
        'com,example)/ 20240301120000 {"url": "http://example.com/", "mime": "warc/revisit", "length": "10", '
        '"offset": "0", "filename": "a.warc"}'
    )


def test_further_fields_come_last_and_text_is_escaped() -> None:
    line = CdxLine("-", "2024", "http://exämple.com/\n", extra={"requestBody": 'a="b"', "method": "POST"})
    assert str(line) == ('- 2024 {"url": "http://ex\\u00e4mple.com/\\n", "requestBody": "a=\\"b\\"", "method": "POST"}')


def test_a_line_is_read_back() -> None:
    assert parse_cdx_line(RESPONSE_TEXT.encode()) == RESPONSE
    assert parse_cdx_line(RESPONSE_TEXT.encode() + b"\r\n") == RESPONSE


def test_values_in_other_spellings() -> None:
    line = parse_cdx_line(
        b'org,example)/index.html 20220106150849300 {"url":"https://example.org/index.html","digest":"sha-256:a8c5",'
        b'"mime":"image/png","offset":283,"length":2269,"recordDigest":"sha256:e520","status":200,"filename":"d.warc.gz"}'
    )
    assert (line.offset, line.length, line.status, line.status_code) == (283, 2269, "200", 200)
    assert line.extra == {"recordDigest": "sha256:e520"}
    assert line.moment == Moment.parse("2022-01-06T15:08:49.300Z")


def test_a_line_of_common_crawl() -> None:
    line = parse_cdx_line(
        b'com,example)/ 20240220000000 {"url": "http://example.com/", "mime": "text/html", '
        b'"mime-detected": "text/html", "status": "200", "digest": "ABC", "length": "1", "offset": "2", '
        b'"filename": "crawl-data/x.warc.gz", '
        b'"charset": "UTF-8", "languages": "eng", "truncated": "length"}'
    )
    assert dict(line.extra) == {
        "mime-detected": "text/html", "charset": "UTF-8", "languages": "eng", "truncated": "length"
    }  # fmt: skip
    assert (line.digest, line.filename) == ("ABC", "crawl-data/x.warc.gz")


def test_classic_cdx_with_a_legend() -> None:
    lines, flaws = read(
        b" CDX N b a m s k r M S V g",
        b"com,example)/ 20240301120000 http://example.com/ text/html 200 ABC - - 1043 333 one.warc.gz",
        b"com,example)/r 20240301120000 http://example.com/r warc/revisit - ABC - - - 7 one.warc.gz",
        b" CDX b a g V",
        b"2024 http://example.com/ x.arc.gz 12",
    )
    assert not flaws.findings
    assert lines[0] == CdxLine(
        "com,example)/", "20240301120000", "http://example.com/", "text/html", "200", "ABC", 1043, 333, "one.warc.gz"
    )
    assert (lines[1].status, lines[1].length, lines[1].offset) == (None, None, 7)
    assert (lines[2].key, lines[2].filename, lines[2].offset) == ("-", "x.arc.gz", 12)


def test_classic_cdx_without_a_legend_is_known_by_its_columns() -> None:
    lines, flaws = read(
        b"com,example)/ 20240301120000 http://example.com/ text/html 200 ABC - - 1043 333 one.warc.gz",
        b"com,example)/ 20240301120000 http://example.com/ text/html 200 ABC - 333 one.warc.gz",
        b"com,example)/ 20240301120000 http://example.com/ text/html 200 ABC 1043",
    )
    assert not flaws.findings
    assert [(line.length, line.offset) for line in lines] == [(1043, 333), (None, 333), (1043, None)]


@pytest.mark.parametrize(
    "bad",
    [
        b"just text",
        b"key 20240301120000",
        b"key 20240301120000 {",
        b'key 20240301120000 {"url": }',
        b"key 20240301120000 [1]",
        b'key then {"url": "http://example.com/"}',
        b'key 2024030112000012345678 {"url": "http://example.com/"}',
        b'key 20240301 {"url": "u", "offset": "twelve"}',
        b'key 20240301 {"url": "u", "offset": -1}',
        b'key 20240301 {"url": "u", "length": true}',
        b"key 20240301 " + b'{"a":' * 100_000,
        b"\xff\xfe\0",
    ],
)
def test_a_bad_line_is_a_finding_and_the_next_is_read(bad: bytes) -> None:
    lines, flaws = read(b"", bad, RESPONSE_TEXT.encode())
    assert lines == [RESPONSE]
    assert [(flaw.code, flaw.source, flaw.offset) for flaw in flaws.findings] == [("cdx-line", "index.cdxj", 1)]
    with pytest.raises(FormatError):
        parse_cdx_line(bad)


def test_a_line_without_end_is_passed_over() -> None:
    flaws = Flaws()
    chunks = [b"x" * 65536] * (MAX_CDX_LINE_BYTES // 65536 + 2) + [b"\n" + RESPONSE_TEXT.encode()]
    assert list(read_cdx(chunks, "index", flaws)) == [RESPONSE]
    assert [(flaw.code, flaw.offset) for flaw in flaws.findings] == [("line-too-long", 0)]


def test_lines_about_the_file_are_passed_over() -> None:
    lines, flaws = read(b'!meta 0 {"format": "cdxj-gzip-1.0"}', b'@context ["x"]', RESPONSE_TEXT.encode(), b"")
    assert lines == [RESPONSE]
    assert not flaws.findings


def test_lines_cut_anywhere_are_the_same() -> None:
    data = (RESPONSE_TEXT.encode() + b"\n") * 3
    for step in (1, 7, 100):
        pieces = [data[at : at + step] for at in range(0, len(data), step)]
        assert list(read_cdx(pieces, "index", Flaws())) == [RESPONSE] * 3


def test_keys_that_are_not_utf8_keep_their_bytes() -> None:
    line = parse_cdx_line(b'com,example)/\xe9 2024 {"url": "u"}')
    assert bytes(line) == b'com,example)/\xe9 2024 {"url": "u"}'


def test_order_is_that_of_the_bytes() -> None:
    lines = [CdxLine(key, "2024", "u") for key in ("com,a)/", "com,a,b)/", "com,a)/é", "com,a)/Z", "com,a)/a")]
    assert sorted(map(bytes, lines)) == [bytes(line) for line in sorted(lines, key=str)]


def test_a_timestamp_that_is_no_date_has_no_moment() -> None:
    assert CdxLine("k", "20249999").moment is None
    assert CdxLine("k", "2024", status="here").status_code is None
