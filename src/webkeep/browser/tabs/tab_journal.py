"""What a tab tells while it is at work: requests and how they failed, errors on its console, dialogs, windows,
downloads, departures; and after how much silence answers that are awaited are given up.
"""

from __future__ import annotations

import asyncio
from hashlib import blake2b
from typing import Any

from webkeep.browser.walk_model import (
    FailedRequest,
    PageDialog,
    PageDownload,
    PageRequest,
    SideEffects,
    WithheldRequest,
)
from webkeep.formats.status import is_error

_MAX_REQUESTS = 10_000
"""Requests of one load that are kept, so that a page that polls without end costs bounded memory."""
_MAX_BODY_BYTES = 1 << 16
"""Of a request's body, as much as tells requests apart."""
_MAX_ERRORS, _MAX_ERROR_CHARS = 100, 500
"""Errors on the console that are kept, and of each so much: more of them say nothing new of a page."""
_GIVE_UP_SECONDS, _IDLE_SECONDS, _STREAMING_IDLE_SECONDS = 5.0, 1.0, 0.15
"""Seconds without traffic after which answers are given up; where none is awaited; and where there are only those that
were given up before, or streams.

Servers and the pace they are asked at may well be slow; a stream or a long poll costs the first of the two once a page.
"""


class TabJournal:
    """Keeps what happens until it is taken; counts what is under way."""

    def __init__(self) -> None:
        self._underway: dict[str, str] = {}
        self._silent_sockets: dict[str, str] = {}
        """The URLs of sockets over which nothing has been said."""
        self._given_up: set[str] = set()
        self._error_statuses: dict[str, int] = {}
        """Of requests under way whose answers Chromium may not even show, for their type."""
        self._called_off: dict[str, str] = {}
        """Requests that came to nothing for no reason that is known yet; the status may be told later."""
        self._is_streaming = False
        self._quiet_since = 0.0
        self.clear()

    def clear(self) -> None:
        """Forget what happened."""
        self._requests: list[PageRequest] = []
        self.withheld: list[WithheldRequest] = []
        self.dialogs: list[PageDialog] = []
        self.popups: list[str] = []
        self.downloads: list[PageDownload] = []
        self.departures: list[str] = []
        self._errors: list[str] = []
        self._failures: list[FailedRequest] = []

    def take_effects(self, withheld_requests: tuple[WithheldRequest, ...] = ()) -> SideEffects:
        """What happened since this was last asked, with what the tab proxy held."""
        taken = SideEffects(
            tuple(self._requests), (*self.withheld, *withheld_requests), tuple(self.dialogs), tuple(self.popups),
            tuple(self.downloads), tuple(dict.fromkeys(self.departures)), tuple(self._errors), tuple(self._failures),
        )  # fmt: skip
        self.clear()
        return taken

    def is_stuck(self) -> bool:
        """Whether nothing comes any more: for a while, or at all from what did not come before."""
        silence = self.quiet_seconds()
        if silence > _GIVE_UP_SECONDS:
            self._given_up |= set(self._underway.values())
            return True
        is_endless = self._is_streaming or bool(self._given_up)
        return silence > (_STREAMING_IDLE_SECONDS if is_endless else _IDLE_SECONDS) and not self.is_awaiting_responses()

    def is_awaiting_responses(self) -> bool:
        """Whether answers are under way that may still come."""
        return not self._given_up.issuperset(self._underway.values())

    def quiet_seconds(self) -> float:
        """For how many seconds nothing has come over the network."""
        return asyncio.get_running_loop().time() - self._quiet_since

    def begin_page(self) -> None:
        """Another page comes next."""
        self._given_up.clear()

    def begin_document(self) -> None:
        """A new document: what the old one waited for does not matter."""
        self._underway.clear()
        self._silent_sockets.clear()
        self._error_statuses.clear()
        self._called_off.clear()
        self._is_streaming = False
        self._note_traffic()

    def on_network_event(self, event: str, params: dict[str, Any]) -> None:
        """An event of the Network domain; what streams and sockets say has no end, and is not waited for.

        That a socket opens is, as its page cannot say the first word before, and so is the answer to that word.
        """
        if params.get("requestId") in self._underway:
            self._note_traffic()
        match event:
            case "Network.requestWillBeSent":
                self._on_request(params)
            case "Network.responseReceivedExtraInfo" if is_error(params["statusCode"]):
                self._on_error_status(params["requestId"], params["statusCode"])
            case "Network.responseReceived":
                self._on_response(params["response"])
            case "Network.loadingFailed":
                self._on_failure(self._underway.pop(params["requestId"], ""), params)
            case "Network.loadingFinished" | "Network.requestServedFromCache":
                self._underway.pop(params["requestId"], None)
            case "Network.webSocketHandshakeResponseReceived":
                self._underway.pop(params["requestId"], None)
            case "Network.webSocketFrameReceived" | "Network.webSocketFrameError" | "Network.webSocketClosed":
                self._underway.pop(params["requestId"], None)
                self._silent_sockets.pop(params["requestId"], None)
            case "Network.webSocketFrameSent":
                self._await_first_answer(params["requestId"])
            case "Network.webSocketCreated":
                self._is_streaming = True
                self._silent_sockets[params["requestId"]] = self._underway[params["requestId"]] = params["url"]
                self._note_traffic()
                self._add_request(PageRequest("GET", params["url"], role="WebSocket"))

    def _await_first_answer(self, request: str) -> None:
        """Wait for what a socket says to the first word of its page."""
        if url := self._silent_sockets.pop(request, None):
            self._underway[request] = url
            self._note_traffic()

    def on_console_event(self, event: str, params: dict[str, Any]) -> None:
        """Something was said on the console; requests that failed are told elsewhere."""
        match event:
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self._add_error(str(details.get("exception", {}).get("description") or details.get("text", "")))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
                said = (each.get("value", each.get("description", "")) for each in params["args"])
                self._add_error(" ".join(map(str, said)))
            case "Log.entryAdded" if params["entry"]["level"] == "error" and params["entry"]["source"] != "network":
                self._add_error(str(params["entry"]["text"]))

    def _add_error(self, text: str) -> None:
        if len(self._errors) < _MAX_ERRORS and text.strip():
            self._errors.append(text.strip()[:_MAX_ERROR_CHARS])

    def _on_response(self, response: dict[str, Any]) -> None:
        status = int(response.get("status", 0))
        if is_error(status):
            self._add_failure(FailedRequest(str(response["url"]), status))

    def _on_error_status(self, number: str, status: int) -> None:
        """An answer is an error, whether or not the page is given it."""
        url = self._called_off.pop(number, "")
        if url:
            self._add_failure(FailedRequest(url, status))
        else:
            self._error_statuses[number] = status

    def _on_failure(self, url: str, params: dict[str, Any]) -> None:
        """A request came to nothing; one that the page itself called off is none that failed."""
        status = self._error_statuses.pop(params["requestId"], 0)
        if not url:
            return
        if status or not params.get("canceled"):
            reason = str(params.get("blockedReason") or params.get("errorText", ""))
            self._add_failure(FailedRequest(url, status, reason))
        else:
            self._called_off[params["requestId"]] = url

    def _add_failure(self, failure: FailedRequest) -> None:
        if failure.url.startswith(("http:", "https:")) and len(self._failures) < _MAX_REQUESTS:
            self._failures.append(failure)

    def _note_traffic(self) -> None:
        self._quiet_since = asyncio.get_running_loop().time()

    def _on_request(self, params: dict[str, Any]) -> None:
        request = params["request"]
        url = str(request["url"])
        if not url.startswith(("http:", "https:")):
            return
        role = str(params.get("type", "Other"))
        self._note_traffic()
        if role in ("EventSource", "WebSocket", "Ping"):
            self._is_streaming = True
        else:
            self._underway[params["requestId"]] = url
        body = str(request.get("postData", ""))
        digest = blake2b(body.encode(errors="replace"), digest_size=8).hexdigest() if body else ""
        self._add_request(PageRequest(str(request["method"]), url, digest, role))

    def _add_request(self, request: PageRequest) -> None:
        if len(self._requests) < _MAX_REQUESTS:
            self._requests.append(request)


def withheld_request(request: dict[str, Any]) -> WithheldRequest:
    """A request that the debugging protocol shows, as one that was not sent."""
    headers = {name.lower(): value for name, value in request.get("headers", {}).items()}
    body = str(request.get("postData", "")).encode(errors="replace")[:_MAX_BODY_BYTES]
    return WithheldRequest(str(request["method"]), str(request["url"]), str(headers.get("content-type", "")), body)
