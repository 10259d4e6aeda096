"""Jobs that ended as an Atom feed (RFC 4287): of one collection, or of all that one may see."""

from __future__ import annotations

import asyncio
import re
from xml.etree import ElementTree

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.model import Moment
from webkeep.service.jobs import Job, JobSelection, JobState

_SHOWN_STATES = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
_MAX_ENTRIES = 250
"""Of a feed: all of a night in which two hundred seeds are captured."""
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot have, however it is written."""


async def answer_feed(request: Request) -> Response:
    """The jobs that ended last."""
    collection = str(request.path_params.get("collection", ""))
    jobs = await asyncio.to_thread(_list_ended, page_of(request), collection)
    body = write_feed(jobs, collection, str(request.base_url).rstrip("/"), request.url.path)
    return Response(body, media_type="application/atom+xml")


def _list_ended(page: PageContext, collection: str) -> list[Job]:
    selection = JobSelection(_SHOWN_STATES, page.visitor.visible_collections(collection))
    return page.service.jobs.list_ended(selection, _MAX_ENTRIES)


def write_feed(jobs: list[Job], collection: str, root: str, path: str) -> bytes:
    """A feed whose links begin with the address of the service."""
    feed = ElementTree.TreeBuilder()
    feed.start("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    _add(feed, "title", f"webkeep: jobs of {collection}" if collection else "webkeep: jobs")
    _add(feed, "id", root + path)
    _add(feed, "updated", (_end_of(jobs[0]) if jobs else Moment(0)).iso())
    _add(feed, "link", "", {"rel": "self", "href": root + path})
    feed.start("author", {})
    _add(feed, "name", "webkeep")
    feed.end("author")
    for job in jobs:
        _add_entry(feed, job, root)
    feed.end("feed")
    return bytes(ElementTree.tostring(feed.close(), "utf-8", xml_declaration=True))


def _add_entry(feed: ElementTree.TreeBuilder, job: Job, root: str) -> None:
    seeds = job.order.plan.get("seeds", [])
    first = seeds if isinstance(seeds, str) else next(iter(seeds), job.order.kind.value)
    feed.start("entry", {})
    _add(feed, "title", f"{job.state.value}: {first}")
    _add(feed, "id", f"urn:webkeep:job:{job.id}")
    _add(feed, "updated", _end_of(job).iso())
    _add(feed, "link", "", {"href": f"{root}/jobs/{job.id}"})
    _add(feed, "summary", f"{job.order.collection}. {job.message}".strip())
    feed.end("entry")


def _add(feed: ElementTree.TreeBuilder, name: str, text: str, attributes: dict[str, str] | None = None) -> None:
    feed.start(name, attributes or {})
    feed.data(_UNWRITABLE.sub("?", text))
    feed.end(name)


def _end_of(job: Job) -> Moment:
    return job.ended or job.created
