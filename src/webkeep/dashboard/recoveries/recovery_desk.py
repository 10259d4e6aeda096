"""Recoveries of visitors as who administers the service sees them: all of them, the queue, addresses that are blocked,
and the history as a file.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.recoveries import VisitorRecovery, VisitorRecoveryState, write_history
from webkeep.service.run import Service

_MAX_LISTED_RECOVERIES = 500
"""On one page; the search and the history have all."""
_SECRETS = ("link", "code", "survey")
"""What is not in the history: whoever has the link has the result."""


async def list_recoveries(request: Request) -> Response:
    """All or those in one state, searched or not; those that wait in their order."""
    values = await asyncio.to_thread(
        _list_values,
        page_of(request).service,
        request.query_params.get("state", ""),
        request.query_params.get("q", "").strip(),
    )
    return render(request, "recoveries.html", **values)


def _list_values(service: Service, state: str, wanted: str) -> dict[str, object]:
    known = [each.value for each in VisitorRecoveryState]
    states = [VisitorRecoveryState(state)] if state in known else []
    store = service.recoveries
    found = store.search(wanted, states) if wanted else store.list_recoveries(states)
    counts = {each: len(store.list_recoveries([each])) for each in VisitorRecoveryState}
    return {
        "recoveries": found[:_MAX_LISTED_RECOVERIES],
        "count": len(found),
        "counts": counts,
        "chosen": state if state in known else "",
        "wanted": wanted,
        "blocked": service.blocks.list_blocked(),
        "settings": service.settings.visitors,
        "mail": service.settings.mail,
        "now": service.clock.now(),
    }


async def move_recovery(request: Request) -> Response:
    """Have one that waits go before or behind others."""
    recovery, form = await _find_recovery(request), await read_form(request)
    await asyncio.to_thread(page_of(request).service.recoveries.move_in_queue, recovery.id, text_of(form, "step"))
    return see_other("/recoveries?state=queued")


async def delete_recovery(request: Request) -> Response:
    """Stop one, and forget whose it was."""
    recovery = await _find_recovery(request)
    if recovery.state is not VisitorRecoveryState.DELETED:
        await asyncio.to_thread(page_of(request).service.visitors.delete, recovery, "deleted by an administrator")
    return see_other("/recoveries")


async def block_asker(request: Request) -> Response:
    """Take nothing any more from whoever asked for one."""
    recovery, service = await _find_recovery(request), page_of(request).service
    if not await asyncio.to_thread(service.blocks.block_asker, recovery.id, service.clock.now()):
        raise UsageError("from where that was asked for is known no longer; write the address below the list")
    return see_other("/recoveries#blocked")


async def block_address(request: Request) -> Response:
    """Take nothing any more from an address."""
    form, service = await read_form(request), page_of(request).service
    await asyncio.to_thread(service.blocks.block, text_of(form, "address"), service.clock.now())
    return see_other("/recoveries#blocked")


async def unblock_address(request: Request) -> Response:
    """Take from an address again."""
    await asyncio.to_thread(page_of(request).service.blocks.unblock, request.path_params["key"])
    return see_other("/recoveries#blocked")


async def download_csv(request: Request) -> Response:
    """The history as a table."""
    listed = await asyncio.to_thread(page_of(request).service.recoveries.list_recoveries)
    text = await asyncio.to_thread(write_history, listed)
    return _attach(text.encode("utf-8", "replace"), "text/csv; charset=utf-8", "recoveries.csv")


async def download_json(request: Request) -> Response:
    """The history for programs."""
    listed = await asyncio.to_thread(page_of(request).service.recoveries.list_recoveries)
    return _attach(await asyncio.to_thread(_write_json, listed), "application/json", "recoveries.json")


def _write_json(listed: list[VisitorRecovery]) -> bytes:
    rows = [{name: value for name, value in asdict(each).items() if name not in _SECRETS} for each in listed]
    return json.dumps({"recoveries": [{**row, **_moments(row)} for row in rows]}, indent=1).encode()


def _moments(row: dict[str, object]) -> dict[str, object]:
    """The moments of a row as people and programs read them."""
    names = ("created", "confirmed", "started", "ended", "picked_up", "last_reminder")
    raw = {name: row[name] for name in names}
    return {name: Moment(**value).iso() if isinstance(value, dict) else None for name, value in raw.items()}


def _attach(body: bytes, media_type: str, name: str) -> Response:
    return Response(body, media_type=media_type, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _find_recovery(request: Request) -> VisitorRecovery:
    found = await asyncio.to_thread(page_of(request).service.recoveries.find, request.path_params["recovery"])
    if found is None:
        raise HTTPException(404)
    return found
