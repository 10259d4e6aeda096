"""Parts of the log: entries matched with records, notes that list entries, states that cannot be relied on."""

import json
import random
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.store.log.entry_matching import EntryMatcher
from webkeep.store.log.log_notes import LogNote, list_notes, listed_entries, parse_log_note, takedown_notes
from webkeep.store.log.log_state import LogState, read_log_state, write_log_state
from webkeep.store.log.record_log import RecordLog


def entry(number: int) -> bytes:
    return number.to_bytes(32, "big")


@pytest.mark.parametrize("count", [10, 2000])
def test_every_entry_is_given_once_in_whatever_order_records_come(count: int) -> None:
    chance = random.Random(count)
    entries = [entry(chance.randrange(count * 3 // 4)) for _ in range(count)]  # some of them twice
    matcher = EntryMatcher(b"".join(entries))
    wanted = [*entries, entry(count), entry(count + 1)]
    chance.shuffle(wanted)
    found = [matcher.match(each) for each in wanted]
    given = [index for index in found if index is not None]
    assert sorted(given) == list(range(count))
    assert all(index is None or entries[index] == each for each, index in zip(wanted, found, strict=True))
    assert list(matcher.left_over()) == []


def test_entries_across_others_are_no_entries() -> None:
    """What begins in one entry and ends in the next is none."""
    data = bytes(range(64))
    matcher = EntryMatcher(data)
    assert matcher.match(data[16:48]) is None
    assert list(matcher.left_over()) == [0, 1]


def test_notes_are_read_as_they_were_written() -> None:
    notes = [
        *list_notes("example.org/log", 5, entry(1) + entry(2), b"example.org/log\n7\nAA==\n\n", "key"),
        *takedown_notes("example.org/log", [entry(1)], [(entry(2), entry(3))]),
    ]
    assert [parse_log_note(note.to_record().block) for note in notes] == notes


def test_long_lists_are_several_notes_and_the_last_has_the_checkpoint() -> None:
    entries = b"".join(map(entry, range(70_000)))
    notes = list(list_notes("log", 3, entries, b"note"))
    assert [(note.first, len(note.entries) // 32, note.checkpoint) for note in notes] == [
        (3, 65_536, b""),
        (65_539, 4_464, b"note"),
    ]
    assert listed_entries([LogNote("log", 0, entries[:96]), *reversed(notes)]) == entries[:96] + entries


def test_lists_that_overlap_or_contradict_or_leave_a_gap() -> None:
    first, again = LogNote("log", 0, entry(0) + entry(1)), LogNote("log", 1, entry(1) + entry(2))
    other, beyond = LogNote("log", 1, entry(9) + entry(8)), LogNote("log", 7, entry(7))
    assert listed_entries([again, first, beyond]) == entry(0) + entry(1) + entry(2)
    assert listed_entries([first, other]) == entry(0) + entry(1)


@pytest.mark.parametrize(
    "changes",
    [{"size": -1}, {"size": 10**9}, {"listed": 9}, {"covered": {"a": -5}}, {"covered": 7}, {"origin": "other"}],
)
def test_a_state_that_cannot_be_is_not_gone_on_with(tmp_path: Path, changes: dict[str, object]) -> None:
    with RecordLog(tmp_path / "log", "log", writable=True) as log:
        log.append(entry(1))
        log.write_pending()
        log.settle()
    state = tmp_path / "log/state.json"
    with RecordLog(tmp_path / "log", "log") as log:
        assert (log.is_sound, log.size) == (True, 1)
    state.write_text(json.dumps(json.loads(state.read_text()) | changes))
    with RecordLog(tmp_path / "log", "log") as log:
        assert (log.is_sound, log.size) == (False, 0)


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    state = LogState("log", 5, {"a.warc.gz": 7}, 4, 5, "ab")
    write_log_state(tmp_path, state)
    assert read_log_state(tmp_path) == state


def test_a_log_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        RecordLog(tmp_path / "gone" / "log", "log", writable=True)
    with RecordLog(tmp_path / "gone" / "log", "log") as log:
        assert log.size == 0
