"""Bodies of requests without their secrets, by media type, coding and charset: which bodies may hold a secret (login
forms), and which are left out whole because they are unreadable or too long.

What cannot be read and may hold a secret is left out whole: a form or JSON in an unknown coding is; a picture is not.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from webkeep.formats.codings import decode_body
from webkeep.formats.http import bare_media_type, declared_charset, head_length, is_response
from webkeep.model import Body, Headers
from webkeep.redaction.formats.multipart import redact_parts
from webkeep.redaction.head_redactor import HeadRedactor
from webkeep.redaction.names.secret_names import SecretNames
from webkeep.redaction.text_redactor import REDACTED, TextRedactor
from webkeep.redaction.values.escapes import decode_bytes

MAX_BODY_BYTES = 8 << 20
"""A form that is longer is not read: it is held whole, and forms with secrets are short."""

_OPAQUE = re.compile(
    r"(?:image/(?!svg)|video/|audio/|font/|application/(?:pdf|zip|gzip|x-tar|wasm|zstd|x-7z|vnd\.(?:ms-|openxml)))"
).match
"""What is no form, whatever is in it."""
_FORMS = re.compile(r"application/x-www-form-urlencoded|multipart/|.*json|.*xml|text/|.*graphql|.*javascript|\Z").match
_LOGIN = re.compile(
    r"log-?_?[io]n|sign-?_?in|sign-?_?up|auth|session|passw|account|register|token|sso|2fa|mfa|otp|connect|anmeld",
    re.IGNORECASE,
).search
_SECRET_NAME = re.compile(rb"passw|passphrase|passcode|secret(?!ar)|token|api_?key|credential", re.IGNORECASE)
"""Names as they stand in what is packed; shorter ones stand in any bytes by chance."""
_MAX_NAMED_BYTES = 256 << 10
"""What is packed and longer is a file, in which names stand by chance."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c\x1d\x1f]").search
_WIDE_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c\x1d\x1f\x80-\x84\x86-\x9f]").search
"""In Latin-1 the upper ones are letters of Windows."""
_UNUSABLE_CHARSETS = frozenset({"idna", "punycode", "undefined", "mbcs", "oem", "unicode-escape", "raw-unicode-escape"})
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAX_VALUE_BYTES = 8192
"""Kept of what came before, so that a value is found that lies across two pieces of a body."""
_MAX_PART_DEPTH = 4
"""How often parts may have parts; messages within messages have two or three."""
_HTTP_MESSAGE_TYPES = frozenset({"application/http", "message/http"})
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:([^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_GZIPPED = Headers((("Content-Encoding", "gzip"),))


@dataclass(frozen=True, slots=True)
class RedactedBody:
    """A body with something left out."""

    data: bytes
    count: int
    reason: str = ""
    """Why all of it was left out, where it was."""


class BodyRedactor:
    """Leaves secrets out of bodies."""

    def __init__(self, names: SecretNames, text: TextRedactor, heads: HeadRedactor) -> None:
        self._names, self._text, self._heads = names, text, heads

    def redact(self, headers: Headers, body: Body, url: str) -> RedactedBody | None:
        """The body of a request without its secrets; None where it has none."""
        content_type = headers.get("content-type")
        kind = bare_media_type(content_type.strip()).lower()
        if not body.size or (_OPAQUE(kind) and not self._text.has_known):
            return None
        may_hold = _FORMS(kind) is not None or _LOGIN(url.partition("?")[0].partition("://")[2]) is not None
        may_hold = may_hold and not _OPAQUE(kind)
        if body.size > MAX_BODY_BYTES:
            is_left_out = _FORMS(kind) if not _OPAQUE(kind) else None
            return (
                _leave_out(f"it is longer than {MAX_BODY_BYTES >> 20} MB")
                if is_left_out or self._has_known(body)
                else None
            )
        flaws: list[str] = []
        data = b"".join(
            decode_body(headers, body.chunks(), MAX_BODY_BYTES + 1, lambda _, message: flaws.append(message))
        )
        if flaws:
            came = b"".join(body.chunks())
            is_named = _names_secrets(came) and not _OPAQUE(kind)
            return _leave_out(flaws[0]) if may_hold or is_named or self._hide_known(came) is not None else None
        if data.startswith(b"\x1f\x8b") and (may_hold or self._text.has_known):
            data = b"".join(decode_body(_GZIPPED, [data], MAX_BODY_BYTES + 1))
        return self.redact_data(data, content_type, may_hold)

    def redact_data(self, data: bytes, content_type: str, may_hold: bool = True, depth: int = 0) -> RedactedBody | None:
        """The same for what has no codings."""
        kind = bare_media_type(content_type.strip()).lower()
        if _OPAQUE(kind):
            return self._hide_known(data)
        if kind.startswith("multipart/"):
            return self._redact_parts(data, content_type, may_hold, depth)
        if kind in _HTTP_MESSAGE_TYPES and depth <= _MAX_PART_DEPTH:
            return self._redact_message(data, depth)
        named = declared_charset(Headers((("Content-Type", content_type),)))
        encoding = _detect_charset(data, named)
        if encoding is None:
            return _leave_out(f"its charset {named!r} is not known") if may_hold else self._hide_known(data)
        text = data.decode(encoding)
        is_guessed = encoding == "latin-1" != named and not (kind and _FORMS(kind))
        if is_guessed or (_CONTROL if encoding == "latin-1" else _WIDE_CONTROL)(text):
            is_named = _names_secrets(data)
            return _leave_out("it is no text, and names what may be secret") if is_named else self._hide_known(data)
        redacted, count = self._text.redact_any(text, kind)
        return RedactedBody(redacted.encode(encoding, "replace"), count) if count else None

    def _hide_known(self, data: bytes) -> RedactedBody | None:
        """What nobody can read, without the values that are known."""
        if not self._text.has_known:
            return None
        hidden, count = self._text.hide_known_bytes(data)
        return RedactedBody(hidden, count) if count else None

    def _has_known(self, body: Body) -> bool:
        """Whether a value that is known stands in what is too long to be held."""
        before = b""
        for chunk in body.chunks() if self._text.has_known else ():
            if self._text.holds_known(decode_bytes(before + chunk)):
                return True
            before = (before + chunk)[-_MAX_VALUE_BYTES:]
        return False

    def _redact_part(self, data: bytes, content_type: str, depth: int = 1) -> tuple[bytes, int]:
        found = self.redact_data(data, content_type, may_hold=False, depth=depth)
        return (data, 0) if found is None else (found.data, found.count)

    def _redact_parts(self, data: bytes, content_type: str, may_hold: bool, depth: int) -> RedactedBody | None:
        if depth > _MAX_PART_DEPTH:
            return _leave_out("its parts have parts within parts")
        found = redact_parts(
            data, content_type, self._names, lambda part, kind: self._redact_part(part, kind, depth + 1)
        )
        if found is None:
            return _leave_out("its parts cannot be told apart") if may_hold else self._hide_known(data)
        return RedactedBody(*found) if found[1] else None

    def _redact_message(self, data: bytes, depth: int) -> RedactedBody | None:
        """A request or an answer that is a part of a body."""
        start = len(data) - len(data.lstrip(b"\r\n"))
        length = head_length(data[start:]) + start
        read = self._heads.redact_response if is_response(data[start:length]) else self._heads.redact_request
        head, count = read(data[:length])
        kind = _CONTENT_TYPE.search(data[:length])
        body, more = self._redact_part(data[length:], decode_bytes(kind[1]).strip() if kind else "", depth + 1)
        return RedactedBody(head + body, count + more) if count + more else None


def _names_secrets(data: bytes) -> bool:
    """Whether something packed, in which names still stand as they are, has those of secrets in it."""
    return len(data) <= _MAX_NAMED_BYTES and _SECRET_NAME.search(data.replace(b"\0", b"")) is not None


def _leave_out(reason: str) -> RedactedBody:
    return RedactedBody(REDACTED.encode(), 1, reason)


def _detect_charset(data: bytes, named: str) -> str | None:
    """The charset by which data can be read; None where it names one that nobody knows."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _charset_or_latin1(data, name)
    if b"\0" in data[:8]:
        if data[:3] == b"\0\0\0":
            return _charset_or_latin1(data, "utf-32-be")
        if data[1:4] == b"\0\0\0":
            return _charset_or_latin1(data, "utf-32-le")
        return _charset_or_latin1(data, "utf-16-be" if data[:1] == b"\0" else "utf-16-le")
    if not named or named in ("utf-8", "utf8"):
        return _charset_or_latin1(data, "utf-8")
    try:
        codec = codecs.lookup(named)
    except (LookupError, ValueError):
        return "ascii" if data.isascii() else None
    if not codec._is_text_encoding or codec.name.replace("_", "-") in _UNUSABLE_CHARSETS:
        return _charset_or_latin1(data, "utf-8")
    name = {"utf-16": "utf-16-be", "utf-32": "utf-32-be"}.get(codec.name, codec.name)
    return _charset_or_latin1(data, name)


def _charset_or_latin1(data: bytes, name: str) -> str:
    """The charset, or Latin-1, by which anything can be read, where the data is not of it."""
    try:
        data.decode(name)
    except (UnicodeError, ValueError):
        return "latin-1"
    return name
