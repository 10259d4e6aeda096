"""Requests of a proxy's clients, read strictly: what two readers could take for two things is refused.

A proxy that is generous here lets a client say one thing to it and another to the server behind it (RFC 9112, 11.2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD_LIMIT = 256 * 1024
"""No longer head is taken from a client."""

Fields = tuple[tuple[str, str], ...]

_HEAD = re.compile(
    rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~\x80-\xff]{1,65536}) (HTTP/[0-9]\.[0-9])\r\n"
    rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]++:[\t -~\x80-\xff]*+\r\n)*+)\r\n"
)
_LENGTH = re.compile(r"[0-9]{1,18}")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._~%!$&'()*+,;=\x80-\xff-]+)(?::([0-9]{0,5}))?")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes nowhere, and the status that says so."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class ClientHead:
    """A request as a client sent it, its framing made sure of."""

    method: str
    target: str
    version: str
    fields: Fields
    length: int | None
    """The bytes of the body that follows; None where it is chunked."""

    def get(self, name: str) -> str:
        """The first value of a field, by its name in lower case."""
        return next((value for key, value in self.fields if key.lower() == name), "")

    def options(self) -> set[str]:
        """What the Connection fields name, in lower case."""
        named = (value for key, value in self.fields if key.lower() in ("connection", "proxy-connection"))
        return {word.strip().lower() for value in named for word in value.split(",")}

    @property
    def stays(self) -> bool:
        """Whether the client means to use the connection again."""
        options = self.options()
        return "close" not in options and (self.version == "HTTP/1.1" or "keep-alive" in options)


def parse_head(data: bytes) -> ClientHead | Refusal:
    """Read a whole head with its empty line."""
    match = _HEAD.fullmatch(data)
    if match is None:
        return Refusal(400, "the request's head is not as HTTP/1.1 has it")
    version = match[3].decode()
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        return Refusal(505, f"{version} is not spoken here")
    lines = match[4].decode("latin-1").split("\r\n")[:-1]
    fields = tuple([(name, value.strip(" \t")) for name, _, value in [line.partition(":") for line in lines]])
    names = [name.lower() for name, _ in fields]
    if names.count("host") > 1 or ("host" not in names and version == "HTTP/1.1"):
        return Refusal(400, "a request has one Host field")
    length = _framing(fields, names, version)
    if isinstance(length, Refusal):
        return length
    return ClientHead(match[1].decode(), match[2].decode("latin-1"), version, fields, length)


def _framing(fields: Fields, names: list[str], version: str) -> int | Refusal | None:
    has_length = "content-length" in names
    if "transfer-encoding" in names:
        codings = [value.lower() for name, value in fields if name.lower() == "transfer-encoding"]
        if has_length:
            return Refusal(400, "a request has a length or a transfer coding, not both")
        if version != "HTTP/1.1" or names.count("transfer-encoding") > 1:
            return Refusal(400, "the transfer coding is not told once and by HTTP/1.1")
        return None if codings == ["chunked"] else Refusal(501, "no transfer coding but chunked is understood")
    if not has_length:
        return 0
    lengths = [value for name, value in fields if name.lower() == "content-length"]
    if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
        return Refusal(400, "the request's length is no number told once")
    return int(lengths[0])


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and port that a client wants to be connected with."""

    host: str
    """In lower case; an IPv6 address is in brackets."""
    port: int

    def origin(self, scheme: str) -> str:
        """The beginning of URLs there, without a port that goes without saying."""
        shown = "" if self.port == _PORTS[scheme] else f":{self.port}"
        return f"{scheme}://{self.host}{shown}"


def parse_authority(text: str, default: int = 0) -> Authority | None:
    """Read `host:port`; without a default the port must be there. None where it is neither."""
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        return None
    port = int(match[2]) if match[2] else default
    return Authority(match[1].lower(), port) if 0 < port < 65536 else None


def target_url(head: ClientHead, within: str = "") -> str | Refusal:
    """The URL that is asked for; `within` is the origin that the connection leads to, where it is a tunnel."""
    target = head.target
    if "#" in target:
        return Refusal(400, "a request's target has no fragment")
    if target == "*":
        return Refusal(501, "requests about the server as a whole are not passed on")
    if not target.startswith("/"):
        return _absolute(target, within)
    if not within:
        return Refusal(400, "a proxy is asked for whole URLs")
    scheme = within.partition(":")[0]
    told = parse_authority(head.get("host"), _PORTS[scheme])
    if told is None or told.origin(scheme) != within:
        return Refusal(421, f"this connection leads to {within}, and Host names another place")
    return within + target


def _absolute(target: str, within: str) -> str | Refusal:
    scheme, separator, rest = target.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _PORTS:
        return Refusal(400, "only http and https URLs are passed on")
    end = next((at for at, sign in enumerate(rest) if sign in "/?"), len(rest))
    authority = parse_authority(rest[:end], _PORTS[scheme])
    if authority is None:
        return Refusal(400, "the URL's host is none, or has credentials in it")
    origin = authority.origin(scheme)
    if within and origin != within:
        return Refusal(421, f"this connection leads to {within}, and the URL to {origin}")
    path = rest[end:]
    return origin + (path if path.startswith("/") else f"/{path}")
