"""One libcurl handle: told of a request and its limits it gathers raw head and undecoded body, and breaks off where an
address is forbidden, the head is unwanted or the body too large.

libcurl is told to decode nothing, so that bodies are kept as they came. Heads are taken from its debug callback, which
shows them line by line even where libcurl refuses them in the end, along with the request as it was really sent, what
came beyond the end of a body, and which TLS was spoken.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Iterator, Sequence

import pycurl

from webkeep.errors import StorageError
from webkeep.fetch.addresses import is_public
from webkeep.fetch.client.bandwidth_limit import TokenBucket, draw_bytes, seconds_owed
from webkeep.fetch.client.curl_errors import failure_from_curl
from webkeep.fetch.client.spool_sink import SpoolSink
from webkeep.fetch.local_site import LocalServer, plain_url, scheme_line
from webkeep.fetch.request import FetchFailure, FetchLimits, FetchRequest, ResponseListener
from webkeep.formats.http import parse_response
from webkeep.formats.status import UNAUTHORIZED, is_interim, status_of
from webkeep.model import Body, Clock, Moment

# The body of a request on its way out.


class RequestBody:
    """A body that libcurl reads, and may begin again where a server asks for credentials first."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self._chunks: Iterator[bytes] = body.chunks()
        self._held = b""

    def set_options(self, curl: pycurl.Curl, method: str) -> None:
        """Tell libcurl to send it, or of a method without any body."""
        if not self._body.size:
            curl.setopt(pycurl.NOBODY, 1 if method == "HEAD" else 0)
            curl.setopt(pycurl.CUSTOMREQUEST, method)
            return
        curl.setopt(pycurl.UPLOAD, 1)
        curl.setopt(pycurl.INFILESIZE_LARGE, self._body.size)
        curl.setopt(pycurl.CUSTOMREQUEST, method)
        curl.setopt(pycurl.READFUNCTION, self._read)
        curl.setopt(pycurl.SEEKFUNCTION, self._seek)

    def _read(self, size: int) -> bytes:
        if not self._held:
            self._held = next(self._chunks, b"")
        piece, self._held = self._held[:size], self._held[size:]
        return piece

    def _seek(self, offset: int, origin: int) -> int:  # noqa: ARG002 - libcurl counts from the beginning alone
        self._chunks, self._held = self._body.chunks(offset), b""
        return int(pycurl.SEEKFUNC_OK)


PauseTransfer = Callable[["CurlHandle", float], None]
"""Has a handle that paused itself go on after so many seconds."""
HeaderLines = Sequence[str | bytes]
"""Header lines as libcurl takes them."""

_TLS_MESSAGE = re.compile(rb"SSL connection using (TLSv[0-9.]+) / (\S+)")
_TEXT, _HEADER_IN, _HEADER_OUT, _DATA_IN, _DATA_OUT = (
    pycurl.INFOTYPE_TEXT,
    pycurl.INFOTYPE_HEADER_IN,
    pycurl.INFOTYPE_HEADER_OUT,
    pycurl.INFOTYPE_DATA_IN,
    pycurl.INFOTYPE_DATA_OUT,
)


