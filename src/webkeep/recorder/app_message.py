"""Requests and answers as applications know them, and as HTTP/1 heads for the archive: which fields are left out, what
makes an answer private (Set-Cookie, Cache-Control), and what makes it another variant.

A middleware never sees the bytes on the wire: the server adds the framing. What is kept is what the application said,
less what belongs to a connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webkeep.formats.status import build_status_line
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.redaction import Redactor
from webkeep.redaction.values import decode_bytes
from webkeep.url import normalize_url

HeaderField = tuple[bytes, bytes]

_match_host = re.compile(rb"[A-Za-z0-9._~-]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?").fullmatch
_HOP_BY_HOP_FIELDS = frozenset({b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"proxy-connection"})
_PROTOCOL_NAMES = {"1.0": "http/1.0", "2": "h2", "2.0": "h2", "3": "h3"}
_REDACTOR = Redactor()
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_LINE_BREAKS = re.compile(rb"[\r\n]+")


class AppRequest(NamedTuple):
    """A request for a page, as it came to the application."""

    scheme: str
    host: bytes
    target: bytes
    """Path and query, percent-encoded."""
    fields: Sequence[HeaderField]
    """Their names in lower case."""
    version: str = "1.1"

    def raw_url(self, origin: bytes) -> bytes:
        """The URL as it came, at the origin where one is given."""
        return (origin or b"%b://%b" % (self.scheme.encode(), self.host)) + self.target

    def url(self, origin: str) -> str | None:
        """The URL in its normal form; None where the request names none."""
        if not self.target.startswith(b"/") or not (origin or _match_host(self.host)):
            return None
        return normalize_url(_BEYOND_ASCII.sub(_percent_encode, self.raw_url(origin.encode())).decode("ascii"))

    @property
    def has_secret(self) -> bool:
        """Whether there is a secret in the URL."""
        return _REDACTOR.redact_url(decode_bytes(self.target))[1] > 0

    @property
    def protocol(self) -> str:
        """The protocol as WARC-Protocol names it."""
        return _PROTOCOL_NAMES.get(self.version, "http/1.1")


class AppResponse:
    """The head of an answer, and what it says that matters here."""

    __slots__ = ("fields", "is_private", "length", "location", "media_type", "status", "validators", "variant", "vary")

    def __init__(self, status: int, fields: tuple[HeaderField, ...]) -> None:
        self.status = status
        self.fields = fields
        self.is_private = False
        self.length: int | None = None
        self.location = self.media_type = self.variant = self.validators = self.vary = b""
        """The variant is what was negotiated; validators are what stands for the content without being it."""
        for name, value in self.fields:
            read = _FIELD_READERS.get(name.lower())
            if read is not None:
                read(self, value)

    @property
    def identity_mark(self) -> bytes:
        """What makes an answer another one though the body is the same."""
        return b"%d %b\n" % (self.status, self.location)

    @property
    def bare_media_type(self) -> str:
        """The bare media type in lower case."""
        return self.media_type.partition(b";")[0].strip().lower().decode("latin-1")


def _read_length(response: AppResponse, value: bytes) -> None:
    response.length = int(value) if value.isdigit() and len(value) <= 18 else None


def _read_cache_control(response: AppResponse, value: bytes) -> None:
    lowered = value.lower()
    response.is_private |= b"private" in lowered or b"no-store" in lowered


def _read_cookie(response: AppResponse, _value: bytes) -> None:
    response.is_private = True


def _read_media_type(response: AppResponse, value: bytes) -> None:
    response.media_type = value
    response.variant += b"\n" + value


def _read_variant(response: AppResponse, value: bytes) -> None:
    response.variant += b"\n" + value


def _read_validator(response: AppResponse, value: bytes) -> None:
    response.validators += b"\n" + value


def _read_location(response: AppResponse, value: bytes) -> None:
    response.location = value


def _read_vary(response: AppResponse, value: bytes) -> None:
    response.vary += b"," + value.lower()


_FIELD_READERS = {
    b"content-length": _read_length,
    b"cache-control": _read_cache_control,
    b"set-cookie": _read_cookie,
    b"content-type": _read_media_type,
    b"content-encoding": _read_variant,
    b"content-language": _read_variant,
    b"etag": _read_validator,
    b"last-modified": _read_validator,
    b"location": _read_location,
    b"vary": _read_vary,
}


def response_head(response: AppResponse) -> bytes:
    """The answer's head as HTTP/1 has it."""
    fields = [(name, value) for name, value in response.fields if name.lower() not in _HOP_BY_HOP_FIELDS]
    return _build_head(build_status_line(response.status).encode("ascii"), fields)


def request_head(request: AppRequest, response: AppResponse, rules: RecorderRules) -> bytes:
    """The request's head as HTTP/1 has it, with no more of the visitor than the answer depends on."""
    varies_by = response.vary.decode("latin-1")
    fields = []
    for name, value in request.fields:
        key = name.lower().decode("latin-1")
        if name.lower() not in _HOP_BY_HOP_FIELDS and rules.is_kept_field(key, varies_by):
            fields.append((name, value))
    return _build_head(b"GET %b HTTP/1.1" % request.target, fields)


def _build_head(line: bytes, fields: Iterable[HeaderField]) -> bytes:
    lines = [line, *(b"%b: %b" % field for field in fields)]
    return b"".join(_LINE_BREAKS.sub(b" ", each) + b"\r\n" for each in lines) + b"\r\n"


def _percent_encode(match: re.Match[bytes]) -> bytes:
    return b"%%%02X" % match[0][0]
