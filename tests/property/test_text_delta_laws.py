"""Laws of differences between texts."""

from __future__ import annotations

from hypothesis import given, strategies as st

from webkeep.formats.states import (
    StateAction,
    StateNote,
    StateTransition,
    apply_delta,
    delta_to_parent,
    parse_state_note,
)
from webkeep.formats.states.text_delta import compute_delta
from webkeep.model import Moment

MARKUP = st.lists(
    st.sampled_from(["<div>", "</div>", "<li class=x>", "word ", "<", "é\ud800", "a" * 250, ""]), max_size=60
).map("".join)
TEXT = st.text(max_size=20)
DEEDS = st.builds(StateAction, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT)


@given(MARKUP, MARKUP)
def test_a_difference_makes_the_second_text_of_the_first(first: str, second: str) -> None:
    assert apply_delta(first, compute_delta(first, second)) == second


@given(MARKUP.filter(lambda text: len(text) > 100))
def test_a_text_differs_from_itself_in_nothing(text: str) -> None:
    assert not any(isinstance(piece, str) and len(piece) > 250 for piece in compute_delta(text, text))


@given(st.lists(DEEDS, max_size=4), TEXT, TEXT, MARKUP)
def test_a_note_is_read_as_it_was_written(script: list[StateAction], page: str, title: str, text: str) -> None:
    whole = text.encode("utf-8", "replace").decode()
    moves = tuple(StateTransition(deed, "x", ("y",)) for deed in script)
    note = StateNote(
        page,
        "id",
        title,
        Moment(10**15),
        tuple(script),
        "p",
        1,
        2,
        delta_to_parent("<div></div>", whole),
        transitions=moves,
    )
    assert parse_state_note(note.to_block()) == note
