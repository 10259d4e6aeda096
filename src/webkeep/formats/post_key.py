"""Index keys for requests with a body: method and body spelled as a query, as cdxj-indexer and pywb spell them.

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

from webkeep.formats.form_data import form_fields

BODY_LIMIT = 8 << 20
"""A longer body is spelled as binary, whatever its type says."""

UNTOLD_LENGTH = 8192
"""How much of a body counts when its request has no Content-Length."""

_LONGEST_QUERY = 4096


def post_query(method: str, content_type: str, body: bytes) -> str:
    """What is appended to a URL after `?` or `&`; "" for a request whose method has no body to tell apart."""
    name = method.upper()
    if name not in ("POST", "PUT"):
        return ""
    spelled = body_query(content_type, body)
    return f"__wb_method={name}&{spelled}" if spelled else f"__wb_method={name}"


def body_query(content_type: str, body: bytes) -> str:
    """The body alone, spelled as a query of a bounded length; what indexes carry as `requestBody`."""
    return _spelling(content_type if len(body) <= BODY_LIMIT else "")(content_type, body)[:_LONGEST_QUERY]


def with_query(url: str, query: str) -> str:
    """The URL whose sort key is that of the request."""
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url


def _spelling(content_type: str) -> Callable[[str, bytes], str]:
    for prefix, spelling in _SPELLINGS.items():
        if content_type.startswith(prefix):
            return spelling
    return _binary


def _binary(_content_type: str, body: bytes) -> str:
    # Base64 makes four characters of three bytes: no more of them can show.
    return "__wb_post_data=" + base64.b64encode(body[:_LONGEST_QUERY]).decode()


def _urlencoded(content_type: str, body: bytes) -> str:
    try:
        return unquote_plus(body.decode("utf-8"))
    except UnicodeDecodeError:
        return _binary(content_type, body)


def _multipart(content_type: str, body: bytes) -> str:
    fields = form_fields(content_type, body)
    if fields is None:
        return _binary(content_type, body)
    return "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in fields)


def _json(_content_type: str, body: bytes) -> str:
    return _flattened(body) or ""


def _text(content_type: str, body: bytes) -> str:
    flattened = _flattened(body)
    return _binary(content_type, body) if flattened is None else flattened


def _flattened(body: bytes) -> str | None:
    """The leaves of one JSON value, or of one to a line, as a query; None where there is no such thing."""
    leaves = _Leaves()
    try:
        for value in _json_values(body):
            leaves.take("", value)
        return urlencode(leaves.named)
    except (ValueError, RecursionError):
        return None


def _json_values(body: bytes) -> list[object]:
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

    def take(self, name: str, value: object) -> None:
        """Take a value and all that is in it."""
        if isinstance(value, dict):
            for inner, item in value.items():
                self.take(inner, item)
        elif isinstance(value, list):
            for item in value:
                self.take(name, item)
        elif name:
            self.named[self._unused(name)] = str(value)

    def _unused(self, name: str) -> str:
        if name not in self.named:
            return name
        self._counts[name] = self._counts.get(name, 1) + 1
        return f"{name}.{self._counts[name]}_"


_SPELLINGS: dict[str, Callable[[str, bytes], str]] = {
    "application/x-www-form-urlencoded": _urlencoded,
    "multipart/": _multipart,
    "application/json": _json,
    "text/plain": _text,
}
