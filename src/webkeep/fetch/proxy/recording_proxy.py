"""The recording proxy: where it listens, which addresses are its own, and how long clients are kept that say nothing or
do not finish a request's head.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.fetch.addresses import is_loopback, is_public
from webkeep.fetch.proxy.certificate_authority import CertificateAuthority
from webkeep.fetch.proxy.client_connection import ClientConnection
from webkeep.fetch.proxy.dialer import Dialer
from webkeep.fetch.proxy.exchange_recorder import ExchangeRecorder
from webkeep.fetch.proxy.proxy_context import ProxyContext, TunnelRule
from webkeep.fetch.proxy.upstream_client import UpstreamClient
from webkeep.fetch.settings import FetchSettings
from webkeep.fetch.upstream_proxy import parse_proxy
from webkeep.model import Clock
from webkeep.process import listen_error

# Where a proxy listens, taken before anything else is begun.

LISTEN_BACKLOG = 4096
"""How many clients may wait to be let in; Linux allows 4096 by default."""


def open_listeners(host: str, port: int) -> list[socket.socket]:
    """Sockets on all addresses of a host, which clients can connect to from now on; port 0 for any that is free."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        with ExitStack() as failing:
            sockets: list[socket.socket] = []
            for family, *_, address in dict.fromkeys(found):
                # With any port wanted, all addresses are to have the one that the first was given.
                place = (address[0], port, *address[2:])
                taken = socket.create_server(place, family=family, backlog=LISTEN_BACKLOG)
                failing.callback(taken.close)
                # Connections have it from here; without it, what a stream says next waits for what it said before.
                taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                port = port or taken.getsockname()[1]
                sockets.append(taken)
            failing.pop_all()
    except OSError as error:
        raise listen_error(host, port, error) from error
    return sockets


_SWEEP_SECONDS = 5.0
"""So often it is looked for clients that say nothing: one may stay that much longer than its limit."""
_HEAD_SECONDS = 30.0
"""So long a client may take for a head that it has begun."""
_IDLE_SECONDS = 300.0
"""So long a connection stays open on which nothing is asked."""
_ALL_ADDRESSES = frozenset({"0.0.0.0", "::"})


def _opens_nothing(host: str, port: int) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """What a proxy stands on and what it lets through."""

    spool: Path
    """Where large bodies lie while they come."""
    authority: Path
    """Where its certificate authority is kept."""
    fetch_settings: FetchSettings
    tunnels: TunnelRule = TunnelRule.REFUSE
    is_private_open: Callable[[str, int], bool] = _opens_nothing


class RecordingProxy:
    """Passes requests on and has them recorded; use it as an asynchronous context manager.

    The sockets that it listens on are its own from then on.
    """

    def __init__(
        self, settings: ProxySettings, sockets: Sequence[socket.socket], recorder: ExchangeRecorder, clock: Clock
    ) -> None:
        self._settings = settings
        self._sockets = sockets
        self._hosts = {str(each.getsockname()[0]) for each in sockets}
        self._recorder = recorder
        self._clock = clock
        self.authority = CertificateAuthority(settings.authority, clock)
        self.port: int = sockets[0].getsockname()[1]
        """Where it listens."""
        self.error: BaseException | None = None
        """What went wrong through a fault of our own, if anything did."""

    async def __aenter__(self) -> Self:
        settings = self._settings
        proxy = parse_proxy(settings.fetch_settings.proxy) if settings.fetch_settings.proxy else None
        upstream = UpstreamClient(
            settings.fetch_settings,
            proxy,
            settings.spool,
            self._clock,
            self._is_own_address,
            self._recorder.serves_unrecorded,
        )
        dialer = Dialer(settings.fetch_settings, proxy, self._is_own_address)
        self._context = ProxyContext(
            upstream,
            dialer,
            self._recorder,
            self.authority,
            self._clock,
            settings.tunnels,
            settings.is_private_open,
            self._note_error,
        )
        loop = asyncio.get_running_loop()
        self._servers = [
            await loop.create_server(lambda: ClientConnection(self._context), sock=each, backlog=LISTEN_BACKLOG)
            for each in self._sockets
        ]
        self._sweeper = loop.create_task(self._sweep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        self._sweeper.cancel()
        tasks = [task for each in self._context.connections if (task := each.end()) is not None]
        await asyncio.gather(self._sweeper, *tasks, return_exceptions=True)
        self._context.upstream.close()

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._context.connections)

    def _note_error(self, error: BaseException) -> None:
        self.error = self.error or error

    def _is_own_address(self, address: str, port: int) -> bool:
        if port != self.port:
            return False
        is_anywhere = not self._hosts.isdisjoint(_ALL_ADDRESSES)
        return is_loopback(address) or address in self._hosts or (is_anywhere and not is_public(address))

    async def _sweep(self) -> None:
        """Now and then let go of clients whose next request does not come."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = loop.time()
            for connection in list(self._context.connections):
                connection.expire(now - _HEAD_SECONDS, now - _IDLE_SECONDS)
