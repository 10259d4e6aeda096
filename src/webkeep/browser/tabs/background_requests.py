"""Requests that Chromium makes on its own account, and not because its page does something, icons above all: how they
are told apart, and held back until it is known whose they are.

Which ones there are depends on the flavour (`chromium` asks for the icons of pages, `chromium-headless-shell` does
not), on what the profile remembers, and on when the browser finds the time. So they are no part of a state, and are not
sent: what a page names as its icon is found in its document and fetched as any of its parts.

The Network domain says who asked, the Fetch domain holds the request back; either may be told first, and they need not
agree on what it is. Of the scripts of workers the Fetch domain says "other" as well, and the Network domain may tell
this tab nothing; but those are asked for by the process of the browser, which numbers requests otherwise than that of a
page, where icons are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

BACKGROUND_REQUEST_PATTERN = {"urlPattern": "*", "resourceType": "Other", "requestStage": "Request"}
"""What of all requests is to be held back until it is known who made it."""
_MAX_REMEMBERED_REQUESTS = 1000
"""Requests whose origin is remembered until the Fetch domain tells of them too."""
_IS_OF_PAGE_PROCESS = re.compile(r"[0-9]+\.[0-9]+").fullmatch
"""How the process of a page numbers requests: by its own number, and one after the other."""

SettleRequest = Callable[[str, bool], None]
"""Is told of a request that was held back, and whether it is the page's."""


class BackgroundRequestFilter:
    """Tells a tab's requests of the browser from those of its page, and settles what is held back."""

    def __init__(self, settle: SettleRequest) -> None:
        self._settle = settle
        self._is_page: dict[str, bool] = {}
        self._held: dict[str, str] = {}

    def is_background_request(self, params: dict[str, Any]) -> bool:
        """Whether the request that `Network.requestWillBeSent` tells of is the browser's own."""
        number = str(params["requestId"])
        is_own = params.get("type") == "Other" and bool(params.get("initiator", {}).get("type") == "other")
        if number in self._held:
            self._settle(self._held.pop(number), not is_own)
        else:
            self._remember(number, not is_own)
        return is_own

    def hold_request(self, params: dict[str, Any]) -> None:
        """A request is held back by the Fetch domain; settle it as soon as it is known who made it."""
        number, held = str(params.get("networkId", "")), str(params["requestId"])
        if number in self._is_page or not _IS_OF_PAGE_PROCESS(number):
            self._settle(held, self._is_page.pop(number, True))
        else:
            self._held[number] = held

    def forget_all(self) -> None:
        """A new document: what the old one asked for does not matter."""
        self._is_page.clear()
        for held in self._held.values():
            self._settle(held, False)
        self._held.clear()

    def _remember(self, number: str, is_page: bool) -> None:
        if len(self._is_page) >= _MAX_REMEMBERED_REQUESTS:
            del self._is_page[next(iter(self._is_page))]
        self._is_page[number] = is_page
