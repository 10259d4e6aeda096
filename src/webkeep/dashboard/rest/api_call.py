"""One call of the API: its method and path, who may, what it takes and tells as typed values, and what does it.

Theory of operation. What a page changes, the API changes by the same handler: the fields of the page's form are the
fields of a JSON object, they are handed to the handler as the form they stand for, and where the handler leads a
browser to a page, a program is told the value behind that page. So nothing can be allowed here that is refused there.
What no page has (a list in pieces, several seeds at once) is a plain function. The table of calls
(`api_table.py`) makes the endpoints, the checks of what is sent, and the description.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import compile_path

from webkeep.dashboard.page_context import PageContext, noted_outcome, page_of
from webkeep.dashboard.rest.typed_json import read_typed, read_words, write_typed
from webkeep.dashboard.sent_forms import MAX_FORM_BYTES
from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.formats.status import NO_CONTENT, OK, is_error
from webkeep.service.accounts import Permission

API_PREFIX = "/api/v1"
"""Before the path of every call; what changes so that programs would notice gets another number."""
JSON_TYPE, UPLOAD_TYPE = "application/json", "multipart/form-data"
_LINE_ENDS = re.compile(r"[\r\n]")

PageHandler: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """What the function behind a call works with."""

    page: PageContext
    path: Mapping[str, str]
    """The parameters of the path."""
    query: Any = None
    """The query as the call's own type has it."""


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call."""

    method: str
    path: str
    """Behind the prefix, with parameters: /jobs/{job}."""
    permission: Permission
    summary: str
    """What it does, in a line."""
    answer: type | None = None
    """What it tells; None for nothing, or for a file."""
    read: Callable[[ApiRequest], Any] | None = None
    """Gives the answer: of a call that changes something, once that is done. It is called in a thread."""
    query: type | None = None
    body: type | None = None
    form: PageHandler | None = None
    """The handler of the page whose form does the same; it is handed what was sent as that form."""
    leads_to: str = ""
    """The path of the page that the handler leads to, whose parameters say what was made or changed."""
    known: Callable[[ApiRequest], Mapping[str, object]] | None = None
    """What the form says for fields that were not sent, where it is about something that is there."""
    change: Callable[[ApiRequest, Any], Any] | None = None
    """Does what no page's form does; gives the answer. It is called in a thread."""
    file: PageHandler | None = None
    """The handler whose answer is passed on as it is."""
    media_type: str = JSON_TYPE
    """Of the answer."""
    takes_file: bool = False
    """Whether it takes a form with a file, as browsers send it, in place of JSON."""
    pages: tuple[PageHandler, ...] = ()
    """Handlers of pages that show or do the same, beside the one of the form."""
    collection_of: Callable[[Request], str] | None = None
    needs_session: bool = False
    """Whether a person has to be logged in: for passwords and tokens."""
    max_body_bytes: int = MAX_FORM_BYTES

    @property
    def full_path(self) -> str:
        """The path with its prefix."""
        return API_PREFIX + self.path

    @property
    def is_change(self) -> bool:
        """Whether it may change something."""
        return self.method != "GET"

    @property
    def status(self) -> int:
        """Of an answer that is as it should be."""
        if self.is_change and self.answer is None and self.file is None:
            return NO_CONTENT
        return 201 if self.makes_something else OK

    @property
    def makes_something(self) -> bool:
        """Whether the page that its form leads to is that of a new thing, below its own path."""
        return self.method == "POST" and self.leads_to.startswith(self.path + "/{")

    def counterparts(self) -> tuple[PageHandler, ...]:
        """The handlers of pages that do or show what it does."""
        return (*self.pages, *(each for each in (self.form, self.file) if each is not None))


