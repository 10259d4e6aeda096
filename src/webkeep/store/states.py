"""The client-side states that an archive holds: their notes found, read and expanded."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.errors import FormatError
from webkeep.formats.state_note import FULL_PAGE, ROOT, TEXT, WINDOW, StateNote, read_state, state_prefix
from webkeep.formats.text_delta import text_from
from webkeep.model import Moment, Observation, Place
from webkeep.store.archive import Archive
from webkeep.store.entry import Entry
from webkeep.store.reading import read_holding
from webkeep.store.selecting import Selection
from webkeep.url.key_range import Match

_DEEPEST = 64
_LARGEST = 64 << 20


def state_entries(archive: Archive, page: str = "") -> Iterator[Entry]:
    """The index entries of all states, or of those of one page."""
    for entry in archive.entries(state_prefix(page), Match.PREFIX):
        if entry.record_type == "metadata" and entry.url.startswith(state_prefix(page)):
            yield entry


def read_note(archive: Archive, place: Place) -> StateNote:
    """The note that the record at a place holds."""
    holding, _ = read_holding(archive.files, place)
    return read_state(b"".join(holding.content(_LARGEST)))


def state_notes(archive: Archive, capture: str = "", page: str = "") -> Iterator[StateNote]:
    """The notes of all states, of one capture or of one page, by page and identifier."""
    for entry in state_entries(archive, page):
        note = read_note(archive, entry.place)
        if not capture or note.capture == capture:
            yield note


def selected_states(archive: Archive, selection: Selection) -> Iterator[tuple[Entry, StateNote]]:
    """The states of the pages that a selection takes in, with where their notes lie."""
    for entry in state_entries(archive):
        note = read_note(archive, entry.place)
        if selection.takes_in(note.page, note.capture, note.moment):
            yield entry, note


def selected_renditions(archive: Archive, selection: Selection) -> Iterator[Observation]:
    """Pictures, texts and documents of the states of such pages; they name their pages as what led to them."""
    for prefix in (state_prefix(), WINDOW, FULL_PAGE, TEXT):
        for observation in archive.history(prefix, Match.PREFIX):
            if selection.takes_in(observation.via, observation.capture, observation.moment):
                yield observation


def walk_of(archive: Archive, page: str, at: Moment | None = None) -> list[StateNote]:
    """The views of a page as they were found in one walk, the nearest to a moment or else the last; root first."""
    notes = [note for note in state_notes(archive, page=page) if note.page == page]
    roots = [note for note in notes if note.id == ROOT]
    if not roots:
        return []
    aim = roots[-1].moment if at is None else at
    root = min(roots, key=lambda note: (abs(note.moment.seconds_since(aim)), -note.moment.micros))
    of_walk = sorted((note for note in notes if note.capture == root.capture), key=lambda note: note.moment)
    newest = {note.id: note for note in of_walk}
    return sorted(newest.values(), key=lambda note: (note.level, note.moment, note.id))


def rendered(notes: dict[str, StateNote], state_id: str) -> str:
    """The whole document of a view, made out of those it was reached from."""
    chain: list[StateNote] = []
    note = notes.get(state_id)
    while note is not None and not isinstance(note.rendered, str):
        chain.append(note)
        note = notes.get(note.parent) if len(chain) < _DEEPEST else None
    if note is None or not isinstance(note.rendered, str):
        raise FormatError(f"the document of state {state_id} refers to one that is not held")
    text = note.rendered
    for each in reversed(chain):
        text = text_from(text, each.rendered)
    return text
