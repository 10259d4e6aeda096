"""What came of a job: its plan as a file, the report, replay on a server of its own, and downloads."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.replay_servers import ReplayServers
from webkeep.errors import UsageError
from webkeep.formats import render_toml_value
from webkeep.service.jobs import Job
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.run import Service

_FORMATS = {"wacz": ("wacz", "application/wacz"), "warc": ("warc.gz", "application/warc")}
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""Of reports, which are one file with style and scripts in it: they run apart from the service, with no origin."""
_MAX_EXPORTS = 2
"""Files that are made at a time, each of which takes its room on the disk until it was sent."""
_REPLAY_IS_LOCAL = (
    "archives are shown from here to whoever runs the service, at this machine; "
    "take the WACZ, and show it by webkeep serve"
)
"""The server that shows an archive asks nobody who they are, and answers this machine alone."""

_replays = ReplayServers()
_exports = asyncio.Semaphore(_MAX_EXPORTS)


async def download_plan(request: Request) -> Response:
    """The plan of a job as a file, for `webkeep capture --plan`."""
    job = await _get_job(request)
    said = {name: value for name, value in job.order.plan.items() if value is not None and name != LOGIN_OPTION}
    text = "".join(f"{name} = {render_toml_value(value)}\n" for name, value in said.items())
    named = {"content-disposition": f'attachment; filename="plan-{job.id}.toml"'}
    return Response(text.encode(), media_type="application/toml", headers=named)


async def show_report(request: Request) -> Response:
    """What the capture of a job is worth."""
    job = await _get_job(request)
    page = await asyncio.to_thread(_make_report, page_of(request).service, job)
    return Response(page, media_type="text/html", headers={"content-security-policy": _REPORT_POLICY})


async def show_replay(request: Request) -> Response:
    """Where the archive of a job is shown, on host names and a port that are not those of the service."""
    service, job = page_of(request).service, await _get_job(request)
    if not page_of(request).visitor.is_local:
        raise UsageError(_REPLAY_IS_LOCAL)
    return RedirectResponse(await asyncio.to_thread(_replays.address_of, _archive_of(service, job)), 303)


async def download_export(request: Request) -> Response:
    """What a job captured, as one file."""
    job = await _get_job(request)
    if (known := _FORMATS.get(request.path_params["format"])) is None:
        raise HTTPException(404)
    ending, media_type = known
    async with _exports:
        path = await asyncio.to_thread(_write_export, page_of(request).service, job, ending)
    sent = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=media_type, filename=f"{job.id}.{ending}", background=sent)


async def _get_job(request: Request) -> Job:
    try:
        return await asyncio.to_thread(page_of(request).service.jobs.get, request.path_params["job"])
    except UsageError:
        raise HTTPException(404) from None


def _archive_of(service: Service, job: Job) -> Path:
    return service.folder.archive(job.order.collection, job.order.archive)


def _capture_of(job: Job) -> str:
    capture = str(job.summary.get("capture", ""))
    if not capture:
        raise UsageError("this job has captured nothing yet; wait until it is done")
    return capture


def _make_report(service: Service, job: Job) -> bytes:
    from webkeep.api import report  # with what it loads, a service would start in twice the time

    with tempfile.TemporaryDirectory(prefix="webkeep-report-") as name:
        folder = Path(name)
        page = folder / "report.html"
        report(
            _archive_of(service, job),
            capture=_capture_of(job),
            html=page,
            output=folder / "report.json",
            plan=folder / "next.toml",
        )
        return page.read_bytes()


def _write_export(service: Service, job: Job, ending: str) -> Path:
    from webkeep.api import export

    capture = _capture_of(job)
    spool = service.folder.root / "spool"
    spool.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=spool, prefix="export-", suffix=f".{ending}", delete=False) as stream:
        path = Path(stream.name)
    try:
        wacz, warc = (path, None) if ending == "wacz" else (None, path)
        export(_archive_of(service, job), wacz=wacz, warc=warc, capture=capture, replace=True)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path
