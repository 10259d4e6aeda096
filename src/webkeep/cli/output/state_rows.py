"""The client-side states that an archive holds, as rows and facts in lists, and as words for what revealed a URL."""

from __future__ import annotations

from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.formats.states import StateAction, StateNote, action_values
from webkeep.presentation import format_moment
from webkeep.quality.states import view_caption
from webkeep.store.archive import Archive
from webkeep.store.views import read_state_notes

_MAX_CAPTION_CHARS = 60
"""A caption is a script of clicks of any length, and stands in a column."""


def state_cells(note: StateNote) -> tuple[str, ...]:
    """A state as a person reads it."""
    caption = "as it loads" if not note.script else view_caption(note)
    return (
        format_moment(note.moment),
        note.capture[:SHORT_ID_CHARS],
        f"{note.level}",
        f"{note.state}",
        f"{len(note.resources):,}",
        f"{len(note.transitions):,}",
        caption if len(caption) <= _MAX_CAPTION_CHARS else f"{caption[:_MAX_CAPTION_CHARS]}…",
        note.page,
    )


def state_facts(note: StateNote) -> dict[str, object]:
    """A state as programs are told of it."""
    return {
        "page": note.page,
        "id": note.id,
        "address": note.urn,
        "title": note.title,
        "moment": note.moment.iso(),
        "capture": note.capture,
        "level": note.level,
        "state": note.state,
        "script": [action_values(action) for action in note.script],
        "resources": list(note.resources),
        "moves": len(note.transitions),
    }


def describe_reveals(archive: Archive, capture: str, page: str, url: str) -> str:
    """What had to be done to a page before it asked for a URL or showed a link to it; nothing where none is known."""
    for note in sorted(read_state_notes(archive, capture, page), key=lambda note: note.level):
        shown = {link.partition("#")[0] for link in note.comment.get("links", ())}
        if url in shown or (not note.script and url in note.comment.get("fresh", ()) and url in note.resources):
            return f", {_script_words(note.script)}"
        for move in note.transitions:
            if url in move.new_requests:
                return f", {_script_words((*note.script, move.action))}"
    return ""


def _script_words(script: tuple[StateAction, ...]) -> str:
    deeds = ", then ".join(f"{action.event} {action.label or action.target}" for action in script)
    return f"after {deeds}" if deeds else "as it ran in a browser"
