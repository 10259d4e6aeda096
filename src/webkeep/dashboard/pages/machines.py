"""The machines that jobs run on: which there are, how many jobs each runs, locked and unlocked."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.run import is_machine_there


async def show_machines(request: Request) -> Response:
    """All machines."""
    service = page_of(request).service
    machines = await asyncio.to_thread(service.machines.list_machines)
    there = {each.name: is_machine_there(service.folder, each.name) for each in machines}
    return render(request, "machines.html", machines=machines, there=there,
                  is_shared=bool(service.settings.store_address))  # fmt: skip


async def change_machine(request: Request) -> Response:
    """Lock a machine, so that no job is begun on it any more, unlock it, or forget one that left."""
    form, machines = await read_form(request), page_of(request).service.machines
    name, action = text_of(form, "name"), text_of(form, "action")
    if action not in ("lock", "unlock", "forget"):
        raise UsageError("that cannot be asked of a machine; go back and choose a button")
    if action == "forget":
        await asyncio.to_thread(machines.forget, name)
    else:
        await asyncio.to_thread(machines.set_locked, name, action == "lock")
    return see_other("/machines")
