"""Readers of what index servers and TimeMaps send: every form, in pieces of any size, whatever the bytes."""

import json
import random
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings, strategies as st

from webkeep.model import Moment
from webkeep.recover.repositories.cdx_reader import MAX_ROW_BYTES, CdxResponseReader
from webkeep.recover.repositories.timemap_reader import MAX_ITEM_BYTES, TimeMapReader

ROWS = [
    ["lost)/", "20200101120000", "http://lost/", "text/html", "200", "A" * 32, "100"],
    ["lost)/a", "20200101120001", 'http://lost/a"],["b', "warc/revisit", "-", "B" * 32, "-"],
    ["lost)/b", "20210101", "http://lost/b", "image/png", "404", "-", "7"],
]
HEADER = ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"]
NAMES = ["urlkey", "timestamp", "url", "mime", "status", "digest", "length"]


def listed(separator: str, key: str = "") -> bytes:
    return ("[" + separator.join(map(json.dumps, [HEADER, *ROWS, *([[], [key]] if key else [])])) + "]").encode()


FORMS = {
    "list": listed(",\n"),
    "list-with-key": listed(",\n", "the key"),
    "one-line": listed(", "),
    "one-line-with-key": listed(",", "the key"),
    "list-without-names": ("[" + ",\n".join(map(json.dumps, ROWS)) + "]").encode(),
    "longer-list-without-names": (
        "[" + ",".join(json.dumps([*row[:6], "-", "-", row[6], "9", "a.warc.gz"]) for row in ROWS) + "]"
    ).encode(),
    "objects": b"\n".join(json.dumps(dict(zip(NAMES, row, strict=True))).encode() for row in ROWS),
    "objects-with-key": b"\n".join(json.dumps(dict(zip(NAMES, row, strict=True))).encode() for row in ROWS)
    + b"\n\nthekey\n",
    "cdxj": b"\n".join(
        f"{row[0]} {row[1]} {json.dumps(dict(zip(NAMES[2:], row[2:], strict=True)))}".encode() for row in ROWS
    ),
    "columns": b"\n".join(" ".join(row).encode() for row in ROWS),
    "columns-with-legend": b" CDX N b a m s k S\n" + b"\n".join(" ".join(row).encode() for row in ROWS),
}


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows(form: str, size: int) -> None:
    reader = CdxResponseReader("index")
    found = list(reader.read_rows(in_pieces(FORMS[form], size)))
    assert [(line.key, line.timestamp, line.url) for line in found] == [(row[0], row[1], row[2]) for row in ROWS]
    assert [line.status_code for line in found] == [200, None, 404]
    assert [line.length for line in found] == [100, None, 7]
    assert reader.resume_key.replace(" ", "") == ("thekey" if "key" in form else "")
    assert reader.is_whole
    assert not reader.findings
    assert not reader.message


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]", b"[]\n", b"[\n]\n", b"[[]]", json.dumps([HEADER]).encode()])
def test_an_empty_answer_has_no_rows_and_is_whole(data: bytes) -> None:
    reader = CdxResponseReader("index")
    assert list(reader.read_rows([data])) == []
    assert (reader.is_whole, reader.message) == (True, "")


@pytest.mark.parametrize("end", range(60, len(FORMS["list"]) - 1, 17))
def test_a_list_that_ends_too_soon_is_not_whole(end: int) -> None:
    reader = CdxResponseReader("index")
    found = list(reader.read_rows([FORMS["list"][:end]]))
    assert len(found) <= len(ROWS)
    assert not reader.is_whole


def test_a_row_without_end_costs_no_memory() -> None:
    reader = CdxResponseReader("index")
    pieces = [FORMS["objects"] + b"\n", *[b"x" * 65536] * (3 * MAX_ROW_BYTES // 65536), b"\n" + FORMS["objects"]]
    assert len(list(reader.read_rows(pieces))) == 2 * len(ROWS)
    assert [finding.code for finding in reader.findings] == ["index-row"]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(FORMS)), st.randoms(use_true_random=False), st.binary(max_size=30), st.integers(1, 200))
def test_whatever_the_bytes_an_index_reader_raises_nothing(
    form: str, chance: random.Random, noise: bytes, size: int
) -> None:
    data = bytearray(FORMS[form])
    at = chance.randrange(len(data))
    data[at : at + chance.randrange(20)] = noise
    for line in CdxResponseReader("index").read_rows(in_pieces(bytes(data), size)):
        assert line.url
        assert line.moment is not None


