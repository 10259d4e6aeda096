"""Patches: what a capture missed, visited by a person in a browser that is shown, and recorded into its archive."""

from __future__ import annotations

import asyncio
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.capture_presets import complete_url
from webkeep.dashboard.pages.logins import check_login_choice, may_reach_private, opened_hosts
from webkeep.dashboard.pages.seeds import find_seed
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.model import Fate, UrlOutcome
from webkeep.service import check_sent_url
from webkeep.service.browsing import ShownOrder, build_recording_way
from webkeep.service.jobs import Job, JobKind, JobOrder
from webkeep.service.logins import LOGIN_OPTION, LoginContent
from webkeep.service.run import Service
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive
from webkeep.store.views import read_unstored_fates

_SHOWN_MISSING = 50
"""URLs that are listed as missing; the report has all."""
_MISSING_OUTCOMES = frozenset({UrlOutcome.FAILED, UrlOutcome.CUT, UrlOutcome.TRAPPED})
_PATCH_PRIORITY = 1000
"""Before captures that wait: somebody sits and waits."""


async def show_patch(request: Request) -> Response:
    """Where a patch begins: an address, or one of what the capture of a job missed."""
    page = page_of(request)
    job = await asyncio.to_thread(page.service.jobs.get, request.path_params["job"])
    missing = await asyncio.to_thread(_list_missing, page.service, job)
    seeds = job.order.plan.get("seeds", [])
    url = request.query_params.get("url") or (seeds if isinstance(seeds, str) else next(iter(seeds), ""))
    logins = await asyncio.to_thread(page.service.logins.list_profiles, job.order.collection)
    values = {"missing": missing, "is_cut": len(missing) == _SHOWN_MISSING, "logins": logins}
    chosen = str(job.order.plan.get(LOGIN_OPTION, ""))
    return render(request, "patch.html", job=job, url=str(url), chosen=chosen, **values)


def _list_missing(service: Service, job: Job) -> list[Fate]:
    """Some of what the capture of a job asked for in vain."""
    archive, capture = service.folder.archive(job.order.collection, job.order.archive), job.summary.get("capture")
    if not capture or not is_archive(archive):
        return []
    with Archive(archive) as opened:
        fates = (each for each in read_unstored_fates(opened, str(capture)) if each.outcome in _MISSING_OUTCOMES)
        return list(islice(fates, _SHOWN_MISSING))


async def begin_patch(request: Request) -> Response:
    """Show a browser whose visits are recorded into the archive of a job."""
    page, form = page_of(request), await read_form(request)
    job = await asyncio.to_thread(page.service.jobs.get, request.path_params["job"])
    url = check_sent_url(complete_url(text_of(form, "url")), may_reach_private(page))
    order, login = job.order, text_of(form, LOGIN_OPTION)
    plan = {"seeds": [url], **({LOGIN_OPTION: login} if login else {})}
    return await _begin(page, JobOrder(order.collection, order.archive, plan), f"/jobs/{job.id}")


async def begin_seed_patch(request: Request) -> Response:
    """Show a browser at a seed, whose visits are recorded into the seed's archive."""
    page, seed = page_of(request), await find_seed(request)
    url = check_sent_url(seed.url, may_reach_private(page))
    login = seed.settings.get(LOGIN_OPTION)
    plan = {"seeds": [url], **({LOGIN_OPTION: login} if login else {})}
    order = JobOrder(seed.collection, seed.archive, plan, seed=seed.id)
    return await _begin(page, order, f"/collections/{seed.collection}/seeds/{seed.id}")


async def _begin(page: PageContext, order: JobOrder, back: str) -> Response:
    service = page.service
    service.shown.check_room()
    content = LoginContent()
    if login := str(order.plan.get(LOGIN_OPTION, "")):
        await check_login_choice(page, login, order.collection)
        profile = await asyncio.to_thread(service.logins.get, login)
        content = await asyncio.to_thread(service.login_desk.open, profile)
    url = str(order.plan["seeds"][0])
    hosts = opened_hosts(page, url)
    plan = {**order.plan, **({"private_hosts": sorted(hosts)} if hosts else {})}
    asked = JobOrder(order.collection, order.archive, plan, JobKind.PATCH, order.seed, _PATCH_PRIORITY)
    job = await asyncio.to_thread(_submit, service, asked)
    workspace = service.folder.workspace(job.id)
    shown = ShownOrder(order.collection, page.visitor.session_key, url, back, hosts, content=content, job=job.id)
    way = build_recording_way(service.jobs, workspace, service.folder.authority, service.clock)
    session = service.shown.begin(shown, way)
    return see_other(f"/collections/{order.collection}/browsers/{session.id}")


def _submit(service: Service, order: JobOrder) -> Job:
    """Enter the job of a patch, whose viewer is there from the start."""
    job = service.jobs.submit(order, service.clock.now())
    if job is None:
        raise UsageError("this patch was begun already; look at the list of jobs")
    return job
