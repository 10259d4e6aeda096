"""Forms as they are sent: bounded, read once, and done once however often they are sent.

A form carries an id that was made when it was shown. Who sends it twice, by a second click or by going back, is led to
where the first one led, and nothing is done again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Message

from webkeep.errors import UsageError
from webkeep.formats.status import is_redirection

MAX_FORM_BYTES = 1 << 20
"""Of a form without files: what people type is shorter."""
_MAX_FIELDS = 500
"""Of one form: more options than there are."""
_MAX_REMEMBERED_FORMS = 10_000
"""Forms that are remembered to have been sent; whoever goes back further sees what they did."""


async def read_form(request: Request) -> FormData:
    """What a form says; it is read once for each request."""
    form: FormData | None = getattr(request.state, "form", None)
    if form is None:
        form = await request.form(max_files=1, max_fields=_MAX_FIELDS, max_part_size=MAX_FORM_BYTES)
        request.scope["state"]["form"] = form
    return form


def text_of(form: FormData, name: str, default: str = "") -> str:
    """What was typed into a field."""
    value = form.get(name, default)
    return value.strip() if isinstance(value, str) else default


def secret_of(form: FormData, name: str) -> str:
    """What was typed into a field for a password, with every space of it."""
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def bound_body(request: Request, max_bytes: int) -> Request:
    """The same request, of which no more than so much is read."""
    left = max_bytes

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise UsageError(f"more was sent than the {max_bytes:,} bytes that are read here; send less")
        return message

    return Request(request.scope, receive)


class SubmissionLog:
    """Forms that were sent, and where each led."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, asyncio.Future[str]] = OrderedDict()

    async def answer_once(
        self, submission: str, handle: Callable[[Request], Awaitable[Response]], request: Request
    ) -> Response:
        """What a form leads to: done the first time, remembered after that; one that was refused may be sent again."""
        if not submission:
            return await handle(request)
        if (known := self._answers.get(submission)) is not None:
            location = await asyncio.shield(known)
            if location:
                return RedirectResponse(location, 303)
        future = self._answers[submission] = asyncio.get_running_loop().create_future()
        while len(self._answers) > _MAX_REMEMBERED_FORMS:
            self._answers.popitem(last=False)
        location = ""
        try:
            response = await handle(request)
            location = response.headers.get("location", "") if is_redirection(response.status_code) else ""
        finally:
            future.set_result(location)
            if not location and self._answers.get(submission) is future:
                del self._answers[submission]
        return response
