"""What people tell a job: to pause, go on, stop or be tried again, and to ask slower or leave something out."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from webkeep.crawl.run import ControlCommand, ControlMessage
from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.pages.capture_presets import parse_delay
from webkeep.dashboard.rendering import see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.jobs import JobEvent
from webkeep.service.run import Service, find_control_channel
from webkeep.url.scope import exclude_rule

_STEERING = {each.value: each for each in (JobEvent.PAUSE, JobEvent.RESUME, JobEvent.CANCEL, JobEvent.RETRY)}


async def steer_job(request: Request) -> Response:
    """Have a job pause, go on, stop or be tried again."""
    service, job_id = page_of(request).service, request.path_params["job"]
    event = _STEERING.get(text_of(await read_form(request), "event"))
    if event is None:
        raise UsageError("that cannot be asked of a job; go back and choose a button")
    job = await asyncio.to_thread(service.jobs.get, job_id)
    await asyncio.to_thread(service.jobs.wish, job, event, service.clock.now())
    return see_other(f"/jobs/{job_id}")


async def change_capture(request: Request) -> Response:
    """Have a capture that runs ask at another pace, or leave something out from now on."""
    form, job_id = await read_form(request), request.path_params["job"]
    values: dict[str, Any] = {}
    if delay := text_of(form, "delay"):
        values["delay"] = parse_delay(delay)
    if rule := text_of(form, "exclude"):
        exclude_rule(rule)
        values["exclude"] = [rule]
    if not values:
        raise UsageError("nothing to change; say a delay, or what is to be left out")
    await asyncio.to_thread(_tell_capture, page_of(request).service, job_id, values)
    return see_other(f"/jobs/{job_id}")


def _tell_capture(service: Service, job_id: str, values: dict[str, Any]) -> None:
    order = service.jobs.get(job_id).order
    channel = find_control_channel(service.folder.archive(order.collection, order.archive))
    if channel is None:
        raise UsageError("its capture does not run now, and nobody would hear it; try again when it does")
    channel.send(ControlMessage(ControlCommand.SET, values))
