"""Client-side states in replay: a page is loaded from the archive, and what was done to it then is done to it again;
the address of a state, its entrance page, and the steps that the player is given.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from webkeep.formats.states import StateNote, action_values
from webkeep.model import Moment
from webkeep.presentation.pages import Markup, element, render_page
from webkeep.replay.choice.collection import Memento
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.server.message import Request, Response, SecurityClass, text_response
from webkeep.replay.shim.replay_host import ReplayHost
from webkeep.replay.shim.scripts import OWN_PATH
from webkeep.store.views import read_walk
from webkeep.url import surt

WINDOW_NAME_PREFIX = "webkeep-state:"
"""What a window's name begins with that is to show a state; the shim takes it away again."""
_STATE_PATH = f"{OWN_PATH}state/"


def state_url(place: str, state_id: str) -> str:
    """Where a state of the page at a replay address is shown."""
    scheme, _, rest = place.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}{_STATE_PATH}{state_id}{slash}{path}"


def page_states(lookup: MementoLookup, found: Memento) -> list[StateNote]:
    """The views of a page that were found together with a version of it; those that may not be seen are not there."""
    now = lookup.clock.now()
    notes = read_walk(found.archive, found.entry.url, found.entry.moment)
    return [note for note in notes if lookup.access.allows(surt(note.page), note.moment, now)]


def state_entrance(request: Request) -> Response:
    """A page that names its window after a state and goes on to the archived page."""
    state_id, _, target = request.target.removeprefix(_STATE_PATH).partition("/")
    if not state_id.isalnum():
        return text_response(404, "no state is called so")
    onward = json.dumps(f"/{target}").replace("</", "<\\/")
    code = f"name={json.dumps(WINDOW_NAME_PREFIX + state_id)};location.replace({onward}+location.hash)"
    page = render_page(state_id, element("script", Markup(code)), style=())
    fields = [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
    return Response(200, fields, page, security_class=SecurityClass.ARCHIVED)


def state_script_response(context: ServerContext, request: Request, host: ReplayHost) -> Response:
    """What is to be done to a page, and what it does by itself, as JSON; null where that is not known."""
    url, state_id = request.parameter("url"), request.parameter("id")
    moment = Moment.parse(host.stamp)
    told = None
    for archive in context.collection.archives:
        notes = read_walk(archive, url, moment)
        for note in notes:
            if note.id == state_id and context.lookup.access.allows(surt(url), note.moment, context.clock.now()):
                told = _script_values(note, notes[0])
    return Response(200, [("Content-Type", "application/json")], json.dumps(told).encode())


def _script_values(note: StateNote, root: StateNote) -> dict[str, object]:
    """A way to a view as the player takes it; the walk's first note tells which elements change untouched."""
    volatile = root.comment.get("volatile")
    return {
        "steps": [_step_values(values) for values in map(action_values, note.script)],
        "volatile": [str(each) for each in volatile] if isinstance(volatile, list) else [],
    }


def _step_values(values: dict[str, str]) -> dict[str, object]:
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
