"""Jobs: their list, and the page of one, which tells by itself how the job is doing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.job_snapshots import SNAPSHOT_SECONDS, JobSnapshot, SnapshotReader, read_snapshot
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.job_files import FILES
from webkeep.dashboard.rendering import render, sse_response, template_environment
from webkeep.errors import UsageError
from webkeep.presentation import format_size
from webkeep.service.accounts import Permission
from webkeep.service.jobs import ENDED_STATES, MOVING_STATES, Job, JobKind, JobSelection, JobState, possible_events

_SNAPSHOTS = SnapshotReader()
_FIGURES = (("recovered", "recovered"), ("missing", "held by none of them"), ("stored", "stored"),
            ("duplicates", "held already"), ("held", "held already"), ("failed", "failed"),
            ("refused", "refused by robots.txt"), ("files", "files"), ("findings", "findings"))  # fmt: skip
"""What is shown of a summary, by its name there."""
_HELD_FIGURES = ("stored", "duplicates")
"""Of a summary: where both are none there is nothing to see."""
_MAX_FINDINGS = 100
"""That are listed of an import."""
_CHECK_SECONDS = 5.0
"""After so long it is looked anew whether somebody who watches a job still may."""
_PAGE_JOBS = 50
"""Jobs on one page of the list."""


async def list_jobs(request: Request) -> Response:
    """The newest jobs of all collections that one may see, or of one of them, a page of them at a time."""
    asked = request.query_params
    collection, state = asked.get("collection", ""), asked.get("state", "")
    page = page_of(request)
    jobs = await asyncio.to_thread(_visible_jobs, page, collection, state, asked.get("before", ""))
    counts = await asyncio.to_thread(page.service.queue.count_open, page.visitor.visible_collections(collection))
    following = jobs[_PAGE_JOBS - 1].id if len(jobs) > _PAGE_JOBS else ""
    chosen = {name: value for name, value in (("collection", collection), ("state", state)) if value}
    return render(request, "jobs.html", jobs=jobs[:_PAGE_JOBS], collection=collection, state=state,
                  states=list(JobState), following=urlencode({**chosen, "before": following}) if following else "",
                  is_first="before" not in asked, counts=counts,
                  is_moving=not MOVING_STATES.isdisjoint(counts))  # fmt: skip


def _visible_jobs(page: PageContext, collection: str, state: str, before: str) -> list[Job]:
    try:
        earlier = page.service.jobs.get(before) if before else None
    except UsageError:
        raise HTTPException(404) from None
    states = [JobState(state)] if state in list(JobState) else []
    selection = JobSelection(states, page.visitor.visible_collections(collection))
    after = None if earlier is None else (earlier.created, earlier.id)
    return page.service.jobs.list_page(selection, _PAGE_JOBS + 1, after)


async def show_job(request: Request) -> Response:
    """What one job is to do, how it is doing, what happened to it, and what came of it."""
    page, job_id = page_of(request), request.path_params["job"]
    snapshot = await _read_fresh(page, job_id)
    journal = await asyncio.to_thread(page.service.jobs.journal, job_id)
    job = snapshot.job
    seed = await asyncio.to_thread(page.service.collections.seed, job.order.seed) if job.order.seed else None
    return render(
        request,
        "job.html",
        job=job,
        snapshot=snapshot,
        journal=journal,
        events={each.name.lower() for each in possible_events(job.state)},
        may_curate=page.visitor.may(Permission.CURATE, job.order.collection),
        has_capture=bool(job.summary.get("capture")),
        holds_something=any(job.summary.get(name) != 0 for name in _HELD_FIGURES),
        has_seed=seed is not None and seed.collection == job.order.collection,
        result_figures=_list_figures(job),
        files=FILES,
        findings=await asyncio.to_thread(_list_findings, page, job) if job.order.kind is JobKind.IMPORT else [],
    )


def _list_findings(page: PageContext, job: Job) -> list[str]:
    """What an import told of what it could not take as it is, a line each."""
    told = page.service.folder.workspace(job.id).read_events("finding", _MAX_FINDINGS)
    return [f"{each.get('message')} ({each.get('code')}, byte {each.get('offset')})" for each in told]


def _list_figures(job: Job) -> list[tuple[str, str]]:
    """What a job came to, in numbers: those that its command told."""
    told = [(label, job.summary.get(name)) for name, label in _FIGURES]
    counts = [(label, f"{value:,}") for label, value in told if isinstance(value, int)]
    size = job.summary.get("bytes")
    label = "of evidence" if job.order.kind is JobKind.EVIDENCE else "read"
    return counts + ([(label, format_size(size))] if isinstance(size, int) else [])


async def stream_job(request: Request) -> Response:
    """How a job is doing, once a second, until it is over or is in another state."""
    page, job_id = page_of(request), request.path_params["job"]
    await _read_snapshot(page, job_id)
    return sse_response(_tell_snapshots(page, job_id))


async def _tell_snapshots(page: PageContext, job_id: str) -> AsyncIterator[str]:
    template, loop = template_environment().get_template("job_live.html"), asyncio.get_running_loop()
    told, checked = "", loop.time()
    while True:
        if loop.time() - checked >= _CHECK_SECONDS:
            if not await asyncio.to_thread(page.is_still_let_in):
                return  # logged out, locked, or no reader of the collection any more
            checked = loop.time()
        snapshot = await _read_snapshot(page, job_id)
        text = " ".join(template.render(job=snapshot.job, snapshot=snapshot).split())
        if text != told:
            told = text
            yield text
        if snapshot.job.state in ENDED_STATES:
            return
        await asyncio.sleep(SNAPSHOT_SECONDS)


async def _read_fresh(page: PageContext, job_id: str) -> JobSnapshot:
    """How a job is doing at this moment, for a page that may follow a change of it."""
    try:
        return await asyncio.to_thread(read_snapshot, page.service, job_id)
    except UsageError:
        raise HTTPException(404) from None


async def _read_snapshot(page: PageContext, job_id: str) -> JobSnapshot:
    try:
        return await _SNAPSHOTS.read(page.service, job_id)
    except UsageError:
        raise HTTPException(404) from None
