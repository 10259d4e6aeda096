import json

import pytest

from webkeep.model import Capture, Fate, Moment, Outcome
from webkeep.store.bookkeeping import (
    News,
    capture_block,
    capture_in,
    end_note,
    fates_note,
    is_news,
    news_in,
    tombstones_note,
)
from webkeep.store.ledger import Tombstone

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
    assert capture_in(capture_block(capture, "a.warc.gz")) == capture


@pytest.mark.parametrize("text", [*HOSTILE, SURROGATE])
def test_what_a_field_cannot_hold_is_the_same_each_time(text: str) -> None:
    capture = Capture("1f0a", text, DAY, None, (text, "http://b/"), {})
    once = capture_in(capture_block(capture, ""))
    assert once is not None
    assert (once.id, once.started, once.seeds[-1], len(once.seeds)) == ("1f0a", DAY, "http://b/", 2)
    assert "\n" not in once.kind + once.seeds[0]
    assert capture_in(capture_block(once, "")) == once


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
    assert capture_in(block) is None


def test_facts_that_are_garbled_are_left_out() -> None:
    block = capture_block(Capture("1", "x", DAY, None, (), {"a": "b"}), "")
    garbled = block + b'webkeep-fact: [1\r\nwebkeep-fact: "x"\r\nwebkeep-fact: 7\r\nwebkeep-fact: ["c", "d"]\r\n'
    found = capture_in(garbled)
    assert found is not None
    assert found.facts == {"a": "b", "c": "d"}


@pytest.mark.parametrize("text", [*HOSTILE, SURROGATE])
def test_notes_say_what_will_be_read(text: str) -> None:
    stone = Tombstone(text, text, DAY, text, DAY.plus(1), text)
    for note in (
        end_note("1f0a", DAY, {text: text}),
        fates_note("1f0a", [Fate(text, Outcome.TRAPPED, text, text)]),
        tombstones_note([stone, stone]),
    ):
        assert is_news(note.content_type)
        assert note.news == news_in(note.content_type, note.block)
        note.block.decode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_notes_come_back(text: str) -> None:
    fates = [Fate(text, outcome, text, text) for outcome in Outcome]
    stone = Tombstone(text, text, DAY, text, DAY.plus(1), text)
    assert end_note("1f0a", DAY, {text: text}).news == News(ended="1f0a", moment=DAY, facts={text: text})
    assert fates_note("1f0a", fates).news == News(fates_of="1f0a", fates=tuple(fates))
    assert tombstones_note([stone]).news == News(tombstones=(stone,))


@pytest.mark.parametrize(
    "block", [b"", b"{", b"[]", b"7", b'{"fates": 7}', b'{"capture": "1", "fates": [["u", "eaten", "", ""]]}', b"\xff"]
)
def test_notes_that_are_damaged_say_nothing(block: bytes) -> None:
    for note in (end_note("1", DAY, {}), fates_note("1", []), tombstones_note([])):
        assert news_in(note.content_type, block) is None


def test_notes_are_plain_json() -> None:
    note = fates_note("1f0a", [Fate("http://é/", Outcome.OUT_OF_SCOPE, "too far", "http://a/")])
    assert json.loads(note.block) == {
        "capture": "1f0a",
        "fates": [["http://é/", "out-of-scope", "too far", "http://a/"]],
    }
