"""A libcurl handle that passes on what it gathers, no faster than it is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.handle import Handle
from webkeep.fetch.recording.passage import Passage
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.request import Request
from webkeep.fetch.sink import SpoolSink

_DATA_OUT = pycurl.INFOTYPE_DATA_OUT

Ours = Callable[[str, int], bool]
"""Whether an address and port is where this proxy itself listens."""


class Untaken(SpoolSink):
    """Counts what passes and keeps nothing."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Path())

    def write(self, chunk: bytes) -> None:
        """Count it."""
        self.size += len(chunk)


class PassingHandle(Handle):
    """Gathers as its base does, and tells the client's side of interim answers too."""

    is_ours: Ours
    goes_on: bool = False
    """Whether passing goes on where nothing can be kept."""

    def begin_passing(
        self, request: Request, lines: list[str], sinks: tuple[SpoolSink, SpoolSink], passage: Passage, upload: Upload
    ) -> None:
        """Tell libcurl of a request whose body may still be coming; one sink takes the answer, one that body."""
        answer, self.asked = sinks
        self.passage = passage
        self.upload = upload
        self.is_kept = True
        self.gap: StorageError | None = None
        """Why what passed could not be kept."""
        self._is_resuming = False
        self.begin(request, lines, answer, listener=passage)
        # Cookies are the client's affair.
        self.curl.setopt(pycurl.COOKIELIST, "ALL")
        upload.wake = self.go_on
        if upload.length != 0 or request.method in ("POST", "PUT", "PATCH"):
            upload.prepare(self.curl, request.method)

    def go_on(self) -> None:
        """The client has taken what was passed on, or sent more."""
        if not self._is_resuming:
            self._is_resuming = True
            self._pause(self, 0.0)

    def resumed(self) -> None:
        """Libcurl is about to be told to go on."""
        self._is_resuming = False

    def _take_chunk(self, chunk: bytes) -> int | None:
        if self.passage.is_slow:
            return int(pycurl.WRITEFUNC_PAUSE)
        try:
            self.sink.write(chunk)
        except StorageError as error:
            if not self._lose(error):
                return -1
        self.passage.data(chunk)
        return None

    def _lose(self, error: StorageError) -> bool:
        """Take note that the rest cannot be kept; whether passing goes on."""
        size = self.sink.size
        self.sink.discard()
        self.sink, self.gap = Untaken(), error
        self.sink.size = size
        self.broken = None if self.goes_on else error
        return self.goes_on

    def _take_debug(self, kind: int, data: bytes) -> None:
        if kind == _DATA_OUT:
            try:
                self.asked.write(data)
            except StorageError as error:
                self.asked, self.gap = Untaken(), error
            return
        super()._take_debug(kind, data)

    def _take_sent(self, data: bytes) -> None:
        super()._take_sent(data)
        if self.asked.size:  # sent again from the beginning, over another connection
            self.asked.body()
            self.asked.size = 0

    def _end_head(self) -> None:
        head = b"".join(self.lines)
        if head.startswith(b"HTTP/") and head[9:10] == b"1" and self.sent:
            self.lines = []
            self.passage.interim(head)
            return
        if head.startswith(b"HTTP/") and not self.passage.keeps(head):
            self.sink, self.is_kept = Untaken(), False
        super()._end_head()

    def _open_socket(self, purpose: int, address: tuple[int, int, int, tuple[object, ...]]) -> object:
        where = address[3]
        if self.is_ours(str(where[0]), int(str(where[1]))):
            self.refused_address = f"{where[0]}:{where[1]}"
            return pycurl.SOCKET_BAD
        return super()._open_socket(purpose, address)
