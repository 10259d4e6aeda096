"""The body of a client's request on its way to the server, passed on while it still comes; how much of it may wait, and
how much can be sent again over another connection.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

import pycurl

from webkeep.fetch.proxy.chunk_decoder import ChunkDecoder

_MAX_QUEUED_BYTES = 256 * 1024
"""A client that has sent so much more than the server took waits."""
_MAX_REWIND_BYTES = 64 * 1024
"""So much of the beginning can be sent again, over another connection."""


class ClientUpload:
    """Takes a body from the client and gives it to libcurl, which waits where nothing is there yet."""

    def __init__(self, length: int | None) -> None:
        self.length = length
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._sent: list[bytes] | None = []
        self._past_size = 0
        self._is_ended = False
        self._is_broken = False
        self._is_awaited = False
        self._is_held = False
        self._resume_transfer: Callable[[], None] = _ignore
        self._request_more: Callable[[], None] = _ignore

    def ask_through(self, request_more: Callable[[], None]) -> None:
        """Have this called when the server is ready for the body, or more of it."""
        self._request_more = request_more

    def resume_through(self, resume_transfer: Callable[[], None]) -> None:
        """Have this called when libcurl is to go on: it is another with each try."""
        self._resume_transfer = resume_transfer

    def resume_transfer(self) -> None:
        """Have libcurl go on."""
        self._resume_transfer()

    @property
    def is_full(self) -> bool:
        """Whether the client should wait before it sends more."""
        return self._queued >= _MAX_QUEUED_BYTES

    def feed(self, data: bytes) -> None:
        """Take more from the client."""
        if data:
            self._queue.append(data)
            self._queued += len(data)
            self._resume_if_waiting()

    def end(self) -> None:
        """The client has sent all of it."""
        self._is_ended = True
        self._resume_if_waiting()

    def break_off(self) -> None:
        """The client will not send the rest."""
        self._is_broken = True
        self._resume_if_waiting()

    async def read_beginning(self, most: int) -> bytes:
        """What came of it, once it is whole, broken off, or so much; all of it can still be sent."""
        while not (self._is_ended or self._is_broken or self._queued >= min(most, _MAX_QUEUED_BYTES)):
            more = asyncio.get_running_loop().create_future()
            self._resume_transfer = partial(_resolve_future, more)
            self._is_awaited = True
            self._request_more()
            await more
        return b"".join(self._queue)[:most]

    def hold(self) -> None:
        """Send nothing until the server has said that it wants it, or is given it all the same."""
        self._is_held = True

    def release(self) -> None:
        """Send it now."""
        if self._is_held:
            self._is_held = False
            self._resume_if_waiting()

    def set_options(self, curl: pycurl.Curl, method: str) -> None:
        """Tell libcurl of it."""
        curl.setopt(pycurl.UPLOAD, 1)
        curl.setopt(pycurl.INFILESIZE_LARGE, -1 if self.length is None else self.length)
        curl.setopt(pycurl.CUSTOMREQUEST, method)
        curl.setopt(pycurl.READFUNCTION, self._read)
        curl.setopt(pycurl.SEEKFUNCTION, self._seek)

    def _resume_if_waiting(self) -> None:
        if self._is_awaited:
            self._is_awaited = False
            self._resume_transfer()

    def _read(self, size: int) -> bytes | int:
        if self._is_held and not self._is_broken:
            self._is_awaited = True
            return int(pycurl.READFUNC_PAUSE)
        if not self._queue:
            if self._is_broken:
                return int(pycurl.READFUNC_ABORT)
            if self._is_ended:
                return b""
            self._is_awaited = True
            self._request_more()
            return int(pycurl.READFUNC_PAUSE)
        piece = self._queue.popleft()
        if len(piece) > size:
            self._queue.appendleft(piece[size:])
            piece = piece[:size]
        self._queued -= len(piece)
        self._remember(piece)
        if not self._queue and not self._is_ended:
            self._request_more()
        return piece

    def _remember(self, piece: bytes) -> None:
        self._past_size += len(piece)
        if self._sent is not None:
            self._sent.append(piece)
            if self._past_size > _MAX_REWIND_BYTES:
                self._sent = None

    def _seek(self, offset: int, origin: int) -> int:  # noqa: ARG002 - libcurl counts from the beginning alone
        """A connection that was open turned out to be dead, and the request is sent again over another."""
        if offset or self._sent is None:
            return int(pycurl.SEEKFUNC_CANTSEEK)
        self._queue.extendleft(reversed(self._sent))
        self._queued += self._past_size
        self._sent, self._past_size = [], 0
        return int(pycurl.SEEKFUNC_OK)


def _resolve_future(promise: asyncio.Future[None]) -> None:
    if not promise.done():
        promise.set_result(None)


def _ignore() -> None:
    """Nobody is there to be told."""


# The body of a client's request, taken off the bytes that come.


class UploadReader:
    """Feeds an upload until its end is found."""

    __slots__ = ("_chunks", "_left", "upload")

    def __init__(self, upload: ClientUpload) -> None:
        self.upload = upload
        self._left = upload.length or 0
        self._chunks = ChunkDecoder() if upload.length is None else None

    @property
    def is_broken(self) -> bool:
        """Whether the end can be found no more."""
        return self._chunks is not None and self._chunks.is_broken

    def feed(self, data: bytes) -> bytes | None:
        """Take more; gives what came beyond the end, and None before it."""
        if self._chunks is None:
            self.upload.feed(data[: self._left])
            rest = data[self._left :]
            self._left -= len(data) - len(rest)
            is_done = not self._left
        else:
            self.upload.feed(self._chunks.feed(data))
            rest, is_done = self._chunks.rest, self._chunks.is_done
        if not is_done:
            return None
        self.upload.end()
        return rest
