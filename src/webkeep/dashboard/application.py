"""The web application of a service: the table of endpoints behind the gatekeeper, and what all answers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webkeep.dashboard.access.access_settings import AccessSettings
from webkeep.dashboard.access.entry_link import EntryLink
from webkeep.dashboard.access.gatekeeper import Gatekeeper
from webkeep.dashboard.access.password_desk import PasswordDesk
from webkeep.dashboard.access.refusals import is_program, tell_error
from webkeep.dashboard.access.session_cookie import SessionCookie
from webkeep.dashboard.endpoint_table import ENDPOINTS, Endpoint
from webkeep.dashboard.host_check import HostCheck
from webkeep.dashboard.pages.public_collections import EMBED_POLICY
from webkeep.dashboard.rendering import render
from webkeep.errors import UsageError, WebkeepError
from webkeep.formats.status import reason_phrase
from webkeep.service.accounts import AccountPasswords
from webkeep.service.run import Service

_SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer says where its handler says nothing else: nothing from outside, no frames, nothing kept."""
_HTTP_ERRORS = {
    404: ("There is nothing here", "there is nothing here, or nothing that you may know of"),
    405: ("That cannot be done here", "there is no such method here; look at /api"),
}
"""What people and programs are told."""
_FORBIDDEN = 403
_NO_DETAIL = reason_phrase(_FORBIDDEN)
"""What is said where who refused says nothing."""
_FAILURE = "this is a mistake in the service itself; what it prints says more"


@dataclass(frozen=True, slots=True)
class ServiceApplication:
    """The application, and the path by which whoever started the service comes in."""

    asgi: ASGIApp
    entry_path: str


def build_application(
    service: Service,
    tell_link: Callable[[str], None],
    passwords: AccountPasswords | None = None,
    endpoints: Sequence[Endpoint] = ENDPOINTS,
) -> ServiceApplication:
    """The application of a service; further links are told as they are made."""
    place = service.settings.place
    link = EntryLink(tell_link)
    access = AccessSettings(SessionCookie(place.is_secure), PasswordDesk(passwords), place.is_exposed)
    gatekeeper = Gatekeeper(service, link, access)
    routes = [Route(each.path, gatekeeper.guard(each), methods=list(each.methods)) for each in endpoints]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(HostCheck, names=place.names), Middleware(SecurityHeaders)],
        exception_handlers={HTTPException: _show_http_error, WebkeepError: _show_error, Exception: _show_failure},
    )
    has_accounts = place.is_exposed or service.accounts.has_accounts()
    return ServiceApplication(app, "/" if has_accounts else link.path)


class SecurityHeaders:
    """An application whose answers say what browsers may do with them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if headers["content-security-policy"] == EMBED_POLICY:
                    del headers["x-frame-options"]
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _show_http_error(request: Request, error: Exception) -> Response:
    status, headers = (error.status_code, error.headers) if isinstance(error, HTTPException) else (500, None)
    heading, line = _HTTP_ERRORS.get(status, ("That did not work", ""))
    if is_program(request):
        return tell_error(line or str(getattr(error, "detail", "")) or heading, status, headers)
    said = str(error.detail) if isinstance(error, HTTPException) and status == _FORBIDDEN else ""
    text = said if said and said != _NO_DETAIL else "Go back, or begin at the start page."
    response = render(request, "message.html", status, heading=heading, text=text)
    response.headers.update(headers or {})
    return response


async def _show_error(request: Request, error: Exception) -> Response:
    status = 400 if isinstance(error, UsageError) else 503
    if is_program(request):
        return tell_error(str(error), status)
    return render(request, "message.html", status, heading="That did not work", text=str(error))


async def _show_failure(request: Request, _: Exception) -> Response:
    if is_program(request):
        return tell_error(_FAILURE, 500)
    return render(request, "message.html", 500, heading="That did not work", text=_FAILURE)
