"""The recorder as WSGI middleware: which requests are listened to (GET without Range, credentials or REMOTE_USER), and
how the body of an answer is passed on and heard.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sized
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from webkeep.recorder.identifying_fields import IdentifyingVariables
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.recorder.wsgi_tap import SizedTappedBody, TappedBody, WsgiTap


def archiving_application(
    app: WSGIApplication,
    archive: str | os.PathLike[str],
    rules: RecorderRules | None = None,
    limits: RecorderLimits | None = None,
) -> ArchivingApplication:
    """The application, with every distinct answer to a GET request recorded in an archive."""
    return ArchivingApplication(app, Recorder(archive, rules, limits))


class ArchivingApplication:
    """Passes everything through as it is, and records the answers to GET requests."""

    def __init__(self, app: WSGIApplication, recorder: Recorder) -> None:
        self._app = app
        self.recorder = recorder
        self._skipping_variables = IdentifyingVariables(recorder.skipping_fields)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Serve one request."""
        if environ.get("REQUEST_METHOD") != "GET" or self._is_skipped(environ):
            return self._app(environ, start_response)
        visit = WsgiTap(self.recorder, environ, start_response)
        try:
            result = self._app(environ, visit.start_response)
        except BaseException:
            visit.close()
            raise
        return _tap_result(result, visit)

    def close(self) -> None:
        """Write what is waiting and end the capture; the end of the process does this too."""
        self.recorder.close()

    def _is_skipped(self, environ: WSGIEnvironment) -> bool:
        if environ.get("REMOTE_USER") and not self.recorder.rules.credentials:
            self.recorder.note_skipped(b"remote-user")
            return True
        telling = self._skipping_variables
        found = [telling[variable] for variable in environ if telling[variable]]
        if not found:
            return False
        # What is private comes first, because it is counted.
        self.recorder.note_skipped(next((name for name in found if name != b"range"), found[0]))
        return True


def _tap_result(result: Iterable[bytes], visit: WsgiTap) -> Iterable[bytes]:
    if isinstance(result, list | tuple):  # servers look at its length, so it is handed on as it is
        for data in result:
            visit.on_chunk(data)
        visit.on_end()
        return result
    return SizedTappedBody(result, visit) if isinstance(result, Sized) else TappedBody(result, visit)