def build_call_handler(call: ApiCall) -> PageHandler:
    """What answers a call, once it was let in."""

    async def answer(request: Request) -> Response:
        if call.file is not None:
            return await call.file(request)
        asked = _read_request(call, request)
        if call.form is not None:
            return await _send_form(call, request, asked)
        if call.change is not None:
            body = await _read_body(call, request) if call.body else None
            return _answer(call, await asyncio.to_thread(call.change, asked, body))
        return _answer(call, await asyncio.to_thread(_require(call.read), asked))

    return answer


def _require(read: Callable[[ApiRequest], Any] | None) -> Callable[[ApiRequest], Any]:
    if read is None:
        raise TypeError("a call of the API has a form, a file, a change or something to read")
    return read


def _read_request(call: ApiCall, request: Request) -> ApiRequest:
    path = {name: str(value) for name, value in request.path_params.items()}
    if call.query is None:
        return ApiRequest(page_of(request), path)
    words = _words_of(request.query_params)
    return ApiRequest(page_of(request), path, read_words(call.query, words))


def _words_of(query: QueryParams) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for name, value in query.multi_items():
        words.setdefault(name, []).append(value)
    return words


async def _read_body(call: ApiCall, request: Request) -> Any:
    if call.body is None:
        return None
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    content = await request.body()
    if content and sent != JSON_TYPE:
        raise HTTPException(415, f"send JSON, and say so: Content-Type: {JSON_TYPE}")
    return read_typed(call.body, read_json(content) if content else {})


async def _send_form(call: ApiCall, request: Request, asked: ApiRequest) -> Response:
    if not call.takes_file:
        sent = await _read_body(call, request)
        known = await asyncio.to_thread(call.known, asked) if call.known else {}
        request.scope["state"]["form"] = FormData(_form_items(sent, known))
    done = await _require_form(call)(request)
    if is_error(done.status_code):
        raise HTTPException(done.status_code, "that did not work")
    response = await _tell_done(call, request, asked, done)
    for cookie in done.headers.getlist("set-cookie"):  # of a session that took the place of another
        response.headers.append("set-cookie", cookie)
    return response


async def _tell_done(call: ApiCall, request: Request, asked: ApiRequest, done: Response) -> Response:
    if (outcome := noted_outcome(request)) is not None:
        return _answer(call, outcome)
    if call.read is None:
        return _answer(call, None)
    found = _follow(call.leads_to, done.headers.get("location", "")) if call.leads_to else {}
    asked = replace(asked, path={**asked.path, **found})
    return _answer(call, await asyncio.to_thread(call.read, asked), done.headers.get("location", ""))


def _require_form(call: ApiCall) -> PageHandler:
    if call.form is None:
        raise TypeError("the call has no form")
    return call.form


def _follow(template: str, location: str) -> Mapping[str, str]:
    """What the path of a page says of the thing that is shown there."""
    found = compile_path(template)[0].match(location.partition("?")[0])
    if found is None:
        raise HTTPException(500, "it was done, and what came of it cannot be found; look at the lists")
    return found.groupdict()


def _form_items(sent: object, known: Mapping[str, object]) -> list[tuple[str, str | UploadFile]]:
    """The fields of a form as a browser would send them."""
    values = dict(known)
    for each in fields(sent) if sent is not None else ():  # type: ignore[arg-type]
        value = getattr(sent, each.name)
        if value is not None:
            values[each.name] = value
    return [(name, text) for name, value in values.items() for text in _field_texts(name, value)]


def _field_texts(name: str, value: object) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return ["yes"]
    if isinstance(value, list | tuple):
        lines = [str(write_typed(each)) for each in value]
        if any(_LINE_ENDS.search(line) for line in lines):
            raise UsageError(f"{name} has a line end within one of its values; leave it out")
        return ["\n".join(lines)]
    return [str(write_typed(value))]


def _answer(call: ApiCall, value: object, location: str = "") -> Response:
    if call.status == NO_CONTENT:
        return Response(status_code=NO_CONTENT)
    headers = {"location": API_PREFIX + location} if location and call.makes_something else {}
    return JSONResponse(write_typed(value), call.status, headers=headers)
