"""libcurl's loop with an eye on idle connections: what nobody asked for answers nothing, and the connection that it
came on is not used again.

A server may send an answer unasked on a connection that is kept open; whoever asks next would get it (RFC 9112, 9.2).
libcurl looks for that only on connections that were idle for a second. So idle sockets stay watched here, and one on
which anything comes is shut down: libcurl finds it dead when it takes it up, and opens another.
"""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress

import pycurl

from webkeep.fetch.client.curl_multi import EPOLL_MASKS, CurlMulti, CurlResult

_SERIAL_VERSIONS = (pycurl.CURL_HTTP_VERSION_1_0, pycurl.CURL_HTTP_VERSION_1_1)
"""Versions in which nothing comes on a connection but answers."""


class GuardedCurlMulti(CurlMulti):
    """Runs many transfers, and lets no connection be used again that said something unasked."""

    def __init__(self, connections: int) -> None:
        super().__init__(connections)
        self._idle: set[int] = set()
        self._serial: set[int] = set()

    def _finish(self, curl: pycurl.Curl, result: CurlResult) -> None:
        if curl in self._running:
            is_serial = curl.getinfo(pycurl.INFO_HTTP_VERSION) in _SERIAL_VERSIONS
            (self._serial.add if is_serial else self._serial.discard)(curl.getinfo(pycurl.ACTIVESOCKET))
        super()._finish(curl, result)

    def _watch_socket(self, event: int, descriptor: int, multi: object, data: object) -> None:
        if event == pycurl.POLL_REMOVE and descriptor in self._watched:
            mask = self._watched.pop(descriptor)
            with suppress(OSError):  # it is closed already
                if mask != select.EPOLLIN:
                    self._epoll.modify(descriptor, select.EPOLLIN)
                self._idle.add(descriptor)
        elif descriptor in self._idle and event in EPOLL_MASKS:
            self._idle.discard(descriptor)
            self._watched[descriptor] = EPOLL_MASKS[event]
            try:
                self._epoll.modify(descriptor, EPOLL_MASKS[event])
            except FileNotFoundError:  # it was closed, and its number belongs to another now
                self._serial.discard(descriptor)
                self._epoll.register(descriptor, EPOLL_MASKS[event])
        else:
            super()._watch_socket(event, descriptor, multi, data)

    def _handle_idle_event(self, descriptor: int) -> None:
        if descriptor in self._idle:
            self._idle.discard(descriptor)
            with suppress(OSError):  # it is closed already
                self._epoll.unregister(descriptor)
                if descriptor in self._serial:
                    _shut_down(descriptor)


def _shut_down(descriptor: int) -> None:
    """End a connection that is libcurl's, and leave it to libcurl to close it."""
    with socket.socket(fileno=os.dup(descriptor)) as connection, suppress(OSError):  # the server was quicker
        connection.shutdown(socket.SHUT_RDWR)
