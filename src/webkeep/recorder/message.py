"""Requests and answers as applications know them, and as HTTP/1 heads for the archive.

A middleware never sees the bytes on the wire: the server adds the framing. What is kept is what the application said,
less what belongs to a connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import NamedTuple

from webkeep.recorder.rules import Rules
from webkeep.redaction import Redactor
from webkeep.redaction.escapes import decode_bytes
from webkeep.url import normal

Field = tuple[bytes, bytes]

_HOST = re.compile(rb"[A-Za-z0-9._~-]+(?::[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?").fullmatch
_CONNECTION = frozenset({b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"proxy-connection"})
_PROTOCOLS = {"1.0": "http/1.0", "2": "h2", "2.0": "h2", "3": "h3"}
_REDACTOR = Redactor()
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_BREAKS = re.compile(rb"[\r\n]+")


class Request(NamedTuple):
    """A request for a page, as it came to the application."""

    scheme: str
    host: bytes
    target: bytes
    """Path and query, percent-encoded."""
    fields: Sequence[Field]
    """Their names in lower case."""
    version: str = "1.1"

    def named(self, origin: bytes) -> bytes:
        """The URL as it came, at the origin where one is given."""
        return (origin or b"%b://%b" % (self.scheme.encode(), self.host)) + self.target

    def url(self, origin: str) -> str | None:
        """The URL in its normal form; None where the request names none."""
        if not self.target.startswith(b"/") or not (origin or _HOST(self.host)):
            return None
        return normal(_BEYOND_ASCII.sub(_escaped, self.named(origin.encode())).decode("ascii"))

    @property
    def has_secret(self) -> bool:
        """Whether there is a secret in the URL."""
        return _REDACTOR.redact_url(decode_bytes(self.target))[1] > 0

    @property
    def protocol(self) -> str:
        """The protocol as WARC-Protocol names it."""
        return _PROTOCOLS.get(self.version, "http/1.1")


class Answer:
    """The head of an answer, and what it says that matters here."""

    __slots__ = ("fields", "is_private", "length", "location", "media_type", "status", "validators", "variant", "vary")

    def __init__(self, status: int, fields: tuple[Field, ...]) -> None:
        self.status = status
        self.fields = fields
        self.is_private = False
        self.length: int | None = None
        self.location = self.media_type = self.variant = self.validators = self.vary = b""
        """The variant is what was negotiated; validators are what stands for the content without being it."""
        for name, value in self.fields:
            read = _READ.get(name.lower())
            if read is not None:
                read(self, value)

    @property
    def mark(self) -> bytes:
        """What makes an answer another one though the body is the same."""
        return b"%d %b\n" % (self.status, self.location)

    @property
    def essence(self) -> str:
        """The bare media type in lower case."""
        return self.media_type.partition(b";")[0].strip().lower().decode("latin-1")


def _take_length(answer: Answer, value: bytes) -> None:
    answer.length = int(value) if value.isdigit() and len(value) <= 18 else None


def _take_control(answer: Answer, value: bytes) -> None:
    lowered = value.lower()
    answer.is_private |= b"private" in lowered or b"no-store" in lowered


def _take_cookie(answer: Answer, _value: bytes) -> None:
    answer.is_private = True


def _take_type(answer: Answer, value: bytes) -> None:
    answer.media_type = value
    answer.variant += b"\n" + value


def _take_variant(answer: Answer, value: bytes) -> None:
    answer.variant += b"\n" + value


def _take_validator(answer: Answer, value: bytes) -> None:
    answer.validators += b"\n" + value


def _take_location(answer: Answer, value: bytes) -> None:
    answer.location = value


def _take_vary(answer: Answer, value: bytes) -> None:
    answer.vary += b"," + value.lower()


_READ = {
    b"content-length": _take_length,
    b"cache-control": _take_control,
    b"set-cookie": _take_cookie,
    b"content-type": _take_type,
    b"content-encoding": _take_variant,
    b"content-language": _take_variant,
    b"etag": _take_validator,
    b"last-modified": _take_validator,
    b"location": _take_location,
    b"vary": _take_vary,
}


def response_head(answer: Answer) -> bytes:
    """The answer's head as HTTP/1 has it."""
    fields = [(name, value) for name, value in answer.fields if name.lower() not in _CONNECTION]
    return _head(b"HTTP/1.1 %d %b" % (answer.status, _reason(answer.status)), fields)


def request_head(request: Request, answer: Answer, rules: Rules) -> bytes:
    """The request's head as HTTP/1 has it, with no more of the visitor than the answer depends on."""
    varies_by = answer.vary.decode("latin-1")
    fields = []
    for name, value in request.fields:
        key = name.lower().decode("latin-1")
        if name.lower() not in _CONNECTION and rules.keeps_field(key, varies_by):
            fields.append((name, value))
    return _head(b"GET %b HTTP/1.1" % request.target, fields)


def _head(line: bytes, fields: Iterable[Field]) -> bytes:
    lines = [line, *(b"%b: %b" % field for field in fields)]
    return b"".join(_BREAKS.sub(b" ", each) + b"\r\n" for each in lines) + b"\r\n"


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"%%%02X" % match[0][0]


def _reason(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode("ascii")
    except ValueError:
        return b""
