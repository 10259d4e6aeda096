"""The recorder as WSGI middleware."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any
from urllib.parse import quote
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from webkeep.recorder.hearing import Hearing
from webkeep.recorder.limits import Limits
from webkeep.recorder.message import Request
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.rules import Rules


def archiving(
    app: WSGIApplication,
    archive: str | os.PathLike[str],
    rules: Rules | None = None,
    limits: Limits | None = None,
) -> ArchivingApplication:
    """The application, with every distinct answer to a GET request recorded in an archive."""
    return ArchivingApplication(app, Recorder(archive, rules, limits))


class ArchivingApplication:
    """Passes everything through as it is, and records the answers to GET requests."""

    def __init__(self, app: WSGIApplication, recorder: Recorder) -> None:
        self._app = app
        self.recorder = recorder

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve one request."""
        hearing = self._hearing(environ)
        if hearing is None:
            return self._app(environ, start_response)
        return self._heard(hearing, environ, start_response)

    def close(self) -> None:
        """Write what is waiting and end the capture; the end of the process does this too."""
        self.recorder.close()

    def _hearing(self, environ: WSGIEnvironment) -> Hearing | None:
        """Who listens to the answer; nobody where it is not to be recorded."""
        if environ.get("REQUEST_METHOD") != "GET":
            return None
        try:
            request = _request(environ)
            names = {name for name, _ in request.fields}
            is_concerned = self.recorder.is_concerned(names, bool(environ.get("REMOTE_USER")))
            return Hearing(self.recorder, request) if is_concerned else None
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self.recorder.note_failure(error)
            return None

    def _heard(self, hearing: Hearing, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        is_begun = False

        def starting(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
            nonlocal is_begun
            write = start_response(status, headers, *exc_info)
            is_begun = True
            hearing.begin(_status(status), [(_latin(name), _latin(value)) for name, value in headers])

            def written(data: bytes) -> object:
                result = write(data)
                hearing.piece(data, more=True)
                return result

            return written

        try:
            result = self._app(environ, starting)
        except BaseException:
            hearing.break_off()
            raise
        if is_begun and hearing.is_over:
            return result
        return _heard_list(result, hearing) if isinstance(result, list | tuple) else _body(result, hearing)


def _heard_list(result: list[bytes] | tuple[bytes, ...], hearing: Hearing) -> Iterable[bytes]:
    """A body that is there already: servers look at its length, so it is handed on as it is."""
    for data in result[:-1]:
        hearing.piece(data, more=True)
    hearing.piece(result[-1] if result else b"", more=False)
    return result


def _body(result: Iterable[bytes], hearing: Hearing) -> _Body:
    return _SizedBody(result, hearing) if isinstance(result, Sized) else _Body(result, hearing)


class _Body:
    """A body heard as it is sent."""

    def __init__(self, result: Iterable[bytes], hearing: Hearing) -> None:
        self._result = result
        self._hearing = hearing

    def __iter__(self) -> Iterator[bytes]:
        for data in self._result:
            self._hearing.piece(data, more=True)
            yield data
        self._hearing.piece(b"", more=False)

    def close(self) -> None:
        """Called by the server once the request is over, however it ended."""
        try:
            if hasattr(self._result, "close"):
                self._result.close()
        finally:
            self._hearing.break_off()


class _SizedBody(_Body):
    """The same, where the number of pieces is known."""

    def __len__(self) -> int:
        return len(self._result) if isinstance(self._result, Sized) else 0


def _status(status: str) -> int:
    return int(status[:3]) if status[:3].isdecimal() else 0


def _latin(text: str) -> bytes:
    return text.encode("latin-1", "replace")


def _request(environ: WSGIEnvironment) -> Request:
    fields = [
        (_latin(name[5:].replace("_", "-").lower()), _latin(value))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    host = environ.get("HTTP_HOST") or f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
    version = environ.get("SERVER_PROTOCOL", "").rpartition("/")[2]
    return Request(
        environ["wsgi.url_scheme"],
        _latin(host),
        _target(environ),
        fields,
        version,
    )


def _target(environ: WSGIEnvironment) -> bytes:
    """Path and query as they came where the server tells, and otherwise spelled again."""
    for name in ("RAW_URI", "REQUEST_URI"):
        raw = environ.get(name, "")
        if raw.startswith("/"):
            return str(raw).partition("#")[0].encode("latin-1")
    path = quote(f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1"), "/:@!$&'()*+,;=~")
    query = environ.get("QUERY_STRING", "")
    return (f"{path or '/'}?{query}" if query else path or "/").encode("latin-1")
