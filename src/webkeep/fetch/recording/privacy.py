"""What is kept out of records by default: credentials, cookies, and passwords in forms.

What passes is never touched. A value that is left out reads `[redacted]` in the record, so that everyone can see that
something was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.fetch.recording.secrets import REDACTED, Found, Secrets
from webkeep.formats.chunked import dechunked
from webkeep.formats.codings import decoded
from webkeep.formats.content_type import media_type
from webkeep.formats.http1 import parse_request, parse_response
from webkeep.model import Body, BytesBody, Exchange, Headers

DEFAULT_RULES = (
    *(f"header:{name}" for name in ("authorization", "proxy-authorization", "cookie", "set-cookie")),
    *(f"header:{name}" for name in ("x-api-key", "x-auth-token")),
    *(f"field:{name}" for name in ("*passw*", "*passphrase*", "*pwd*", "*secret*", "pass", "pin", "otp", "cvv", "cvc")),
    *(f"field:{name}" for name in ("*token*", "*api_key*", "*apikey*", "*api-key*")),
)
"""What is redacted unless a person says otherwise."""

_KINDS = ("header", "field", "answer", "frame")
_IN_URL = "redacted"
_LONGEST = 8 << 20
_PAIR = re.compile(r"(?<=[?&])([^=&#]*)=([^&#]*)")
_LENGTH = re.compile(rb"^(?:content-length|transfer-encoding)[ \t]*:[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_CODINGS = re.compile(
    rb"^(?:content-length|transfer-encoding|content-encoding)[ \t]*:[^\r\n]*\r?\n", re.IGNORECASE | re.MULTILINE
)
_URLENCODED, _IN_PARTS = "application/x-www-form-urlencoded", "multipart/form-data"
_PAGES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Privacy:
    """Rules that say which headers, and which named values in bodies, are redacted."""

    rules: tuple[str, ...] = DEFAULT_RULES
    _headers: re.Pattern[bytes] | None = field(init=False, repr=False, compare=False)
    _fields: Secrets | None = field(init=False, repr=False, compare=False)
    _answers: Secrets | None = field(init=False, repr=False, compare=False)
    _frames: Secrets | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for rule in self.rules:
            kind, name = checked(rule).split(":", 1)
            named[kind].append(name)
        line = rf"(\n(?:{'|'.join(map(re.escape, named['header']))})[ \t]*:[ \t]*)[^\r\n]*"
        compiled = re.compile(line.encode(), re.IGNORECASE) if named["header"] else None
        object.__setattr__(self, "_headers", compiled)
        for kind in ("field", "answer", "frame"):
            object.__setattr__(self, f"_{kind}s", Secrets(named[kind]) if named[kind] else None)

    def cleaned(self, exchange: Exchange) -> tuple[Exchange, int]:
        """The exchange as it is recorded, and how many values were left out."""
        request, count = self._head(exchange.request)
        response, more = self._head(exchange.response)
        count += more
        asked, body = exchange.request_body, exchange.body
        if self._fields is not None:
            if asked.size:
                request, asked, more = _form(self._fields, request, asked)
                count += more
            url, more = self.cleaned_url(exchange.url)
            if more:
                request = _with_target(request, exchange.url, url)
                exchange, count = replace(exchange, url=url), count + more
            exchange = replace(exchange, via=self.cleaned_url(exchange.via)[0]) if "=" in exchange.via else exchange
        if self._answers is not None and body.size:
            response, body, more = _answer(self._answers, response, body)
            count += more
        if not count:
            return exchange, 0
        return replace(exchange, request=request, response=response, request_body=asked, body=body), count

    def cleaned_url(self, url: str) -> tuple[str, int]:
        """A URL without the secrets of a form that was sent by it."""
        secrets = self._fields
        if "?" not in url or secrets is None:
            return url, 0
        count = 0

        def told(match: re.Match[str]) -> str:
            nonlocal count
            if not match[2] or not secrets.names(match[1]):
                return match[0]
            count += 1
            return f"{match[1]}={_IN_URL}"

        return _PAIR.sub(told, url), count

    def cleaned_frame(self, payload: bytes, is_packed: bool) -> Found:
        """A WebSocket's text without its secrets; what an extension packed cannot be searched, and is left out."""
        if self._frames is None or not payload:
            return payload, 0
        if is_packed:
            return REDACTED, 1
        text, count = self._frames.in_json(payload)
        if not count and b"=" in text:
            return self._frames.in_form(text)
        return text, count

    def _head(self, head: bytes) -> Found:
        if self._headers is None or self._headers.search(head) is None:
            return head, 0
        return self._headers.subn(rb"\1" + REDACTED, head)


