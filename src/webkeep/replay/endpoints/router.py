"""The server's face: which of its names a request came to (control host, replay host, or none of ours), and whether it
may come in at all; the password guards the control host.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from webkeep.replay.endpoints.control_handler import ControlHandler
from webkeep.replay.endpoints.replay_handler import ReplayHandler
from webkeep.replay.endpoints.server_context import ServerContext
from webkeep.replay.server.message import DeferredResponse, Request, Response, text_response
from webkeep.replay.server.security_headers import site_security_rule


class Router:
    """Answers every request."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._control = ControlHandler(context)
        self._replay = ReplayHandler(context)
        self.locks = site_security_rule(context.server_name, context.other_archives)

    def respond(self, request: Request) -> Response | DeferredResponse:
        """Hand a request to whom it concerns; a Host that is none of ours gets nothing."""
        request = request.in_origin_form()
        server_name, host = self._context.server_name, request.host
        if request.is_upgrade:
            return text_response(501, "nothing but HTTP is spoken here")
        if server_name.is_control_host(host):
            return self._refusal(request) or self._defer_if_slow(partial(self._control.respond, request))
        replayed = server_name.replay_host_of(host)
        if replayed is not None:
            return self._defer_if_slow(partial(self._replay.respond, request, replayed))
        return text_response(421, f"this server is called {server_name.authority}; ask for it by that name")

    def _defer_if_slow(self, make: Callable[[], Response | DeferredResponse]) -> Response | DeferredResponse:
        """An answer at once; under access rules it may take a look at many versions to find one that may be seen."""
        if not self._context.lookup.access.rules:
            return make()

        def make_response() -> Response:
            response = make()
            return response.make() if isinstance(response, DeferredResponse) else response

        return DeferredResponse(make_response)

    def _refusal(self, request: Request) -> Response | None:
        password = self._context.password_check
        given = request.headers.get("authorization", "")
        return None if password is None else password.refusal(request.client, given)
