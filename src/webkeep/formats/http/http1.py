"""HTTP/1 messages as archives hold them: heads read with patience, whatever a server sent (folded lines, HTTP/0.9,
ICY), and up to what length the end of a head is looked for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from webkeep.model import Headers, parse_plain_head

MAX_HTTP_HEAD_BYTES = 1 << 20
"""No head is looked for beyond so many bytes: libcurl takes 300 KB, and what is longer was written by no server."""

_PLAIN_STATUS_LINE = re.compile(r"(HTTP/[0-9.]+) ([0-9]{3}) ([^\r\n]*)")
_STATUS_LINE = re.compile(r"(HTTP(?:/[0-9.]*)?|ICY)[ \t]*(?:([0-9]{3})(?![0-9]))?[ \t]*(.*)", re.IGNORECASE)
_STATUS_STARTS = (b"http/", b"http ", b"icy ")
_LINE_END = b"\r\n"
_LINE_ENDS = re.compile(rb"[\r\n]*")
_FOLD = re.compile(r"\r?\n[ \t]+")
_BLANK = " \t\r"
_HEAD_END = b"\r\n\r\n"
_MAX_CACHED_LINE_CHARS = 100
"""Longer status lines are not remembered: what strangers send must not fill memory."""


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """A response's status line and fields; empty where there was no head (HTTP/0.9)."""

    version: str = ""
    status: int | None = None
    reason: str = ""
    headers: Headers = field(default_factory=Headers)


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request's line and fields."""

    method: str = ""
    target: str = ""
    version: str = ""
    headers: Headers = field(default_factory=Headers)


def parse_response(head: bytes) -> ResponseHead:
    """Read a response's head; what cannot be read stays empty, lines without a colon are left out."""
    return _build_response(*_split_head(head))


def parse_request(head: bytes) -> RequestHead:
    """Read a request's head; a target with spaces in it is kept whole."""
    line, headers = _split_head(head)
    method, _, rest = line.strip(_BLANK).partition(" ")
    target, space, version = rest.rpartition(" ")
    if not space or not version.upper().startswith("HTTP"):
        target, version = rest, ""
    return RequestHead(method, target.strip(_BLANK), version, headers)


def is_response(start: bytes) -> bool:
    """Whether bytes begin with a status line; if not they are a bare body (HTTP/0.9), as browsers see it too."""
    return start.startswith(b"HTTP/") or start[:16].lstrip(b"\r\n").lower().startswith(_STATUS_STARTS)


def head_length(data: bytes) -> int:
    """How many bytes the head takes with its empty line; all of them, up to the limit, where no line is empty."""
    end = _find_head_end(data, 0)
    return end if end >= 0 else min(len(data), MAX_HTTP_HEAD_BYTES)


def split_response(data: bytes) -> tuple[ResponseHead, int]:
    """The head of a response and the offset of its body; the first `MAX_HTTP_HEAD_BYTES` bytes of a message are
    enough.
    """
    if not is_response(data):
        return ResponseHead(), 0
    end = data.find(_HEAD_END, 0, MAX_HTTP_HEAD_BYTES) + 4
    # A head in which all is plain has no empty line before its end.
    plain = _split_plain_head(data[:end]) if end >= 4 else None
    if plain is not None:
        return _build_response(*plain), end
    length = head_length(data)
    return parse_response(data[:length]), length


def split_request(data: bytes) -> tuple[RequestHead, int]:
    """The head of a request and the offset of its body; the first `MAX_HTTP_HEAD_BYTES` bytes of a message are
    enough.
    """
    length = head_length(data)
    return parse_request(data[:length]), length


def take_response_head(chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Take the head off a streamed response: its bytes, none where it has no status line, and what follows them."""
    head, rest = take_head(chunks)
    return (head, rest) if is_response(head) else (b"", itertools.chain((head,), rest))


def take_head(chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Take the head off a streamed message: its bytes, and what follows them."""
    feed = iter(chunks)
    held = bytearray()
    end = -1
    while end < 0 and len(held) < MAX_HTTP_HEAD_BYTES and (chunk := next(feed, None)) is not None:
        searched = len(held)
        held += chunk
        end = _find_head_end(held, max(searched - 2, 0))
    length = end if end >= 0 else min(len(held), MAX_HTTP_HEAD_BYTES)
    head, rest = bytes(held[:length]), bytes(held[length:])
    return head, itertools.chain((rest,), feed) if rest else feed


def _find_head_end(data: bytes | bytearray, start: int) -> int:
    # Empty lines before the first line belong to the head: some servers end the last body with one too many.
    before = _LINE_ENDS.match(data) if data and data[0] in _LINE_END else None
    begin = max(start, before.end()) if before else start
    end = data.find(b"\n\r\n", begin, MAX_HTTP_HEAD_BYTES)
    bare = data.find(b"\n\n", begin, MAX_HTTP_HEAD_BYTES if end < 0 else end + 1)
    if bare >= 0:
        return bare + 2
    return end + 3 if end >= 0 else -1


def _parse_status_line(line: str) -> tuple[str, int | None, str]:
    """Version, status and reason of a status line."""
    match = _PLAIN_STATUS_LINE.match(line) or _STATUS_LINE.match(line)
    if match is None:
        return "", None, ""
    version, status, reason = match.groups()
    return version, int(status) if status else None, reason.rstrip(_BLANK)


_cached_status_line = lru_cache(256)(_parse_status_line)


def _build_response(line: str, headers: Headers) -> ResponseHead:
    version, status, reason = (
        _cached_status_line(line) if len(line) <= _MAX_CACHED_LINE_CHARS else _parse_status_line(line)
    )
    return ResponseHead(version, status, reason, headers)


def _split_head(head: bytes) -> tuple[str, Headers]:
    return (_split_plain_head(head) if head.endswith(_HEAD_END) else None) or _split_any_head(head)


def _split_plain_head(head: bytes) -> tuple[str, Headers] | None:
    return parse_plain_head(head.decode("ascii")) if head.isascii() and head[0] not in _LINE_END else None


def _split_any_head(head: bytes) -> tuple[str, Headers]:
    text = _decode_head(head).lstrip("\r\n")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    first, *lines = text.split("\n")
    fields: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            fields.append((name.rstrip(_BLANK), value.strip(_BLANK)))
        elif line in ("", "\r"):
            break
    return first, Headers(tuple(fields))


def _decode_head(head: bytes) -> str:
    if head.isascii():
        return head.decode("ascii")
    return "\n".join(map(_decode_line, head.split(b"\n")))


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
