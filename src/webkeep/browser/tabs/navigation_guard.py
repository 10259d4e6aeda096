"""What keeps a page where it is: documents of its frames may come; the page may not leave, which is noted as a
departure, unless it is we who go.

Requests that the browser makes by itself are told apart, and are not sent.
"""

from __future__ import annotations

from typing import Any

from webkeep.browser.process.devtools_pipe import DevToolsPipe
from webkeep.browser.tabs.background_requests import BACKGROUND_REQUEST_PATTERN, BackgroundRequestFilter
from webkeep.browser.tabs.tab_journal import TabJournal, withheld_request

FETCH_PATTERNS = [
    {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"},
    BACKGROUND_REQUEST_PATTERN,
]
"""The requests that wait for a decision."""


class NavigationGuard:
    """Decides about requests of one tab's session that the browser holds back."""

    def __init__(self, pipe: DevToolsPipe, session: str, journal: TabJournal) -> None:
        self._pipe, self._session, self._journal = pipe, session, journal
        self._background = BackgroundRequestFilter(self._settle_request)
        self._frame = ""
        self._is_going = False

    def guard(self, frame: str) -> None:
        """Keep the page in this frame where it is."""
        self._frame = frame

    def open_gate(self) -> None:
        """We go to another page; what the old one asked for does not matter."""
        self._background.forget_all()
        self._is_going = True

    def close_gate(self) -> None:
        """We are there."""
        self._is_going = False

    def is_of_page(self, event: str, params: dict[str, Any]) -> bool:
        """Whether what the Network domain tells is of the page: neither a departure, nor the browser's own."""
        if event != "Network.requestWillBeSent":
            return True
        return not self._is_departure(params) and not self._background.is_background_request(params)

    def _is_departure(self, params: dict[str, Any]) -> bool:
        """Whether this tells of a document that is not going to be asked for."""
        return params.get("type") == "Document" and params.get("frameId") == self._frame and not self._is_going

    def decide_request(self, params: dict[str, Any]) -> None:
        """Let a request go, or keep the page here and note where it would have gone."""
        number, request = params["requestId"], params["request"]
        if params["resourceType"] == BACKGROUND_REQUEST_PATTERN["resourceType"]:
            self._background.hold_request(params)
            return
        if self._is_going or params["frameId"] != self._frame:
            self._pipe.send("Fetch.continueRequest", self._session, requestId=number)
            return
        self._pipe.send("Fetch.failRequest", self._session, requestId=number, errorReason="Aborted")
        if request["method"] in ("GET", "HEAD"):
            self._journal.departures.append(str(request["url"]))
        else:
            self._journal.withheld.append(withheld_request(request))

    def _settle_request(self, number: str, is_page: bool) -> None:
        if is_page:
            self._pipe.send("Fetch.continueRequest", self._session, requestId=number)
        else:
            self._pipe.send("Fetch.failRequest", self._session, requestId=number, errorReason="BlockedByClient")
