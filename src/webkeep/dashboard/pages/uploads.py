"""Files that people bring: WARC, ARC and WACZ become a job that imports them into a collection; bookmarks and lists, on
the start page, seeds of it. It is told beforehand how much may be sent, and afterwards what came in and what did not.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import BinaryIO

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.seeds import take_seed_file
from webkeep.dashboard.pages.start import ensure_collection
from webkeep.dashboard.rendering import see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.collections import archive_name
from webkeep.service.jobs import Job, JobKind, JobOrder, new_job_id
from webkeep.service.run import Service, folder_bytes
from webkeep.store.transfer import sniff_record_ending

UPLOADS_PATH = "/uploads"
_SNIFFED_BYTES = 4096
"""Of a file without records: what has a zero byte in them is no list of anything."""
_MAX_NAME_CHARS = 80
"""Of the name of a file, where it is shown."""


class _NoRecordsError(UsageError):
    """A file has no records in it, and may have something else."""


async def take_upload(request: Request) -> Response:
    """Import a file of records into a collection by a job; on the start page, take in the seeds of another."""
    collection, sent = await _read_sent(request)
    try:
        return await _import_sent(page_of(request).service, collection, sent)
    except _NoRecordsError:
        if request.url.path != UPLOADS_PATH:  # programs have a call for seeds
            raise
        await sent.seek(0)
        is_binary = b"\0" in await sent.read(_SNIFFED_BYTES)
        await sent.seek(0)
        taken = None if is_binary else await take_seed_file(request, collection, sent)
        if taken is None:
            raise
        return taken


async def _import_sent(service: Service, collection: str, sent: UploadFile) -> Response:
    job = await asyncio.to_thread(_import, service, collection, sent.file, sent.filename or "sent", sent.size or 0)
    return see_other(f"/jobs/{job.id}")


async def _read_sent(request: Request) -> tuple[str, UploadFile]:
    """Which collection a file is for, and the file."""
    page = page_of(request)
    await asyncio.to_thread(_check_disk, page.service)
    form = await read_form(request)
    collection, sent = text_of(form, "collection") or page.visitor.default_collection, form.get("file")
    page.visitor.require_curator(collection)
    if not isinstance(sent, UploadFile) or not sent.filename:
        raise UsageError("there is no file in it; choose one")
    return collection, sent


def _import(service: Service, collection: str, source: BinaryIO, name: str, size: int) -> Job:
    now = service.clock.now()
    _check_room(service, collection, size)
    ensure_collection(service, collection, now)
    upload = new_job_id()
    folder = service.folder.uploads / upload
    folder.mkdir(parents=True, mode=0o700)
    try:
        path = folder / "sent"
        with path.open("xb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        path.rename(folder / _safe_name(name, _check_records(path, name)))
        plan = {"seeds": [name[:_MAX_NAME_CHARS]], "upload": upload}
        job = service.jobs.submit(JobOrder(collection, archive_name(1), plan, JobKind.IMPORT), now)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if job is None:
        raise UsageError("the import was begun already; look at the list of jobs")
    return job


def _check_records(path: Path, name: str) -> str:
    """How the name of such a file ends; refused where it has no records."""
    ending = sniff_record_ending(path)
    if not ending:
        told = f"{name[:_MAX_NAME_CHARS]} has no records in it"
        raise _NoRecordsError(f"{told}; send WARC, ARC or WACZ, or as text bookmarks or addresses")
    return ending


def _check_disk(service: Service) -> None:
    if not service.settings.limits.budget.has_room(service.folder.root):
        raise UsageError("the disk is too full to take files; make room first")


def _check_room(service: Service, collection: str, size: int) -> None:
    """Refuse what would use up a quota or fill the disk."""
    _check_disk(service)
    known = {each.name: each for each in service.collections.list_collections()}
    quota = known[collection].quota if collection in known else None
    if quota is not None and folder_bytes(service.folder.collection(collection)) + size > quota:
        raise UsageError(f"the file would use up the quota of {collection}, {quota:,} bytes; give it more")


def _safe_name(name: str, ending: str) -> str:
    """What the file is called where it waits: letters, digits and dashes of its own name."""
    bare = "".join(each if each.isascii() and each.isalnum() else "-" for each in Path(name).name)
    return f"{bare[:_MAX_NAME_CHARS].strip('-') or 'sent'}{ending}"