class CurlHandle:
    """A libcurl handle and what it has gathered of the response to its present request."""

    def __init__(
        self,
        curl: pycurl.Curl,
        clock: Clock,
        pause: PauseTransfer,
        checks_addresses: bool = True,
        all_is_http: bool = False,
        local_server: LocalServer | None = None,
    ) -> None:
        self.curl = curl
        self.local_server = local_server
        """The server of this machine that it asks in place of the network."""
        self._clock = clock
        self._pause = pause
        self._time = asyncio.get_running_loop().time
        self._checks_addresses = checks_addresses
        self._all_is_http = all_is_http
        self._limits: FetchLimits | None = None
        self._headers: HeaderLines = []
        curl.setopt(pycurl.WRITEFUNCTION, self._on_chunk)
        curl.setopt(pycurl.DEBUGFUNCTION, self._on_debug)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)

    def begin(
        self,
        request: FetchRequest,
        headers: HeaderLines,
        sink: SpoolSink,
        buckets: tuple[TokenBucket, ...] = (),
        listener: ResponseListener | None = None,
        expects_challenge: bool = False,
    ) -> None:
        """Tell libcurl everything about a request that it does not know from the one before."""
        self.request = request
        self.sink = sink
        self.head = b""
        """The last head that came whole."""
        self.lines: list[bytes] = []
        """What came of a head that is not whole yet."""
        self.sent = b""
        """The request as it was sent last."""
        self.sent_at: list[Moment] = []
        self.challenged_at: list[Moment] = []
        """When the server had asked for credentials that were not sent at once."""
        self.challenge = ""
        self.is_cut = False
        self.unwanted_reason = ""
        """Why the rest of the response is not wanted."""
        self.refused_address = ""
        self.tls = ""
        self.cookies_set = 0
        self.storage_error: StorageError | None = None
        self._buckets = buckets
        self._listener = listener
        self._is_head_forwarded = False
        self._expects_challenge = expects_challenge
        self._limit = request.limits.size
        self._is_https = request.url.startswith("https:")
        self.is_http = self._is_https or self._all_is_http or request.url.startswith("http:")
        """Whether what comes has heads and bodies."""
        self._raw = 0
        self._last = b""
        self.started = self._clock.now()
        self._set_options(request, headers)

    def _set_options(self, request: FetchRequest, headers: HeaderLines) -> None:
        curl, url = self.curl, request.url
        if self.local_server is not None:
            url, headers = plain_url(url), [*headers, scheme_line(url)]
        curl.setopt(pycurl.URL, url if url.isascii() else url.encode("utf-8", "replace"))
        if request.limits is not self._limits and request.limits != self._limits:
            self._set_limits(request.limits)
        if headers != self._headers:
            curl.setopt(pycurl.HTTPHEADER, headers)
            self._headers = headers
        if request.method != "GET" or request.body.size:
            RequestBody(request.body).set_options(curl, request.method)

    def _set_limits(self, limits: FetchLimits) -> None:
        curl = self.curl
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, int(limits.connect_seconds * 1000))
        curl.setopt(pycurl.TIMEOUT_MS, int(limits.seconds * 1000))
        curl.setopt(pycurl.LOW_SPEED_LIMIT, limits.min_rate)
        # libcurl counts whole seconds, and takes 0 for no limit.
        curl.setopt(pycurl.LOW_SPEED_TIME, max(1, round(limits.max_stall_seconds)))
        self._limits = limits

    @property
    def is_forwarded(self) -> bool:
        """Whether a listener was told of the response already, so that another cannot take its place."""
        return self._is_head_forwarded

    def judge(self, code: int, message: str) -> tuple[FetchFailure | None, str]:
        """How the transfer ended, given what libcurl says; where it is whole, what was odd."""
        if self.storage_error is not None:
            raise self.storage_error
        if self.unwanted_reason:
            return FetchFailure.UNWANTED, self.unwanted_reason
        if self.is_cut:
            return FetchFailure.TOO_LARGE, f"more than {self._limit} bytes"
        if code and self.refused_address:
            return FetchFailure.FORBIDDEN_ADDRESS, f"{self.refused_address} is not a public address"
        if code:
            failure = failure_from_curl(code, message)
            return FetchFailure.PROTOCOL if failure is FetchFailure.SCHEME and self.sent else failure, message
        if self.is_http and not (self.head and self.sent):
            return FetchFailure.DISCONNECTED, "the connection was closed within the head"
        self._forward_head()
        return None, self._keep_excess()

    def _keep_excess(self) -> str:
        """Libcurl drops what comes beyond the end of a body, but has shown it."""
        excess = self._last[max(self.sink.size - self._raw, -len(self._last)) :] if self._raw > self.sink.size else b""
        if not excess or not self.is_http:
            return ""
        self.sink.write(excess)
        return f"{len(excess)} bytes came beyond the end of the body"

    def _on_chunk(self, chunk: bytes) -> int | None:
        size = len(chunk)
        if self.unwanted_reason:
            return -1
        if self._buckets:
            now = self._time()
            if wait := seconds_owed(self._buckets, now):
                self._pause(self, wait)
                return int(pycurl.WRITEFUNC_PAUSE)
            draw_bytes(self._buckets, size, now)
        if self._limit and self.sink.size + size > self._limit:
            chunk = chunk[: self._limit - self.sink.size]
            self.is_cut = True
        try:
            self.sink.write(chunk)
        except StorageError as error:
            self.storage_error = error
            return -1
        if self._listener is not None:
            self._forward_head()
            self._listener.on_data(chunk)
        return -1 if self.is_cut else None

    def _on_debug(self, kind: int, data: bytes) -> None:
        if kind == _HEADER_IN:
            self.lines.append(data)
            if len(data) < 3 and data in (b"\r\n", b"\n"):
                self._end_head()
        elif kind == _DATA_IN:
            self._raw += len(data)
            self._last = data
        elif kind == _HEADER_OUT:
            self._on_request_sent(data)
        elif kind == _TEXT:
            if self._is_https and (match := _TLS_MESSAGE.match(data)):
                self.tls = f"{match[1].decode()} {match[2].decode()}"
        elif kind == _DATA_OUT:
            self._on_uploaded(data)

    def _on_uploaded(self, data: bytes) -> None:
        """Some of the request's body was sent."""

    def _on_request_sent(self, data: bytes) -> None:
        if self.sent and not self.sent.endswith(b"\r\n\r\n"):
            self.sent += data  # a long head is shown piece by piece
            return
        if self.head:
            self._drop_head()
        elif self.sent_at and not self.lines:
            self.sent_at.pop()  # it went over a connection that the server had closed, and was seen by nobody
        self.lines = []
        if not data.startswith(b"CONNECT "):
            self.sent = data
            self.sent_at.append(self._clock.now())

    def _drop_head(self) -> None:
        """The request is sent again: the answer before was a proxy's, or one that asked for credentials."""
        if status_of(self.head) == UNAUTHORIZED:
            fields = parse_response(self.head).headers.all("www-authenticate")
            self.challenge = "; ".join(fields)
        self.head = b""
        self.unwanted_reason = ""
        self._raw = 0

    def _end_head(self) -> None:
        head = b"".join(self.lines)
        if not head.startswith(b"HTTP/"):
            return
        self.lines = []
        status = status_of(head)
        if is_interim(status):
            self._on_interim(head)
            return
        self.head = head
        if self.request.head_filter is not None and self.sent:
            self.unwanted_reason = self.request.head_filter(head)
        self.cookies_set += head.lower().count(b"\nset-cookie:")
        if self._buckets:
            draw_bytes(self._buckets, len(head), self._time())
        # Only a response that may be asked to come again is held back until its body shows that it stays.
        if self._listener is not None and not self._expects_challenge:
            self._forward_head()

    def _on_interim(self, head: bytes) -> None:
        """An interim answer came; the real one follows."""

    def _forward_head(self) -> None:
        if self._listener is not None and self.sent and not self._is_head_forwarded:
            self._is_head_forwarded = True
            self._listener.on_head(self.head)

    def _open_socket(self, purpose: int, address: tuple[int, int, int, tuple[object, ...]]) -> object:  # noqa: ARG002
        family, kind, protocol, where = address
        if family == socket.AF_UNIX:
            return _CurlSocket(socket.socket(family, kind, protocol))
        host = str(where[0])
        if self._checks_addresses and not self.request.private and not is_public(host):
            self.refused_address = host
            return pycurl.SOCKET_BAD
        return _CurlSocket(socket.socket(family, kind, protocol))


class _CurlSocket:
    """A socket as libcurl takes it: by a copy of its descriptor, so that ours is closed when the plug is dropped."""

    __slots__ = ("_socket",)

    def __init__(self, taken: socket.socket) -> None:
        self._socket = taken

    def fileno(self) -> int:
        """The descriptor to copy."""
        return self._socket.fileno()

    def __del__(self) -> None:
        self._socket.close()
