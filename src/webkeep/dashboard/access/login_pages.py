"""Logging in and out."""

from __future__ import annotations

import asyncio
import math

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access.refusals import MAX_AIM_CHARS
from webkeep.dashboard.access.visitor_lookup import begin_session
from webkeep.dashboard.page_context import PageContext, note_subject, page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, secret_of, text_of
from webkeep.presentation import format_duration

_WRONG = "Name or password is wrong."
"""Whichever it is, and whether the account is locked, nobody is told who does not know both."""


async def show_login(request: Request) -> Response:
    """The form, or straight on for who is logged in."""
    aim = local_path(request.query_params.get("next", "/"))
    if page_of(request).visitor.is_signed_in:
        return see_other(aim)
    return render(request, "login.html", aim=aim, name="", trouble="")


async def log_in(request: Request) -> Response:
    """Begin a session for a name and its password; a session there was before is ended."""
    page, form = page_of(request), await read_form(request)
    name, aim = text_of(form, "name").lower(), local_path(text_of(form, "next", "/"))
    note_subject(request, "")
    wait = await begin_attempt(page, name)
    if wait > 0:
        trouble = f"Too many attempts; try again in {format_duration(math.ceil(wait))}."
        response: Response = render(request, "login.html", 429, aim=aim, name=name, trouble=trouble)
        response.headers["retry-after"] = str(math.ceil(wait))
        return response
    kept = await asyncio.to_thread(page.service.accounts.find_password, name)
    if kept is not None:
        note_subject(request, name)
    password = secret_of(form, "password")
    if not await page.access.passwords.is_right(kept, password):
        return render(request, "login.html", 401, aim=aim, name=name, trouble=_WRONG)
    if kept is not None and page.access.passwords.is_outdated(kept):
        renewed = await page.access.passwords.hash(password)
        await asyncio.to_thread(page.service.accounts.renew_hash, name, kept, renewed)
    return await enter(request, name, aim)


async def log_out(request: Request) -> Response:
    """End the session."""
    page = page_of(request)
    await asyncio.to_thread(page.service.sessions.end, page.visitor.session_key)
    response = see_other("/login")
    page.access.cookie.remove(request, response)
    return response


async def begin_attempt(page: PageContext, name: str) -> float:
    """Count an attempt to show a password; gives how many seconds it has to wait, where it may not be made now."""
    now, address = page.service.clock.now(), page.visitor.address
    return await asyncio.to_thread(page.service.sessions.begin_attempt, name, address, now)


async def enter(request: Request, name: str, aim: str) -> Response:
    """Lead on with a new session, after a password that was right."""
    page = page_of(request)

    def change_session() -> str:
        service, visitor = page.service, page.visitor
        service.sessions.forgive(name, visitor.address)
        if visitor.session_key:
            service.sessions.end(visitor.session_key)
        return begin_session(service, name, visitor.address)

    response = see_other(aim)
    page.access.cookie.put(request, response, await asyncio.to_thread(change_session))
    return response


def local_path(text: str) -> str:
    """Where a login leads on to: a path of this service, never another site."""
    is_path = text.startswith("/") and not text.startswith(("//", "/\\")) and len(text) <= MAX_AIM_CHARS
    return text if is_path and text.isprintable() and "\\" not in text else "/"
