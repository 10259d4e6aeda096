"""The start page, and how the service is for programs that watch over it."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.rendering import render
from webkeep.service.accounts import Permission

_SHOWN_JOBS = 8
"""Jobs on the start page: the last ones, at a glance."""


async def answer_health(request: Request) -> Response:
    """How it is: 200 where all is well, else 503."""
    health = await asyncio.to_thread(page_of(request).service.describe_health)
    return JSONResponse(health, 200 if health["status"] == "ok" else 503)


async def show_start(request: Request) -> Response:
    """What was done lately, and where to begin."""
    values = await asyncio.to_thread(_start_values, page_of(request))
    return render(request, "start.html", **values)


def _start_values(page: PageContext) -> dict[str, object]:
    collections = [
        each for each in page.service.collections.list_collections() if page.visitor.may(Permission.READ, each.name)
    ]
    names = {each.name for each in collections}
    jobs = [job for job in page.service.jobs.list_jobs(limit=200) if job.order.collection in names]
    return {"collections": collections, "jobs": jobs[:_SHOWN_JOBS], "notice": page.service.notice}
