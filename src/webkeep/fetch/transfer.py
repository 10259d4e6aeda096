"""One request under way: what libcurl is told, and what its callbacks gather.

libcurl is told to decode nothing, so that head and body are kept as they came. Its debug callback shows the request
as it was really sent, what came beyond the end of a body, and which TLS was spoken.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from typing import Protocol

import pycurl

from webkeep.fetch.addresses import is_public
from webkeep.fetch.failures import failure_of
from webkeep.fetch.request import Failure, Fetched, Request
from webkeep.model import Body, Clock, Exchange

_TLS = re.compile(rb"SSL connection using (TLSv[0-9.]+) / (\S+)")
_VERSIONS = {
    pycurl.CURL_HTTP_VERSION_1_0: "http/1.0",
    pycurl.CURL_HTTP_VERSION_1_1: "http/1.1",
    pycurl.CURL_HTTP_VERSION_2_0: "h2",
    pycurl.CURL_HTTP_VERSION_3: "h3",
}


class Sink(Protocol):
    """Where a response's body goes as it comes."""

    def write(self, chunk: bytes, /) -> object:
        """Take more of the body."""
        ...

    def body(self) -> Body:
        """All of it."""
        ...


class Listener(Protocol):
    """Someone who watches a response as it comes: a proxy that passes it on."""

    def head(self, head: bytes) -> None:
        """The whole head came."""

    def data(self, chunk: bytes) -> None:
        """More of the body came."""


class Transfer:
    """One request under way."""

    def __init__(
        self, handle: pycurl.Curl, request: Request, sink: Sink, clock: Clock, listener: Listener | None = None
    ) -> None:
        self.handle = handle
        self.request = request
        self._sink = sink
        self._clock = clock
        self._listener = listener
        self._started = clock.now()
        self._sent: list[bytes] = []
        self._lines: list[bytes] = []
        self._head = b""
        self._size = 0
        self._refused = ""
        self._cut: Failure | None = None
        self._tls = ""

    def prepare(self) -> None:
        """Tell libcurl everything about this request."""
        handle, request, limits = self.handle, self.request, self.request.limits
        handle.setopt(pycurl.URL, request.url.encode("utf-8"))
        handle.setopt(pycurl.HEADERFUNCTION, self._take_line)
        handle.setopt(pycurl.WRITEFUNCTION, self._take_chunk)
        handle.setopt(pycurl.DEBUGFUNCTION, self._take_debug)
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        handle.setopt(pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in request.headers])
        handle.setopt(pycurl.CONNECTTIMEOUT_MS, int(limits.connect_seconds * 1000))
        handle.setopt(pycurl.TIMEOUT_MS, int(limits.seconds * 1000))
        handle.setopt(pycurl.LOW_SPEED_LIMIT, limits.slowest_rate)
        handle.setopt(pycurl.LOW_SPEED_TIME, int(limits.stalled_seconds))
        handle.setopt(pycurl.MAX_RECV_SPEED_LARGE, limits.rate)
        self._prepare_method()

    def _prepare_method(self) -> None:
        handle, request = self.handle, self.request
        if request.method == "GET":
            handle.setopt(pycurl.HTTPGET, 1)
        elif request.method == "HEAD":
            handle.setopt(pycurl.NOBODY, 1)
        else:
            handle.setopt(pycurl.CUSTOMREQUEST, request.method)
        if request.body.size:
            chunks = request.body.chunks()
            handle.setopt(pycurl.UPLOAD, 1)
            handle.setopt(pycurl.INFILESIZE_LARGE, request.body.size)
            handle.setopt(pycurl.CUSTOMREQUEST, request.method)
            handle.setopt(pycurl.READFUNCTION, _reader(chunks.__next__))

    def ended(self, code: int, message: str) -> Fetched:
        """How it ended, given libcurl's verdict."""
        handle = self.handle
        failure = self._cut or (failure_of(code, message) if code else None)
        if self._refused:
            failure, message = Failure.FORBIDDEN_ADDRESS, f"{self._refused} is not a public address"
        if self._cut is Failure.TOO_LARGE:
            message = f"more than {self.request.limits.size} bytes"
        return Fetched(
            self.request,
            self._started,
            self._clock.now(),
            self._exchange(failure),
            failure,
            message if failure else "",
            handle.getinfo(pycurl.TOTAL_TIME),
            handle.getinfo(pycurl.STARTTRANSFER_TIME),
            handle.getinfo(pycurl.NUM_CONNECTS) == 0,
            self._tls,
        )

    def _exchange(self, failure: Failure | None) -> Exchange | None:
        if not self._head:
            return None
        handle, request = self.handle, self.request
        version = _VERSIONS.get(handle.getinfo(pycurl.INFO_HTTP_VERSION), "http/1.1")
        tls = self._tls.partition(" ")[0].lower().replace("v", "/")
        return Exchange(
            request.url,
            self._started,
            self._head,
            self._sink.body(),
            b"".join(self._sent),
            request.body,
            handle.getinfo(pycurl.PRIMARY_IP),
            (version, tls) if tls else (version,),
            _truncation(failure),
            request.via,
            request.visit,
        )

    def _take_line(self, line: bytes) -> None:
        if line.startswith(b"HTTP/") and (not self._lines or self._lines[-1] in (b"\r\n", b"\n")):
            self._lines = []  # what came before was an interim answer, or one that asked for credentials
        self._lines.append(line)
        if line in (b"\r\n", b"\n"):
            self._head = b"".join(self._lines)
            if self._listener is not None:
                self._listener.head(self._head)

    def _take_chunk(self, chunk: bytes) -> int | None:
        self._size += len(chunk)
        limit = self.request.limits.size
        if limit and self._size > limit:
            self._sink.write(chunk[: limit - self._size])
            self._cut = Failure.TOO_LARGE
            return -1
        self._sink.write(chunk)
        if self._listener is not None:
            self._listener.data(chunk)
        return None

    def _take_debug(self, kind: int, data: bytes) -> None:
        if kind == pycurl.INFOTYPE_HEADER_OUT:
            self._sent = [data]
        elif kind == pycurl.INFOTYPE_TEXT and not self._tls and (match := _TLS.search(data)):
            self._tls = f"{match[1].decode()} {match[2].decode()}"

    def _open_socket(self, purpose: int, address: tuple[int, int, int, tuple[object, ...]]) -> object:  # noqa: ARG002
        family, kind, protocol, where = address
        host = str(where[0])
        if not self.request.private and not is_public(host):
            self._refused = host
            return pycurl.SOCKET_BAD
        return _Plug(socket.socket(family, kind, protocol))


class _Plug:
    """A socket as libcurl takes it: by a copy of its descriptor, so that ours is closed when the plug is dropped."""

    __slots__ = ("_socket",)

    def __init__(self, taken: socket.socket) -> None:
        self._socket = taken

    def fileno(self) -> int:
        """The descriptor to copy."""
        return self._socket.fileno()

    def __del__(self) -> None:
        self._socket.close()


def _truncation(failure: Failure | None) -> str:
    if failure is None:
        return ""
    if failure is Failure.TOO_LARGE:
        return "length"
    return "time" if failure in (Failure.TIMEOUT, Failure.STALLED) else "disconnect"


def _reader(next_chunk: Callable[[], bytes]) -> Callable[[int], bytes]:
    held = b""

    def read(size: int) -> bytes:
        nonlocal held
        if not held:
            try:
                held = next_chunk()
            except StopIteration:
                return b""
        piece, held = held[:size], held[size:]
        return piece

    return read
