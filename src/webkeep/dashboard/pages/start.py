"""The start page, what is started there, and how the service is for programs that watch over it."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.capture_presets import PRESETS, CapturePreset, find_preset, plan_from_form
from webkeep.dashboard.pages.logins import check_login_choice
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.jobs import Job, JobOrder, new_job_id
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.run import Service
from webkeep.service.schedules import Schedule, next_run, parse_times
from webkeep.service.store import StoredSchedule

_SHOWN_JOBS = 8
"""Jobs on the start page: the last ones, at a glance."""
DEFAULT_COLLECTION = "main"
"""The collection of those who named none; it is made when it is first needed."""


async def answer_health(request: Request) -> Response:
    """How it is: 200 where all is well, else 503."""
    health = await asyncio.to_thread(page_of(request).service.describe_health)
    return JSONResponse(health, 200 if health["status"] == "ok" else 503)


async def show_start(request: Request) -> Response:
    """Where to begin, and what was done lately."""
    values = await asyncio.to_thread(_start_values, page_of(request))
    return render(request, "start.html", **values)


def _start_values(page: PageContext) -> dict[str, object]:
    collections = [
        each for each in page.service.collections.list_collections() if page.visitor.may(Permission.READ, each.name)
    ]
    names = {each.name for each in collections}
    jobs = [job for job in page.service.jobs.list_jobs(limit=200) if job.order.collection in names]
    shown = {"collections": collections, "jobs": jobs[:_SHOWN_JOBS], "notice": page.service.notice}
    curated = [each.name for each in collections if page.visitor.may(Permission.CURATE, each.name)]
    logins = [login for name in curated for login in page.service.logins.list_profiles(name)]
    return {**shown, "presets": PRESETS, "default_collection": DEFAULT_COLLECTION, "logins": logins}


async def start_job(request: Request) -> Response:
    """Begin what the form asks for, and lead to its job."""
    page, form = page_of(request), await read_form(request)
    collection = text_of(form, "collection") or DEFAULT_COLLECTION
    if not page.visitor.may(Permission.CURATE, collection):
        raise HTTPException(403)
    preset = find_preset(text_of(form, "preset", "site"))
    plan = plan_from_form(form, preset, page.visitor.may(Permission.ADMINISTER))
    if login := text_of(form, LOGIN_OPTION):
        await check_login_choice(page, login, collection)
        plan = {**plan, LOGIN_OPTION: login}
    job = await asyncio.to_thread(_submit, page.service, collection, preset, plan)
    return see_other(f"/jobs/{job.id}")


def _submit(service: Service, collection: str, preset: CapturePreset, plan: dict[str, Any]) -> Job:
    now, url = service.clock.now(), plan["seeds"][0]
    if collection not in {each.name for each in service.collections.list_collections()}:
        service.collections.create(CollectionFacts(collection, collection), now)
    settings = {name: value for name, value in plan.items() if name != "seeds"}
    service.collections.add_seeds(collection, [SeedEntry(url, settings)], now)
    seed = service.collections.find_seed(collection, url)
    if seed is None:
        raise UsageError(f"{url} was deleted from {collection} meanwhile; start it again")
    job = service.jobs.submit(JobOrder(collection, seed.archive, plan, seed=seed.id), now)
    if job is None:
        raise UsageError(f"the capture of {url} was begun already; look at the list of jobs")
    if preset.times:
        _follow(service, collection, seed.id, preset.times, now)
    return job


def _follow(service: Service, collection: str, seed: str, times: str, now: Moment) -> None:
    schedule = Schedule(new_job_id(), parse_times(times, now))
    service.schedules.add(StoredSchedule(schedule, collection, seed, next=next_run(schedule, now)))
