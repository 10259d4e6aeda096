"""The start page, what is started there, plans as files there and back, and how the service is for programs that watch
over it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.capture_presets import PRESETS, CapturePreset, find_preset, plan_from_form
from webkeep.dashboard.pages.logins import check_login_choice
from webkeep.dashboard.pages.plan_fields import (
    FIELDS,
    MAX_PLAN_BYTES,
    fill_plan_fields,
    parse_plan_text,
    render_plan_text,
)
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service import check_sent_plan
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts, SeedEntry, archive_name
from webkeep.service.jobs import MANY_MACHINES_OPTION, MOVING_STATES, Job, JobKind, JobOrder, JobSelection
from webkeep.service.logins import LOGIN_OPTION
from webkeep.service.run import Service, build_seed_schedule, enter_schedule, prepare_many_machines, submit_orders

MAX_UPLOAD_BYTES = 4 << 30
"""Of one file that is sent: larger archives are imported at the machine, by webkeep import."""
_OFFERED_COLLECTIONS = 200
"""Names that are offered while one is typed; others are written out."""
_SHOWN_JOBS = 8
"""Jobs on the start page: the last ones, at a glance."""


class ShownPreview(Protocol):
    """What is shown of a look at a site beside the form."""

    is_over: bool


async def answer_health(request: Request) -> Response:
    """How it is: 200 where all is well, else 503."""
    health = await asyncio.to_thread(page_of(request).service.describe_health)
    return JSONResponse(health, 200 if health["status"] == "ok" else 503)


async def show_start(request: Request) -> Response:
    """Where to begin, and what was done lately."""
    return await render_start(request, {"url": request.query_params.get("url", "")[:8000]})


async def render_start(
    request: Request, filled: Mapping[str, str], preview: ShownPreview | None = None
) -> HTMLResponse:
    """The start page with what stands in its form, and what is known of that."""
    values = await asyncio.to_thread(_start_values, page_of(request))
    return render(request, "start.html", filled=filled, preview=preview, **values)


def _start_values(page: PageContext) -> dict[str, object]:
    visible = page.visitor.visible_collections()
    collections = page.service.collections.list_page(visible, _OFFERED_COLLECTIONS)
    jobs = page.service.jobs.list_page(JobSelection(collections=visible), _SHOWN_JOBS)
    offered = [each for each in collections if page.visitor.may(Permission.CURATE, each.name)]
    shown = {"collections": offered, "jobs": jobs, "notice": page.service.notice, "fields": FIELDS,
             "has_workers": page.service.settings.workers is not None}  # fmt: skip
    known = page.service.logins.list_profiles_of(visible)
    logins = [login for login in known if page.visitor.may(Permission.CURATE, login.collection)]
    chosen = {"presets": PRESETS, "default_collection": page.visitor.default_collection, "logins": logins}
    is_moving = not MOVING_STATES.isdisjoint(job.state for job in jobs)
    return {**shown, **chosen, "is_moving": is_moving, "may_start": page.visitor.may_curate_any,
            "repositories": list(offered_repositories(page.service)), "max_upload": MAX_UPLOAD_BYTES}  # fmt: skip


async def start_job(request: Request) -> Response:
    """Begin what the form asks for, and lead to its job."""
    page, form = page_of(request), await read_form(request)
    collection = text_of(form, "collection") or page.visitor.default_collection
    page.visitor.require_curator(collection)
    preset = find_preset(text_of(form, "preset", "site"))
    plan = plan_from_form(form, preset, page.visitor.is_administrator, offered_repositories(page.service))
    if login := text_of(form, LOGIN_OPTION):
        await check_login_choice(page, login, collection)
        plan = {**plan, LOGIN_OPTION: login}
    if text_of(form, MANY_MACHINES_OPTION) == "yes":
        plan = _choose_many_machines(page.service, preset, plan)
    job = await asyncio.to_thread(_submit, page.service, collection, preset, plan)
    return see_other(f"/jobs/{job.id}")


def _choose_many_machines(service: Service, preset: CapturePreset, plan: dict[str, Any]) -> dict[str, Any]:
    if service.settings.workers is None:
        raise UsageError("this service has no workers; capture on one machine, or an administrator gives it --workers")
    if preset.kind is not JobKind.CAPTURE:
        raise UsageError("many machines carry captures out and nothing else; choose one machine")
    return prepare_many_machines(plan)


def _submit(service: Service, collection: str, preset: CapturePreset, plan: dict[str, Any]) -> Job:
    now, url = service.clock.now(), plan["seeds"][0]
    ensure_collection(service, collection, now)
    if preset.kind is not JobKind.CAPTURE:  # what is done once, and no seed to be captured again
        archive = "" if preset.kind is JobKind.EVIDENCE else archive_name(1)  # a package is kept with its job
        return submit_orders(service.jobs, [JobOrder(collection, archive, plan, preset.kind)], now).only()
    settings = {name: value for name, value in plan.items() if name != "seeds"}
    service.collections.add_seeds(collection, [SeedEntry(url, settings)], now)
    seed = service.collections.find_seed(collection, url)
    if seed is None:
        raise UsageError(f"{url} was deleted from {collection} meanwhile; start it again")
    order = JobOrder(collection, seed.archive, plan, preset.kind, seed.id)
    job = submit_orders(service.jobs, [order], now).only()
    if preset.times:
        with suppress(UsageError):  # it is followed already
            enter_schedule(service.schedules, build_seed_schedule(seed, preset.times, now))
    return job


def offered_repositories(service: Service) -> Mapping[str, str]:
    """What people may recover out of without being administrators, by the names that they see."""
    visitors = service.settings.visitors
    return {} if visitors is None else visitors.repositories


def ensure_collection(service: Service, name: str, now: Moment) -> None:
    """Make a collection that is not there."""
    if name not in {each.name for each in service.collections.list_collections()}:
        service.collections.create(CollectionFacts(name, name), now)


async def download_form_plan(request: Request) -> Response:
    """The plan that the form makes, as a file for `webkeep capture --plan` and for the start page."""
    page, form = page_of(request), await read_form(request)
    preset = find_preset(text_of(form, "preset", "site"))
    plan = plan_from_form(form, preset, page.visitor.is_administrator, offered_repositories(page.service))
    named = {"content-disposition": 'attachment; filename="plan.toml"'}
    return Response("".join(render_plan_text(plan)).encode(), media_type="application/toml", headers=named)


async def take_plan_file(request: Request) -> Response:
    """The start page with the plan of a file in its form."""
    sent = (await read_form(request)).get("plan")
    content = await sent.read(MAX_PLAN_BYTES) if isinstance(sent, UploadFile) else b""
    try:
        values = parse_plan_text(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"the plan is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    if not values:
        raise UsageError("there is no plan in it; choose a file in TOML, such as one that was had here")
    checked = check_sent_plan(values, page_of(request).visitor.is_administrator)
    return await render_start(request, fill_plan_fields(checked))
