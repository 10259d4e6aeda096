"""One visit to a WSGI application: what it answers, passed on to the server and heard on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from webkeep.model import Moment
from webkeep.recorder.hearing import LARGE, Hearing
from webkeep.recorder.memory import SEED, Head, digest, fingerprint
from webkeep.recorder.recorder import Recorder
from webkeep.recorder.tally import Count
from webkeep.recorder.wsgi_request import latin, place_of, request_of


class Visit:
    """Stands between an application and the server, for the answer to one GET request.

    Nothing is listened to before it is clear that the answer is not the one that came last.
    """

    __slots__ = (
        "_began", "_environ", "_first", "_head", "_hearing", "_is_behind", "_place", "_recorder",
        "_start_response", "_write",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, environ: WSGIEnvironment, start_response: StartResponse) -> None:
        self._recorder = recorder
        self._environ = environ
        self._start_response = start_response
        self._place = place_of(environ)
        self._head: Head = ()
        self._is_behind = False
        """Whether something has passed and was not listened to yet."""
        self._first: bytes | None = None
        self._began: Moment | None = None
        self._hearing: Hearing | None = None

    def start(self, status: str, headers: Iterable[tuple[str, str]], *exc_info: Any) -> Callable[[bytes], object]:
        """Stand in for the server's `start_response`."""
        fields = headers if isinstance(headers, list) else list(headers)
        head = (status, *fields)  # servers add fields of their own
        self._write = self._start_response(status, fields, *exc_info)
        self._head, self._first, self._is_behind = head, None, True
        return self._written

    def piece(self, data: bytes) -> None:
        """A piece of the body has passed."""
        if self._is_behind:
            if self._first is None and type(data) is bytes and len(data) < LARGE:
                self._first, self._began = data, self._recorder.clock.now()
                return
            self._catch_up()
        if self._hearing is not None:
            self._hearing.piece(data, more=True)

    def end(self) -> None:
        """All of the body has passed."""
        if self._is_behind:
            if fingerprint(self._place, self._head, digest(self._first or b"", SEED)) in self._recorder.memory.known:
                self._is_behind = False
                self._recorder.tally.note_unchanged()
                return
            self._catch_up()
        hearing = self._hearing
        if hearing is not None:
            hearing.piece(b"", more=False)
            if hearing.same is not None:
                self._recorder.memory.recognise(self._place, self._head, hearing.same)

    def close(self) -> None:
        """Nothing more will pass."""
        if self._is_behind:
            self._catch_up()
        if self._hearing is not None:
            self._hearing.break_off()

    def _written(self, data: bytes) -> object:
        result = self._write(data)
        self.piece(data)
        return result

    def _catch_up(self) -> None:
        """Hear what has passed already, unless it is left out anyway."""
        self._is_behind = False
        if fingerprint(self._place, self._head, b"") in self._recorder.memory.unwanted:
            self._recorder.tally.add(Count.LEFT_OUT)
            return
        try:
            status, *headers = self._head
            if self._hearing is None:
                self._hearing = Hearing(self._recorder, request_of(self._environ), self._began)
            self._hearing.begin(_code(status), [(latin(name), latin(value)) for name, value in headers])
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._recorder.note_failure(error)
            self._hearing = None
        if self._first is not None and self._hearing is not None:
            self._hearing.piece(self._first, more=True)


class HeardBody:
    """A body heard as it is sent."""

    def __init__(self, result: Iterable[bytes], visit: Visit) -> None:
        self._result = result
        self._visit = visit

    def __iter__(self) -> Iterator[bytes]:
        for data in self._result:
            self._visit.piece(data)
            yield data
        self._visit.end()

    def close(self) -> None:
        """Called by the server once the request is over, however it ended."""
        try:
            if hasattr(self._result, "close"):
                self._result.close()
        finally:
            self._visit.close()


class SizedHeardBody(HeardBody):
    """The same, where the number of pieces is known."""

    def __len__(self) -> int:
        return len(self._result) if isinstance(self._result, Sized) else 0


def _code(status: str) -> int:
    return int(status[:3]) if status[:3].isdecimal() else 0
