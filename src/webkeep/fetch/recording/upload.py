"""The body of a client's request on its way to the server, passed on while it still comes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

import pycurl

_ENOUGH = 256 * 1024
_KEPT_FOR_REWIND = 64 * 1024


class Upload:
    """Takes a body from the client and gives it to libcurl, which waits where nothing is there yet."""

    def __init__(self, length: int | None) -> None:
        self.length = length
        self._queue: deque[bytes] = deque()
        self._queued = 0
        self._past: list[bytes] | None = []
        self._past_size = 0
        self._is_ended = False
        self._is_broken = False
        self._is_awaited = False
        self._is_held = False
        self.wake: Callable[[], None] = _nothing
        """Has libcurl go on."""
        self.wanted: Callable[[], None] = _nothing
        """Called when the server is ready for the body, or more of it."""

    @property
    def is_enough(self) -> bool:
        """Whether the client should wait before it sends more."""
        return self._queued >= _ENOUGH

    def feed(self, data: bytes) -> None:
        """Take more from the client."""
        if data:
            self._queue.append(data)
            self._queued += len(data)
            self._go_on()

    def end(self) -> None:
        """The client has sent all of it."""
        self._is_ended = True
        self._go_on()

    def break_off(self) -> None:
        """The client will not send the rest."""
        self._is_broken = True
        self._go_on()

    async def gathered(self, most: int) -> bytes:
        """What came of it, once it is whole, broken off, or so much; all of it can still be sent."""
        while not (self._is_ended or self._is_broken or self._queued >= min(most, _ENOUGH)):
            more = asyncio.get_running_loop().create_future()
            self.wake = partial(_done, more)
            self._is_awaited = True
            self.wanted()
            await more
        return b"".join(self._queue)[:most]

    def hold(self) -> None:
        """Send nothing until the server has said that it wants it, or is given it all the same."""
        self._is_held = True

    def release(self) -> None:
        """Send it now."""
        if self._is_held:
            self._is_held = False
            self._go_on()

    def prepare(self, curl: pycurl.Curl, method: str) -> None:
        """Tell libcurl of it."""
        curl.setopt(pycurl.UPLOAD, 1)
        curl.setopt(pycurl.INFILESIZE_LARGE, -1 if self.length is None else self.length)
        curl.setopt(pycurl.CUSTOMREQUEST, method)
        curl.setopt(pycurl.READFUNCTION, self._read)
        curl.setopt(pycurl.SEEKFUNCTION, self._seek)

    def _go_on(self) -> None:
        if self._is_awaited:
            self._is_awaited = False
            self.wake()

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
            self.wanted()
            return int(pycurl.READFUNC_PAUSE)
        piece = self._queue.popleft()
        if len(piece) > size:
            self._queue.appendleft(piece[size:])
            piece = piece[:size]
        self._queued -= len(piece)
        self._remember(piece)
        if not self._queue and not self._is_ended:
            self.wanted()
        return piece

    def _remember(self, piece: bytes) -> None:
        self._past_size += len(piece)
        if self._past is not None:
            self._past.append(piece)
            if self._past_size > _KEPT_FOR_REWIND:
                self._past = None

    def _seek(self, offset: int, origin: int) -> int:  # noqa: ARG002 - libcurl counts from the beginning alone
        """A connection that was open turned out to be dead, and the request is sent again over another."""
        if offset or self._past is None:
            return int(pycurl.SEEKFUNC_CANTSEEK)
        self._queue.extendleft(reversed(self._past))
        self._queued += self._past_size
        self._past, self._past_size = [], 0
        return int(pycurl.SEEKFUNC_OK)


def _done(promise: asyncio.Future[None]) -> None:
    if not promise.done():
        promise.set_result(None)


def _nothing() -> None:
    """Nobody is there to be told."""
