"""What came of a job: its plan as a file, and replay on a server of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.plan_fields import render_plan_text
from webkeep.dashboard.replay_servers import ReplayServers
from webkeep.errors import UsageError
from webkeep.service.jobs import MANY_MACHINES_OPTION, Job
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.run import Service

_REPLAY_IS_LOCAL = "it is shown in a browser of the service; go back, load the page anew, and choose See it"
"""The server that shows an archive asks nobody who they are, and is for whoever came by the printed link alone."""

_replays = ReplayServers()


async def download_plan(request: Request) -> Response:
    """The plan of a job as a file, for `webkeep capture --plan`."""
    job = await find_job(request)
    told = {name: value for name, value in job.order.plan.items() if name not in (LOGIN_OPTION, MANY_MACHINES_OPTION)}
    text = "".join(render_plan_text(told))
    named = {"content-disposition": f'attachment; filename="plan-{job.id}.toml"'}
    return Response(text.encode(), media_type="application/toml", headers=named)


async def show_replay(request: Request) -> Response:
    """Where the archive of a job is shown, on host names and a port that are not those of the service."""
    service, job = page_of(request).service, await find_job(request)
    if not page_of(request).visitor.is_local:
        raise UsageError(_REPLAY_IS_LOCAL)
    address = await asyncio.to_thread(_replays.address_of, archive_of(service, job))
    url, at = first_seed_of(job), job.ended or job.created
    return RedirectResponse(f"{address}view/{at.digits()}/{url}" if url else address, 303)


async def find_job(request: Request) -> Job:
    """The job that an address names; 404 where there is none."""
    try:
        return await asyncio.to_thread(page_of(request).service.jobs.get, request.path_params["job"])
    except UsageError:
        raise HTTPException(404) from None


def first_seed_of(job: Job) -> str:
    """The page that a job began at; empty where it began at none."""
    seeds = job.order.plan.get("seeds", [])
    return str(seeds if isinstance(seeds, str) else next(iter(seeds), ""))


def archive_of(service: Service, job: Job) -> Path:
    """What a job writes to."""
    return service.folder.archive(job.order.collection, job.order.archive)


def capture_of(job: Job) -> str:
    """The capture that a job came to."""
    capture = str(job.summary.get("capture") or "")
    if not capture:
        raise UsageError("this job has captured nothing yet; wait until it is done")
    return capture
