"""Lanes with their proxies, opened and closed together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from webkeep.crawl.browsing.lane import ProxyLane
from webkeep.fetch.recording import ProxySettings, RecordingProxy, listening
from webkeep.fetch.settings import DoorSettings
from webkeep.model import Clock

_HOST = "127.0.0.1"


@asynccontextmanager
async def opened(
    lanes: list[ProxyLane], door: DoorSettings, spool: Path, authority: Path, clock: Clock
) -> AsyncIterator[tuple[str, ...]]:
    """Have a proxy listen for each lane; gives the hashes of the keys by which Chromium knows them."""
    async with AsyncExitStack() as stack:
        hashes: list[str] = []
        # Whether an address may be private is for each request to say.
        settings = ProxySettings(spool, authority, door=door)
        for lane in lanes:
            (socket,) = listening(_HOST, 0)
            stack.callback(socket.close)
            proxy = await stack.enter_async_context(RecordingProxy(settings, [socket], lane, clock))
            lane.port = proxy.port
            hashes += proxy.authority.key_hashes
        yield tuple(dict.fromkeys(hashes))
