"""What is kept out of records by default: credentials, cookies, and passwords in forms.

What passes is never touched. A value that is left out reads `[redacted]` in the record, so that everyone can see that
something was there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import translate
from functools import lru_cache

from webkeep.errors import UsageError
from webkeep.formats.chunked import dechunked
from webkeep.formats.http1 import RequestHead, parse_request
from webkeep.model import BytesBody, Exchange

DEFAULT_RULES = (
    *(f"header:{name}" for name in ("authorization", "proxy-authorization", "cookie", "set-cookie")),
    *(f"field:{name}" for name in ("*passw*", "*passphrase*", "*pwd*", "*secret*", "pass", "pin", "otp", "cvv", "cvc")),
)
"""What is redacted unless a person says otherwise."""

_REDACTED = b"[redacted]"
_IN_URL = "redacted"
_MOST_FORM = 8 << 20
_PAIR = re.compile(r"(?<=[?&])([^=&#]*)=([^&#]*)")
_FORM_PAIR = re.compile(rb"([^=&]*)=([^&]*)")
_JSON_PAIR = re.compile(rb'("((?:[^"\\]|\\.){1,100})"[ \t\r\n]*:[ \t\r\n]*)("(?:[^"\\]|\\.)*"|[-0-9.eE+]+)')
_PART_NAME = re.compile(rb'\bname="?([^";\r\n]*)', re.IGNORECASE)
_BOUNDARY = re.compile(r'\bboundary="?([^";]{1,200})', re.IGNORECASE)
_LENGTH = re.compile(rb"^(?:content-length|transfer-encoding)[ \t]*:[^\r\n]*", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Privacy:
    """Rules that say which headers and form fields are redacted."""

    rules: tuple[str, ...] = DEFAULT_RULES
    _headers: re.Pattern[bytes] | None = field(init=False, repr=False, compare=False)
    _fields: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        split = [checked(rule).split(":", 1) for rule in self.rules]
        headers = [re.escape(name) for kind, name in split if kind == "header"]
        fields = [translate(name) for kind, name in split if kind == "field"]
        line = rf"^((?:{'|'.join(headers)})[ \t]*:[ \t]*)[^\r\n]*"
        compiled = re.compile(line.encode(), re.IGNORECASE | re.MULTILINE) if headers else None
        object.__setattr__(self, "_headers", compiled)
        object.__setattr__(self, "_fields", re.compile("|".join(fields), re.IGNORECASE) if fields else None)

    def cleaned(self, exchange: Exchange) -> tuple[Exchange, int]:
        """The exchange as it is recorded, and how many values were left out."""
        request, count = self._head(exchange.request)
        response, more = self._head(exchange.response)
        count += more
        body = exchange.request_body
        if self._fields is not None:
            if exchange.request_body.size:
                request, data, more = self._form(request, exchange)
                body, count = (BytesBody(data), count + more) if data is not None else (body, count)
            url, more = self.cleaned_url(exchange.url)
            if more:
                request = _with_target(request, exchange.url, url)
                exchange, count = replace(exchange, url=url), count + more
            exchange = replace(exchange, via=self.cleaned_url(exchange.via)[0]) if "=" in exchange.via else exchange
        if not count:
            return exchange, 0
        return replace(exchange, request=request, response=response, request_body=body), count

    def cleaned_url(self, url: str) -> tuple[str, int]:
        """A URL without the secrets of a form that was sent by it."""
        if "?" not in url or self._fields is None:
            return url, 0
        names = [match[1] for match in _PAIR.finditer(url) if match[2] and self._is_secret(match[1])]
        if not names:
            return url, 0

        def told(match: re.Match[str]) -> str:
            return f"{match[1]}={_IN_URL}" if match[2] and self._is_secret(match[1]) else match[0]

        return _PAIR.sub(told, url), len(names)

    def _head(self, head: bytes) -> tuple[bytes, int]:
        if self._headers is None:
            return head, 0
        return self._headers.subn(rb"\1" + _REDACTED, head)

    def _is_secret(self, name: str) -> bool:
        return self._fields is not None and self._fields.fullmatch(name) is not None

    def _form(self, head: bytes, exchange: Exchange) -> tuple[bytes, bytes | None, int]:
        """Head and body of a request without the secrets of its form; None where the body stays as it is."""
        parsed = parse_request(head)
        kind = parsed.headers.get("content-type").partition(";")[0].strip().lower()
        if kind not in _FORMS and not kind.endswith("json"):
            return head, None, 0
        if exchange.request_body.size > _MOST_FORM:
            return _with_length(head, len(_REDACTED)), _REDACTED, 1
        data = b"".join(exchange.request_body.chunks())
        if "chunked" in parsed.headers.get("transfer-encoding").lower():
            data = b"".join(dechunked([data], _untold))
        redacted, count = self._fields_of(kind, parsed, data)
        return (_with_length(head, len(redacted)), redacted, count) if count else (head, None, 0)

    def _fields_of(self, kind: str, head: RequestHead, data: bytes) -> tuple[bytes, int]:
        if kind == "multipart/form-data":
            return self._parts(data, head.headers.get("content-type"))
        count = 0

        def told(match: re.Match[bytes]) -> bytes:
            nonlocal count
            name = match[2] if kind.endswith("json") else match[1]
            if not self._is_secret(name.decode("utf-8", "replace")):
                return match[0]
            count += 1
            return match[1] + (b'"' + _REDACTED + b'"' if kind.endswith("json") else b"=" + _REDACTED)

        redacted = (_JSON_PAIR if kind.endswith("json") else _FORM_PAIR).sub(told, data)
        return redacted, count

    def _parts(self, data: bytes, content_type: str) -> tuple[bytes, int]:
        match = _BOUNDARY.search(content_type)
        if match is None:
            return data, 0
        boundary = b"--" + match[1].encode("latin-1", "replace")
        parts, count = data.split(boundary), 0
        for at, part in enumerate(parts):
            head, empty, content = part.partition(b"\r\n\r\n")
            name = _PART_NAME.search(head)
            if name and content.strip() and self._is_secret(name[1].decode("utf-8", "replace")):
                parts[at] = head + empty + _REDACTED + b"\r\n"
                count += 1
        return boundary.join(parts), count


_FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})


@lru_cache(256)
def checked(rule: str) -> str:
    """A rule of redaction, made sure of."""
    kind, colon, name = rule.strip().lower().partition(":")
    if kind not in ("header", "field") or not colon or not name.strip():
        raise UsageError(f"not a rule of redaction: {rule!r}; write header:x-api-key or field:*secret*")
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