def _form(secrets: Secrets, head: bytes, body: Body) -> tuple[bytes, Body, int]:
    """Head and body of a request without the secrets of its form."""
    headers = parse_request(head).headers
    kind = media_type(headers)
    if kind not in (_URLENCODED, _IN_PARTS) and not kind.endswith("json"):
        return head, body, 0
    if body.size > _LONGEST:
        return _with_length(head, len(REDACTED)), BytesBody(REDACTED), 1
    data = b"".join(body.chunks())
    if "chunked" in headers.get("transfer-encoding").lower():
        data = b"".join(dechunked([data], _untold))
    if kind == _IN_PARTS:
        redacted, count = secrets.in_parts(data, headers.get("content-type"))
    else:
        redacted, count = secrets.in_json(data) if kind.endswith("json") else secrets.in_form(data)
    return (_with_length(head, len(redacted)), BytesBody(redacted), count) if count else (head, body, 0)


def _answer(secrets: Secrets, head: bytes, body: Body) -> tuple[bytes, Body, int]:
    """Head and body of an answer without its secrets; it has no codings then."""
    headers = parse_response(head).headers
    kind = media_type(headers)
    if not (kind.startswith("text/") or kind.endswith(("json", "script", "xml")) or kind == _URLENCODED):
        return head, body, 0
    redacted, count = _searched(secrets, kind, headers, body)
    if not count:
        return head, body, 0
    plain = _CODINGS.sub(b"", head).removesuffix(b"\r\n")
    return plain + b"Content-Length: %d\r\n\r\n" % len(redacted), BytesBody(redacted), count


def _searched(secrets: Secrets, kind: str, headers: Headers, body: Body) -> Found:
    data = b"".join(decoded(headers, body.chunks(), _LONGEST + 1))
    if len(data) > _LONGEST:
        return REDACTED, 1
    if kind == _URLENCODED:
        return secrets.in_form(data)
    redacted, count = secrets.in_json(data)
    if kind in _PAGES:
        redacted, more = secrets.in_page(redacted)
        count += more
    return redacted, count


@lru_cache(256)
def checked(rule: str) -> str:
    """A rule of redaction, made sure of."""
    kind, colon, name = rule.strip().lower().partition(":")
    if kind not in _KINDS or not colon or not name.strip():
        advice = "write header:x-api-key, field:*secret*, answer:token or frame:token"
        raise UsageError(f"not a rule of redaction: {rule!r}; {advice}")
    return f"{kind}:{name.strip()}"


def changed(added: Iterable[str], kept: Iterable[str]) -> Privacy:
    """The default rules with some added, and without those whose values are to be kept."""
    out = {checked(rule) for rule in kept}
    rules = [*DEFAULT_RULES, *map(checked, added)]
    return Privacy(tuple(rule for rule in dict.fromkeys(rules) if rule not in out))


def _untold(_code: str, _message: str) -> None:
    """Flaws in a body's framing are no matter here."""


def _with_length(head: bytes, length: int) -> bytes:
    return _LENGTH.sub(b"Content-Length: %d" % length, head, count=1)


def _with_target(head: bytes, url: str, cleaned: str) -> bytes:
    """The same change in the request's line, which has the URL from its path on."""
    path = url.partition("://")[2].partition("/")[2].encode("latin-1", "replace")
    new = cleaned.partition("://")[2].partition("/")[2].encode("latin-1", "replace")
    return head.replace(path, new, 1)
