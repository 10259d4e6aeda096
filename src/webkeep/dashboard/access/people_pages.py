"""The accounts of a service as who administers it sees them: added, given roles, locked, deleted.

A password that is given here is made of chance and shown once; whoever gets it chooses another on the page of their
account. Where nobody has an account yet, the first one is made by whoever came by the printed link, which lets nobody
in from then on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import note_outcome, page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.accounts import (
    ALL_COLLECTIONS,
    Account,
    AccountRole,
    check_account_name,
    new_password,
    parse_role,
)
from webkeep.service.run import Service

_NO_ROLE = "none"


@dataclass(frozen=True, slots=True)
class NewPassword:
    """A password that was made for an account."""

    account: str
    password: str
    """Told this once; only its hash is kept."""


async def show_people(request: Request) -> Response:
    """Who has an account, and what they may."""
    return await _show(request)


async def add_account(request: Request) -> Response:
    """Begin an account with a role; its first password is shown this once."""
    form, page = await read_form(request), page_of(request)
    name = check_account_name(text_of(form, "name"))
    role, collection = parse_role(text_of(form, "role")), text_of(form, "collection") or ALL_COLLECTIONS
    accounts = page.service.accounts
    await asyncio.to_thread(_check_collection, page.service, collection)
    if await asyncio.to_thread(accounts.find, name) is not None:
        raise UsageError(f"there is an account {name} already; choose another name")
    password = new_password()
    password_hash = await page.access.passwords.hash(password)
    now = page.service.clock.now()
    await asyncio.to_thread(accounts.create_with_role, name, password_hash, collection, role, now)
    note_outcome(request, NewPassword(name, password))
    return await _show(request, NewPassword(name, password))


async def change_role(request: Request) -> Response:
    """Give a role in a collection or in all, or take it."""
    account, form, page = await _find_account(request), await read_form(request), page_of(request)
    collection, named = text_of(form, "collection") or ALL_COLLECTIONS, text_of(form, "role")
    role = None if named == _NO_ROLE else parse_role(named)
    if collection not in account.roles:  # what is given of a collection that was removed can be taken
        await asyncio.to_thread(_check_collection, page.service, collection)
    await asyncio.to_thread(page.service.accounts.set_role, account.name, collection, role)
    return see_other("/accounts")


async def lock_account(request: Request) -> Response:
    """Shut an account out, or let it in again."""
    account, form = await _find_account(request), await read_form(request)
    action = text_of(form, "action")
    if action not in ("lock", "unlock"):
        raise UsageError("an account is locked or unlocked; say which as action")
    await asyncio.to_thread(page_of(request).service.accounts.set_locked, account.name, action == "lock")
    return see_other("/accounts")


async def renew_password(request: Request) -> Response:
    """Give an account another password, which is shown this once; its sessions are ended."""
    account, page = await _find_account(request), page_of(request)
    password = new_password()
    password_hash = await page.access.passwords.hash(password)
    await asyncio.to_thread(page.service.accounts.set_password, account.name, password_hash)
    note_outcome(request, NewPassword(account.name, password))
    return await _show(request, NewPassword(account.name, password))


async def delete_account(request: Request) -> Response:
    """End an account; what it did stays in the log."""
    account = await _find_account(request)
    await asyncio.to_thread(page_of(request).service.accounts.delete, account.name)
    return see_other("/accounts")


async def _show(request: Request, made: NewPassword | None = None) -> Response:
    service = page_of(request).service
    values = await asyncio.to_thread(_list_people, service)
    return render(request, "people.html", made=made, roles=[*AccountRole], all_collections=ALL_COLLECTIONS, **values)


def _list_people(service: Service) -> dict[str, object]:
    return {
        "people": service.accounts.list_accounts(),
        "collections": [each.name for each in service.collections.list_collections()],
    }


async def _find_account(request: Request) -> Account:
    found = await asyncio.to_thread(page_of(request).service.accounts.find, request.path_params["account"])
    if found is None:
        raise HTTPException(404)
    return found


def _check_collection(service: Service, collection: str) -> None:
    if collection != ALL_COLLECTIONS:
        service.collections.get(collection)
