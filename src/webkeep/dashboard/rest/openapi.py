"""The description of the API in OpenAPI 3.1, made of the table of calls and the types of what they take and tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webkeep.dashboard.rendering import render
from webkeep.dashboard.rest.api_call import JSON_TYPE, UPLOAD_TYPE, ApiCall
from webkeep.dashboard.rest.api_table import API_CALLS
from webkeep.dashboard.rest.typed_json import describe_typed, list_typed_fields
from webkeep.formats.status import NO_CONTENT
from webkeep.service.accounts import Permission
from webkeep.version import __version__

_PARAMETER = re.compile(r"\{(\w+)\}")
_FAULTS = {
    400: "what was sent cannot be done; error says why",
    401: "no token that holds, and no session",
    403: "not allowed to this account or token, or the token of the session is missing",
    404: "not there, or nothing that one may know of",
    405: "there is no such method here",
    415: "what was sent is not JSON",
    503: "the service is in trouble; error says why, and it may pass",
}
_ABOUT = (
    "What the pages of the service can do, for programs. Show an API token, made on the page of your account: "
    "`Authorization: Bearer webkeep_…`. A token has a scope (read, curate, administer) and may be good for one "
    "collection alone. A session of a browser is taken as well; then `X-CSRF-Token` says the token of its forms. "
    "Lists come in pieces: hand `next` back as `cursor` until it is null. Ids stay what they are. "
    'Whatever is refused is told as `{"error": "one line"}`.'
)
_WHO = {
    Permission.ANYONE: "Anybody may.",
    Permission.SIGNED_IN: "Whoever is signed in may; lists have what one may read.",
    Permission.READ: "Whoever may read the collection may.",
    Permission.CURATE: "Whoever may curate the collection may.",
    Permission.ADMINISTER: "Administrators may.",
}
_FILE_FORM: dict[str, Any] = {
    "type": "object",
    "description": "A form with a file, as browsers send it.",
    "properties": {
        "file": {"type": "string", "contentMediaType": "application/octet-stream", "description": "WARC, ARC or WACZ"},
        "collection": {"type": "string", "description": "made where it is not there; main where nothing is said"},
    },
    "required": ["file"],
}
"""What a call takes that takes a file."""


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """Why something was refused or failed."""

    error: Annotated[str, "one line: what, where, what to do"]


async def answer_description(_: Request) -> Response:
    """The description for programs."""
    return JSONResponse(describe_api())


async def show_api(request: Request) -> Response:
    """The description for people."""
    description = describe_api()
    rows = [(call, _WHO[call.permission], _fields_of(call)) for call in API_CALLS]
    return render(request, "api.html", rows=rows, about=description["info"]["description"])


def _fields_of(call: ApiCall) -> list[tuple[str, str, bool]]:
    """What a call takes beside its path: name, what is said of it, and whether it must be there."""
    kinds = [kind for kind in (call.query, call.body) if kind is not None]
    return [
        (name, describe_typed(annotation, {}).get("description", ""), is_required)
        for kind in kinds
        for name, annotation, is_required in list_typed_fields(kind)
    ]


@cache
def describe_api(calls: Sequence[ApiCall] = API_CALLS) -> dict[str, Any]:
    """The description as a value."""
    named: dict[str, Any] = {}
    describe_typed(ErrorAnswer, named)
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        paths.setdefault(call.full_path, {})[call.method.lower()] = _describe_call(call, named)
    return {
        "openapi": "3.1.0",
        "info": {"title": "webkeep service", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {"session": [], "csrf": []}],
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "webkeep-8060"},
                "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRF-Token"},
            },
        },
    }


def _describe_call(call: ApiCall, named: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": _operation_id(call),
        "summary": call.summary,
        "description": _WHO[call.permission] + (" With a session, not a token." if call.needs_session else ""),
        "parameters": _describe_parameters(call, named),
        "responses": {str(call.status): _describe_answer(call, named), **_describe_faults()},
    }
    if call.permission is Permission.ANYONE:
        described["security"] = [{}]
    elif call.needs_session:
        described["security"] = [{"session": [], "csrf": []}]
    if call.takes_file:
        described["requestBody"] = {"required": True, "content": {UPLOAD_TYPE: {"schema": _FILE_FORM}}}
    elif call.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {JSON_TYPE: {"schema": describe_typed(call.body, named)}},
        }
    return described


def _operation_id(call: ApiCall) -> str:
    words = _PARAMETER.sub(r"by-\1", call.path).strip("/").replace("/", "-").replace(".", "-")
    return f"{call.method.lower()}-{words}"


def _describe_parameters(call: ApiCall, named: dict[str, Any]) -> list[dict[str, Any]]:
    described: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PARAMETER.findall(call.path)
    ]
    for name, annotation, is_required in list_typed_fields(call.query) if call.query else ():
        schema = describe_typed(annotation, named)
        described.append({"name": name, "in": "query", "required": is_required, "schema": schema})
    return described


def _describe_answer(call: ApiCall, named: dict[str, Any]) -> dict[str, Any]:
    if call.status == NO_CONTENT:
        return {"description": "It is done."}
    schema = describe_typed(call.answer, named) if call.answer else {}
    said = "The file." if call.file is not None else "As asked."
    return {"description": said, "content": {call.media_type: {"schema": schema}}}


def _describe_faults() -> dict[str, Any]:
    content = {JSON_TYPE: {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}}
    return {str(status): {"description": said, "content": content} for status, said in _FAULTS.items()}
