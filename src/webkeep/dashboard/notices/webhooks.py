"""Webhooks and mails as an administrator sees them: who is told, what was sent, and what waits."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.page_context import note_outcome, note_subject, page_of
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import read_form, text_of
from webkeep.service.notices import new_webhook
from webkeep.service.run import Service
from webkeep.url import split_url


async def show_notices(request: Request) -> Response:
    """Who is told, and what became of it."""
    values = await asyncio.to_thread(_notice_values, page_of(request).service)
    return render(request, "notices.html", **values)


def _notice_values(service: Service) -> dict[str, object]:
    notices = service.notices
    return {
        "webhooks": notices.list_webhooks(),
        "deliveries": notices.list_deliveries(),
        "mails": notices.list_mail(),
        "collections": [each.name for each in service.collections.list_collections()],
        "mail": service.settings.mail,
    }


async def add_webhook(request: Request) -> Response:
    """Tell somebody from now on."""
    form, service = await read_form(request), page_of(request).service
    collection = text_of(form, "collection")
    if collection:
        await asyncio.to_thread(service.collections.get, collection)
    is_local_allowed = text_of(form, "local") == "yes"
    hook = new_webhook(text_of(form, "url"), collection, service.clock.now(), is_local_allowed)
    await asyncio.to_thread(service.notices.add_webhook, hook)
    note_subject(request, f"{hook.id} {collection} at {split_url(hook.url).host}")  # in its path may be a secret
    note_outcome(request, hook)
    return see_other("/notices")


async def delete_webhook(request: Request) -> Response:
    """Tell somebody no more."""
    await asyncio.to_thread(page_of(request).service.notices.delete_webhook, request.path_params["webhook"])
    return see_other("/notices")
