"""The page in which a browser is shown: its pictures out, what is done to it in, its login kept, its end.

Whoever is shown a browser is who began it, in the same session: what they type is nobody else's affair.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webkeep.dashboard.access.origin_check import is_from_elsewhere
from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError, WebkeepError
from webkeep.formats import read_json
from webkeep.service.accounts import Permission
from webkeep.service.browsing import ShownSession
from webkeep.service.jobs import new_job_id
from webkeep.service.logins import LoginProfile, check_profile_name

MAX_INPUT_BYTES = 500_000
"""Of one batch of what is done: a pasted text, or some hundred movements."""
_MAX_NUMBER_DIGITS = 12
"""Of the number of a picture: an hour has some forty thousand."""


async def show_browser(request: Request) -> Response:
    """The page around the pictures."""
    session = _find_session(request)
    path = f"/collections/{session.order.collection}/browsers/{session.id}"
    return render(request, "browser.html", session=session, order=session.order, path=path)


async def answer_view(request: Request) -> Response:
    """What is to be seen now, or as soon as there is something new."""
    if is_from_elsewhere(request):
        raise HTTPException(403)
    text = request.query_params.get("after", "0")
    after = int(text) if text.isdecimal() and len(text) <= _MAX_NUMBER_DIGITS else 0
    try:
        return JSONResponse(await _find_session(request).next_view(after))
    except UsageError as error:
        return JSONResponse({"error": str(error)}, 400)


async def take_inputs(request: Request) -> Response:
    """Do what somebody did, in its order."""
    session = _find_session(request)
    values = read_json(await request.body())
    inputs = values.get("inputs") if isinstance(values, dict) else None
    try:
        if not isinstance(inputs, list):
            raise UsageError("what is sent here is a list of inputs")
        await session.perform(inputs)
    except WebkeepError as error:
        return JSONResponse({"error": str(error)}, 400)
    return JSONResponse({})


async def save_login(request: Request) -> Response:
    """Keep what sites gave as a login of the collection, and end the browser."""
    session, page, form = _find_session(request), page_of(request), await read_form(request)
    order = session.order
    if not order.login_name:
        raise UsageError("no login is made in this browser")
    content, url, shown = await session.read_login()
    now = page.service.clock.now()
    if order.profile is None:
        name = check_profile_name(text_of(form, "name") or order.login_name)
        is_local_allowed = page.visitor.may(Permission.ADMINISTER)
        profile = LoginProfile(
            new_job_id(), order.collection, name, url, order.url, shown, now, now, is_local_allowed=is_local_allowed
        )
        await asyncio.to_thread(page.service.login_desk.keep, profile, content)
    else:
        renewed = replace(order.profile, url=url, page=shown)
        await asyncio.to_thread(page.service.login_desk.renew, renewed, content)
    session.end("the login was kept")
    return see_other(order.back)


async def end_browser(request: Request) -> Response:
    """End a browser; nothing that was not kept is left of it."""
    session = _find_session(request)
    if text_of(await read_form(request), "leaving"):
        session.leave()
        return JSONResponse({})
    session.end("it was ended")
    return see_other(session.order.back)


def _find_session(request: Request) -> ShownSession:
    page: PageContext = page_of(request)
    params = request.path_params
    session = page.service.shown.find(params["browser"], params["collection"], page.visitor.session_key)
    if session is None:
        raise HTTPException(404)
    if not session.order.is_replay and not page.visitor.may(Permission.CURATE, session.order.collection):
        raise HTTPException(403)  # readers look at what was archived, and at nothing else
    return session
