"""The vault as WSGI middleware: pages that carry blocks get them while they are served; all else passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from webkeep.vault.middleware.carried_blocks import CarriedBlocks, CarriedPages
from webkeep.vault.middleware.carrier_response import CarrierOptions, CarrierResponse, PlainResponse
from webkeep.vault.middleware.crawler_check import CrawlerCheck
from webkeep.vault.middleware.known_pages import KnownPages
from webkeep.vault.middleware.validators import HeaderField, request_fields

_CONDITIONS = {
    "HTTP_IF_NONE_MATCH": b"if-none-match",
    "HTTP_IF_MODIFIED_SINCE": b"if-modified-since",
    "HTTP_RANGE": b"range",
    "HTTP_IF_RANGE": b"if-range",
}


class VaultApplication:
    """Puts a vault's blocks into the pages that an application serves."""

    def __init__(
        self, app: WSGIApplication, vault: str | os.PathLike[str], options: CarrierOptions | None = None
    ) -> None:
        self._app = app
        self._pages = CarriedPages(Path(vault))
        self._known = KnownPages()
        self._options = options or CarrierOptions()
        self._crawlers = CrawlerCheck(self._options.crawlers_only)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve one request."""
        method = environ.get("REQUEST_METHOD")
        blocks = None
        if method in ("GET", "HEAD"):
            path = (environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1")
            blocks = self._pages.find(os.fsdecode(path), environ.get("QUERY_STRING", ""))
        if blocks is None:
            return self._app(environ, start_response)
        if not self._crawlers.admits(environ.get("HTTP_USER_AGENT", "")):
            plain = _CarrierVisit(PlainResponse(), start_response)
            return plain.body_of(self._app(environ, plain.start))
        visit = _CarrierVisit(CarrierResponse(blocks, self._options, self._known, method == "HEAD"), start_response)
        return visit.body_of(self._app(_environ_for(environ, blocks), visit.start))


def _environ_for(environ: WSGIEnvironment, blocks: CarriedBlocks) -> WSGIEnvironment:
    """The request as the application is to see it; the very same where that is no other."""
    if not any(key in environ for key in _CONDITIONS):
        return environ
    asked = [(name, environ[key].encode("latin-1")) for key, name in _CONDITIONS.items() if key in environ]
    kept = dict(request_fields(asked, blocks.mark, blocks.moved))
    changed = {key: value for key, value in environ.items() if key not in _CONDITIONS}
    for key, name in _CONDITIONS.items():
        if name in kept:
            changed[key] = kept[name].decode("latin-1")
    return changed


class _CarrierVisit:
    """One visit to an application."""

    def __init__(self, response: CarrierResponse | PlainResponse, start_response: StartResponse) -> None:
        self._response, self._start_response = response, start_response
        self._status = ""
        self._failure: Any = None
        self._said: list[HeaderField] = []
        self._is_started = False
        self._write_on: Callable[[bytes], object] | None = None

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Callable[[bytes], object]:
        """What the application calls; its head is held until the first of the body."""
        if self._is_started and exc_info is not None:  # too late for another head: the server raises what happened
            return self._start_response(status, headers, exc_info)
        fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self._status, self._said, self._failure = status, fields, exc_info
        self._response.on_head(int(status[:3]) if status[:3].isdigit() else 0, fields)
        return self._write

    def _write(self, data: bytes) -> object:
        """The old way to send: it is passed on, and such a page carries nothing."""
        if self._write_on is None:
            self._response.on_head(0, self._said)
            self._write_on = self._send_head()
        return self._write_on(data)

    def _send_head(self) -> Callable[[bytes], object]:
        self._is_started = True
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self._response.fields]
        if self._failure is not None:
            return self._start_response(self._status, headers, self._failure)
        return self._start_response(self._status, headers)

    def body_of(self, result: Iterable[bytes]) -> Iterable[bytes]:
        """The body with its blocks; the head is sent when the first of it is."""
        if isinstance(result, list | tuple) and len(result) == 1:
            data = self._response.feed(result[0], more=False)
            if not self._is_started:
                self._send_head()
            return [data or b""]
        return _CarrierBody(self._pieces(result), result)

    def _pieces(self, result: Iterable[bytes]) -> Iterator[bytes]:
        for piece in result:
            yield from self._hand_on(piece, more=True)
        yield from self._hand_on(b"", more=False)

    def _hand_on(self, data: bytes, more: bool) -> Iterator[bytes]:
        sent = self._response.feed(data, more)
        if sent is None:
            return
        if not self._is_started:
            self._send_head()
        if sent:
            yield sent


class _CarrierBody:
    """A body that closes what the application returned."""

    def __init__(self, pieces: Iterator[bytes], result: Iterable[bytes]) -> None:
        self._pieces, self._result = pieces, result

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        """Let the application tidy up."""
        close = getattr(self._result, "close", None)
        if close is not None:
            close()
