"""From a walk to its notes."""

from __future__ import annotations

from dataclasses import replace

from webkeep.browser import Interaction, PageView, SideEffects, StateWalk, WithheldRequest
from webkeep.browser.walk_model import FailedRequest, PageOverlay, PageRequest, ViewTransition, WalkEnding, WalkLevel
from webkeep.crawl.browsing.walk_notes import failure_note, state_action_of, state_notes_of
from webkeep.formats.states import ROOT_STATE, parse_state_note
from webkeep.model import Moment
from webkeep.store.views import expand_document

PAGE = "http://example.org/"
CLICK = Interaction("click", "#more", label="Show\n more")
HOVER = Interaction("mouseover", "nav >>> b", value="x", point=(3, 4))
DOM = "<html><body>" + "<p>A paragraph of the page.</p>" * 20 + "</body></html>"
MOMENT = Moment(10**15)


def view(number: int, script: tuple[Interaction, ...], parent: int | None, *urls: str) -> PageView:
    asked = frozenset(PageRequest("GET", PAGE + url) for url in urls)
    dom = DOM.replace("</body>", f"<i>{number}</i></body>")
    return PageView(
        number, f"s{number}", script, parent, PAGE, "Title", dom, "", asked, frozenset(), (f"{PAGE}{number}",), ()
    )


def walk() -> StateWalk:
    views = (
        view(0, (), None, "", "a.js"),
        view(1, (CLICK,), 0, "", "a.js", "more.json"),
        view(2, (CLICK, HOVER), 1, "", "a.js", "more.json"),
    )
    wished = SideEffects((PageRequest("GET", PAGE + "more.json"),), (WithheldRequest("POST", PAGE + "order"),))
    moves = (ViewTransition(0, CLICK, 1, wished), ViewTransition(1, HOVER, 2), ViewTransition(2, CLICK, 2))
    levels = (WalkLevel(0, 0.5, 0, 2), WalkLevel(1, 1.5, 3, 1))
    return StateWalk(PAGE, views, moves, SideEffects(), WalkEnding.COMPLETE, levels=levels, loads=3)


def test_every_view_has_its_note_and_the_root_comes_last() -> None:
    notes = list(state_notes_of(walk(), "capture", MOMENT, {f"{PAGE}more.json"}))
    assert [note.level for note in notes] == [2, 1, 0]
    assert notes[-1].id == ROOT_STATE
    assert len({note.id for note in notes}) == 3
    assert [parse_state_note(note.to_block()) for note in notes] == notes
    known = {note.id: note for note in notes}
    assert [expand_document(known, note.id) for note in notes] == [each.dom for each in reversed(walk().views)]
    assert all(isinstance(note.rendered, list) for note in notes[:-1])


def test_states_moves_and_what_they_bring() -> None:
    last, middle, root = state_notes_of(walk(), "capture", MOMENT)
    assert (root.state, middle.state, last.state) == (0, 1, 1), "the last view needs no more than the one before"
    (move,) = root.transitions
    assert (move.action, move.target, move.new_requests) == (state_action_of(CLICK), middle.id, (f"{PAGE}more.json",))
    assert move.action.label == "Show more"
    assert last.transitions[0].target == last.id
    assert last.script[1].point == "3 4"
    assert set(root.path_resources) < set(last.path_resources)
    assert middle.comment["links"] == [f"{PAGE}1"]


def test_the_root_tells_of_the_walk() -> None:
    root = list(state_notes_of(walk(), "capture", MOMENT, {f"{PAGE}more.json"}))[-1]
    assert root.comment["ended"] == "complete"
    assert root.comment["fresh"] == [f"{PAGE}more.json"]
    assert [level["seconds"] for level in root.comment["levels"]] == [0.5, 1.5]
    (happened,) = root.comment["happenings"]
    assert happened == {"in": ROOT_STATE, "event": "click", "target": "#more", "wishes": [["POST", f"{PAGE}order"]]}


def test_what_was_sent_only_to_be_counted_is_told_apart() -> None:
    asked = (PageRequest("POST", PAGE + "count", role="Ping"), PageRequest("POST", PAGE + "order", role="Fetch"))
    loading = SideEffects(asked, (WithheldRequest("POST", PAGE + "count"), WithheldRequest("POST", PAGE + "order")))
    root = list(state_notes_of(replace(walk(), loading=loading, transitions=()), "capture", MOMENT))[-1]
    (happened,) = root.comment["happenings"]
    assert happened["wishes"] == [["POST", f"{PAGE}count", "Ping"], ["POST", f"{PAGE}order"]]


def test_a_page_that_did_not_load_is_noted_all_the_same() -> None:
    assert list(state_notes_of(StateWalk(PAGE, (), (), SideEffects(), WalkEnding.UNLOADED, "gone"), "c", MOMENT)) == []
    note = failure_note(PAGE, "gone", "c", MOMENT)
    assert parse_state_note(note.to_block()).comment == {"ended": "unloaded", "failure": "gone"}


def test_what_lay_over_a_page_and_what_went_wrong_is_noted() -> None:
    box = PageOverlay("div#consent", "Cookies?", (0, 700, 1280, 260))
    shown = replace(walk().views[0], overlays=(box,), uncovered=b"png")
    loading = SideEffects(errors=("Uncaught x",), failures=(FailedRequest(f"{PAGE}lost.css", 404),))
    (note,) = state_notes_of(StateWalk(PAGE, (shown,), (), loading, WalkEnding.COMPLETE), "c", MOMENT)
    assert note.comment["overlays"] == [["div#consent", "Cookies?", [0, 700, 1280, 260]]]
    assert note.comment["happenings"] == [
        {"in": "", "errors": ["Uncaught x"], "failures": [[f"{PAGE}lost.css", 404, ""]]}
    ]
