"""Requests as the proxy sends them on: without what concerns the client's connection alone (hop-by-hop fields),
Max-Forwards counted down, the target byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from webkeep.fetch.client.curl_handle import HeaderLines
from webkeep.fetch.proxy.request_head import ClientFields, ClientHead, HeaderFields

_HOP_BY_HOP_FIELDS = frozenset(
    {"connection", "proxy-connection", "keep-alive", "te", "trailer", "upgrade", "proxy-authorization", "host"}
    | {"content-length"}
)

MAX_FORWARDS_METHODS = ("OPTIONS", "TRACE")
"""Methods of which a client may say how often they are passed on."""
_MAX_COUNT_DIGITS = 10
"""A count of more digits is none that anyone means."""
_ORIGIN = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?]*")
_find_respelled = re.compile(rb"%(?:[a-f]|[0-9A-F][a-f])|[^!-~]").search


def forwarded_header_lines(head: ClientHead, instead: HeaderFields = ()) -> HeaderLines:
    """A client's fields as libcurl takes them, some replaced; what libcurl would add by itself is left out."""
    lines = _build_lines(head.known, instead)
    if head.method in MAX_FORWARDS_METHODS and (left := forwards_left(head)) is not None:
        return [f"Max-Forwards: {left - 1}" if _is_max_forwards(line) else line for line in lines]
    return lines


def forwards_left(head: ClientHead) -> int | None:
    """How often the request may still be passed on; None where nobody said (RFC 9110, 7.6.2)."""
    text = head.get("max-forwards")
    return (
        int(text)
        if head.method in MAX_FORWARDS_METHODS and text.isascii() and text.isdigit() and len(text) < _MAX_COUNT_DIGITS
        else None
    )


def _is_max_forwards(line: str | bytes) -> bool:
    return isinstance(line, str) and line.lower().startswith("max-forwards:")


def exact_target(head: ClientHead) -> bytes:
    """The target of a request as its server is to get it, where libcurl would spell it otherwise; else nothing."""
    if _find_respelled(head.raw_target) is None and head.method != "OPTIONS":
        return b""
    path = raw_path_of(head)
    return path or (b"*" if head.method == "OPTIONS" else b"")


def raw_path_of(head: ClientHead) -> bytes:
    """The target from its path on, byte for byte; nothing where it has none."""
    path = _ORIGIN.sub(b"", head.raw_target, count=1)
    return b"/" + path if path.startswith(b"?") else path


@lru_cache(64)
def _build_lines(fields: ClientFields, instead: HeaderFields) -> HeaderLines:
    kept = _replace_fields(fields.all, _HOP_BY_HOP_FIELDS | fields.connection_options, instead)
    # The first Expect is the one that libcurl goes by: it is to expect nothing itself, whatever the client does.
    lines = ["Expect:", *(f"{name}: {value}" if value else f"{name};" for name, value in kept)]
    names = {name.lower() for name, _ in kept}
    lines += [f"{name}:" for name in ("User-Agent", "Accept") if name.lower() not in names]
    return [line if line.isascii() else line.encode("latin-1") for line in lines]


def _replace_fields(fields: HeaderFields, dropped: Set[str], instead: HeaderFields) -> list[tuple[str, str]]:
    names = dropped | {name.lower() for name, _ in instead}
    return [*(each for each in fields if each[0].lower() not in names), *(each for each in instead if each[1])]


def websocket_request(head: ClientHead, authority: str, instead: HeaderFields = ()) -> bytes:
    """A request for a WebSocket, as the server gets it, with some fields in place of the client's own."""
    dropped = {"connection", "proxy-connection", "keep-alive", "proxy-authorization", "host", "upgrade"}
    kept = [f"{name}: {value}" for name, value in _replace_fields(head.fields, dropped, instead)]
    lines = [f"Host: {authority}", "Connection: Upgrade", "Upgrade: websocket", *kept, "", ""]
    first = b"%s %s HTTP/1.1\r\n" % (head.method.encode(), raw_path_of(head) or b"/")
    return first + "\r\n".join(lines).encode("latin-1")
