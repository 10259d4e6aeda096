"""The recording proxy: listens, serves clients, and lets go of those that say nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from webkeep.errors import UsageError
from webkeep.fetch.addresses import is_loopback, is_public
from webkeep.fetch.proxy import parse_proxy
from webkeep.fetch.recording.authority import Authority
from webkeep.fetch.recording.connection import ClientConnection
from webkeep.fetch.recording.dialing import Dialer
from webkeep.fetch.recording.passage import Recorder
from webkeep.fetch.recording.surroundings import Surroundings, TunnelRule
from webkeep.fetch.recording.upstream import Upstream
from webkeep.fetch.settings import DoorSettings
from webkeep.model import Clock

_SWEEP = 5.0
_HEAD_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_BACKLOG = 1024
_ANYWHERE = ("0.0.0.0", "::", "")


def _open_to_none(host: str, port: int) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Where a proxy listens and what it lets through."""

    spool: Path
    """Where large bodies lie while they come."""
    authority: Path
    """Where its certificate authority is kept."""
    host: str = "127.0.0.1"
    port: int = 0
    """0 for any that is free."""
    tunnels: TunnelRule = TunnelRule.REFUSE
    is_private_open: Callable[[str, int], bool] = _open_to_none
    door: DoorSettings = field(default_factory=lambda: DoorSettings(connections=64, http2=False))


class RecordingProxy:
    """Passes requests on and has them recorded; use it as an asynchronous context manager."""

    def __init__(self, settings: ProxySettings, recorder: Recorder, clock: Clock) -> None:
        self._settings = settings
        self._recorder = recorder
        self._clock = clock
        self.authority = Authority(settings.authority, clock)
        self.port = settings.port
        """Where it listens, once it does."""
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
        try:
            self._server = await loop.create_server(
                lambda: ClientConnection(self._around), settings.host, settings.port, backlog=_BACKLOG
            )
        except OSError as error:
            upstream.close()
            place = f"{settings.host}:{settings.port}"
            raise UsageError(f"cannot listen on {place} ({error.strerror}); choose another --port") from error
        self.port = self._server.sockets[0].getsockname()[1]
        self._sweeper = loop.create_task(self._sweep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
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
        host = self._settings.host
        return is_loopback(address) or address == host or (host in _ANYWHERE and not is_public(address))

    async def _sweep(self) -> None:
        """Now and then let go of clients whose next request does not come."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP)
            now = loop.time()
            for connection in list(self._around.connections):
                connection.expire(now - _HEAD_SECONDS, now - _IDLE_SECONDS)
