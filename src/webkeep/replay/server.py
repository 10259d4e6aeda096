"""The server's life: connections are taken one at a time, so that several processes share them evenly."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager

from webkeep.process.ports import not_listening
from webkeep.replay.locks import LockRule
from webkeep.replay.message import Handler
from webkeep.replay.tunnels import ProxyConnection, ProxyDoor
from webkeep.replay.wire import Connection, Hub, Patience

_LOG = logging.getLogger(__name__)
_THREADS = 4
_REST = 1.0
_SWEEP = 5.0
_BACKLOG = 512


def listening(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that clients can connect to; processes may share it. `option` is what a person chose the port by."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with ExitStack() as failing:
            listener = failing.enter_context(socket.socket(family[0], family[1], family[2]))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(family[4])
            listener.listen(_BACKLOG)
            failing.pop_all()
    except OSError as error:
        raise not_listening(host, port, error, option) from error
    listener.setblocking(False)
    return listener


@asynccontextmanager
async def serving(
    listener: socket.socket,
    handler: Handler,
    locks: LockRule,
    patience: Patience | None = None,
    proxy: ProxyDoor | None = None,
) -> AsyncIterator[Hub]:
    """Answer whoever connects, for as long as the context lasts; `locks` go on whatever is answered."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="replay") as threads:
        hub = Hub(handler, threads, patience or Patience(), locks)
        doors = [_Door(listener, lambda: Connection(hub))]
        if proxy is not None:
            doors.append(_Door(proxy.listener, lambda: ProxyConnection(hub, proxy)))
        sweeping = loop.create_task(_sweep(hub))
        try:
            yield hub
        finally:
            greetings = [greeting for door in doors for greeting in door.closed()]
            sweeping.cancel()
            for connection in list(hub.open):
                connection.give_up()
            await asyncio.gather(sweeping, *greetings, return_exceptions=True)


class _Door:
    """Takes connections one at a time from a socket that other processes may listen on as well."""

    def __init__(self, listener: socket.socket, greet: Callable[[], asyncio.Protocol]) -> None:
        self._listener = listener
        self._greet = greet
        self._loop = asyncio.get_running_loop()
        self._greetings: set[asyncio.Task[object]] = set()
        self._resting: asyncio.TimerHandle | None = None
        self._listen()

    def _listen(self) -> None:
        self._loop.add_reader(self._listener.fileno(), self._accept)

    def _accept(self) -> None:
        try:
            client, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:  # there is no room for more; those who wait would be announced again and again
            _LOG.warning("nobody is let in for %.0f s (%s)", _REST, error.strerror)
            self._loop.remove_reader(self._listener.fileno())
            self._resting = self._loop.call_later(_REST, self._listen)
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        greeting: asyncio.Task[object] = self._loop.create_task(self._loop.connect_accepted_socket(self._greet, client))
        self._greetings.add(greeting)
        greeting.add_done_callback(self._greetings.discard)

    def closed(self) -> list[asyncio.Task[object]]:
        """Take no more, and say who is still being greeted."""
        if self._resting is not None:
            self._resting.cancel()
        self._loop.remove_reader(self._listener.fileno())
        return list(self._greetings)


async def _sweep(hub: Hub) -> None:
    while True:
        await asyncio.sleep(_SWEEP)
        hub.sweep(asyncio.get_running_loop().time())
