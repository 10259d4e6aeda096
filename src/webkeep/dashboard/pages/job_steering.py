"""What people tell a job: to pause, go on, stop or be tried again, to go before others, to ask slower, to leave
something out after having seen what that would be, and to take rules back.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from webkeep.crawl.plan import parse_plan
from webkeep.crawl.run import ControlChannel, ControlCommand, ControlMessage, LivePictures
from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.job_results import find_job
from webkeep.dashboard.pages.plan_fields import parse_delay
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.jobs import Job, JobEvent
from webkeep.service.run import Service, find_job_channel
from webkeep.url.scope import exclude_rule

if TYPE_CHECKING:
    from webkeep.crawl.run import RulePreview

_STEERING = {each.value: each for each in (JobEvent.PAUSE, JobEvent.RESUME, JobEvent.CANCEL, JobEvent.RETRY)}
_PREVIEW_SECONDS = 1.5
"""So long URLs are judged before a rule is applied: some hundred thousand."""
_LOOK_SECONDS, _LOOKS = 0.1, 20
"""How it is looked whether a capture goes by what it was told, which hears it twice a second."""
_MAX_PRIORITY = 1_000_000
"""Either way: every database has such numbers, and nobody needs more."""
_MAX_PICTURE_DIGITS = 12
"""Of the number of a picture: no capture runs as many pages."""
_NO_PREVIEW = "what a rule would take out is not looked up on many machines; leave it out at once, or write it narrower"
_NOT_RUNNING = "its capture does not run now, and nobody would hear it; try again when it does"


async def steer_job(request: Request) -> Response:
    """Have a job pause, go on, stop or be tried again."""
    service, job_id = page_of(request).service, request.path_params["job"]
    event = _STEERING.get(text_of(await read_form(request), "event"))
    if event is None:
        raise UsageError("that cannot be asked of a job; go back and choose a button")
    job = await asyncio.to_thread(service.jobs.get, job_id)
    await asyncio.to_thread(service.jobs.wish, job, event, service.clock.now())
    return see_other(f"/jobs/{job_id}")


async def change_priority(request: Request) -> Response:
    """Have a job go before or behind others that wait."""
    job, text = await find_job(request), text_of(await read_form(request), "priority")
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(_MAX_PRIORITY))
    if not is_number or abs(int(text)) > _MAX_PRIORITY:
        raise UsageError(f"not a priority: {text[:40]!r}; write a whole number, higher ones go first")
    await asyncio.to_thread(page_of(request).service.jobs.change_priority, job, int(text))
    return see_other(f"/jobs/{job.id}")


async def preview_rule(request: Request) -> Response:
    """What a rule would take out of a capture that runs, with the button that applies it."""
    job, rule = await find_job(request), request.query_params.get("exclude", "").strip()
    found = None
    if job.order.wants_workers:
        exclude_rule(rule)
    else:
        found = await asyncio.to_thread(find_rule_effect, page_of(request).service, job, rule)
    return render(request, "rule.html", job=job, rule=rule, found=found)


def find_rule_effect(service: Service, job: Job, rule: str) -> RulePreview:
    """What a rule would take out of the capture of a job."""
    from webkeep.crawl.run import preview_change  # with what it loads, a service would start more slowly

    exclude_rule(rule)
    channel = _channel_of(service, job)
    if job.order.wants_workers:
        raise UsageError(_NO_PREVIEW)
    return preview_change(channel.folder, parse_plan(job.order.plan), {"exclude": [rule]}, _PREVIEW_SECONDS)


async def change_capture(request: Request) -> Response:
    """Have a capture that runs ask at another pace, leave something out from now on, or take a rule back."""
    form, job = await read_form(request), await find_job(request)
    values: dict[str, Any] = {}
    if delay := text_of(form, "delay"):
        values["delay"] = parse_delay(delay)
    if rule := text_of(form, "exclude"):
        exclude_rule(rule)
        values["exclude"] = [rule]
    if dropped := text_of(form, "drop"):
        values["drop"] = [dropped]
    if not values:
        raise UsageError("nothing to change; say a delay, or what is to be left out")
    await _tell_capture(page_of(request).service, job, values)
    return see_other(f"/jobs/{job.id}")


async def _tell_capture(service: Service, job: Job, values: dict[str, Any]) -> None:
    """Tell a capture, and wait a little until it says that it goes by it: the page that follows shows what holds."""
    channel = await asyncio.to_thread(_channel_of, service, job)
    await asyncio.to_thread(channel.send, ControlMessage(ControlCommand.SET, values))
    for _ in range(_LOOKS):
        state = await asyncio.to_thread(channel.read_state)
        rules = state.get("rules", [])
        is_added = all(f"-{rule}" in rules for rule in values.get("exclude", []))
        is_dropped = all(rule not in rules for rule in values.get("drop", []))
        if is_added and is_dropped and values.get("delay", state.get("delay")) == state.get("delay"):
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _channel_of(service: Service, job: Job) -> ControlChannel:
    channel = find_job_channel(service.folder, job)
    if channel is None:
        raise UsageError(_NOT_RUNNING)
    return channel


async def show_picture(request: Request) -> Response:
    """One of the newest pictures of pages that a capture runs in a browser."""
    job, number = await find_job(request), str(request.path_params["number"])
    if not number.isascii() or not number.isdecimal() or len(number) > _MAX_PICTURE_DIGITS:
        raise HTTPException(404)
    channel = await asyncio.to_thread(find_job_channel, page_of(request).service.folder, job)
    path = None if channel is None else LivePictures(channel.folder).path_of(int(number))
    if path is None or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, media_type="image/jpeg", headers={"cache-control": "private, max-age=600"})
