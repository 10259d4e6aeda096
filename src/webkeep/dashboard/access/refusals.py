"""What those are told who are not let in: pages for people, a line of JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webkeep.dashboard.rendering import render, see_other

MAX_AIM_CHARS = 2000
"""Of where a login leads to."""
_API_PATH = "/api/"
_BEARER = {"www-authenticate": 'Bearer realm="webkeep"'}


def refuse_stranger(request: Request, has_link: bool) -> Response:
    """For whoever did not say who they are."""
    if is_program(request):
        return tell_error("show a token that holds, as Authorization: Bearer", 401, _BEARER)
    if has_link:
        return _message(request, 401, "Who is it?", "Open the link that webkeep service printed in its terminal.")
    if request.method in ("GET", "HEAD"):
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        # What is longer a login would not lead back to, and heads of answers must not be of any length.
        return see_other(f"/login?next={quote(here, safe='')}" if len(here) <= MAX_AIM_CHARS else "/login")
    return _message(request, 401, "Who is it?", "Log in, and send it once more.")


def refuse_visitor(request: Request) -> Response:
    """For one who may not do this."""
    if is_program(request):
        return tell_error("not allowed to this account and token", 403)
    return _message(request, 403, "Not allowed", "You may not do this here.")


def refuse_form(request: Request) -> Response:
    """For what was not sent from a page of this session."""
    if is_program(request):
        return tell_error("send the token of the session as X-CSRF-Token, or show an API token", 403)
    text = "Go back, load the page again, and send it once more."
    return _message(request, 403, "This form is out of date", text)


def refuse_link(request: Request, may_use_link: bool) -> Response:
    """For one who opens a link that does not let in."""
    if may_use_link:
        text = "The service prints a new one in its terminal each time."
        return _message(request, 403, "This link was used before", text)
    return _message(request, 403, "There are accounts here", "The link lets nobody in; log in by name and password.")


def tell_error(line: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """What programs are told of whatever is refused or failed: one line, in JSON."""
    return JSONResponse({"error": " ".join(line.split())}, status, headers=headers)


def is_program(request: Request) -> bool:
    """Whether what asks is told in JSON: it calls the API, or shows a token."""
    return request.url.path.startswith(_API_PATH) or "authorization" in request.headers


def _message(request: Request, status: int, heading: str, text: str) -> Response:
    return render(request, "message.html", status, heading=heading, text=text)
