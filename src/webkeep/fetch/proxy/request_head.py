"""Requests of a proxy's clients, read strictly against request smuggling: what two readers could take for two things
(Host, length, transfer coding, target) is refused.

A proxy that is generous here lets a client say one thing to it and another to the server behind it (RFC 9112, 11.2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

MAX_HEAD_BYTES = 256 * 1024
"""No longer head is taken from a client: it is held whole, and servers take a fraction of it."""

HeaderFields = tuple[tuple[str, str], ...]

_HEAD = re.compile(
    rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~\x80-\xff]{1,65536}) (HTTP/[0-9]\.[0-9])\r\n"
    rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[\t -~\x80-\xff]*+\r\n)*+)\r\n"
)
_LENGTH = re.compile(r"[0-9]{1,18}")
_HOST_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~%!$&'()*+,;=\x80-\xff-]+)(?::([0-9]{0,5}))?")
_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?]*)(.*)", re.DOTALL)
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_CACHED_FIELDS_BYTES = 4096
"""Fields longer than this are not remembered: they have cookies, and come once."""


@dataclass(frozen=True, slots=True)
class HeadRefusal:
    """Why a request goes nowhere, and the status that says so."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class ClientFields:
    """The fields of a request, read once: clients send the same ones again and again."""

    all: HeaderFields
    first: Mapping[str, str]
    """The first value of every name, by its name in lower case."""
    connection_options: frozenset[str]
    """What the Connection fields name, in lower case."""
    length: int | None
    """The bytes of the body that follows; None where it is chunked."""
    expects_continue: bool
    """Whether the client holds its body back until it is told to go on (100)."""


@dataclass(frozen=True, slots=True)
class ClientHead:
    """A request as a client sent it, its framing made sure of."""

    method: str
    target: str
    version: str
    known: ClientFields
    raw_target: bytes = b""
    """The target as it came, byte for byte."""

    @property
    def fields(self) -> HeaderFields:
        """Every name with its value."""
        return self.known.all

    @property
    def length(self) -> int | None:
        """The bytes of the body that follows; None where it is chunked."""
        return self.known.length

    def get(self, name: str) -> str:
        """The first value of a field, by its name in lower case."""
        return self.known.first.get(name, "")

    @property
    def keeps_alive(self) -> bool:
        """Whether the client means to use the connection again."""
        options = self.known.connection_options
        return "close" not in options and (self.version == "HTTP/1.1" or "keep-alive" in options)


def parse_head(data: bytes) -> ClientHead | HeadRefusal:
    """Read a whole head with its empty line."""
    match = _HEAD.fullmatch(data)
    if match is None:
        return HeadRefusal(400, "the request's head is not as HTTP/1.1 has it")
    method, target, version, block = match.groups()
    if not version.startswith(b"HTTP/1."):
        return HeadRefusal(505, f"{version.decode()} is not spoken here")
    is_new = version != b"HTTP/1.0"  # a higher minor version is taken for ours (RFC 9110, 2.5)
    fields = _cached_fields(block, is_new) if len(block) < _MAX_CACHED_FIELDS_BYTES else _parse_fields(block, is_new)
    if isinstance(fields, HeadRefusal):
        return fields
    return ClientHead(method.decode(), _decode_target(target), "HTTP/1.1" if is_new else "HTTP/1.0", fields, target)


def _decode_target(target: bytes) -> str:
    try:
        return target.decode()
    except UnicodeDecodeError:
        return _BEYOND_ASCII.sub(lambda byte: b"%%%02X" % byte[0][0], target).decode()


