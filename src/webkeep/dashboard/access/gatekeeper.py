"""The one place that decides who is let in to which endpoint."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access.entry_link import EntryLink
from webkeep.dashboard.endpoint_table import Endpoint
from webkeep.dashboard.page_context import PageContext, Visitor
from webkeep.dashboard.rendering import render, see_other
from webkeep.dashboard.sent_forms import SubmissionLog, bound_body, read_form, text_of
from webkeep.errors import UsageError
from webkeep.service.accounts import Permission
from webkeep.service.run import Service


class Gatekeeper:
    """Lets requests in, or refuses them."""

    def __init__(self, service: Service, link: EntryLink) -> None:
        self._service, self._link = service, link
        self._submissions = SubmissionLog()

    def guard(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """The handler of an endpoint behind its permission."""

        async def answer(request: Request) -> Response:
            if token := request.query_params.get("token"):
                return self._redeem(request, token)
            request = bound_body(request, endpoint.max_body_bytes)
            visitor = self._recognize(request)
            request.scope.setdefault("state", {})["page"] = PageContext(self._service, visitor)
            collection = await asyncio.to_thread(self._collection_of, endpoint, request)
            if not visitor.may(endpoint.permission, collection):
                return _refuse(request, visitor)
            if request.method not in ("POST", "PUT", "DELETE") or not endpoint.is_form:
                return await endpoint.handler(request)
            form = await read_form(request)
            sent = text_of(form, "csrf_token") or request.headers.get("x-csrf-token", "")
            if endpoint.permission is not Permission.ANYONE and not _is_same(sent, visitor.csrf_token):
                return render(request, "message.html", 403, heading="This form is out of date",
                              text="Go back, load the page again, and send it once more.")  # fmt: skip
            return await self._submissions.answer_once(text_of(form, "submission"), endpoint.handler, request)

        return answer

    def _redeem(self, request: Request, token: str) -> Response:
        session = self._link.redeem(token)
        if session is None:
            if self._recognize(request).is_local:
                return see_other(request.url.path)
            return render(request, "message.html", 403, heading="This link was used before",
                          text="The service prints a new one in its terminal each time.")  # fmt: skip
        response = see_other("/")
        response.set_cookie(_cookie_name(request), session, httponly=True, samesite="lax", path="/")
        return response

    def _recognize(self, request: Request) -> Visitor:
        form_token = self._link.form_token(request.cookies.get(_cookie_name(request), ""))
        return Visitor() if form_token is None else Visitor(is_local=True, csrf_token=form_token)

    def _collection_of(self, endpoint: Endpoint, request: Request) -> str:
        """The collection that a request is about; empty where it is about none."""
        if endpoint.permission not in (Permission.READ, Permission.CURATE):
            return ""
        if endpoint.collection_of is not None:
            return endpoint.collection_of(request)
        if "job" in request.path_params:
            try:
                return self._service.jobs.get(request.path_params["job"]).order.collection
            except UsageError:
                return ""
        return str(request.path_params.get("collection", ""))


def _refuse(request: Request, visitor: Visitor) -> Response:
    if visitor.account or visitor.is_local:
        return render(request, "message.html", 403, heading="Not allowed", text="You may not do this here.")
    return render(request, "message.html", 401, heading="Who is it?",
                  text="Open the link that webkeep service printed in its terminal.")  # fmt: skip


def _is_same(one: str, other: str) -> bool:
    return bool(other) and hmac.compare_digest(one.encode(), other.encode())


def _cookie_name(request: Request) -> str:
    """A name for each port: cookies know hosts and not ports, and two services may run on one machine."""
    return f"webkeep-{request.url.port or 80}"
