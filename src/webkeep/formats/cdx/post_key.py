"""Index keys for requests with a body: POST and PUT spelled as a query (`__wb_method`) as cdxj-indexer and pywb spell
them; how forms, multipart, JSON and binary bodies are written, and where they are cut off.

The query is appended to the URL before its sort key is made, so that two POST requests to one address with different
bodies are two entries. The spelling is that of `cdxj-indexer --post-append`, which writes JSON values as Python does
(`True`, `None`, `44.0`) where the published guideline asks for JavaScript's. AMF bodies, which it takes apart, are
spelled as binary here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote_plus, unquote_plus, urlencode

from webkeep.formats.http.multipart_form import parse_multipart_form

MAX_SPELLED_BODY_BYTES = 8 << 20
"""A longer body is spelled as binary, whatever its type says."""

UNSTATED_LENGTH_BYTES = 8192
"""How much of a body counts when its request has no Content-Length."""

_MAX_QUERY_CHARS = 4096
"""Longer ones are cut off, as cdxj-indexer cuts them: keys stay of a bounded length."""


def post_query(method: str, content_type: str, body: bytes) -> str:
    """What is appended to a URL after `?` or `&`; "" for a request whose method has no body to tell apart."""
    name = method.upper()
    if name not in ("POST", "PUT"):
        return ""
    spelled = spell_body(content_type, body)
    return f"__wb_method={name}&{spelled}" if spelled else f"__wb_method={name}"


def spell_body(content_type: str, body: bytes) -> str:
    """The body alone, spelled as a query of a bounded length; what indexes carry as `requestBody`."""
    return _speller_for(content_type if len(body) <= MAX_SPELLED_BODY_BYTES else "")(content_type, body)[
        :_MAX_QUERY_CHARS
    ]


def append_query(url: str, query: str) -> str:
    """The URL whose sort key is that of the request."""
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def _speller_for(content_type: str) -> Callable[[str, bytes], str]:
    for prefix, spelling in _SPELLERS.items():
        if content_type.startswith(prefix):
            return spelling
    return _spell_binary


def _spell_binary(_content_type: str, body: bytes) -> str:
    # Base64 makes four characters of three bytes: no more of them can show.
    return "__wb_post_data=" + base64.b64encode(body[:_MAX_QUERY_CHARS]).decode()


def _spell_urlencoded(content_type: str, body: bytes) -> str:
    try:
        return unquote_plus(body.decode("utf-8"))
    except UnicodeDecodeError:
        return _spell_binary(content_type, body)


def _spell_multipart(content_type: str, body: bytes) -> str:
    fields = parse_multipart_form(content_type, body)
    if fields is None:
        return _spell_binary(content_type, body)
    return "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in fields)


def _spell_json(_content_type: str, body: bytes) -> str:
    return _flatten_json(body) or ""


def _spell_text(content_type: str, body: bytes) -> str:
    flattened = _flatten_json(body)
    return _spell_binary(content_type, body) if flattened is None else flattened


def _flatten_json(body: bytes) -> str | None:
    """The leaves of one JSON value, or of one to a line, as a query; None where there is no such thing."""
    leaves = _Leaves()
    try:
        for value in _parse_json_values(body):
            leaves.add("", value)
        return urlencode(leaves.named)
    except (ValueError, RecursionError):
        return None


def _parse_json_values(body: bytes) -> list[object]:
    try:
        return [json.loads(body)]
    except json.JSONDecodeError:
        if b"\n" not in body:
            raise
        return [json.loads(line) for line in body.split(b"\n")]


class _Leaves:
    """Values by name; a name that comes again is numbered (`name.2_`)."""

    def __init__(self) -> None:
        self.named: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def add(self, name: str, value: object) -> None:
        """Take a value and all that is in it."""
        if isinstance(value, dict):
            for inner, item in value.items():
                self.add(inner, item)
        elif isinstance(value, list):
            for item in value:
                self.add(name, item)
        elif name:
            self.named[self._unused_name(name)] = str(value)

    def _unused_name(self, name: str) -> str:
        if name not in self.named:
            return name
        self._counts[name] = self._counts.get(name, 1) + 1
        return f"{name}.{self._counts[name]}_"


_SPELLERS: dict[str, Callable[[str, bytes], str]] = {
    "application/x-www-form-urlencoded": _spell_urlencoded,
    "multipart/": _spell_multipart,
    "application/json": _spell_json,
    "text/plain": _spell_text,
}
