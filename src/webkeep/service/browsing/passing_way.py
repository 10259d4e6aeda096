"""The way to the web of a browser in which somebody logs in: a proxy of its own that keeps nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from webkeep.fetch import FetchSettings
from webkeep.fetch.proxy import ProxySettings, RecordingProxy, open_listeners
from webkeep.model import Clock
from webkeep.service.browsing.passing_recorder import PassingRecorder
from webkeep.service.browsing.shown_session import OpenWay, ShownSession, ShownWay

_CONNECTIONS = 32
"""Of one browser that shows one page."""


def build_passing_way(authority: Path, clock: Clock) -> OpenWay:
    """What opens such a way; the certificate authority lies in a folder."""

    @asynccontextmanager
    async def open_way(session: ShownSession, folder: Path) -> AsyncIterator[ShownWay]:
        fetching = FetchSettings(connections=_CONNECTIONS, connections_per_host=_CONNECTIONS)
        settings = ProxySettings(folder, authority, fetching)
        recorder = PassingRecorder(session.order.private_hosts)
        async with RecordingProxy(settings, open_listeners("127.0.0.1", 0), recorder, clock) as proxy:
            yield ShownWay(f"127.0.0.1:{proxy.port}", proxy.authority.key_hashes)

    return open_way
