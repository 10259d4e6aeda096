"""The form by which anybody asks for a recovery, where the administrator lets them."""

from __future__ import annotations

import asyncio

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access.refusals import is_program
from webkeep.dashboard.page_context import page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.errors import UsageError
from webkeep.formats.status import FORBIDDEN, OK, TOO_MANY_REQUESTS
from webkeep.service.accounts import new_secret
from webkeep.service.jobs import new_job_id
from webkeep.service.notices import check_mail_address
from webkeep.service.recoveries import (
    LostExtent,
    TooManyRequestsError,
    VisitorOrder,
    VisitorRecovery,
    VisitorRecoveryState,
    VisitorSettings,
    build_visitor_order,
)
from webkeep.service.run import Service
from webkeep.service.store import BlockedAddressError

_FIELDS = ("url", "extent", "since", "until", "mail", "windows_names")
"""What is typed and ticked, and stays in the form when something of it is wrong."""
_WRONG = 400
"""The status of a form that says what it may not."""
_NOTICES = {"withdrawn": "Your recovery was withdrawn, and nothing of it is kept that says whose it was."}
"""What is said above the form, by where one comes from."""


async def show_form(request: Request) -> Response:
    """The form, empty or with what a link fills in."""
    settings = find_open_settings(request)
    given = {name: request.query_params.get(name, "") for name in _FIELDS}
    notice = _NOTICES.get(request.query_params.get("said", ""), "")
    return _render_form(request, settings, {**given, "notice": notice}, list(settings.repositories))


async def ask_recovery(request: Request) -> Response:
    """Take what somebody asks for, and lead to its page."""
    settings, form, page = find_open_settings(request), await read_form(request), page_of(request)
    # Programs send all names as the lines of one field.
    chosen = [line for each in form.getlist("repository") if isinstance(each, str) for line in each.splitlines()]
    try:
        recovery = _build_recovery(page.service, settings, form, chosen)
        await asyncio.to_thread(page.service.visitors.submit, recovery, page.visitor.address)
    except UsageError as error:
        if is_program(request):
            raise
        given = {name: text_of(form, name) for name in _FIELDS}
        return _render_form(request, settings, given, chosen, error)
    return see_other(f"/recover/{recovery.link}")


def find_open_settings(request: Request) -> VisitorSettings:
    """What visitors may do; where they may do nothing there is no such page."""
    settings = page_of(request).service.settings.visitors
    if settings is None:
        raise HTTPException(404)
    return settings


def _build_recovery(service: Service, settings: VisitorSettings, form: FormData, chosen: list[str]) -> VisitorRecovery:
    order = _read_order(settings, form, chosen)
    mail = check_mail_address(text_of(form, "mail")) if service.settings.mail is not None else ""
    named = (new_job_id(), order, VisitorRecoveryState.PENDING, service.clock.now())
    return VisitorRecovery(*named, mail, new_secret(), new_secret())


def _read_order(settings: VisitorSettings, form: FormData, chosen: list[str]) -> VisitorOrder:
    return build_visitor_order(
        text_of(form, "url"),
        text_of(form, "extent", LostExtent.SITE.value),
        chosen,
        (text_of(form, "since"), text_of(form, "until")),
        list(settings.repositories),
        text_of(form, "windows_names") == "yes",
    )


def _render_form(
    request: Request,
    settings: VisitorSettings,
    given: dict[str, str],
    chosen: list[str],
    error: UsageError | None = None,
) -> Response:
    """The form as it was filled in, with what is wrong with that."""
    return render(
        request,
        "recover_form.html",
        _status_of(error),
        repositories=list(settings.repositories),
        chosen=chosen,
        given=given,
        notice=given.get("notice", ""),
        trouble="" if error is None else str(error),
        has_mail=page_of(request).service.settings.mail is not None,
        terms=settings.terms,
    )


def _status_of(error: UsageError | None) -> int:
    match error:
        case None:
            return OK
        case TooManyRequestsError():
            return TOO_MANY_REQUESTS
        case BlockedAddressError():
            return FORBIDDEN
        case _:
            return _WRONG
