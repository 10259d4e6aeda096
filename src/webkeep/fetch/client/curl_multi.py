"""libcurl's multi interface on asyncio: sockets and timers watched by the loop, transfers awaited, and how many
connections stay open for later.

The sockets are in an epoll set of their own, and asyncio watches that. To have asyncio watch each of them would double
the cost of a request, as libcurl lets go of a connection's socket after every response and takes it up for the next.
For the same reason the timer is left where it is when libcurl moves its deadline further away.
"""

from __future__ import annotations

import asyncio
import select
from typing import Protocol

import pycurl

from webkeep.fetch.client.curl_handle import CurlHandle

CurlResult = tuple[int, str]
"""libcurl's error code, 0 for none, and its words."""


class TransferPromise(Protocol):
    """Someone who waits for a transfer's end, as a future does."""

    def done(self) -> bool:
        """Whether nobody waits any more."""
        ...

    def set_result(self, verdict: CurlResult, /) -> None:
        """It has ended; what is done about it here raises nothing."""

    def cancel(self) -> object:
        """It will never end, because the loop does."""


_OPEN_CONNECTIONS_FACTOR = 4
"""How many connections stay open for later, as a multiple of those in use: a crawl goes round many hosts."""
EPOLL_MASKS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}


class CurlMulti:
    """Runs many transfers on one asyncio loop."""

    def __init__(self, connections: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, _OPEN_CONNECTIONS_FACTOR * connections)
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self._epoll = select.epoll()
        self._watched: dict[int, int] = {}
        self._loop.add_reader(self._epoll.fileno(), self._handle_events)
        self._due: asyncio.Handle | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._running: dict[pycurl.Curl, TransferPromise] = {}
        self._resuming: dict[pycurl.Curl, asyncio.TimerHandle] = {}

    async def run(self, handle: CurlHandle) -> CurlResult:
        """Carry a transfer out."""
        curl = handle.curl
        future: asyncio.Future[CurlResult] = self._loop.create_future()
        self.start(curl, future)
        try:
            return await future
        finally:
            self.abandon(curl)

    def start(self, curl: pycurl.Curl, promise: TransferPromise) -> None:
        """Begin a transfer, and tell of its end."""
        self._running[curl] = promise
        self._multi.add_handle(curl)

    def abandon(self, curl: pycurl.Curl) -> None:
        """Break a transfer off, if it has not ended; of its end nobody is told."""
        if self._running.pop(curl, None) is not None:
            self._release(curl)

    def pause(self, handle: CurlHandle, seconds: float) -> None:
        """Have a transfer that paused itself go on after a while."""
        self._resuming[handle.curl] = self._loop.call_later(seconds, self._resume, handle.curl)

    def close(self) -> None:
        """Let go of all connections; whoever still waits for a transfer is told that it is cancelled."""
        for curl, promise in list(self._running.items()):
            self._release(curl)
            promise.cancel()
        self._running.clear()
        self._multi.close()
        for timer in (self._timer, self._due):
            if timer is not None:
                timer.cancel()
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _release(self, curl: pycurl.Curl) -> None:
        if (resuming := self._resuming.pop(curl, None)) is not None:
            resuming.cancel()
        self._multi.remove_handle(curl)

    def _resume(self, curl: pycurl.Curl) -> None:
        del self._resuming[curl]
        try:
            curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error as error:
            self._finish(curl, (error.args[0], str(error.args[1])))

    def _watch_socket(self, event: int, descriptor: int, multi: object, data: object) -> None:  # noqa: ARG002
        mask = EPOLL_MASKS.get(event)
        if mask is None:
            if self._watched.pop(descriptor, None) is not None:
                self._epoll.unregister(descriptor)
            return
        (self._epoll.modify if descriptor in self._watched else self._epoll.register)(descriptor, mask)
        self._watched[descriptor] = mask

    def _handle_events(self) -> None:
        for descriptor, events in self._epoll.poll(0):
            wanted = 0
            if events & ~select.EPOLLOUT:
                wanted |= pycurl.CSELECT_IN
            if events & select.EPOLLOUT:
                wanted |= pycurl.CSELECT_OUT
            if descriptor in self._watched:
                self._multi.socket_action(descriptor, wanted)
            else:
                self._handle_idle_event(descriptor)
        self._handle_finished()

    def _handle_idle_event(self, descriptor: int) -> None:
        """Something came where nothing is awaited: an event before this one may have closed it."""

    def _set_timer(self, milliseconds: int) -> None:
        if milliseconds < 0:
            self._deadline = 0.0
        elif milliseconds == 0:
            if self._due is None:
                self._due = self._loop.call_soon(self._run_due)
        else:
            self._deadline = self._loop.time() + milliseconds / 1000
            if self._timer is None or self._timer.when() > self._deadline:
                self._start_timer()

    def _start_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._deadline, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._deadline > self._loop.time():
            self._start_timer()
        elif self._deadline:
            self._deadline = 0.0
            self._run_due()

    def _run_due(self) -> None:
        self._due = None
        self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._handle_finished()

    def _handle_finished(self) -> None:
        left = 1
        while left:
            left, done, failed = self._multi.info_read()
            for curl in done:
                self._finish(curl, (0, ""))
            for curl, code, message in failed:
                self._finish(curl, (code, message))

    def _finish(self, curl: pycurl.Curl, result: CurlResult) -> None:
        promise = self._running.pop(curl, None)
        if promise is not None:
            self._release(curl)
            if not promise.done():
                promise.set_result(result)
