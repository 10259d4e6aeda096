"""The recording proxy: listens, serves clients, and lets go of those that say nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.fetch.addresses import is_loopback, is_public
from webkeep.fetch.proxy import parse_proxy
from webkeep.fetch.recording.authority import Authority
from webkeep.fetch.recording.connection import ClientConnection
from webkeep.fetch.recording.dialing import Dialer
from webkeep.fetch.recording.listening import BACKLOG
from webkeep.fetch.recording.passage import Recorder
from webkeep.fetch.recording.surroundings import Surroundings, TunnelRule
from webkeep.fetch.recording.upstream import Upstream
from webkeep.fetch.settings import DoorSettings
from webkeep.model import Clock

_SWEEP = 5.0
_HEAD_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_ANYWHERE = frozenset({"0.0.0.0", "::"})


def _open_to_none(host: str, port: int) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """What a proxy stands on and what it lets through."""

    spool: Path
    """Where large bodies lie while they come."""
    authority: Path
    """Where its certificate authority is kept."""
    tunnels: TunnelRule = TunnelRule.REFUSE
    is_private_open: Callable[[str, int], bool] = _open_to_none
    door: DoorSettings = field(default_factory=lambda: DoorSettings(connections=64))


class RecordingProxy:
    """Passes requests on and has them recorded; use it as an asynchronous context manager.

    The sockets that it listens on are its own from then on.
    """

    def __init__(
        self, settings: ProxySettings, sockets: Sequence[socket.socket], recorder: Recorder, clock: Clock
    ) -> None:
        self._settings = settings
        self._sockets = sockets
        self._hosts = {str(each.getsockname()[0]) for each in sockets}
        self._recorder = recorder
        self._clock = clock
        self.authority = Authority(settings.authority, clock)
        self.port: int = sockets[0].getsockname()[1]
        """Where it listens."""
        self.error: BaseException | None = None
        """What went wrong through a fault of our own, if anything did."""

    async def __aenter__(self) -> Self:
        settings = self._settings
        proxy = parse_proxy(settings.door.proxy) if settings.door.proxy else None
        upstream = Upstream(settings.door, proxy, settings.spool, self._clock, self._is_ours, self._recorder.goes_on)
        dialer = Dialer(settings.door, proxy, self._is_ours)
        self._around = Surroundings(
            upstream,
            dialer,
            self._recorder,
            self.authority,
            self._clock,
            settings.tunnels,
            settings.is_private_open,
            self._failed,
        )
        loop = asyncio.get_running_loop()
        self._servers = [
            await loop.create_server(lambda: ClientConnection(self._around), sock=each, backlog=BACKLOG)
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
        tasks = [task for each in self._around.connections if (task := each.end()) is not None]
        await asyncio.gather(self._sweeper, *tasks, return_exceptions=True)
        self._around.upstream.close()

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._around.connections)

    def _failed(self, error: BaseException) -> None:
        self.error = self.error or error

    def _is_ours(self, address: str, port: int) -> bool:
        if port != self.port:
            return False
        is_anywhere = not self._hosts.isdisjoint(_ANYWHERE)
        return is_loopback(address) or address in self._hosts or (is_anywhere and not is_public(address))

    async def _sweep(self) -> None:
        """Now and then let go of clients whose next request does not come."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP)
            now = loop.time()
            for connection in list(self._around.connections):
                connection.expire(now - _HEAD_SECONDS, now - _IDLE_SECONDS)
