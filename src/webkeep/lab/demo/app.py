"""The site as a web application."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.requests import Request as WebRequest
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from webkeep.lab.demo.answer import Answer, Desk, Request
from webkeep.lab.demo.control import HISTORY, SERVED, TRUTH, history_json, served_json, truth_json
from webkeep.lab.demo.files import CONTROL
from webkeep.lab.demo.served import Served, ServedLog
from webkeep.model import Clock


class DemoApp:
    """Hands requests to the desk at the moment they come, and logs what was answered."""

    def __init__(self, desk: Desk, clock: Clock, log: ServedLog) -> None:
        self._desk, self._clock, self._log = desk, clock, log
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._handled(WebRequest(scope))(scope, receive, send)

    def _handled(self, web: WebRequest) -> Response:
        if web.scope["path"].startswith(CONTROL):
            return self._told(web)
        host = web.headers.get("host", "").rsplit(":", 1)[0].lower()
        request = Request(web.method, host, web.scope["path"], web.headers)
        now = self._clock.now()
        answer = self._desk.answer(request, now, self.requests)
        self.requests += 1
        self._log.add(
            Served(now, host, request.path, answer.version, answer.status, request.conditional, request.method)
        )
        return _response(answer, request.method)

    def _told(self, web: WebRequest) -> Response:
        path = web.scope["path"]
        told: Iterator[bytes]
        if path == TRUTH:
            told = truth_json(self._desk.site, self._desk.addresses)
        elif path == HISTORY:
            told = history_json(self._desk.site, self._clock.now(), web.query_params)
        elif path == SERVED:
            told = served_json(self._log, self.requests)
        else:
            return Response(status_code=404)
        return StreamingResponse(told, media_type="application/json", headers={"cache-control": "no-store"})


def _response(answer: Answer, method: str) -> Response:
    body = b"" if answer.status in {304, 405} else answer.body()
    response = Response(body if method != "HEAD" else b"", answer.status, answer.headers)
    if answer.status != 304:
        response.headers["content-length"] = str(len(body))
    return response
