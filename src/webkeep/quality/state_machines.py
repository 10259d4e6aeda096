"""The machines M = (S, s0, Σ, δ) of the pages of an archive, as JSON and as GraphML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from webkeep.formats.graphml import Arc, Shape, graphml
from webkeep.formats.state_note import StateNote, deed_values
from webkeep.store.states import rendered

_ROOT_COLOUR, _NEW_COLOUR, _SAME_COLOUR = "#1F77B4", "#2CA02C", "#BBBBBB"
_LEAST, _GROWTH, _LARGEST = 20.0, 2.0, 120.0
_LONGEST = 60


def by_page(notes: Iterable[StateNote]) -> Iterator[list[StateNote]]:
    """The notes of each walk, root first; they have to come page by page."""
    for _, of_page in groupby(notes, key=lambda note: note.page):
        for _, walk in groupby(sorted(of_page, key=_place), key=lambda note: note.capture):
            yield list({note.id: note for note in walk}.values())


def _place(note: StateNote) -> tuple[str, int, int, str]:
    return note.capture, note.level, note.moment.micros, note.id


def machines_json(walks: Iterable[list[StateNote]]) -> Iterator[bytes]:
    """The machines as one JSON document, piece by piece, documents expanded."""
    yield b'{"machines":['
    for number, walk in enumerate(walks):
        text = json.dumps(_machine(walk), ensure_ascii=False, separators=(",", ":"))
        yield (b",\n" if number else b"\n") + text.encode("utf-8", "replace")
    yield b"\n]}\n"


def _machine(walk: list[StateNote]) -> dict[str, object]:
    """A machine: its states by number, the letters of its alphabet, and the transitions between states and views."""
    known = {note.id: note for note in walk}
    alphabet: dict[tuple[tuple[str, str], ...], int] = {}
    transitions = []
    for note in walk:
        for move in note.moves:
            letter = alphabet.setdefault(tuple(deed_values(move.deed).items()), len(alphabet))
            transitions.append((note.id, letter, move.target, move.fresh))
    states: dict[int, list[str]] = {}
    for note in walk:
        states.setdefault(note.state, []).append(note.id)
    delta = {
        (known[source].state, letter, known[target].state): None
        for source, letter, target, _ in transitions
        if target in known
    }
    return {
        "page": walk[0].page,
        "capture": walk[0].capture,
        "moment": walk[0].moment.iso(),
        "S": [{"id": number, "views": views} for number, views in sorted(states.items())],
        "s0": walk[0].state,
        "alphabet": [dict(letter) for letter in alphabet],
        "delta": [list(each) for each in delta],
        "views": [_view(note, known) for note in walk],
        "transitions": transitions,
    }


def _view(note: StateNote, known: dict[str, StateNote]) -> dict[str, object]:
    return {
        "startedDateTime": note.moment.iso(),
        "id": note.id,
        "title": note.title,
        "script": [deed_values(deed) for deed in note.script],
        "parent": note.parent,
        "level": note.level,
        "state": note.state,
        "renderedContent": rendered(known, note.id),
        "renderedElements": list(note.path_resources),
        "resources": list(note.resources),
        "comment": dict(note.comment),
    }


def machines_graphml(walks: Iterable[list[StateNote]]) -> Iterator[bytes]:
    """The machines as one graph: a node for every view, an edge for every interaction that was tried."""
    held = list(walks)
    yield from graphml(_shapes(held), _arcs(held))


def _shapes(walks: list[list[StateNote]]) -> Iterator[Shape]:
    for place, walk in enumerate(walks):
        seen: set[int] = set()
        for note in walk:
            colour = _ROOT_COLOUR if not note.level else _SAME_COLOUR if note.state in seen else _NEW_COLOUR
            seen.add(note.state)
            size = min(_LEAST + _GROWTH * len(note.resources), _LARGEST)
            yield Shape(_name(place, note.id), caption_of(note), colour, size)


def _arcs(walks: list[list[StateNote]]) -> Iterator[Arc]:
    for place, walk in enumerate(walks):
        for note in walk:
            for move in note.moves:
                if move.target:
                    label = f"{move.deed.event} {move.deed.label or move.deed.target}"[:_LONGEST]
                    yield Arc(_name(place, note.id), _name(place, move.target), label)


def _name(place: int, view: str) -> str:
    return f"{place}.{view}"


def caption_of(note: StateNote) -> str:
    """What a view is called: the page, or what was done to it."""
    if not note.script:
        return note.page
    return ", then ".join(f"{deed.event} {deed.label or deed.target}" for deed in note.script)[: 4 * _LONGEST]
