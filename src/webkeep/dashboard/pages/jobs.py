"""Jobs: their list, and the page of one."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.rendering import render
from webkeep.errors import UsageError
from webkeep.service.accounts import Permission
from webkeep.service.jobs import Job


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
    """What one job is to do, what happened to it, and what came of it."""
    service, job_id = page_of(request).service, request.path_params["job"]
    try:
        job = await asyncio.to_thread(service.jobs.get, job_id)
    except UsageError:
        raise HTTPException(404) from None
    journal = await asyncio.to_thread(service.jobs.journal, job_id)
    return render(request, "job.html", job=job, journal=journal)
