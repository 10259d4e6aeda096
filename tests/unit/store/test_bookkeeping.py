import json

import pytest

from webkeep.model import Capture, Fate, Moment, UrlOutcome
from webkeep.store.index import Tombstone
from webkeep.store.index.bookkeeping import (
    CatalogUpdate,
    build_warcinfo,
    capture_end_record,
    fates_record,
    is_bookkeeping_type,
    parse_update,
    parse_warcinfo,
    tombstones_record,
)

DAY = Moment.parse("2024-03-01T12:34:56.789Z")
HOSTILE = [
    "",
    " ",
    "a  b",
    "tab\tand\x0b",
    "line\r\nwebkeep-kind: other\r\n",
    '"\\',
    "é\u2028",
    "\x00",
    "<x>",
    "a" * 9000,
]
SURROGATE = "lone \ud800"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_capture_comes_back(text: str) -> None:
    capture = Capture("1f0a", "capture", DAY, None, ("http://a/",), {text: text, "plan": text})
    assert parse_warcinfo(build_warcinfo(capture, "a.warc.gz")) == capture


@pytest.mark.parametrize("text", [*HOSTILE, SURROGATE])
def test_what_a_field_cannot_hold_is_the_same_each_time(text: str) -> None:
    capture = Capture("1f0a", text, DAY, None, (text, "http://b/"), {})
    once = parse_warcinfo(build_warcinfo(capture, ""))
    assert once is not None
    assert (once.id, once.started, once.seeds[-1], len(once.seeds)) == ("1f0a", DAY, "http://b/", 2)
    assert "\n" not in once.kind + once.seeds[0]
    assert parse_warcinfo(build_warcinfo(once, "")) == once


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"software: wget\r\nisPartOf: urn:uuid:1\r\n",
        b"software: webkeep/1\r\n",
        b"software: webkeep/1\r\nisPartOf: urn:uuid:1\r\nwebkeep-started: soon\r\n",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_not_ours_is_no_capture(block: bytes) -> None:
    assert parse_warcinfo(block) is None


def test_facts_that_are_garbled_are_left_out() -> None:
    block = build_warcinfo(Capture("1", "x", DAY, None, (), {"a": "b"}), "")
    garbled = block + b'webkeep-fact: [1\r\nwebkeep-fact: "x"\r\nwebkeep-fact: 7\r\nwebkeep-fact: ["c", "d"]\r\n'
    found = parse_warcinfo(garbled)
    assert found is not None
    assert found.facts == {"a": "b", "c": "d"}


@pytest.mark.parametrize("text", [*HOSTILE, SURROGATE])
def test_notes_say_what_will_be_read(text: str) -> None:
    stone = Tombstone(text, text, DAY, text, DAY.plus(1), text)
    for note in (
        capture_end_record("1f0a", DAY, {text: text}),
        fates_record("1f0a", [Fate(text, UrlOutcome.TRAPPED, text, text)]),
        tombstones_record([stone, stone]),
    ):
        assert is_bookkeeping_type(note.content_type)
        assert note.update == parse_update(note.content_type, note.block)
        note.block.decode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_notes_come_back(text: str) -> None:
    fates = [Fate(text, outcome, text, text) for outcome in UrlOutcome]
    stone = Tombstone(text, text, DAY, text, DAY.plus(1), text)
    assert capture_end_record("1f0a", DAY, {text: text}).update == CatalogUpdate(
        ended_capture="1f0a", moment=DAY, facts={text: text}
    )
    assert fates_record("1f0a", fates).update == CatalogUpdate(fates_of="1f0a", fates=tuple(fates))
    assert tombstones_record([stone]).update == CatalogUpdate(tombstones=(stone,))


@pytest.mark.parametrize(
    "block", [b"", b"{", b"[]", b"7", b'{"fates": 7}', b'{"capture": "1", "fates": [["u", "eaten", "", ""]]}', b"\xff"]
)
def test_notes_that_are_damaged_say_nothing(block: bytes) -> None:
    for note in (capture_end_record("1", DAY, {}), fates_record("1", []), tombstones_record([])):
        assert parse_update(note.content_type, block) is None


def test_notes_are_plain_json() -> None:
    note = fates_record("1f0a", [Fate("http://é/", UrlOutcome.OUT_OF_SCOPE, "too far", "http://a/")])
    assert json.loads(note.block) == {
        "capture": "1f0a",
        "fates": [["http://é/", "out-of-scope", "too far", "http://a/"]],
    }
