"""Recording from beginning to end: a proxy, and the session that keeps what passes it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from pathlib import Path

from webkeep.crawl.recording.recording_plan import RecordingPlan
from webkeep.crawl.recording.recording_politeness import RecordingPoliteness
from webkeep.crawl.recording.recording_session import RecordingObserver, RecordingSession
from webkeep.fetch.client import Fetcher
from webkeep.fetch.proxy import ProxySettings, RecordingProxy, open_listeners
from webkeep.frontier.policy import RobotsMode
from webkeep.model import CaptureKind, Clock
from webkeep.process import rare_garbage_collection
from webkeep.store.archive import WritableArchive
from webkeep.store.views import read_taken_down


@asynccontextmanager
async def open_recording(
    plan: RecordingPlan,
    archive: WritableArchive,
    observer: RecordingObserver,
    seeds: tuple[str, ...] = (),
    sockets: Sequence[socket.socket] = (),
) -> AsyncIterator[tuple[RecordingProxy, RecordingSession]]:
    """A proxy whose exchanges go into a capture of their own; leaving the block ends both.

    Without sockets to listen on, they are taken as the plan says, before the capture is begun.
    """
    with ExitStack() as closing, rare_garbage_collection():
        taken = [closing.enter_context(each) for each in sockets or open_listeners(plan.host, plan.port)]
        begun = archive.clock.now()
        archive.make_private()  # whoever browses is logged in somewhere
        capture = archive.begin(CaptureKind.RECORD, seeds, plan.facts())
        spool = archive.layout.jobs / capture.id / "spool"
        spool.mkdir(parents=True, exist_ok=True)
        session = RecordingSession(plan, capture, observer)
        session.taken_down = {url: why for url, why in read_taken_down(archive).items() if not plan.has_rule_for(url)}
        settings = ProxySettings(spool, plan.authority, plan.fetch_settings(), plan.tunnels, plan.may_reach_private)
        try:
            async with (
                _with_politeness(plan, session, spool, archive.clock),
                RecordingProxy(settings, taken, session, archive.clock) as proxy,
            ):
                observer.on_started(capture.id, f"{plan.host}:{proxy.port}")
                yield proxy, session
        finally:
            session.finish()
            session.result.seconds = archive.clock.now().seconds_since(begun)
            with suppress(OSError):  # an empty folder left behind does no harm
                spool.rmdir()
                spool.parent.rmdir()
    if proxy.error is not None:
        raise proxy.error


@asynccontextmanager
async def _with_politeness(
    plan: RecordingPlan, session: RecordingSession, spool: Path, clock: Clock
) -> AsyncIterator[None]:
    """Have a session obey robots.txt and leave hosts in peace, as far as the plan says so."""
    async with AsyncExitStack() as stack:
        fetcher = None
        if plan.robots is RobotsMode.OBEY:
            fetcher = await stack.enter_async_context(Fetcher(plan.fetch_settings(), spool, clock))
        if fetcher is not None or plan.delay:
            session.politeness = RecordingPoliteness(
                plan.delay, fetcher, clock, lambda fetched: session.record_exchange(fetched, True)
            )
        yield
