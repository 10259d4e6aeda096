"""Recording from beginning to end: a proxy, and the session that keeps what passes it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path

from webkeep.crawl.record_manners import Manners
from webkeep.crawl.record_plan import RecordPlan
from webkeep.crawl.record_session import RecordWatcher, Session
from webkeep.fetch import Door
from webkeep.fetch.recording import ProxySettings, RecordingProxy, listening
from webkeep.frontier.policy import RobotsMode
from webkeep.model import Clock
from webkeep.process.garbage import seldom_collecting
from webkeep.store.graves import taken_down
from webkeep.store.writable import WritableArchive


@asynccontextmanager
async def recording(
    plan: RecordPlan,
    archive: WritableArchive,
    watcher: RecordWatcher,
    seeds: tuple[str, ...] = (),
    sockets: Sequence[socket.socket] = (),
) -> AsyncIterator[tuple[RecordingProxy, Session]]:
    """A proxy whose exchanges go into a capture of their own; leaving the block ends both.

    Without sockets to listen on, they are taken as the plan says, before the capture is begun.
    """
    with ExitStack() as closing, seldom_collecting():
        taken = [closing.enter_context(each) for each in sockets or listening(plan.host, plan.port)]
        begun = archive.clock.now()
        archive.make_private()  # whoever browses is logged in somewhere
        capture = archive.begin("record", seeds, plan.facts())
        spool = archive.layout.jobs / capture.id / "spool"
        spool.mkdir(parents=True, exist_ok=True)
        session = Session(plan, capture, watcher)
        session.taken_down = {url: why for url, why in taken_down(archive).items() if not plan.names(url)}
        settings = ProxySettings(spool, plan.authority, plan.tunnels, plan.opens, plan.door())
        try:
            async with (
                _mannered(plan, session, spool, archive.clock),
                RecordingProxy(settings, taken, session, archive.clock) as proxy,
            ):
                watcher.begun(capture.id, f"{plan.host}:{proxy.port}")
                yield proxy, session
        finally:
            session.finish()
            session.recorded.seconds = archive.clock.now().seconds_since(begun)
            with suppress(OSError):  # an empty folder left behind does no harm
                spool.rmdir()
                spool.parent.rmdir()
    if proxy.error is not None:
        raise proxy.error


@asynccontextmanager
async def _mannered(plan: RecordPlan, session: Session, spool: Path, clock: Clock) -> AsyncIterator[None]:
    """Have a session obey robots.txt and leave hosts in peace, as far as the plan says so."""
    async with AsyncExitStack() as stack:
        door = None
        if plan.robots is RobotsMode.OBEY:
            door = await stack.enter_async_context(Door(plan.door(), spool, clock))
        if door is not None or plan.delay:
            session.manners = Manners(plan.delay, door, clock, lambda fetched: session.passed(fetched, True))
        yield
