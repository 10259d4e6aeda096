"""What replay itself puts on every replay host, below a path that no archived site has: the shim's scripts and how they
are cached, ways to hosts that a script cannot name, recorded sockets, states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from webkeep.memento import DO_NOT_NEGOTIATE
from webkeep.model import Moment
from webkeep.replay.choice.recorded_sockets import find_recorded_socket
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.endpoints.state_replay import player_script, state_entrance, state_script_response
from webkeep.replay.server.message import DeferredResponse, Request, Response, text_response
from webkeep.replay.shim.replay_host import ReplayHost
from webkeep.replay.shim.scripts import OWN_PATH, shim_script, shim_version, worker_script
from webkeep.url import normalize_url

_SCRIPTS = {"shim.js": shim_script, "worker.js": worker_script, "player.js": player_script}
_IMMUTABLE_CACHING = "public, max-age=31536000, immutable"


def shim_response(context: ServerContext, request: Request, host: ReplayHost) -> Response | DeferredResponse:
    """The answer to a request for something of replay's own."""
    name = request.path.removeprefix(OWN_PATH)
    start, slash, _ = name.partition("/")
    maker = _ENDPOINTS.get(start + slash)
    return (
        text_response(404, f"nothing is called {request.path} here") if maker is None else maker(context, request, host)
    )


def _script_response(_context: ServerContext, request: Request, _host: ReplayHost) -> Response:
    name = request.path.removeprefix(OWN_PATH)
    facts = request.parameter("facts")
    caching = _IMMUTABLE_CACHING if f"v={shim_version()}" in request.query else "no-cache"
    script = _SCRIPTS[name]()
    if facts:  # a module worker cannot be told anything but by the address of what it imports
        script = b"self.webkeep_facts$=" + _sanitize_facts(facts) + b";\n" + script
    fields = [
        ("Content-Type", "text/javascript; charset=utf-8"),
        ("Cache-Control", caching),
        ("Access-Control-Allow-Origin", "*"),
        ("Cross-Origin-Resource-Policy", "cross-origin"),
        DO_NOT_NEGOTIATE,
    ]
    return Response(200, fields, script)


def _sanitize_facts(text: str) -> bytes:
    """Facts out of an address, written again by us, so that nothing but data can be in them."""
    try:
        return json.dumps(json.loads(bytes.fromhex(text))).replace("</", "<\\/").encode()
    except (ValueError, RecursionError):
        return b"{}"


def _redirect_to_url(context: ServerContext, request: Request, host: ReplayHost) -> Response:
    """The way to a URL whose host name a script cannot make."""
    scheme, _, rest = request.target.removeprefix(f"{OWN_PATH}to/").partition("/")
    url = normalize_url(f"{scheme}://{rest}")
    naming = context.server_name.naming_at(host.stamp, host.set_clock, host.within_days)
    place = naming.replay_url(url) if url is not None else None
    if place is None:
        return text_response(404, "no such address is replayed")
    return Response(307, [("Location", place)])


def _socket_response(context: ServerContext, request: Request, host: ReplayHost) -> Response:
    """The messages of a recorded WebSocket; with status 404 a browser would complain of what no page did wrong."""
    url = request.parameter("url")
    told = find_recorded_socket(context.lookup, url, Moment.parse(host.stamp))
    fields = [("Content-Type", "application/json"), DO_NOT_NEGOTIATE]
    return Response(200, fields, json.dumps(told or None).encode())


_ENDPOINTS: Mapping[str, Callable[[ServerContext, Request, ReplayHost], Response | DeferredResponse]] = {
    **dict.fromkeys(_SCRIPTS, _script_response),
    "to/": _redirect_to_url,
    "state/": lambda _context, request, _host: state_entrance(request),
    "frames": lambda context, request, host: DeferredResponse(lambda: _socket_response(context, request, host)),
    "script": lambda context, request, host: DeferredResponse(lambda: state_script_response(context, request, host)),
}
OWN_ENDPOINTS = tuple(_ENDPOINTS)
"""All that replay puts on a replay host, below `OWN_PATH`; behind a slash there is more."""
