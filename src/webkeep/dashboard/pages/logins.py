"""Login profiles of a collection: listed, made and renewed in a browser that is shown, checked, renamed, deleted."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import PageContext, page_of
from webkeep.dashboard.pages.capture_presets import complete_url
from webkeep.dashboard.pages.collections import find_collection
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.service import check_sent_url
from webkeep.service.accounts import Permission
from webkeep.service.browsing import ShownOrder, build_passing_way, host_and_port
from webkeep.service.logins import LOGIN_OPTION, LoginContent, LoginLockedError, LoginProfile, check_profile_name


async def list_logins(request: Request) -> Response:
    """What is told of the logins of a collection, and which seeds use them."""
    facts, service = await find_collection(request), page_of(request).service
    profiles = await asyncio.to_thread(service.logins.list_profiles, facts.name)
    seeds = await asyncio.to_thread(service.collections.seeds, facts.name)
    users = {each.id: [seed for seed in seeds if seed.settings.get(LOGIN_OPTION) == each.id] for each in profiles}
    return render(request, "logins.html", facts=facts, profiles=profiles, users=users)


async def begin_login(request: Request) -> Response:
    """Show a browser in which somebody logs in, for a new profile."""
    facts, form, page = await find_collection(request), await read_form(request), page_of(request)
    name = check_profile_name(text_of(form, "name"))
    known = await asyncio.to_thread(page.service.logins.list_profiles, facts.name)
    if name in {each.name for each in known}:
        raise UsageError(f"{facts.name} has a login {name!r} already; renew that one, or choose another name")
    url = check_sent_url(complete_url(text_of(form, "url")), may_reach_private(page))
    back = f"/collections/{facts.name}/logins"
    order = ShownOrder(facts.name, page.visitor.session_key, url, back, opened_hosts(page, url), login_name=name)
    return _show(page, order)


async def renew_login(request: Request) -> Response:
    """Show a browser that has what the profile has, so that somebody logs in anew."""
    page, profile = page_of(request), await _find_profile(request)
    url = check_sent_url(profile.start, profile.is_local_allowed and may_reach_private(page))
    page.service.shown.check_room()
    try:
        content = await asyncio.to_thread(page.service.login_desk.open, profile)
    except LoginLockedError:  # that it cannot be opened is what a renewal mends
        content = LoginContent()
    back = f"/collections/{profile.collection}/logins"
    hosts, owner = opened_hosts(page, url), page.visitor.session_key
    order = ShownOrder(profile.collection, owner, url, back, hosts, profile.name, profile, content)
    return _show(page, order)


async def rename_login(request: Request) -> Response:
    """Call a login something else."""
    page, profile, form = page_of(request), await _find_profile(request), await read_form(request)
    await asyncio.to_thread(page.service.logins.rename, profile, check_profile_name(text_of(form, "name")))
    return see_other(f"/collections/{profile.collection}/logins")


async def check_profile(request: Request) -> Response:
    """See whether a login still holds, as far as that can be told."""
    service, profile = page_of(request).service, await _find_profile(request)
    content = await asyncio.to_thread(service.login_desk.open, profile)
    from webkeep.service.browsing import check_login  # it loads what goes to the web

    checked = await check_login(profile, content, service.folder.root / "spool")
    await asyncio.to_thread(service.logins.note_state, profile.id, checked.state, checked.message, service.clock.now())
    return see_other(f"/collections/{profile.collection}/logins")


async def delete_login(request: Request) -> Response:
    """Forget a login with all that it holds."""
    page, profile = page_of(request), await _find_profile(request)
    await asyncio.to_thread(page.service.login_desk.delete, profile)
    return see_other(f"/collections/{profile.collection}/logins")


async def check_login_choice(page: PageContext, login: str, collection: str) -> None:
    """Refuse a login that is not one of the collection."""
    profiles = await asyncio.to_thread(page.service.logins.list_profiles, collection)
    if login not in {each.id for each in profiles}:
        raise UsageError(f"{collection} has no such login; choose one of its own")


def may_reach_private(page: PageContext) -> bool:
    """Whether whoever asks may name private addresses."""
    return page.visitor.may(Permission.ADMINISTER)


def opened_hosts(page: PageContext, url: str) -> frozenset[str]:
    """The private addresses that a browser may reach which somebody begins at a URL: an administrator's alone."""
    return frozenset({host_and_port(url)} if may_reach_private(page) else ())


def _show(page: PageContext, order: ShownOrder) -> Response:
    service = page.service
    session = service.shown.begin(order, build_passing_way(service.folder.authority, service.clock))
    return see_other(f"/collections/{order.collection}/browsers/{session.id}")


async def _find_profile(request: Request) -> LoginProfile:
    try:
        profile = await asyncio.to_thread(page_of(request).service.logins.get, request.path_params["login"])
    except UsageError:
        raise HTTPException(404) from None
    if profile.collection != request.path_params["collection"]:
        raise HTTPException(404)
    return profile
