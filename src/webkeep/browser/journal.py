"""What a tab tells while it is at work: requests, dialogs, windows, downloads, departures."""

from __future__ import annotations

import asyncio
from hashlib import blake2b
from typing import Any

from webkeep.browser.values import Asking, Dialog, Download, Happenings, Wish

_MOST_KEPT = 10_000
_LONGEST_BODY = 1 << 16
_SILENT, _LULL, _HUSH = 5.0, 1.0, 0.15
"""Seconds without traffic after which answers are given up; where none is awaited; and where there are only those that
were given up before, or streams.

Servers and the pace they are asked at may well be slow; a stream or a long poll costs the first of the two once a page.
"""


class Journal:
    """Keeps what happens until it is taken; counts what is under way."""

    def __init__(self) -> None:
        self._underway: dict[str, str] = {}
        self._hanging: set[str] = set()
        self._is_streaming = False
        self._quiet_since = 0.0
        self.clear()

    def clear(self) -> None:
        """Forget what happened."""
        self._requests: list[Asking] = []
        self.wishes: list[Wish] = []
        self.dialogs: list[Dialog] = []
        self.popups: list[str] = []
        self.downloads: list[Download] = []
        self.departures: list[str] = []

    def take(self, wishes: tuple[Wish, ...] = ()) -> Happenings:
        """What happened since this was last asked, with what the door held."""
        taken = Happenings(
            tuple(self._requests), (*self.wishes, *wishes), tuple(self.dialogs), tuple(self.popups),
            tuple(self.downloads), tuple(dict.fromkeys(self.departures)),
        )  # fmt: skip
        self.clear()
        return taken

    def is_stuck(self) -> bool:
        """Whether nothing comes any more: for a while, or at all from what did not come before."""
        silence = self.silence()
        if silence > _SILENT:
            self._hanging |= set(self._underway.values())
            return True
        is_endless = self._is_streaming or bool(self._hanging)
        return silence > (_HUSH if is_endless else _LULL) and not self.is_awaiting()

    def is_awaiting(self) -> bool:
        """Whether answers are under way that may still come."""
        return not self._hanging.issuperset(self._underway.values())

    def silence(self) -> float:
        """For how many seconds nothing has come over the network."""
        return asyncio.get_running_loop().time() - self._quiet_since

    def turn(self) -> None:
        """Another page comes next."""
        self._hanging.clear()

    def begin(self) -> None:
        """A new document: what the old one waited for does not matter."""
        self._underway.clear()
        self._is_streaming = False
        self._note_network()

    def network(self, event: str, params: dict[str, Any]) -> None:
        """An event of the Network domain; what streams and sockets say has no end, and is not waited for."""
        if params.get("requestId") in self._underway:
            self._note_network()
        match event:
            case "Network.requestWillBeSent":
                self._asked(params)
            case "Network.loadingFinished" | "Network.loadingFailed" | "Network.requestServedFromCache":
                self._underway.pop(params["requestId"], None)
            case "Network.webSocketCreated":
                self._is_streaming = True
                self._add(Asking("GET", params["url"], role="WebSocket"))

    def _note_network(self) -> None:
        self._quiet_since = asyncio.get_running_loop().time()

    def _asked(self, params: dict[str, Any]) -> None:
        request = params["request"]
        url = str(request["url"])
        if not url.startswith(("http:", "https:")):
            return
        role = str(params.get("type", "Other"))
        self._note_network()
        if role in ("EventSource", "WebSocket", "Ping"):
            self._is_streaming = True
        else:
            self._underway[params["requestId"]] = url
        body = str(request.get("postData", ""))
        digest = blake2b(body.encode(errors="replace"), digest_size=8).hexdigest() if body else ""
        self._add(Asking(str(request["method"]), url, digest, role))

    def _add(self, asking: Asking) -> None:
        if len(self._requests) < _MOST_KEPT:
            self._requests.append(asking)


def wish_of(request: dict[str, Any]) -> Wish:
    """A request that the debugging protocol shows, as one that was not sent."""
    headers = {name.lower(): value for name, value in request.get("headers", {}).items()}
    body = str(request.get("postData", "")).encode(errors="replace")[:_LONGEST_BODY]
    return Wish(str(request["method"]), str(request["url"]), str(headers.get("content-type", "")), body)
