"""The one place that decides who is let in to which endpoint, and that writes down what was sent.

Theory of operation. A request is held against its row of the table of endpoints: who asks (`visitor_lookup.py`), what
they ask for, and the verdict (`verdict.py`). What is not a GET must come from a page of this service, with the token of
its session, unless an API token is shown; it is done once however often it is sent, and there is a line of it in the
audit log whatever became of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from webkeep.dashboard.access.access_settings import AccessSettings
from webkeep.dashboard.access.audit_writing import AuditWriter, outcome_of_error, outcome_of_status
from webkeep.dashboard.access.entry_link import EntryLink
from webkeep.dashboard.access.origin_check import is_from_elsewhere
from webkeep.dashboard.access.refusals import refuse_form, refuse_link, refuse_stranger, refuse_visitor
from webkeep.dashboard.access.verdict import AccessDemand, Verdict, judge
from webkeep.dashboard.access.visitor_lookup import VisitorLookup, address_of, begin_session
from webkeep.dashboard.endpoint_table import Endpoint
from webkeep.dashboard.page_context import PageContext, Visitor
from webkeep.dashboard.rendering import see_other
from webkeep.dashboard.sent_forms import (
    MAX_FORM_BYTES,
    SubmissionLog,
    bound_body,
    identify_submission,
    read_form,
    text_of,
)
from webkeep.errors import UsageError
from webkeep.formats.status import is_error
from webkeep.service.accounts import Permission, is_same_secret
from webkeep.service.run import Service

_READING_METHODS = ("GET", "HEAD")
_MAX_LENGTH_DIGITS = 18
"""Of what a request says of its length: beyond any disk."""


class Gatekeeper:
    """Lets requests in, or refuses them."""

    def __init__(self, service: Service, link: EntryLink, access: AccessSettings) -> None:
        self._service, self._link, self._access = service, link, access
        self._lookup = VisitorLookup(service, access.cookie, access.is_exposed)
        self._audit = AuditWriter(service)
        self._submissions = SubmissionLog()

    def guard(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """The handler of an endpoint behind its permission."""

        async def answer(request: Request) -> Response:
            if endpoint.path == "/" and (token := request.query_params.get("token")):
                return await self._redeem(request, token)
            request = bound_body(request, endpoint.max_body_bytes)
            visitor, verdict = await asyncio.to_thread(self._decide, endpoint, request)
            request.scope.setdefault("state", {})["page"] = PageContext(
                self._service, visitor, self._access, partial(self._is_still_let_in, endpoint, request)
            )
            if request.method in _READING_METHODS:
                return await self._answer_reading(endpoint, request, verdict)
            return await self._answer_change(endpoint, request, visitor, verdict)

        return answer

    def _is_still_let_in(self, endpoint: Endpoint, request: Request) -> bool:
        """Whether a request that was let in would be so again; a session is not used by that."""
        return self._decide(endpoint, request, is_use=False)[1] is Verdict.LET_IN

    def _decide(self, endpoint: Endpoint, request: Request, is_use: bool = True) -> tuple[Visitor, Verdict]:
        visitor = self._lookup.find(request, is_use)
        demand = AccessDemand(
            endpoint.permission,
            self._collection_of(endpoint, request),
            request.method not in _READING_METHODS,
            endpoint.needs_session,
        )
        return visitor, judge(demand, visitor)

    async def _answer_reading(self, endpoint: Endpoint, request: Request, verdict: Verdict) -> Response:
        if verdict is not Verdict.LET_IN:
            return await self._refuse(request, verdict)
        return await endpoint.handler(request)

    async def _answer_change(
        self, endpoint: Endpoint, request: Request, visitor: Visitor, verdict: Verdict
    ) -> Response:
        try:
            if verdict is not Verdict.LET_IN:
                response = await self._refuse(request, verdict)
            else:
                with self._take_room(endpoint, request, visitor):
                    response = await self._carry_out(endpoint, request, visitor)
        except BaseException as error:
            await asyncio.to_thread(self._audit.write, request, endpoint.path, visitor, outcome_of_error(error))
            raise
        if not endpoint.is_audited and not is_error(response.status_code):
            return response
        outcome = outcome_of_status(response.status_code)
        await asyncio.to_thread(self._audit.write, request, endpoint.path, visitor, outcome)
        return response

    def _take_room(self, endpoint: Endpoint, request: Request, visitor: Visitor) -> AbstractContextManager[None]:
        """Room on the disk for a file that is about to be sent, before any of it is read; refused to mere readers."""
        if endpoint.max_body_bytes <= MAX_FORM_BYTES:
            return nullcontext()
        told = request.headers.get("content-length", "")
        if not (told.isascii() and told.isdecimal()):
            raise UsageError("say how long it is that you send (Content-Length), so that there is room for it")
        size = int(told[:_MAX_LENGTH_DIGITS])
        if size <= MAX_FORM_BYTES:
            return nullcontext()
        if not visitor.may_curate_any:
            raise HTTPException(403, "only curators may send files")
        if size > endpoint.max_body_bytes:
            raise UsageError(
                f"{size:,} bytes are more than the {endpoint.max_body_bytes:,} that are taken here; send less"
            )
        return self._service.receiving_room.take(size)

    async def _carry_out(self, endpoint: Endpoint, request: Request, visitor: Visitor) -> Response:
        if visitor.token_id:
            return await endpoint.handler(request)
        if is_from_elsewhere(request) or not await _has_form_token(endpoint, request, visitor):
            return refuse_form(request)
        if not endpoint.is_form:
            return await endpoint.handler(request)
        own = identify_submission(visitor.session_key, request.url.path, await read_form(request))
        return await self._submissions.answer_once(own, endpoint.handler, request)

    async def _refuse(self, request: Request, verdict: Verdict) -> Response:
        if verdict is Verdict.HIDDEN:
            raise HTTPException(404)
        if verdict is Verdict.FORBIDDEN:
            return refuse_visitor(request)
        return refuse_stranger(request, has_link=await asyncio.to_thread(self._lookup.may_use_link))

    async def _redeem(self, request: Request, token: str) -> Response:
        may_use_link = await asyncio.to_thread(self._lookup.may_use_link)
        if not may_use_link or not self._link.redeem(token):
            visitor = await asyncio.to_thread(self._lookup.find, request)
            return see_other("/") if visitor.is_signed_in else refuse_link(request, may_use_link)
        secret = await asyncio.to_thread(begin_session, self._service, "", address_of(request))
        response = see_other("/")
        self._access.cookie.put(request, response, secret)
        return response

    def _collection_of(self, endpoint: Endpoint, request: Request) -> str | None:
        """The collection that a request is about: None where it is about none, empty where that is not there."""
        if endpoint.permission in (Permission.ANYONE, Permission.SIGNED_IN):
            return None
        try:
            if endpoint.collection_of is not None:
                return endpoint.collection_of(request)
            if "collection" in request.path_params:
                return str(request.path_params["collection"])
            if "job" in request.path_params:
                return self._service.jobs.get(request.path_params["job"]).order.collection
        except UsageError:
            return ""
        return None


async def _has_form_token(endpoint: Endpoint, request: Request, visitor: Visitor) -> bool:
    """Whether the token of the visitor's session was sent along; who has no session has none to be misused."""
    if endpoint.permission is Permission.ANYONE:
        return True
    sent = request.headers.get("x-csrf-token", "")
    if not sent and endpoint.is_form:
        sent = text_of(await read_form(request), "csrf_token")
    return bool(visitor.csrf_token) and is_same_secret(sent, visitor.csrf_token)
