"""Schedules and watches: when what is captured again, in words and by the next runs; added, switched, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.collections import find_collection
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service import check_sent_url
from webkeep.service.accounts import Permission
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import new_job_id
from webkeep.service.run import Service, WatchOrder, begin_watch, enter_schedule
from webkeep.service.schedules import (
    OverlapPolicy,
    Schedule,
    WrittenSchedule,
    build_schedule,
    describe_schedule,
    format_local_time,
    next_run,
    parse_duration,
    preview_runs,
)
from webkeep.service.store import StoredSchedule
from webkeep.service.watches import StoredWatch, WatchKind
from webkeep.url import parse_seed

_PREVIEWED_RUNS = 8
"""Of a schedule that is tried out: a week of a daily one, and whether it goes on."""
_SHOWN_ROWS = 500
"""Schedules, and watches, that one page shows."""
_FORM_FIELDS = ("seed", "times", "zone", "jitter", "blackouts", "until", "overlap")
DEFAULT_VALUES = {"times": "@daily", "zone": "UTC", "jitter": "0", "overlap": OverlapPolicy.SKIP.value}


@dataclass(frozen=True, slots=True)
class PlannedCapture:
    """A schedule as it is shown."""

    stored: StoredSchedule
    seed_url: str
    """Empty where it is of all seeds."""

    @property
    def words(self) -> str:
        """What it says."""
        return describe_schedule(self.stored.schedule)

    @property
    def next_time(self) -> str:
        """When it is next, on its own clocks."""
        if self.stored.is_off:
            return "off"
        run = self.stored.next
        return "over" if run is None else format_local_time(run.begins, self.stored.schedule.zone)


async def list_schedules(request: Request) -> Response:
    """All schedules and watches that one may see."""
    planned, watches = await asyncio.to_thread(_visible, page_of(request))
    return render(request, "schedules.html", planned=planned[:_SHOWN_ROWS], watches=watches[:_SHOWN_ROWS],
                  count=len(planned) + len(watches))  # fmt: skip


def _visible(page: PageContext) -> tuple[list[PlannedCapture], list[StoredWatch]]:
    may, service = page.visitor.may, page.service
    schedules = [each for each in service.schedules.list_schedules() if may(Permission.READ, each.collection)]
    watches = [each for each in service.watches.list_watches() if may(Permission.READ, each.watch.collection)]
    return _add_urls(service, schedules[:_SHOWN_ROWS]), watches


def _add_urls(service: Service, schedules: list[StoredSchedule]) -> list[PlannedCapture]:
    found = [(each, service.collections.seed(each.seed) if each.seed else None) for each in schedules]
    return [PlannedCapture(each, seed.url if seed else "") for each, seed in found]


async def show_collection_schedules(request: Request) -> Response:
    """Schedules and watches of a collection, and the forms by which there are more."""
    facts = await find_collection(request)
    return await _show(request, facts, {**DEFAULT_VALUES, "seed": request.query_params.get("seed", "")}, None)


async def _show(
    request: Request, facts: CollectionFacts, values: Mapping[str, str], previewed: Schedule | None
) -> Response:
    service, now = page_of(request).service, page_of(request).service.clock.now()
    schedules = await asyncio.to_thread(service.schedules.list_schedules, facts.name)
    planned = await asyncio.to_thread(_add_urls, service, schedules[:_SHOWN_ROWS])
    watches = await asyncio.to_thread(service.watches.list_watches, facts.name)
    runs = [] if previewed is None else preview_runs(previewed, now, _PREVIEWED_RUNS)
    words = "" if previewed is None else describe_schedule(previewed)
    zone = values.get("zone", "UTC")
    return render(request, "collection_schedules.html", facts=facts, planned=planned, watches=watches[:_SHOWN_ROWS],
                  values={name: values.get(name, "") for name in _FORM_FIELDS}, words=words,
                  runs=[format_local_time(each.begins, zone) for each in runs],
                  policies=list(OverlapPolicy), kinds=list(WatchKind))  # fmt: skip


async def add_schedule(request: Request) -> Response:
    """Enter a schedule, or show what it would do."""
    facts, form, service = await find_collection(request), await read_form(request), page_of(request).service
    values, now = {name: text_of(form, name) for name in _FORM_FIELDS}, service.clock.now()
    schedule = _read_schedule(values, now)
    if text_of(form, "action") == "preview":
        return await _show(request, facts, values, schedule)
    seed_id = await asyncio.to_thread(_find_seed_id, service, facts.name, values["seed"])
    stored = StoredSchedule(schedule, facts.name, seed_id, next=next_run(schedule, now))
    await asyncio.to_thread(enter_schedule, service.schedules, stored)
    return see_other(f"/collections/{facts.name}/schedules")


def _read_schedule(values: Mapping[str, str], now: Moment) -> Schedule:
    hours = [line.strip() for line in values["blackouts"].splitlines() if line.strip()]
    usual = {name: values[name] or DEFAULT_VALUES[name] for name in ("zone", "jitter", "overlap")}
    written = WrittenSchedule(values["times"], blackouts=hours, until=values["until"], **usual)
    return build_schedule(new_job_id(), written, now)


def _find_seed_id(service: Service, collection: str, url: str) -> str:
    if not url:
        return ""
    seed = service.collections.find_seed(collection, parse_seed(url))
    if seed is None:
        raise UsageError(f"{url[:200]} is no seed of {collection}; add it first, or leave the field empty for all")
    return seed.id


async def change_schedule(request: Request) -> Response:
    """Switch a schedule on or off, or delete it."""
    service, form = page_of(request).service, await read_form(request)
    stored = await asyncio.to_thread(service.schedules.get, request.path_params["schedule"])
    if stored is None or stored.collection != request.path_params["collection"]:
        raise HTTPException(404)
    await asyncio.to_thread(_carry_out_schedule, service, stored, text_of(form, "action"))
    return see_other(_back_to(form, f"/collections/{stored.collection}/schedules"))


def _carry_out_schedule(service: Service, stored: StoredSchedule, action: str) -> None:
    match action:
        case "delete":
            service.schedules.delete(stored.schedule.id)
        case "off":
            service.schedules.switch(stored.schedule.id, None)
        case "on":
            run = next_run(stored.schedule, service.clock.now())
            if run is None:
                raise UsageError("this schedule is over; delete it, and add one that ends later")
            service.schedules.switch(stored.schedule.id, run)
        case _:
            raise UsageError("that cannot be asked of a schedule; go back and choose a button")


async def add_watch(request: Request) -> Response:
    """Look at a feed, a sitemap or a repository again and again."""
    facts, form, page = await find_collection(request), await read_form(request), page_of(request)
    kind = text_of(form, "kind")
    if kind not in list(WatchKind):
        raise UsageError(f"not what can be watched: {kind[:40]!r}; choose a feed, a sitemap or OAI-PMH")
    is_local_allowed = page.visitor.may(Permission.ADMINISTER)
    url, poll = check_sent_url(text_of(form, "url"), is_local_allowed), parse_duration(text_of(form, "poll", "1h"))
    takes_present = text_of(form, "present") == "yes"
    order = WatchOrder(WatchKind(kind), url, poll, _watch_settings(form), is_local_allowed, takes_present)
    stores = page.service.collections, page.service.watches
    await asyncio.to_thread(begin_watch, *stores, facts.name, order, page.service.clock.now())
    return see_other(f"/collections/{facts.name}/schedules")


def _watch_settings(form: FormData) -> dict[str, Any]:
    scope = text_of(form, "scope", "page")
    return {"scope": scope, "depth": text_of(form, "depth")} if text_of(form, "depth") else {"scope": scope}


async def change_watch(request: Request) -> Response:
    """Have a watch look now, not for a while, again, or no more."""
    service, form = page_of(request).service, await read_form(request)
    stored = await asyncio.to_thread(service.watches.get, request.path_params["watch"])
    if stored is None or stored.watch.collection != request.path_params["collection"]:
        raise HTTPException(404)
    await asyncio.to_thread(_carry_out_watch, service, stored, text_of(form, "action"))
    return see_other(_back_to(form, f"/collections/{stored.watch.collection}/schedules"))


def _carry_out_watch(service: Service, stored: StoredWatch, action: str) -> None:
    watch_id, now = stored.watch.id, service.clock.now()
    match action:
        case "delete":
            service.watches.delete(watch_id)
        case "off":
            service.watches.switch(watch_id, True, stored.next_look)
        case "on" | "look":
            service.watches.switch(watch_id, False, now)
        case _:
            raise UsageError("that cannot be asked of a watch; go back and choose a button")


def _back_to(form: FormData, path: str) -> str:
    return "/schedules" if text_of(form, "from") == "all" else path
