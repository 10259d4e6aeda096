"""Recording from beginning to end: a proxy, and the session that keeps what passes it in a capture of its own. The
archive is made private; robots.txt and delays are obeyed where the plan says so.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
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
from webkeep.store.jobs import JobFolder, job_path
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
        archive.make_private()  # whoever browses is logged in somewhere
        capture = archive.begin(CaptureKind.RECORD, seeds, plan.facts())
        job = JobFolder(job_path(archive, capture.id))
        job.create_spool()
        taken_down = {url: why for url, why in read_taken_down(archive).items() if not plan.has_rule_for(url)}
        stack = AsyncExitStack()
        politeness = await _open_politeness(plan, job.spool, archive.clock, stack)
        session = RecordingSession(plan, capture, archive.clock, observer, taken_down, politeness)
        settings = ProxySettings(job.spool, plan.authority, plan.fetch_settings(), plan.tunnels, plan.may_reach_private)
        try:
            async with stack, RecordingProxy(settings, taken, session, archive.clock) as proxy:
                observer.on_started(capture.id, f"{plan.host}:{proxy.port}")
                yield proxy, session
        finally:
            session.finish()
            job.remove_if_empty()
    if proxy.error is not None:
        raise proxy.error


async def _open_politeness(
    plan: RecordingPlan, spool: Path, clock: Clock, stack: AsyncExitStack
) -> RecordingPoliteness | None:
    """What obeys robots.txt and leaves hosts in peace, as far as the plan says so, until the stack is closed."""
    fetcher = None
    if plan.robots is RobotsMode.OBEY:
        fetcher = await stack.enter_async_context(Fetcher(plan.fetch_settings(), spool, clock))
    return RecordingPoliteness(plan.delay, fetcher, clock) if fetcher is not None or plan.delay else None
