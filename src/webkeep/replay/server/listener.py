"""The server's life: connections are taken one at a time, so that several processes share them evenly; how many clients
may wait, how many threads make slow answers, and what is done where there is no room.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager

from webkeep.process import listen_error
from webkeep.replay.server.http_connection import ConnectionHub, ServerConnection, ServerTimeouts
from webkeep.replay.server.message import RequestHandler
from webkeep.replay.server.proxy_tunnel import ProxyConnection, ProxyListener
from webkeep.replay.server.security_headers import SecurityRule

_LOG = logging.getLogger(__name__)
_WORKER_THREADS = 4
"""Deferred responses that are made at once in one process."""
_ACCEPT_PAUSE_SECONDS = 1.0
"""How long nobody is accepted after there was no room for one more."""
_SWEEP_SECONDS = 5.0
"""How often connections whose time is up are looked for."""
_LISTEN_BACKLOG = 512
"""Clients that may wait to be let in: a page's worth of connections of many browsers."""


def open_listener(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that clients can connect to; processes may share it. `option` is what a person chose the port by."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with ExitStack() as failing:
            listener = failing.enter_context(socket.socket(family[0], family[1], family[2]))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(family[4])
            listener.listen(_LISTEN_BACKLOG)
            failing.pop_all()
    except OSError as error:
        raise listen_error(host, port, error, option) from error
    listener.setblocking(False)
    return listener


@asynccontextmanager
async def serve_connections(
    listener: socket.socket,
    handler: RequestHandler,
    locks: SecurityRule,
    timeouts: ServerTimeouts | None = None,
    proxy: ProxyListener | None = None,
) -> AsyncIterator[ConnectionHub]:
    """Answer whoever connects, for as long as the context lasts; `locks` go on whatever is answered."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(_WORKER_THREADS, thread_name_prefix="replay") as threads:
        hub = ConnectionHub(handler, threads, timeouts or ServerTimeouts(), locks)
        acceptors = [_Acceptor(listener, lambda: ServerConnection(hub))]
        if proxy is not None:
            acceptors.append(_Acceptor(proxy.listener, lambda: ProxyConnection(hub, proxy)))
        sweeping = loop.create_task(_sweep_overdue(hub))
        try:
            yield hub
        finally:
            greetings = [greeting for acceptor in acceptors for greeting in acceptor.stop()]
            sweeping.cancel()
            for connection in list(hub.open):
                connection.abort()
            await asyncio.gather(sweeping, *greetings, return_exceptions=True)


class _Acceptor:
    """Takes connections one at a time from a socket that other processes may listen on as well."""

    def __init__(self, listener: socket.socket, greet: Callable[[], asyncio.Protocol]) -> None:
        self._listener = listener
        self._make_protocol = greet
        self._loop = asyncio.get_running_loop()
        self._pending_connections: set[asyncio.Task[object]] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._listen()

    def _listen(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._accept)

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:  # there is no room for more; those who wait would be announced again and again
            _LOG.warning("nobody is let in for %.0f s (%s)", _ACCEPT_PAUSE_SECONDS, error.strerror)
            self._loop.remove_reader(self._listener.fileno())
            self._pause = self._loop.call_later(_ACCEPT_PAUSE_SECONDS, self._listen)
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        greeting: asyncio.Task[object] = self._loop.create_task(
            self._loop.connect_accepted_socket(self._make_protocol, client)
        )
        self._pending_connections.add(greeting)
        greeting.add_done_callback(self._pending_connections.discard)

    def stop(self) -> list[asyncio.Task[object]]:
        """Take no more, and say who is still being greeted."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._listener.fileno())
        return list(self._pending_connections)


async def _sweep_overdue(hub: ConnectionHub) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        hub.close_overdue(asyncio.get_running_loop().time())
