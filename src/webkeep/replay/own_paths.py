"""What replay itself puts on every replay host, below a path that no archived site has."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from webkeep.memento import APART
from webkeep.model import Moment
from webkeep.replay.context import Context
from webkeep.replay.message import Answer, Later, Request, text_answer
from webkeep.replay.shim import OWN_PATH, ReplayHost, shim_script, shim_version, worker_script
from webkeep.replay.socket_search import recorded_socket
from webkeep.replay.states import entrance, player_script, script_answer
from webkeep.url import normal

_SCRIPTS = {"shim.js": shim_script, "worker.js": worker_script, "player.js": player_script}
_FOR_EVER = "public, max-age=31536000, immutable"


def own_answer(context: Context, request: Request, host: ReplayHost) -> Answer | Later:
    """The answer to a request for something of replay's own."""
    name = request.path.removeprefix(OWN_PATH)
    start, slash, _ = name.partition("/")
    maker = _MAKERS.get(start + slash)
    return (
        text_answer(404, f"nothing is called {request.path} here") if maker is None else maker(context, request, host)
    )


def _script(_context: Context, request: Request, _host: ReplayHost) -> Answer:
    name = request.path.removeprefix(OWN_PATH)
    facts = request.parameter("facts")
    caching = _FOR_EVER if f"v={shim_version()}" in request.query else "no-cache"
    script = _SCRIPTS[name]()
    if facts:  # a module worker cannot be told anything but by the address of what it imports
        script = b"self.webkeep_facts$=" + _facts(facts) + b";\n" + script
    fields = [
        ("Content-Type", "text/javascript; charset=utf-8"),
        ("Cache-Control", caching),
        ("Access-Control-Allow-Origin", "*"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        APART,
    ]
    return Answer(200, fields, script)


def _facts(text: str) -> bytes:
    """Facts out of an address, written again by us, so that nothing but data can be in them."""
    try:
        return json.dumps(json.loads(bytes.fromhex(text))).replace("</", "<\\/").encode()
    except (ValueError, RecursionError):
        return b"{}"


def _sent_on(context: Context, request: Request, host: ReplayHost) -> Answer:
    """The way to a URL whose host name a script cannot make."""
    scheme, _, rest = request.target.removeprefix(f"{OWN_PATH}to/").partition("/")
    url = normal(f"{scheme}://{rest}")
    naming = context.front.naming(host.stamp, host.set_clock, host.within_days)
    place = naming.address(url) if url is not None else None
    if place is None:
        return text_answer(404, "no such address is replayed")
    return Answer(307, [("Location", place)])


def _frames(context: Context, request: Request, host: ReplayHost) -> Answer:
    """The messages of a recorded WebSocket; with status 404 a browser would complain of what no page did wrong."""
    url = request.parameter("url")
    told = recorded_socket(context.looker, url, Moment.parse(host.stamp))
    fields = [("Content-Type", "application/json"), APART]
    return Answer(200, fields, json.dumps(told or None).encode())


_MAKERS: Mapping[str, Callable[[Context, Request, ReplayHost], Answer | Later]] = {
    **dict.fromkeys(_SCRIPTS, _script),
    "to/": _sent_on,
    "state/": lambda _context, request, _host: entrance(request),
    "frames": lambda context, request, host: Later(lambda: _frames(context, request, host)),
    "script": lambda context, request, host: Later(lambda: script_answer(context, request, host)),
}
OWN_NAMES = tuple(_MAKERS)
"""All that replay puts on a replay host, below `OWN_PATH`; behind a slash there is more."""
