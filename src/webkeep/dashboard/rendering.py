"""Answers: pages out of templates, redirects after forms, streams of events.

Whatever is put into a template is escaped, characters that hide something or turn text around too; a name that a
template asks for and nobody gave is an error.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from webkeep.dashboard.navigation import NavigationEntry, list_navigation
from webkeep.dashboard.page_context import Visitor, page_of
from webkeep.model import Moment
from webkeep.presentation import (
    describe_failure,
    escape_controls_in_lines,
    format_count,
    format_duration,
    format_elapsed,
    format_moment,
    format_share,
    format_size,
)
from webkeep.service.accounts import Permission

_SUBMISSION_BYTES = 12
"""Of chance in the id of a form: no two forms ever shown have the same."""


def _show_hidden(value: object) -> object:
    """What is put into a template, with nothing hidden in it that could turn the text around it."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return escape_controls_in_lines(value.replace("\r\n", "\n"))


@cache
def template_environment() -> jinja2.Environment:
    """The templates and what they may use."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        finalize=_show_hidden,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "moment": _write_moment,
        "size": format_size,
        "share": format_share,
        "duration": format_duration,
        "counted": format_count,
        "micros_moment": _format_micros,
        "elapsed": format_elapsed,
        "failure": describe_failure,
        "time_of_day": _time_of_day,
    }
    environment.globals["Permission"] = Permission
    environment.tests["is_entry_here"] = NavigationEntry.is_here
    return environment


def _write_moment(moment: Moment | None) -> Markup:
    """A moment that says in which zone it is told, since people sit in others."""
    if moment is None:
        return Markup("")
    return Markup('<time datetime="{}">{} UTC</time>').format(moment.iso(), format_moment(moment))


def _format_micros(micros: int) -> Markup:
    return _write_moment(Moment(micros))


def _time_of_day(text: str) -> str:
    """The time of an ISO 8601 moment, to the second."""
    return text.partition("T")[2][:8]


def render(request: Request, template: str, status: int = 200, /, **values: object) -> HTMLResponse:
    """A page; `status` is that of the answer."""
    page = page_of(request) if hasattr(request.state, "page") else None
    visitor = page.visitor if page else Visitor()
    has_visitors = page is not None and page.service.settings.visitors is not None
    text = (
        template_environment()
        .get_template(template)
        .render(
            visitor=visitor,
            navigation=list_navigation(visitor, has_visitors),
            here=request.url.path,
            submission=secrets.token_urlsafe(_SUBMISSION_BYTES),
            **values,
        )
    )
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def see_other(path: str) -> RedirectResponse:
    """Where to look after a form was sent."""
    return RedirectResponse(path, 303)


def sse_response(events: AsyncIterator[str]) -> Response:
    """A stream of server-sent events; each is a line of JSON or markup without line ends."""

    async def write() -> AsyncIterator[bytes]:
        async for event in events:
            yield f"data: {event}\n\n".encode()

    return StreamingResponse(write(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})
