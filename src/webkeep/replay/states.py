"""Client-side states in replay: a page is loaded from the archive, and what was done to it then is done to it again."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files

from webkeep.formats.state_note import StateNote, deed_values
from webkeep.model import Moment
from webkeep.replay.collection import Found
from webkeep.replay.context import Context
from webkeep.replay.looking import Looker
from webkeep.replay.message import Answer, Lock, Request, text_answer
from webkeep.replay.shim import OWN_PATH, ReplayHost
from webkeep.store.states import walk_of
from webkeep.url import surt

MARKER = "webkeep-state:"
"""What a window's name begins with that is to show a state; the shim takes it away again."""
_PATH = f"{OWN_PATH}state/"


def state_place(place: str, state_id: str) -> str:
    """Where a state of the page at a replay address is shown."""
    scheme, _, rest = place.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}{_PATH}{state_id}{slash}{path}"


def states_of(looker: Looker, found: Found) -> list[StateNote]:
    """The views of a page that were found together with a version of it; those that may not be seen are not there."""
    now = looker.clock.now()
    notes = walk_of(found.archive, found.entry.url, found.entry.moment)
    return [note for note in notes if looker.access.shows(surt(note.page), note.moment, now)]


def entrance(request: Request) -> Answer:
    """A page that names its window after a state and goes on to the archived page."""
    state_id, _, target = request.target.removeprefix(_PATH).partition("/")
    if not state_id.isalnum():
        return text_answer(404, "no state is called so")
    onward = json.dumps(f"/{target}").replace("</", "<\\/")
    text = (
        f"<!doctype html><meta charset=utf-8><title>{escape(state_id)}</title>"
        f"<script>name={json.dumps(MARKER + state_id)};location.replace({onward}+location.hash)</script>"
    )
    fields = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
    return Answer(200, fields, text.encode(), lock=Lock.ARCHIVED)


def script_answer(context: Context, request: Request, host: ReplayHost) -> Answer:
    """What is to be done to a page, and what it does by itself, as JSON; null where that is not known."""
    url, state_id = request.parameter("url"), request.parameter("id")
    moment = Moment.parse(host.stamp)
    told = None
    for archive in context.collection.archives:
        notes = walk_of(archive, url, moment)
        for note in notes:
            if note.id == state_id and context.looker.access.shows(surt(url), note.moment, context.clock.now()):
                told = _script(note, notes[0])
    return Answer(200, [("Content-Type", "application/json")], json.dumps(told).encode())


def _script(note: StateNote, root: StateNote) -> dict[str, object]:
    """A way to a view as the player takes it; the walk's first note tells which elements change untouched."""
    volatile = root.comment.get("volatile")
    return {
        "steps": [_step(values) for values in map(deed_values, note.script)],
        "volatile": [str(each) for each in volatile] if isinstance(volatile, list) else [],
    }


def _step(values: dict[str, str]) -> dict[str, object]:
    point = values.get("point", "")
    return {
        **values,
        "value": values.get("value", ""),
        "point": [int(each) for each in point.split()] if point else None,
    }


@cache
def player_script() -> bytes:
    """The module that does things to a page: the very script that did them when it was explored."""
    acting = (files("webkeep.browser") / "page" / "perform.js").read_text("utf-8")
    playing = (files("webkeep.replay.shim") / "source" / "player.js").read_text("utf-8")
    return f"{acting}\n{playing}".encode()
