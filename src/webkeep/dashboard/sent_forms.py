"""Forms as they are sent: bounded, read once, and done once however often they are sent.

A form carries an id that was made when it was shown. Who sends it twice, by a second click or by going back, is led to
where the first one led, or shown what was shown then, and nothing is done again. One in which something else stands by
now is another form.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Message

from webkeep.errors import UsageError
from webkeep.formats.status import is_error, is_redirection

MAX_FORM_BYTES = 1 << 20
"""Of a form without files: what people type is shorter."""
_MAX_FORM_SECONDS = 120.0
"""So long a form without large files may take to come, however often a little of it does."""
_MAX_STALL_SECONDS = 60.0
"""So long nothing may come of what is being sent."""
_MAX_FIELDS = 500
"""Of one form: more options than there are."""
_MAX_REMEMBERED_FORMS = 10_000
"""Forms that are remembered to have been sent; whoever goes back further sees what they did."""
_MAX_REMEMBERED_PAGES = 100
"""Of those, such as led to no other page: what they were answered by, a password that is shown once, is kept whole."""


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
    """The same request, of which no more than so much is read, and for no longer than it takes to come."""
    left = max_bytes
    loop = asyncio.get_running_loop()
    latest = loop.time() + _MAX_FORM_SECONDS if max_bytes <= MAX_FORM_BYTES else math.inf

    async def receive() -> Message:
        nonlocal left
        try:
            async with asyncio.timeout(min(_MAX_STALL_SECONDS, latest - loop.time())):
                message = await request.receive()
        except TimeoutError as error:
            raise UsageError("what was announced did not come; send it again") from error
        left -= len(message.get("body", b""))
        if left < 0:
            raise UsageError(f"more was sent than the {max_bytes:,} bytes that are read here; send less")
        return message

    return Request(request.scope, receive)


def identify_submission(visitor: str, path: str, form: FormData) -> str:
    """What one sending of a form is known by: who sends it where, its id, and all it says; empty where it has no id."""
    if not (submission := text_of(form, "submission")):
        return ""
    said = [(name, (each.filename, each.size) if isinstance(each, UploadFile) else each)
            for name, each in form.multi_items()]  # fmt: skip
    return hashlib.sha256(repr((visitor, path, submission, said)).encode("utf-8", "surrogatepass")).hexdigest()


class SubmissionLog:
    """Forms that were sent, and what each was answered by."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, asyncio.Future[Response | None]] = OrderedDict()
        self._pages: deque[str] = deque()

    async def answer_once(
        self, submission: str, handle: Callable[[Request], Awaitable[Response]], request: Request
    ) -> Response:
        """What a form is answered by: done the first time, remembered after that; a refused one may be sent again."""
        if not submission:
            return await handle(request)
        while (known := self._answers.get(submission)) is not None:
            answer = await asyncio.shield(known)
            if answer is not None:
                return answer
        future = self._answers[submission] = asyncio.get_running_loop().create_future()
        while len(self._answers) > _MAX_REMEMBERED_FORMS:
            self._answers.popitem(last=False)
        kept = None
        try:
            response = await handle(request)
            kept = self._keep(submission, response)
        finally:
            future.set_result(kept)
            if kept is None and self._answers.get(submission) is future:
                del self._answers[submission]
        return response

    def _keep(self, submission: str, response: Response) -> Response | None:
        """What is answered from now on; None for what was refused, and for files, which are made anew."""
        location = response.headers.get("location", "") if is_redirection(response.status_code) else ""
        if location:
            return RedirectResponse(location, 303)
        if is_error(response.status_code) or not hasattr(response, "body"):
            return None
        self._pages.append(submission)
        while len(self._pages) > _MAX_REMEMBERED_PAGES:
            self._answers.pop(self._pages.popleft(), None)
        return response
