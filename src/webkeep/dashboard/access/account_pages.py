"""One's own account: the password, the sessions, and the tokens by which programs call."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access.login_pages import begin_attempt, enter
from webkeep.dashboard.page_context import PageContext, note_outcome, page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, secret_of, text_of
from webkeep.errors import UsageError
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    TOKEN_PREFIX,
    TOKEN_SCOPES,
    ApiToken,
    check_new_password,
    new_secret,
    parse_scope,
)

_TOKEN_ID_BYTES = 6
"""Of chance in what a token is called by: no two of an account are alike."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was made."""

    id: str
    token: str
    """Told this once; only its hash is kept."""


async def show_account(request: Request) -> Response:
    """What one's account has."""
    return await _show(request, "")


async def change_password(request: Request) -> Response:
    """Take another password, for whoever knows the one there is; all other sessions are ended."""
    page, form = _own_page(request), await read_form(request)
    name, password = page.visitor.account, secret_of(form, "new")
    if await begin_attempt(page, name) > 0:
        raise UsageError("too many attempts; try again in some minutes")
    kept = await asyncio.to_thread(page.service.accounts.find_password, name)
    if not await page.access.passwords.is_right(kept, secret_of(form, "current")):
        raise UsageError("that is not the password there is; try again")
    if secret_of(form, "again") != password:
        raise UsageError("those were two passwords; try again")
    check_new_password(password, name)
    password_hash = await page.access.passwords.hash(password)
    await asyncio.to_thread(page.service.accounts.set_password, name, password_hash)
    return await enter(request, name, "/account")


async def end_session(request: Request) -> Response:
    """End one of one's sessions."""
    page = _own_page(request)
    end = page.service.sessions.end_own
    await asyncio.to_thread(end, page.visitor.account, request.path_params["session"])
    return see_other("/account")


async def make_token(request: Request) -> Response:
    """Make a token, which is shown this once."""
    page, form = _own_page(request), await read_form(request)
    scope, collection = parse_scope(text_of(form, "scope")), text_of(form, "collection") or ALL_COLLECTIONS
    token_id, secret = secrets.token_hex(_TOKEN_ID_BYTES), TOKEN_PREFIX + new_secret()
    now = page.service.clock.now()
    token = ApiToken(token_id, page.visitor.account, text_of(form, "label"), scope, collection, now)
    await asyncio.to_thread(page.service.tokens.create, token, secret)
    note_outcome(request, NewToken(token_id, secret))
    return await _show(request, secret)


async def revoke_token(request: Request) -> Response:
    """End one of one's tokens."""
    page = _own_page(request)
    await asyncio.to_thread(page.service.tokens.revoke, page.visitor.account, request.path_params["token"])
    return see_other("/account")


async def _show(request: Request, new_token: str) -> Response:
    page = _own_page(request)
    service, name = page.service, page.visitor.account
    sessions = await asyncio.to_thread(service.sessions.list_sessions, name, service.clock.now())
    tokens = await asyncio.to_thread(service.tokens.list_tokens, name)
    return render(request, "account.html", sessions=sessions, tokens=tokens, scopes=TOKEN_SCOPES, new_token=new_token)


def _own_page(request: Request) -> PageContext:
    page = page_of(request)
    if not page.visitor.account:  # whoever came by the link has none
        raise HTTPException(404)
    return page
