"""What a recovery brought back, to be fetched and to be looked at, by whoever has its link.

What is looked at was written by strangers, and is on the service's own host name: it is shown in a sandbox, where it
runs no scripts, sends no forms, and has an origin of its own that shares nothing with the service.
"""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.recoveries.result_packing import RESULT_FORMATS, write_result
from webkeep.dashboard.recoveries.visitor_status import find_recovery
from webkeep.errors import StorageError
from webkeep.service.recoveries import VISITOR_COLLECTION, VisitorRecovery, VisitorRecoveryState
from webkeep.service.run import COPY_NAME, Service
from webkeep.url import split_url

_LOOK_HEADERS = {
    "content-security-policy": "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; font-src 'self' data:; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'",
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
}
"""Of what is looked at: its parts are asked for by a page in a sandbox, which is of no origin that could be named."""
_MAX_PACKED_FILES = 2
"""Files that are made at a time."""
_packing = asyncio.Semaphore(_MAX_PACKED_FILES)


async def download_result(request: Request) -> Response:
    """The result as one file, in parts where the connection broke off; the first time counts as fetched."""
    recovery, service = await _find_completed(request), page_of(request).service
    wanted = next((each for each in RESULT_FORMATS if each.name == request.path_params["format"]), None)
    if wanted is None:
        raise HTTPException(404)
    async with _packing:
        path = await asyncio.to_thread(
            write_result, _archive_of(service, recovery), _results_of(service, recovery), wanted
        )
    if request.method == "GET":
        await asyncio.to_thread(service.recoveries.note_pickup, recovery, service.clock.now())
    name = f"{_name_host(recovery)}.{wanted.name}"
    return FileResponse(path, media_type=wanted.media_type, filename=name)


async def look_at_result(request: Request) -> Response:
    """One file of the copy that opens in any browser."""
    recovery, wanted = await _find_completed(request), str(request.path_params["path"])
    root = (_results_of(page_of(request).service, recovery) / COPY_NAME).resolve()
    path = await asyncio.to_thread(_find_file, root, wanted)
    if path is None:
        raise HTTPException(404)
    if path.name == "index.html" and wanted and not wanted.endswith(("/", "index.html")):
        return RedirectResponse(f"{request.url.path}/", 303)
    return FileResponse(path, headers={**_LOOK_HEADERS, "content-type": _type_of(path)})


def _find_file(root: Path, wanted: str) -> Path | None:
    """The file that a path names below a folder; None where it names none, or one elsewhere."""
    try:
        path = (root / wanted).resolve()
        if path.is_dir():
            path /= "index.html"
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError):
        return None


def _type_of(path: Path) -> str:
    kind, coding = mimetypes.guess_type(path.name)
    return "application/octet-stream" if kind is None or coding else kind


async def _find_completed(request: Request) -> VisitorRecovery:
    recovery = await find_recovery(request)
    has_result = recovery.outcome is not None and recovery.outcome.recovered
    if recovery.state is not VisitorRecoveryState.COMPLETED or not has_result:
        raise HTTPException(404)
    budget, root = page_of(request).service.settings.limits.budget, page_of(request).service.folder.root
    if not budget.has_room(root):
        raise StorageError("the disk of the service is full for the moment; your result is kept, try again later")
    return recovery


def _archive_of(service: Service, recovery: VisitorRecovery) -> Path:
    return service.folder.archive(VISITOR_COLLECTION, recovery.id)


def _results_of(service: Service, recovery: VisitorRecovery) -> Path:
    return service.folder.workspace(recovery.job).results_path


def _name_host(recovery: VisitorRecovery) -> str:
    """What a file is called that somebody fetches: by the host, in characters that every disk can have."""
    host = split_url(recovery.order.url).host
    return "".join(each if (each.isalnum() and each.isascii()) or each in ".-" else "_" for each in host).strip(".")
