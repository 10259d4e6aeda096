"""The machines M = (S, s0, Σ, δ) of the pages of an archive, as JSON and as GraphML: what is written of states and
views, the colours and sizes of nodes, and what views are called.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby

from webkeep.formats import GraphEdge, NodeShape, write_graphml
from webkeep.formats.states import StateNote, action_values
from webkeep.store.views import expand_document

_ROOT_COLOUR, _NEW_COLOUR, _SAME_COLOUR = "#1F77B4", "#2CA02C", "#BBBBBB"
_MIN_NODE_SIZE, _SIZE_A_RESOURCE, _MAX_NODE_SIZE = 20.0, 2.0, 120.0
"""Nodes grow with what their view needs, from the least size up to the largest."""
_MAX_LABEL_CHARS = 60
"""Labels of elements come from pages and may be of any length."""


def group_by_page(notes: Iterable[StateNote]) -> Iterator[list[StateNote]]:
    """The notes of each walk, root first; they have to come page by page."""
    for _, of_page in groupby(notes, key=lambda note: note.page):
        for _, walk in groupby(sorted(of_page, key=_note_order), key=lambda note: note.capture):
            yield list({note.id: note for note in walk}.values())


def _note_order(note: StateNote) -> tuple[str, int, int, str]:
    return note.capture, note.level, note.moment.micros, note.id


def machines_json(walks: Iterable[list[StateNote]]) -> Iterator[bytes]:
    """The machines as one JSON document, piece by piece, documents expanded."""
    yield b'{"machines":['
    for number, walk in enumerate(walks):
        text = json.dumps(_machine_values(walk), ensure_ascii=False, separators=(",", ":"))
        yield (b",\n" if number else b"\n") + text.encode("utf-8", "replace")
    yield b"\n]}\n"


def _machine_values(walk: list[StateNote]) -> dict[str, object]:
    """A machine: its states by number, the letters of its alphabet, and the transitions between states and views."""
    known = {note.id: note for note in walk}
    alphabet: dict[tuple[tuple[str, str], ...], int] = {}
    transitions = []
    for note in walk:
        for move in note.transitions:
            letter = alphabet.setdefault(tuple(action_values(move.action).items()), len(alphabet))
            transitions.append((note.id, letter, move.target, move.new_requests))
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
        "views": [_view_values(note, known) for note in walk],
        "transitions": transitions,
    }


def _view_values(note: StateNote, known: dict[str, StateNote]) -> dict[str, object]:
    return {
        "startedDateTime": note.moment.iso(),
        "id": note.id,
        "title": note.title,
        "script": [action_values(action) for action in note.script],
        "parent": note.parent,
        "level": note.level,
        "state": note.state,
        "renderedContent": expand_document(known, note.id),
        "renderedElements": list(note.path_resources),
        "resources": list(note.resources),
        "comment": dict(note.comment),
    }


def machines_graphml(walks: Iterable[list[StateNote]]) -> Iterator[bytes]:
    """The machines as one graph: a node for every view, an edge for every interaction that was tried."""
    held = list(walks)
    yield from write_graphml(_node_shapes(held), _transition_arcs(held))


def _node_shapes(walks: list[list[StateNote]]) -> Iterator[NodeShape]:
    for place, walk in enumerate(walks):
        seen: set[int] = set()
        for note in walk:
            colour = _ROOT_COLOUR if not note.level else _SAME_COLOUR if note.state in seen else _NEW_COLOUR
            seen.add(note.state)
            size = min(_MIN_NODE_SIZE + _SIZE_A_RESOURCE * len(note.resources), _MAX_NODE_SIZE)
            yield NodeShape(_node_name(place, note.id), view_caption(note), colour, size)


def _transition_arcs(walks: list[list[StateNote]]) -> Iterator[GraphEdge]:
    for place, walk in enumerate(walks):
        for note in walk:
            for move in note.transitions:
                if move.target:
                    label = f"{move.action.event} {move.action.label or move.action.target}"[:_MAX_LABEL_CHARS]
                    yield GraphEdge(_node_name(place, note.id), _node_name(place, move.target), label)


def _node_name(place: int, view: str) -> str:
    return f"{place}.{view}"


def view_caption(note: StateNote) -> str:
    """What a view is called: the page, or what was done to it."""
    if not note.script:
        return note.page
    return ", then ".join(f"{action.event} {action.label or action.target}" for action in note.script)[
        : 4 * _MAX_LABEL_CHARS
    ]
