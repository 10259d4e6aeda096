"""One visit to a WSGI application: what it answers, passed on to the server and heard on the way; how an environ
becomes a request, and when an answer is known by its fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any
from urllib.parse import quote
from wsgiref.types import StartResponse, WSGIEnvironment

from webkeep.model import Moment
from webkeep.recorder.app_message import AppRequest
from webkeep.recorder.counters import RecordingOutcome
from webkeep.recorder.recent_responses import AppHead, UrlParts, fingerprint_of
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.response_tap import LARGE_RESPONSE_BYTES, ResponseTap

# What a WSGI server says of a request.


def url_parts_of(environ: WSGIEnvironment) -> UrlParts:
    """All that the URL is made of, as it came."""
    get = environ.get
    return (
        get("RAW_URI") or get("REQUEST_URI") or get("PATH_INFO"),
        get("HTTP_HOST"),
        get("QUERY_STRING"),
        get("SCRIPT_NAME"),
        get("wsgi.url_scheme"),
    )


def request_from_environ(environ: WSGIEnvironment) -> AppRequest:
    """The request as the recorder knows it."""
    fields = [
        (latin1_bytes(name[5:].replace("_", "-").lower()), latin1_bytes(value))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    version = environ.get("SERVER_PROTOCOL", "").rpartition("/")[2]
    return AppRequest(environ["wsgi.url_scheme"], latin1_bytes(host), _target_of(environ), fields, version)


def latin1_bytes(text: str) -> bytes:
    """The bytes that WSGI hands over as text."""
    return text.encode("latin-1", "replace")


def _target_of(environ: WSGIEnvironment) -> bytes:
    """Path and query as they came where the server tells, and otherwise spelled again."""
    for name in ("RAW_URI", "REQUEST_URI"):
        raw = environ.get(name, "")
        if raw.startswith("/"):
            return str(raw).partition("#")[0].encode("latin-1")
    path = quote(f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"), "/:@!$&'()*+,;=~")
    query = environ.get("QUERY_STRING", "")
    return (f"{path or '/'}?{query}" if query else path or "/").encode("latin-1")


class WsgiTap:
    """Stands between an application and the server, for the answer to one GET request.

    Nothing is listened to before it is clear that the answer is not the one that came last.
    """

    __slots__ = (
        "_began",
        "_environ",
        "_first_chunk",
        "_head",
        "_is_untapped",
        "_place",
        "_recorder",
        "_start_response",
        "_tap",
        "_write",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, environ: WSGIEnvironment, start_response: StartResponse) -> None:
        self._recorder = recorder
        self._environ = environ
        self._start_response = start_response
        self._place = url_parts_of(environ)
        self._head: AppHead = ()
        self._is_untapped = False
        """Whether something has passed and was not listened to yet."""
        self._first_chunk: bytes | None = None
        self._began: Moment | None = None
        self._tap: ResponseTap | None = None

    def start_response(
        self, status: str, headers: Iterable[tuple[str, str]], *exc_info: Any
    ) -> Callable[[bytes], object]:
        """Stand in for the server's `start_response`."""
        fields = headers if isinstance(headers, list) else list(headers)
        head = (status, *fields)  # servers add fields of their own
        self._write = self._start_response(status, fields, *exc_info)
        self._head, self._first_chunk, self._is_untapped = head, None, True
        return self._write_tapped

    def on_chunk(self, data: bytes) -> None:
        """A piece of the body has passed."""
        if self._is_untapped:
            if self._first_chunk is None and type(data) is bytes and len(data) < LARGE_RESPONSE_BYTES:
                self._first_chunk, self._began = data, self._recorder.clock.now()
                return
            self._tap_passed()
        if self._tap is not None:
            self._tap.on_chunk(data, more=True)

    def on_end(self) -> None:
        """All of the body has passed."""
        if self._is_untapped:
            if self._recorder.recent.is_known(self._place, self._head, self._first_chunk or b""):
                self._is_untapped = False
                self._recorder.counters.note_unchanged()
                return
            self._tap_passed()
        tap = self._tap
        if tap is not None:
            tap.on_chunk(b"", more=False)
            if tap.unchanged_from is not None:
                self._recorder.recent.remember_fingerprint(
                    self._place, self._head, tap.unchanged_from, tap.unchanged_body
                )

    def close(self) -> None:
        """Nothing more will pass."""
        if self._is_untapped:
            self._tap_passed()
        if self._tap is not None:
            self._tap.break_off()

    def _write_tapped(self, data: bytes) -> object:
        result = self._write(data)
        self.on_chunk(data)
        return result

    def _tap_passed(self) -> None:
        """Hear what has passed already, unless it is left out anyway."""
        self._is_untapped = False
        if fingerprint_of(self._place, self._head, b"") in self._recorder.recent.left_out_fingerprints:
            self._recorder.counters.add(RecordingOutcome.LEFT_OUT)
            return
        try:
            status, *headers = self._head
            if self._tap is None:
                self._tap = ResponseTap(self._recorder, request_from_environ(self._environ), self._began)
            self._tap.on_head(
                _status_code(status), [(latin1_bytes(name), latin1_bytes(value)) for name, value in headers]
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._recorder.note_failure(error)
            self._tap = None
        if self._first_chunk is not None and self._tap is not None:
            self._tap.on_chunk(self._first_chunk, more=True)


class TappedBody:
    """A body heard as it is sent."""

    def __init__(self, result: Iterable[bytes], visit: WsgiTap) -> None:
        self._result = result
        self._tap = visit

    def __iter__(self) -> Iterator[bytes]:
        for data in self._result:
            self._tap.on_chunk(data)
            yield data
        self._tap.on_end()

    def close(self) -> None:
        """Called by the server once the request is over, however it ended."""
        try:
            if hasattr(self._result, "close"):
                self._result.close()
        finally:
            self._tap.close()


class SizedTappedBody(TappedBody):
    """The same, where the number of pieces is known."""

    def __len__(self) -> int:
        return len(self._result) if isinstance(self._result, Sized) else 0


def _status_code(status: str) -> int:
    return int(status[:3]) if status[:3].isdecimal() else 0
