"""Jobs: their list, and the page of one, which tells by itself how the job is doing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.job_snapshots import SNAPSHOT_SECONDS, JobSnapshot, SnapshotReader
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.rendering import render, sse_response, template_environment
from webkeep.errors import UsageError
from webkeep.service.accounts import Permission
from webkeep.service.jobs import ENDED_STATES, Job, possible_events

_SNAPSHOTS = SnapshotReader()


async def list_jobs(request: Request) -> Response:
    """The newest jobs of all collections that one may see, or of one of them."""
    collection = request.query_params.get("collection", "")
    jobs = await asyncio.to_thread(_visible_jobs, page_of(request), collection)
    return render(request, "jobs.html", jobs=jobs, collection=collection)


def _visible_jobs(page: PageContext, collection: str) -> list[Job]:
    may = page.visitor.may
    return [
        job for job in page.service.jobs.list_jobs(collection=collection) if may(Permission.READ, job.order.collection)
    ]


async def show_job(request: Request) -> Response:
    """What one job is to do, how it is doing, what happened to it, and what came of it."""
    page, job_id = page_of(request), request.path_params["job"]
    snapshot = await _read_snapshot(page, job_id)
    journal = await asyncio.to_thread(page.service.jobs.journal, job_id)
    job = snapshot.job
    return render(
        request,
        "job.html",
        job=job,
        snapshot=snapshot,
        journal=journal,
        events={each.name.lower() for each in possible_events(job.state)},
        may_curate=page.visitor.may(Permission.CURATE, job.order.collection),
        has_capture=bool(job.summary.get("capture")),
    )


async def stream_job(request: Request) -> Response:
    """How a job is doing, once a second, until it is over or is in another state."""
    page, job_id = page_of(request), request.path_params["job"]
    await _read_snapshot(page, job_id)
    return sse_response(_tell_snapshots(page, job_id))


async def _tell_snapshots(page: PageContext, job_id: str) -> AsyncIterator[str]:
    template = template_environment().get_template("job_live.html")
    told = ""
    while True:
        snapshot = await _read_snapshot(page, job_id)
        text = " ".join(template.render(job=snapshot.job, snapshot=snapshot).split())
        if text != told:
            told = text
            yield text
        if snapshot.job.state in ENDED_STATES:
            return
        await asyncio.sleep(SNAPSHOT_SECONDS)


async def _read_snapshot(page: PageContext, job_id: str) -> JobSnapshot:
    try:
        return await _SNAPSHOTS.read(page.service, job_id)
    except UsageError:
        raise HTTPException(404) from None
