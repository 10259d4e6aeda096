"""The client-side states that an archive holds: their notes found by page, capture or selection, read, and expanded
from differences to whole documents.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.errors import FormatError
from webkeep.formats.states import (
    FULL_PAGE_PREFIX,
    ROOT_STATE,
    TEXT_PREFIX,
    WINDOW_PREFIX,
    StateNote,
    apply_delta,
    parse_state_note,
    state_urn_prefix,
)
from webkeep.model import Moment, Observation, RecordPlace, RecordType
from webkeep.store.archive.archive import Archive
from webkeep.store.archive.selection import Selection
from webkeep.store.index.url_index import IndexEntry
from webkeep.store.reading.stored_response import read_stored_response
from webkeep.url import UrlMatch

_MAX_DELTA_CHAIN_NOTES = 64
"""Differences that are followed to a whole document: notes from elsewhere may refer to each other in a circle."""
_MAX_NOTE_BYTES = 64 << 20
"""Of a note's content; a longer one is cut off and told as damaged."""


def find_state_entries(archive: Archive, page: str = "") -> Iterator[IndexEntry]:
    """The index entries of all states, or of those of one page."""
    for entry in archive.entries(state_urn_prefix(page), UrlMatch.PREFIX):
        if entry.record_type == RecordType.METADATA and entry.url.startswith(state_urn_prefix(page)):
            yield entry


def read_state_note(archive: Archive, place: RecordPlace) -> StateNote:
    """The note that the record at a place holds."""
    stored, _ = read_stored_response(archive.files, place)
    return parse_state_note(b"".join(stored.content(_MAX_NOTE_BYTES)))


def read_state_notes(archive: Archive, capture: str = "", page: str = "") -> Iterator[StateNote]:
    """The notes of all states, of one capture or of one page, by page and identifier."""
    for entry in find_state_entries(archive, page):
        note = read_state_note(archive, entry.place)
        if not capture or note.capture == capture:
            yield note


def select_states(archive: Archive, selection: Selection) -> Iterator[tuple[IndexEntry, StateNote]]:
    """The states of the pages that a selection takes in, with where their notes lie."""
    for entry in find_state_entries(archive):
        note = read_state_note(archive, entry.place)
        if selection.includes_url_at(note.page, note.capture, note.moment):
            yield entry, note


def select_renditions(archive: Archive, selection: Selection) -> Iterator[Observation]:
    """Pictures, texts and documents of the states of such pages; they name their pages as what led to them."""
    for prefix in (state_urn_prefix(), WINDOW_PREFIX, FULL_PAGE_PREFIX, TEXT_PREFIX):
        for observation in archive.history(prefix, UrlMatch.PREFIX):
            if selection.includes_url_at(observation.via, observation.capture, observation.moment):
                yield observation


def read_walk(archive: Archive, page: str, at: Moment | None = None, capture: str = "") -> list[StateNote]:
    """The views of a page as they were found in one walk, the nearest to a moment or else the last; root first.

    Of the walks of one capture, where that is named.
    """
    notes = [note for note in read_state_notes(archive, page=page) if note.page == page]
    roots = [note for note in notes if note.id == ROOT_STATE and capture in ("", note.capture)]
    if not roots:
        return []
    aim = roots[-1].moment if at is None else at
    root = min(roots, key=lambda note: (abs(note.moment.seconds_since(aim)), -note.moment.micros))
    of_walk = sorted((note for note in notes if note.capture == root.capture), key=lambda note: note.moment)
    newest = {note.id: note for note in of_walk}
    return sorted(newest.values(), key=lambda note: (note.level, note.moment, note.id))


def expand_document(notes: dict[str, StateNote], state_id: str) -> str:
    """The whole document of a view, made out of those it was reached from."""
    chain: list[StateNote] = []
    note = notes.get(state_id)
    while note is not None and not isinstance(note.rendered, str):
        chain.append(note)
        note = notes.get(note.parent) if len(chain) < _MAX_DELTA_CHAIN_NOTES else None
    if note is None or not isinstance(note.rendered, str):
        raise FormatError(f"the document of state {state_id} refers to one that is not held")
    text = note.rendered
    for each in reversed(chain):
        text = apply_delta(text, each.rendered)
    return text
