"""Requests as they go out and answers as they go back: without what concerns one connection alone."""

from __future__ import annotations

import re

from webkeep.fetch.recording.client_head import ClientHead
from webkeep.formats.http1 import ResponseHead, parse_response

_HOP = frozenset(
    {"connection", "proxy-connection", "keep-alive", "te", "trailer", "upgrade", "proxy-authorization", "host"}
    | {"content-length", "expect"}
)
_CONNECTION = re.compile(
    rb"^(?:connection|keep-alive|proxy-connection)[ \t]*:[^\r\n]*\r?\n", re.IGNORECASE | re.MULTILINE
)
_PLAIN_OPTIONS = frozenset({"", "close", "keep-alive", "transfer-encoding", "content-length"})
"""What may be named by a Connection field without being a field to leave out."""


def header_lines(head: ClientHead) -> list[str]:
    """A client's fields as libcurl takes them; what libcurl would add by itself is left out."""
    dropped = _HOP | head.options()
    lines: list[str] = []
    names: set[str] = set()
    for name, value in head.fields:
        key = name.lower()
        if key not in dropped:
            names.add(key)
            lines.append(f"{name}: {value}" if value else f"{name};")
    if head.get("expect"):
        lines.append("Expect: 100-continue")
    else:
        lines.append("Expect:")
    return lines + [f"{name}:" for name in ("User-Agent", "Accept") if name.lower() not in names]


def handshake(head: ClientHead, target: str, authority: str) -> bytes:
    """A request for a WebSocket, as the server gets it."""
    dropped = {"connection", "proxy-connection", "keep-alive", "proxy-authorization", "host", "upgrade"}
    kept = [f"{name}: {value}" for name, value in head.fields if name.lower() not in dropped]
    lines = [f"{head.method} {target} HTTP/1.1", f"Host: {authority}", "Connection: Upgrade", "Upgrade: websocket"]
    return "\r\n".join([*lines, *kept, "", ""]).encode("latin-1")


class ReturnHead:
    """An answer's head for the client, and what it says about the end of its body."""

    __slots__ = ("bytes", "has_body", "is_chunked", "is_delimited", "parsed")

    def __init__(self, head: bytes, method: str) -> None:
        self.parsed = parsed = parse_response(head)
        self.has_body = method != "HEAD" and parsed.status not in (204, 304)
        self.is_chunked = "transfer-encoding" in parsed.headers
        self.is_delimited = not self.has_body or _ends_in_chunks(parsed) or "content-length" in parsed.headers
        self.bytes = _without_hops(head, parsed) if _CONNECTION.search(head) else head


def _ends_in_chunks(head: ResponseHead) -> bool:
    codings = head.headers.all("transfer-encoding")
    return bool(codings) and codings[-1].rpartition(",")[2].strip().lower() == "chunked"


def _without_hops(head: bytes, parsed: ResponseHead) -> bytes:
    named = {word.strip().lower() for value in parsed.headers.all("connection") for word in value.split(",")}
    named -= _PLAIN_OPTIONS
    if not named:
        return _CONNECTION.sub(b"", head)
    first, *lines = head.split(b"\r\n")
    kept = [line for line in lines if line.partition(b":")[0].strip().lower().decode("latin-1") not in named]
    return _CONNECTION.sub(b"", b"\r\n".join([first, *kept]))
