"""From a walk to its notes."""

from __future__ import annotations

from dataclasses import replace

from webkeep.browser.values import Asking, Ending, Happenings, Interaction, Level, Transition, View, Walk, Wish
from webkeep.crawl.browsing.notes import deed_of, failed_note, notes_of
from webkeep.formats.state_note import ROOT, read_state
from webkeep.model import Moment
from webkeep.store.states import rendered

PAGE = "http://example.org/"
CLICK = Interaction("click", "#more", label="Show\n more")
HOVER = Interaction("mouseover", "nav >>> b", value="x", point=(3, 4))
DOM = "<html><body>" + "<p>A paragraph of the page.</p>" * 20 + "</body></html>"
MOMENT = Moment(10**15)


def view(number: int, script: tuple[Interaction, ...], parent: int | None, *urls: str) -> View:
    asked = frozenset(Asking("GET", PAGE + url) for url in urls)
    dom = DOM.replace("</body>", f"<i>{number}</i></body>")
    return View(
        number, f"s{number}", script, parent, PAGE, "Title", dom, "", asked, frozenset(), (f"{PAGE}{number}",), ()
    )


def walk() -> Walk:
    views = (
        view(0, (), None, "", "a.js"),
        view(1, (CLICK,), 0, "", "a.js", "more.json"),
        view(2, (CLICK, HOVER), 1, "", "a.js", "more.json"),
    )
    wished = Happenings((Asking("GET", PAGE + "more.json"),), (Wish("POST", PAGE + "order"),))
    moves = (Transition(0, CLICK, 1, wished), Transition(1, HOVER, 2), Transition(2, CLICK, 2))
    levels = (Level(0, 0.5, 0, 2), Level(1, 1.5, 3, 1))
    return Walk(PAGE, views, moves, Happenings(), Ending.COMPLETE, levels=levels, loads=3)


def test_every_view_has_its_note_and_the_root_comes_last() -> None:
    notes = list(notes_of(walk(), "capture", MOMENT, {f"{PAGE}more.json"}))
    assert [note.level for note in notes] == [2, 1, 0]
    assert notes[-1].id == ROOT
    assert len({note.id for note in notes}) == 3
    assert [read_state(note.block()) for note in notes] == notes
    known = {note.id: note for note in notes}
    assert [rendered(known, note.id) for note in notes] == [each.dom for each in reversed(walk().views)]
    assert all(isinstance(note.rendered, list) for note in notes[:-1])


def test_states_moves_and_what_they_bring() -> None:
    last, middle, root = notes_of(walk(), "capture", MOMENT)
    assert (root.state, middle.state, last.state) == (0, 1, 1), "the last view needs no more than the one before"
    (move,) = root.moves
    assert (move.deed, move.target, move.fresh) == (deed_of(CLICK), middle.id, (f"{PAGE}more.json",))
    assert move.deed.label == "Show more"
    assert last.moves[0].target == last.id
    assert last.script[1].point == "3 4"
    assert set(root.path_resources) < set(last.path_resources)
    assert middle.comment["links"] == [f"{PAGE}1"]


def test_the_root_tells_of_the_walk() -> None:
    root = list(notes_of(walk(), "capture", MOMENT, {f"{PAGE}more.json"}))[-1]
    assert root.comment["ended"] == "complete"
    assert root.comment["fresh"] == [f"{PAGE}more.json"]
    assert [level["seconds"] for level in root.comment["levels"]] == [0.5, 1.5]
    (happened,) = root.comment["happenings"]
    assert happened == {"in": ROOT, "event": "click", "target": "#more", "wishes": [["POST", f"{PAGE}order"]]}


def test_what_was_sent_only_to_be_counted_is_told_apart() -> None:
    asked = (Asking("POST", PAGE + "count", role="Ping"), Asking("POST", PAGE + "order", role="Fetch"))
    loading = Happenings(asked, (Wish("POST", PAGE + "count"), Wish("POST", PAGE + "order")))
    root = list(notes_of(replace(walk(), loading=loading, transitions=()), "capture", MOMENT))[-1]
    (happened,) = root.comment["happenings"]
    assert happened["wishes"] == [["POST", f"{PAGE}count", "Ping"], ["POST", f"{PAGE}order"]]


def test_a_page_that_did_not_load_is_noted_all_the_same() -> None:
    assert list(notes_of(Walk(PAGE, (), (), Happenings(), Ending.UNLOADED, "gone"), "c", MOMENT)) == []
    note = failed_note(PAGE, "gone", "c", MOMENT)
    assert read_state(note.block()).comment == {"ended": "unloaded", "failure": "gone"}
