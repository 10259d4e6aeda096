"""libcurl's multi interface on asyncio: sockets watched by the loop, transfers awaited."""

from __future__ import annotations

import asyncio

import pycurl

from webkeep.fetch.request import Fetched
from webkeep.fetch.transfer import Transfer


class CurlLoop:
    """Runs many transfers on one asyncio loop."""

    def __init__(self, total: int, per_host: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, total)
        self._multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, per_host)
        self._multi.setopt(pycurl.M_MAXCONNECTS, total)
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
        self._timer: asyncio.Handle | None = None
        self._reading: set[int] = set()
        self._writing: set[int] = set()
        self._running: dict[pycurl.Curl, tuple[Transfer, asyncio.Future[Fetched]]] = {}

    async def run(self, transfer: Transfer) -> Fetched:
        """Carry a transfer out."""
        future: asyncio.Future[Fetched] = self._loop.create_future()
        self._running[transfer.handle] = (transfer, future)
        self._multi.add_handle(transfer.handle)
        try:
            return await future
        finally:
            if self._running.pop(transfer.handle, None) is not None:
                self._multi.remove_handle(transfer.handle)

    def close(self) -> None:
        """Let go of all connections; nothing may be running."""
        if self._timer is not None:
            self._timer.cancel()
        for handle in self._reading:
            self._loop.remove_reader(handle)
        for handle in self._writing:
            self._loop.remove_writer(handle)
        self._multi.close()

    def _watch(self, event: int, handle: int, multi: object, data: object) -> None:  # noqa: ARG002
        wants_in = event in (pycurl.POLL_IN, pycurl.POLL_INOUT)
        wants_out = event in (pycurl.POLL_OUT, pycurl.POLL_INOUT)
        if wants_in and handle not in self._reading:
            self._loop.add_reader(handle, self._act, handle, pycurl.CSELECT_IN)
            self._reading.add(handle)
        elif not wants_in and handle in self._reading:
            self._loop.remove_reader(handle)
            self._reading.discard(handle)
        if wants_out and handle not in self._writing:
            self._loop.add_writer(handle, self._act, handle, pycurl.CSELECT_OUT)
            self._writing.add(handle)
        elif not wants_out and handle in self._writing:
            self._loop.remove_writer(handle)
            self._writing.discard(handle)

    def _set_timer(self, milliseconds: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if milliseconds == 0:
            self._timer = self._loop.call_soon(self._act, pycurl.SOCKET_TIMEOUT, 0)
        elif milliseconds > 0:
            self._timer = self._loop.call_later(milliseconds / 1000, self._act, pycurl.SOCKET_TIMEOUT, 0)

    def _act(self, handle: int, mask: int) -> None:
        self._multi.socket_action(handle, mask)
        left = 1
        while left:
            left, done, failed = self._multi.info_read()
            for curl in done:
                self._end(curl, 0, "")
            for curl, code, message in failed:
                self._end(curl, code, message)

    def _end(self, curl: pycurl.Curl, code: int, message: str) -> None:
        entry = self._running.pop(curl, None)
        self._multi.remove_handle(curl)
        if entry is not None and not entry[1].done():
            transfer, future = entry
            future.set_result(transfer.ended(code, message))