MEMENTOS = [
    ("http://a.example/web/20200101120000/http://lost/", "20200101120000"),
    ("http://b.example/m,1", "20210101"),
]
DATES = ["Wed, 01 Jan 2020 12:00:00 GMT", "Fri, 01 Jan 2021 00:00:00 GMT"]
LINKS = (
    '<http://lost/>; rel="original",\n<http://a.example/map>; rel="self"; type="application/link-format"; '
    f'from="{DATES[0]}",\n<http://a.example/gate>; rel="timegate",'
    f'<{MEMENTOS[0][0]}>; rel="first memento"; datetime="{DATES[0]}",\n'
    f'<{MEMENTOS[1][0]}>;rel=memento;datetime="{DATES[1]}";license="a, <b>"'
).encode()
ITEMS = [{"datetime": "2020-01-01T12:00:00Z", "uri": MEMENTOS[0][0]}, {"datetime": DATES[1], "uri": MEMENTOS[1][0]}]
JSON_FIRST = json.dumps({"mementos": {"first": ITEMS[0], "last": ITEMS[1], "list": ITEMS}, "pages": {}}).encode()
JSON_LAST = json.dumps(
    {"original_uri": "http://lost/", "mementos": {"list": ITEMS, "first": ITEMS[0]}, "self": "x"}, indent=1
).encode()
CDXJ = b'!context ["x"]\n!meta {"original_uri": "http://lost/"}\n' + b"".join(
    f"{digits} {json.dumps(item)}\n".encode() for (_, digits), item in zip(MEMENTOS, ITEMS, strict=True)
)
MAPS = {"links": LINKS, "json-list-last": JSON_FIRST, "json-list-first": JSON_LAST, "cdxj": CDXJ}


@pytest.mark.parametrize("size", [1, 11, 10_000])
@pytest.mark.parametrize("form", MAPS)
def test_every_form_gives_the_same_mementos(form: str, size: int) -> None:
    reader = TimeMapReader("map")
    found = [(each.uri, each.moment) for each in reader.read_mementos(in_pieces(MAPS[form], size))]
    assert found == [(uri, Moment.parse(digits)) for uri, digits in MEMENTOS]
    assert not reader.findings
    assert not reader.pages


def test_pages_after_this_one_are_kept_apart_from_pages_before_it() -> None:
    reader = TimeMapReader("map")
    more = b'<http://a/1>; rel="prev timemap", <http://a/3>; rel="next timemap", <http://a/all>; rel="timemap",'
    assert len(list(reader.read_mementos([more + LINKS]))) == 2
    assert reader.pages == ["http://a/3"]
    assert (reader.original, reader.timegate) == ("http://lost/", "http://a.example/gate")


def test_a_map_of_maps_leads_to_all_of_them() -> None:
    reader = TimeMapReader("map")
    maps = b'<http://a/self>; rel="self timemap", <http://a/1>; rel="timemap", <http://a/2>; rel="timemap"; type="x"'
    assert list(reader.read_mementos([maps])) == []
    assert reader.pages == ["http://a/1", "http://a/2"]


def test_the_next_page_of_a_json_map() -> None:
    for pages in ({"next": "http://a/2"}, {"prev": {"uri": "http://a/0"}, "next": {"uri": "http://a/2"}}):
        reader = TimeMapReader("map")
        text = json.dumps({"pages": pages, "mementos": {"list": ITEMS}}).encode()
        assert len(list(reader.read_mementos([text]))) == 2
        assert reader.pages == ["http://a/2"]


def test_an_item_without_end_costs_no_memory() -> None:
    reader = TimeMapReader("map")
    pieces = [LINKS + b",", *[b"x" * 65536] * (3 * MAX_ITEM_BYTES // 65536), b"," + LINKS]
    assert len(list(reader.read_mementos(pieces))) >= 2
    assert "timemap-item" in {finding.code for finding in reader.findings}


def test_readers_take_no_more_of_a_long_answer_than_they_need() -> None:
    taken = 0

    def endless(piece: bytes) -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield piece

    mementos = TimeMapReader("map").read_mementos(endless(LINKS + b",\n"))
    assert len(list(islice(mementos, 2000))) == 2000
    assert taken <= 1100
    taken = 0
    assert len(list(islice(CdxResponseReader("index").read_rows(endless(FORMS["objects"] + b"\n")), 3000))) == 3000
    assert taken <= 1100


HOSTILE = MAPS | {
    "json-with-next": json.dumps({"pages": {"next": "http://a/2"}, "mementos": {"list": ITEMS}}).encode(),
    "cdxj-with-next": b'!meta {"pages": {"next": "http://a/\\u00e9"}}\n' + CDXJ,
    "json-with-bad-next": b'{"mementos": {"list": []}, "pages": {"next": "\\x \xff"}}',
}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(HOSTILE)), st.randoms(use_true_random=False), st.binary(max_size=30), st.integers(1, 200))
def test_whatever_the_bytes_a_timemap_reader_raises_nothing(
    form: str, chance: random.Random, noise: bytes, size: int
) -> None:
    data = bytearray(HOSTILE[form])
    at = chance.randrange(len(data))
    data[at : at + chance.randrange(20)] = noise
    for each in TimeMapReader("map").read_mementos(in_pieces(bytes(data), size)):
        assert each.uri
