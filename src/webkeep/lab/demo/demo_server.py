"""The demo server: the site as a web application on a loopback port, in a thread of its own; it logs what it answers,
and tells the truth about the site at control addresses.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from starlette.requests import Request as WebRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from webkeep.clock import SystemClock
from webkeep.errors import UsageError, WebkeepError
from webkeep.formats.status import BODILESS_STATUSES, METHOD_NOT_ALLOWED, NOT_MODIFIED
from webkeep.lab.demo.addresses import DemoAddresses
from webkeep.lab.demo.demo_site import DemoSite
from webkeep.lab.demo.request_handler import DemoHandler, DemoRequest, DemoResponse
from webkeep.lab.demo.served_log import ServedLog, ServedLogFile, ServedResponse, ServedRing
from webkeep.lab.demo.static_files import CONTROL_PATH
from webkeep.lab.demo.truth_endpoints import (
    HISTORY_PATH,
    SERVED_PATH,
    TRUTH_PATH,
    render_history,
    render_served,
    render_truth,
)
from webkeep.lab.demo.validators import ValidatorMode
from webkeep.lab.server_thread import ServerThread, open_listener
from webkeep.model import Clock

# The site as a web application.


class DemoApp:
    """Hands requests to the handler at the moment they come, and logs what was answered."""

    def __init__(self, handler: DemoHandler, clock: Clock, log: ServedLog) -> None:
        self._handler, self._clock, self._log = handler, clock, log
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._handle_request(WebRequest(scope))(scope, receive, send)

    def _handle_request(self, web: WebRequest) -> Response:
        if web.scope["path"].startswith(CONTROL_PATH):
            return self._handle_truth_request(web)
        host = web.headers.get("host", "").rsplit(":", 1)[0].lower()
        request = DemoRequest(web.method, host, web.scope["path"], web.headers)
        now = self._clock.now()
        response = self._handler.respond(request, now, self.requests)
        self.requests += 1
        self._log.add(
            ServedResponse(
                now, host, request.path, response.version, response.status, request.is_conditional, request.method
            )
        )
        return _web_response(response, request.method)

    def _handle_truth_request(self, web: WebRequest) -> Response:
        path = web.scope["path"]
        told: Iterator[bytes]
        if path == TRUTH_PATH:
            told = render_truth(self._handler.site, self._handler.addresses)
        elif path == HISTORY_PATH:
            told = render_history(self._handler.site, self._clock.now(), web.query_params)
        elif path == SERVED_PATH:
            told = render_served(self._log, self.requests)
        else:
            return Response(status_code=404)
        return StreamingResponse(told, media_type="application/json", headers={"cache-control": "no-store"})


def _web_response(demo_response: DemoResponse, method: str) -> Response:
    body = b"" if demo_response.status in BODILESS_STATUSES | {METHOD_NOT_ALLOWED} else demo_response.body()
    response = Response(body if method != "HEAD" else b"", demo_response.status, demo_response.headers)
    if demo_response.status != NOT_MODIFIED:
        response.headers["content-length"] = str(len(body))
    return response


class DemoServer:
    """Serves a site while the `with` block lasts; port 0 takes any free one."""

    def __init__(
        self,
        site: DemoSite,
        port: int = 0,
        clock: Clock | None = None,
        validators: ValidatorMode = ValidatorMode.HONEST,
        log: Path | None = None,
    ) -> None:
        self.site = site
        self._log = ServedLogFile(log) if log else ServedRing()
        try:
            listening = _open_listener(port)
        except WebkeepError:
            self._log.close()
            raise
        self.port: int = listening.getsockname()[1]
        self.addresses = DemoAddresses.on_port(self.port, site.plan.spread)
        self._app = DemoApp(DemoHandler(site, self.addresses, validators), clock or SystemClock(), self._log)
        self._server = ServerThread(self._app, listening, "demo site", adds_fields=False)

    @property
    def url(self) -> str:
        """The front page."""
        return f"{self.addresses.origin}/"

    @property
    def requests(self) -> int:
        """How many requests were answered, control addresses aside."""
        return self._app.requests

    def served_responses(self) -> list[ServedResponse]:
        """Every answer still kept, oldest first: all of them with a log file, else the last hundred thousand."""
        return list(self._log)

    def __enter__(self) -> DemoServer:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()
        self._log.close()


def _open_listener(port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise UsageError(f"there is no port {port}; choose one from 1 to 65535 with --port")
    return open_listener(port)
