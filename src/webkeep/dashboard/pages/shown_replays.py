"""Replay for people who sit elsewhere: what was archived, in a browser that the service shows and that reaches nothing
but the archives of the collection.

Theory of operation. The browser's one way out is a server of archives in proxy mode, so that pages are under their own
addresses as of the moment of the capture, their scripts run, and what is not held is told to be missing. Nothing of
them comes to the service's host name or to the browser of whoever looks: pictures do. It needs no name and no
certificate for replay, however the service is reached.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.job_results import archive_of, capture_of, find_job, first_seed_of
from webkeep.dashboard.public_replay import list_archives
from webkeep.dashboard.rendering import see_other
from webkeep.errors import UsageError
from webkeep.fetch.proxy import CertificateAuthority
from webkeep.model import Clock, Moment
from webkeep.service.browsing import OpenWay, ShownOrder, ShownSession, ShownWay


async def begin_replay(request: Request) -> Response:
    """Show a browser in which the site of a job is as its capture left it."""
    page, job = page_of(request), await find_job(request)
    service = page.service
    service.shown.check_room()
    capture_of(job)  # there is one, or it says so
    url, at = first_seed_of(job), job.ended or job.created
    if not url:
        raise UsageError("this job began at no page; look at it from that of a capture in the same collection")
    facts = await asyncio.to_thread(service.collections.get, job.order.collection)
    archives = await asyncio.to_thread(list_archives, service, facts)
    if archive_of(service, job) not in archives:
        raise UsageError("nothing of it is in an archive yet; wait until it is done")
    order = ShownOrder(facts.name, page.visitor.session_key, url, f"/jobs/{job.id}", replayed_at=at)
    session = service.shown.begin(order, build_replay_way(archives, at, service.folder.authority, service.clock))
    return see_other(f"/collections/{facts.name}/browsers/{session.id}")


def build_replay_way(archives: Sequence[Path], at: Moment, authority: Path, clock: Clock) -> OpenWay:
    """What opens the way of a browser into some archives, as of a moment, and to nowhere else."""

    @asynccontextmanager
    async def open_way(_session: ShownSession, _folder: Path) -> AsyncIterator[ShownWay]:
        from webkeep.api import serve  # loaded once somebody looks: a service starts in half the time without

        start = partial(serve, *archives, port=0, proxy_port=0, proxy_at=at, authority=authority)
        server = await asyncio.to_thread(start, words=False, workers=1)
        try:
            yield ShownWay(f"127.0.0.1:{server.proxy_port}", CertificateAuthority(authority, clock).key_hashes)
        finally:
            await asyncio.to_thread(server.close)

    return open_way
