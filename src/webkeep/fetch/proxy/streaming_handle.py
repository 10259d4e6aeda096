"""A libcurl handle that passes on to the proxy's client what it gathers, no faster than it is taken; it keeps nothing
of what is not recorded, and refuses the proxy's own address.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.client.chunk_scanner import ChunkScanner
from webkeep.fetch.client.curl_handle import CurlHandle, HeaderLines, PauseTransfer
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.local_site import LocalServer
from webkeep.fetch.proxy.client_upload import ClientUpload
from webkeep.fetch.proxy.exchange_recorder import ResponseReceiver
from webkeep.fetch.request import FetchFailure, FetchRequest
from webkeep.formats.status import CONTINUE, status_of
from webkeep.model import Clock

IsOwnAddress = Callable[[str, int], bool]
"""Whether an address and port is where this proxy itself listens."""
HeadForwarded = Callable[[ResponseReceiver], None]
"""Told of a response whose head was passed on, to be flushed once no more of it is at hand."""


class CountingSink(SpoolSink):
    """Counts what passes and keeps nothing."""

    __slots__ = ()

    def __init__(self, size: int = 0) -> None:
        """So much has passed already."""
        super().__init__(Path())
        self.size = size

    def write(self, chunk: bytes) -> None:
        """Count it."""
        self.size += len(chunk)


@dataclass(frozen=True, slots=True)
class StreamingHooks:
    """What the handles of one proxy ask, and whom they tell."""

    is_own_address: IsOwnAddress
    on_head_forwarded: HeadForwarded
    serves_unrecorded: bool = False
    """Whether passing goes on where nothing can be kept."""


class StreamingHandle(CurlHandle):
    """Gathers as its base does, and tells the client's side of interim answers too."""

    def __init__(
        self,
        curl: pycurl.Curl,
        clock: Clock,
        pause: PauseTransfer,
        checks_addresses: bool,
        hooks: StreamingHooks,
        local_server: LocalServer | None = None,
    ) -> None:
        super().__init__(curl, clock, pause, checks_addresses, local_server=local_server)
        self._hooks = hooks

    def begin_streaming(
        self,
        request: FetchRequest,
        lines: HeaderLines,
        sinks: tuple[SpoolSink, SpoolSink],
        receiver: ResponseReceiver,
        upload: ClientUpload,
        expects_challenge: bool = False,
    ) -> None:
        """Tell libcurl of a request whose body may still be coming; one sink takes the answer, one that body."""
        answer, self.request_sink = sinks
        self.receiver = receiver
        self.upload = upload
        self.is_recorded = True
        self.storage_gap: StorageError | None = None
        """Why what passed could not be kept."""
        self._is_resuming = False
        self._scanner: ChunkScanner | None = None
        self._is_at_end = False
        self.begin(request, lines, answer, listener=receiver, expects_challenge=expects_challenge)
        upload.resume_through(self.resume)
        if upload.length != 0 or request.method in ("POST", "PUT", "PATCH"):
            upload.set_options(self.curl, request.method)

    def discard(self) -> None:
        """Let go of the handle and of all that it gathered and nobody took."""
        self.curl.close()
        self.sink.discard()
        self.request_sink.discard()

    def resume(self) -> None:
        """The client has taken what was passed on, or sent more."""
        if not self._is_resuming:
            self._is_resuming = True
            self._pause(self, 0.0)

    def mark_resumed(self) -> None:
        """Libcurl is about to be told to go on."""
        self._is_resuming = False

    def _on_chunk(self, chunk: bytes) -> int | None:
        if self.receiver.is_slow:
            return int(pycurl.WRITEFUNC_PAUSE)
        if not self._is_head_forwarded:
            self._forward_head()
        if self._limit and self.sink.size + len(chunk) > self._limit:
            chunk, self.is_cut = chunk[: self._limit - self.sink.size], True
        try:
            self.sink.write(chunk)
        except StorageError as error:
            if not self._lose_body(error):
                return -1
        self.receiver.on_data(chunk)
        if self._scanner is not None and self._scanner.feed(chunk):
            self._is_at_end = True
            return -1
        return -1 if self.is_cut else None

    def judge(self, code: int, message: str) -> tuple[FetchFailure | None, str]:
        """How the transfer ended, given what libcurl says, which may not have seen the end."""
        failure, detail = super().judge(0, "") if self._is_at_end else super().judge(code, message)
        if failure is None and self.lines:  # in HTTP/1 they are a part of the body as it came
            self.receiver.on_trailers(self.lines)
            names = [line.partition(b":")[0].decode("latin-1") for line in self.lines if b":" in line]
            detail = f"trailers came that a record has no place for: {', '.join(names)}"
        return failure, detail

    def _lose_body(self, error: StorageError) -> bool:
        """Take note that the rest cannot be kept; whether passing goes on."""
        size = self.sink.size
        self.sink.discard()
        self.sink, self.storage_gap = CountingSink(size), error
        self.storage_error = None if self._hooks.serves_unrecorded else error
        return self._hooks.serves_unrecorded

    def _on_uploaded(self, data: bytes) -> None:
        try:
            self.request_sink.write(data)
        except StorageError as error:
            self.request_sink, self.storage_gap = CountingSink(), error

    def _on_request_sent(self, data: bytes) -> None:
        super()._on_request_sent(data)
        if self.request_sink.size:  # sent again from the beginning, over another connection
            self.request_sink.clear()

    def _on_interim(self, head: bytes) -> None:
        if self.sent:
            self.receiver.on_interim(head)
            if status_of(head) == CONTINUE:
                self.upload.release()

    def _forward_head(self) -> None:
        self.upload.release()
        if self._is_head_forwarded or not self.sent:
            return
        if not self.receiver.is_recorded(self.head):
            self.sink, self.is_recorded = CountingSink(), False
        super()._forward_head()
        self._hooks.on_head_forwarded(self.receiver)
        if self.receiver.is_layered:
            self._scanner = ChunkScanner()

    def _open_socket(self, purpose: int, address: tuple[int, int, int, tuple[object, ...]]) -> object:
        where = address[3]
        if address[0] == socket.AF_UNIX:
            return super()._open_socket(purpose, address)
        if self._hooks.is_own_address(str(where[0]), int(str(where[1]))):
            self.refused_address = f"{where[0]}:{where[1]}"
            return pycurl.SOCKET_BAD
        return super()._open_socket(purpose, address)