def _parse_fields(block: bytes, is_new: bool) -> ClientFields | HeadRefusal:
    lines = block.decode("latin-1").split("\r\n")[:-1]
    fields = tuple([(name, value.strip(" \t")) for name, _, value in [line.partition(":") for line in lines]])
    names = [name.lower() for name, _ in fields]
    if names.count("host") > 1 or ("host" not in names and is_new):
        return HeadRefusal(400, "a request has one Host field")
    first = {name: value for name, (_, value) in zip(reversed(names), reversed(fields), strict=True)}
    if first.get("host") and not _HOST_PORT.fullmatch(first["host"]):
        return HeadRefusal(400, "the Host field names no host")
    length = _body_length(fields, names, is_new)
    if isinstance(length, HeadRefusal):
        return length
    named = [value for name, (_, value) in zip(names, fields, strict=True) if name in _CONNECTION_FIELDS]
    options = frozenset(word.strip().lower() for value in named for word in value.split(","))
    expected = first.get("expect", "").lower()
    if not is_new and expected:  # HTTP/1.0 knows of no expectations (RFC 9110, 10.1.1)
        fields = tuple(each for each in fields if each[0].lower() != "expect")
    return ClientFields(fields, first, options, length, is_new and length != 0 and expected == "100-continue")


_CONNECTION_FIELDS = ("connection", "proxy-connection")
_cached_fields = lru_cache(512)(_parse_fields)


def _body_length(fields: HeaderFields, names: list[str], is_new: bool) -> int | HeadRefusal | None:
    has_length = "content-length" in names
    if "transfer-encoding" in names:
        codings = [value.lower() for name, value in fields if name.lower() == "transfer-encoding"]
        if has_length:
            return HeadRefusal(400, "a request has a length or a transfer coding, not both")
        if not is_new or names.count("transfer-encoding") > 1:
            return HeadRefusal(400, "the transfer coding is not told once and by HTTP/1.1")
        return None if codings == ["chunked"] else HeadRefusal(501, "no transfer coding but chunked is understood")
    if not has_length:
        return 0
    lengths = [value for name, value in fields if name.lower() == "content-length"]
    if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
        return HeadRefusal(400, "the request's length is no number told once")
    return int(lengths[0])


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host and port that a client wants to be connected with."""

    host: str
    """In lower case; an IPv6 address is in brackets."""
    port: int

    def origin(self, scheme: str) -> str:
        """The beginning of URLs there, without a port that goes without saying."""
        shown = "" if self.port == _DEFAULT_PORTS[scheme] else f":{self.port}"
        return f"{scheme}://{self.host}{shown}"


def parse_host_port(text: str, default: int = 0) -> HostPort | None:
    """Read `host:port`; without a default the port must be there. None where it is neither."""
    match = _HOST_PORT.fullmatch(text)
    if match is None:
        return None
    port = int(match[2]) if match[2] else default
    return HostPort(match[1].lower(), port) if 0 < port < 65536 else None


def target_url(head: ClientHead, within: str = "") -> str | HeadRefusal:
    """The URL that is asked for; `within` is the origin that the connection leads to, where it is a tunnel."""
    target = head.target
    if "#" in target:
        return HeadRefusal(400, "a request's target has no fragment")
    if target == "*":
        return HeadRefusal(501, "requests about the server as a whole are not passed on")
    if not target.startswith("/"):
        return _absolute_url(target, within)
    if not within:
        return HeadRefusal(400, "a proxy is asked for whole URLs")
    if _origin_of(within.partition(":")[0], head.get("host")) != within:
        return HeadRefusal(421, f"this connection leads to {within}, and Host names another place")
    return within + target


def _absolute_url(target: str, within: str) -> str | HeadRefusal:
    match = _ABSOLUTE.fullmatch(target)
    if match is None:
        return HeadRefusal(400, "only http and https URLs are passed on")
    scheme, authority, path = match.groups()
    origin = _origin_of(scheme, authority)
    if isinstance(origin, HeadRefusal):
        return origin
    if within and origin != within:
        return HeadRefusal(421, f"this connection leads to {within}, and the URL to {origin}")
    return origin + (path if path.startswith("/") else f"/{path}")


@lru_cache(1024)
def _origin_of(scheme: str, authority: str) -> str | HeadRefusal:
    """The beginning of a URL, as all spellings of it have in common."""
    scheme = scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        return HeadRefusal(400, "only http and https URLs are passed on")
    where = parse_host_port(authority, _DEFAULT_PORTS[scheme])
    return (
        where.origin(scheme)
        if where is not None
        else HeadRefusal(400, "the URL's host is none, or has credentials in it")
    )
