"""The recorder as WSGI middleware."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sized
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from webkeep.recorder.limits import Limits
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.rules import Rules
from webkeep.recorder.telling_fields import TellingVariables
from webkeep.recorder.wsgi_visit import HeardBody, SizedHeardBody, Visit


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
        self._unheard = TellingVariables(recorder.unheard)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve one request."""
        if environ.get("REQUEST_METHOD") != "GET" or self._is_unheard(environ):
            return self._app(environ, start_response)
        visit = Visit(self.recorder, environ, start_response)
        try:
            result = self._app(environ, visit.start)
        except BaseException:
            visit.close()
            raise
        return _heard(result, visit)

    def close(self) -> None:
        """Write what is waiting and end the capture; the end of the process does this too."""
        self.recorder.close()

    def _is_unheard(self, environ: WSGIEnvironment) -> bool:
        if environ.get("REMOTE_USER") and not self.recorder.rules.credentials:
            self.recorder.note_unheard(b"remote-user")
            return True
        telling = self._unheard
        found = [telling[variable] for variable in environ if telling[variable]]
        if not found:
            return False
        # What is private comes first, because it is counted.
        self.recorder.note_unheard(next((name for name in found if name != b"range"), found[0]))
        return True


def _heard(result: Iterable[bytes], visit: Visit) -> Iterable[bytes]:
    if isinstance(result, list | tuple):  # servers look at its length, so it is handed on as it is
        for data in result:
            visit.piece(data)
        visit.end()
        return result
    return SizedHeardBody(result, visit) if isinstance(result, Sized) else HeardBody(result, visit)
