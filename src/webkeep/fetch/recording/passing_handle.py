"""A libcurl handle that passes on what it gathers, no faster than it is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.chunk_end import ChunkEnd
from webkeep.fetch.handle import Handle, Lines
from webkeep.fetch.recording.passage import Passage
from webkeep.fetch.recording.upload import Upload
from webkeep.fetch.request import Failure, Request
from webkeep.fetch.sink import SpoolSink
from webkeep.fetch.status import status_of

Ours = Callable[[str, int], bool]
"""Whether an address and port is where this proxy itself listens."""
Begun = Callable[[Passage], None]
"""Told of a passage whose head was passed on, to be flushed once no more of it is at hand."""


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
    begun: Begun
    goes_on: bool = False
    """Whether passing goes on where nothing can be kept."""

    def begin_passing(
        self,
        request: Request,
        lines: Lines,
        sinks: tuple[SpoolSink, SpoolSink],
        passage: Passage,
        upload: Upload,
        expects_challenge: bool = False,
    ) -> None:
        """Tell libcurl of a request whose body may still be coming; one sink takes the answer, one that body."""
        answer, self.asked = sinks
        self.passage = passage
        self.upload = upload
        self.is_kept = True
        self.gap: StorageError | None = None
        """Why what passed could not be kept."""
        self._is_resuming = False
        self._end: ChunkEnd | None = None
        self._is_at_end = False
        self.begin(request, lines, answer, listener=passage, expects_challenge=expects_challenge)
        upload.wake = self.go_on
        if upload.length != 0 or request.method in ("POST", "PUT", "PATCH"):
            upload.prepare(self.curl, request.method)

    def let_go(self) -> None:
        """Let go of the handle and of all that it gathered and nobody took."""
        self.curl.close()
        self.sink.discard()
        self.asked.discard()

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
        if not self._is_told:
            self._tell_head()
        if self._limit and self.sink.size + len(chunk) > self._limit:
            chunk, self.cut = chunk[: self._limit - self.sink.size], True
        try:
            self.sink.write(chunk)
        except StorageError as error:
            if not self._lose(error):
                return -1
        self.passage.data(chunk)
        if self._end is not None and self._end.take(chunk):
            self._is_at_end = True
            return -1
        return -1 if self.cut else None

    def verdict(self, code: int, message: str) -> tuple[Failure | None, str]:
        """How the transfer ended, given what libcurl says, which may not have seen the end."""
        failure, detail = super().verdict(0, "") if self._is_at_end else super().verdict(code, message)
        if failure is None and self.lines:  # in HTTP/1 they are a part of the body as it came
            self.passage.trailers(self.lines)
            names = [line.partition(b":")[0].decode("latin-1") for line in self.lines if b":" in line]
            detail = f"trailers came that a record has no place for: {', '.join(names)}"
        return failure, detail

    def _lose(self, error: StorageError) -> bool:
        """Take note that the rest cannot be kept; whether passing goes on."""
        size = self.sink.size
        self.sink.discard()
        self.sink, self.gap = Untaken(), error
        self.sink.size = size
        self.broken = None if self.goes_on else error
        return self.goes_on

    def _take_uploaded(self, data: bytes) -> None:
        try:
            self.asked.write(data)
        except StorageError as error:
            self.asked, self.gap = Untaken(), error

    def _take_sent(self, data: bytes) -> None:
        super()._take_sent(data)
        if self.asked.size:  # sent again from the beginning, over another connection
            self.asked.body()
            self.asked.size = 0

    def _take_interim(self, head: bytes) -> None:
        if self.sent:
            self.passage.interim(head)
            if status_of(head) == 100:
                self.upload.release()

    def _tell_head(self) -> None:
        self.upload.release()
        if self._is_told or not self.sent:
            return
        if not self.passage.keeps(self.head):
            self.sink, self.is_kept = Untaken(), False
        super()._tell_head()
        self.begun(self.passage)
        if self.passage.is_layered:
            self._end = ChunkEnd()

    def _open_socket(self, purpose: int, address: tuple[int, int, int, tuple[object, ...]]) -> object:
        where = address[3]
        if self.is_ours(str(where[0]), int(str(where[1]))):
            self.refused_address = f"{where[0]}:{where[1]}"
            return pycurl.SOCKET_BAD
        return super()._open_socket(purpose, address)
