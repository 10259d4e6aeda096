"""Held answers: what a capture has stored already is given again to a browser; how much is held in memory, and which
files the browser itself may cache (Cache-Control, max-age).

An answer is given only for the same method, URL and body, and for the n-th time that a path asks for it only the n-th
answer. So a page that is loaded again to be walked further costs its server nothing, while what it polls, or loads bit
by bit under one URL, still reaches the server.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from webkeep.errors import StorageError
from webkeep.fetch.proxy import LocalResponse
from webkeep.formats.codings import decode_body
from webkeep.formats.http import parse_response
from webkeep.formats.status import (
    BODILESS_STATUSES,
    NOT_MODIFIED,
    OK,
    PARTIAL_CONTENT,
    THROTTLING_STATUSES,
    TRANSIENT_STATUSES,
    build_status_line,
    status_of,
)
from webkeep.model import Body, BytesBody, Exchange, Headers, Observation, RecordPlace, RecordType
from webkeep.redaction import REDACTED
from webkeep.store.archive import Archive

_MAX_KEYS = 100_000
"""Requests remembered; those asked longest ago are looked up in the archive again."""
_MAX_RESPONSE_BYTES = 32 << 20
"""Longer responses are asked for again rather than held."""
_MAX_MEMORY_BYTES = 64 << 20
"""Bodies held in memory together; the oldest are read from the archive again."""
_MAX_SHARED_BYTES = 1 << 20
"""Shorter bodies can be given to another tab before they are on disk."""
_PENDING_SECONDS = 5.0
"""Seconds for which an answer is waited for that another tab asked for; some never end."""
_FRAMING_FIELDS = frozenset(
    {"content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive", "trailer"}
)
_PASSING_STATUSES = THROTTLING_STATUSES | TRANSIENT_STATUSES
"""Answers that a capture asks again after: what comes then is the page, and not what stood in for it."""
_TOLD_FIELDS = frozenset({"content-encoding", "content-length"})
"""Framing of the body that is only spoken of where HEAD was asked."""
_LASTING_CACHE_CONTROL = "public, max-age=31536000"
"""What a browser is told of files that it may keep by itself."""
_LASTING_TYPES = ("image/", "font/", "text/css", "text/javascript", "application/javascript")
_SCRIPT_FIELDS = b"\ncontent-type: text/javascript", b"\ncontent-type: application/javascript"
_CACHING_FIELDS = frozenset({"cache-control", "expires", "pragma", "age", "vary"})
_find_redacted_target = re.compile(rb"\n(?:location|refresh|link)[ \t]*:[^\n]*=redacted", re.IGNORECASE).search
_UNCACHED_WORDS = ("no-store", "no-cache", "private", "must-revalidate")


class RequestKey(NamedTuple):
    """What makes two requests the same."""

    method: str
    url: str
    body: str = ""
    """A digest of the body; and the range, where one was asked for."""


@dataclass(slots=True, eq=False)
class ResponseSlot:
    """One answer to a key: under way, in memory, on disk, or none that could be given again."""

    place: RecordPlace | None = None
    response: LocalResponse | None = None
    pending: asyncio.Event | None = None
    method: str = "GET"


@dataclass(slots=True)
class HeldResponses:
    """The answers of a capture, by key and occurrence."""

    archive: Archive
    capture: str
    _slots: OrderedDict[RequestKey, list[ResponseSlot]] = field(default_factory=OrderedDict)
    _remembered: OrderedDict[int, ResponseSlot] = field(default_factory=OrderedDict)
    _size: int = 0

    async def find(self, key: RequestKey, occurrence: int, conditional: bool = False) -> LocalResponse | None:
        """The answer to the n-th request of a key, counted from one; None where it has to be asked for.

        That something was not modified is only said to a browser that asked whether it was.
        """
        slots = self._slots_of(key)
        if occurrence > len(slots):
            return None
        slot = slots[occurrence - 1]
        if slot.pending is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_PENDING_SECONDS):
                    await slot.pending.wait()
        if slot.response is None and slot.place is not None:
            self._remember(slot, await asyncio.to_thread(self._read, slot))
        if slot.response is not None and status_of(slot.response.head) == NOT_MODIFIED and not conditional:
            return None
        return slot.response

    def is_asked_before(self, key: RequestKey) -> bool:
        """Whether it was asked for before."""
        return bool(self._slots_of(key))

    def is_asked_once(self, key: RequestKey) -> bool:
        """Whether nothing has asked for it twice on one path."""
        return len(self._slots_of(key)) == 1

    def reserve(self, key: RequestKey, occurrence: int) -> ResponseSlot | None:
        """Take note that the n-th answer is asked for; None where that is not the next one."""
        slots = self._slots_of(key)
        if occurrence <= len(slots):
            return None
        slot = ResponseSlot(pending=asyncio.Event(), method=key.method)
        slots.append(slot)
        return slot

    def release(self, key: RequestKey, slot: ResponseSlot | None) -> None:
        """An answer is not asked for after all."""
        if slot is None:
            return
        if slot.pending is not None:
            slot.pending.set()
            slot.pending = None
        if self._slots_of(key)[-1:] == [slot]:
            self._slots_of(key).pop()

    def fill(self, slot: ResponseSlot, exchange: Exchange | None) -> None:
        """An answer came that was expected; None where there is none to be given again."""
        if exchange is not None and exchange.body.size <= _MAX_SHARED_BYTES:
            self._remember(slot, replayable_response(exchange.url, exchange.response, exchange.body, slot.method))
        if slot.pending is not None and (exchange is None or slot.response is not None):
            slot.pending.set()
            slot.pending = None

    def set_place(self, slot: ResponseSlot, place: RecordPlace) -> None:
        """An answer is on disk."""
        slot.place = place
        if slot.pending is not None:
            slot.pending.set()
            slot.pending = None

    def _slots_of(self, key: RequestKey) -> list[ResponseSlot]:
        known = self._slots.get(key)
        if known is None:
            known = self._slots[key] = self._slots_in_archive(key) if key.method == "GET" and not key.body else []
            if len(self._slots) > _MAX_KEYS:
                self._slots.popitem(last=False)
        self._slots.move_to_end(key)
        return known

    def _slots_in_archive(self, key: RequestKey) -> list[ResponseSlot]:
        seen = [
            each
            for each in self.archive.history(key.url)
            if each.url == key.url
            and each.capture == self.capture
            and each.method == "GET"
            and (each.status is not None or _is_file(each))
            and each.status != PARTIAL_CONTENT
        ]
        lasting = [each for each in seen if each.status not in _PASSING_STATUSES]
        return [ResponseSlot(each.place) for each in lasting or seen]

    def _read(self, slot: ResponseSlot) -> LocalResponse | None:
        assert slot.place is not None
        try:
            stored = self.archive.read_place(slot.place)
        except StorageError:  # taken down meanwhile, or damaged: it is asked for again
            return None
        if stored.body.size > _MAX_RESPONSE_BYTES or _has_redacted_target(stored.raw_head):
            return None
        if stored.head is not None and stored.head.status == NOT_MODIFIED:
            return None  # what the server meant is not held
        head = stored.raw_head or _head_of_file(stored.media_type)
        return replayable_response(stored.url, head, stored.body, slot.method)

    def _remember(self, slot: ResponseSlot, response: LocalResponse | None) -> None:
        slot.response = response
        if response is None:
            return
        self._remembered[id(slot)] = slot
        self._size += response.body.size
        while self._size > _MAX_MEMORY_BYTES and len(self._remembered) > 1:
            _, oldest = self._remembered.popitem(last=False)
            self._forget(oldest)

    def _forget(self, slot: ResponseSlot) -> None:
        if slot.response is not None:
            self._size -= slot.response.body.size
        if slot.place is not None:
            slot.response = None


def _is_file(observation: Observation) -> bool:
    """Whether it is a file of the site, which came without HTTP."""
    return observation.record_type in (RecordType.RESOURCE, RecordType.REVISIT) and not observation.is_dangling


def _head_of_file(media_type: str) -> bytes:
    """The head that a web server would send with a file of the site."""
    return f"{build_status_line(OK, 'OK')}\r\nContent-Type: {media_type}\r\n\r\n".encode()


def replayable_response(url: str, head: bytes, body: Body, method: str = "GET") -> LocalResponse:
    """An answer as it can be given to a browser at once: without codings, its length told.

    What pages only show or run, and load again with every load, the browser may keep by itself from then on.
    """
    parsed = parse_response(head)
    content = b"".join(decode_body(parsed.headers, body.chunks(), _MAX_RESPONSE_BYTES))
    status = parsed.status or OK
    lines = [build_status_line(status, parsed.reason)]
    lasts = status == OK and _is_cacheable(url, parsed.headers)
    framing = _FRAMING_FIELDS - _TOLD_FIELDS if method == "HEAD" else _FRAMING_FIELDS
    dropped = framing | _CACHING_FIELDS if lasts else framing
    kept = [field for field in parsed.headers.fields if field[0].lower() not in dropped]
    # A cookie that is left out of a record would end the login of the browser that is given it.
    lines += [f"{name}: {value}" for name, value in kept if value != REDACTED]
    if lasts:
        lines.append(f"Cache-Control: {_LASTING_CACHE_CONTROL}")
    if status not in BODILESS_STATUSES and method != "HEAD":
        lines.append(f"Content-Length: {len(content)}")
    return LocalResponse("\r\n".join([*lines, "", ""]).encode("utf-8", "replace"), BytesBody(content))


def _has_redacted_target(head: bytes) -> bool:
    """Whether a recorded head has secrets left out of where it leads to: it has to be asked for again."""
    return _find_redacted_target(head) is not None


def forbid_caching(response: LocalResponse) -> LocalResponse:
    """The same, not to be kept by the browser if it is a script, which may say something else the next time."""
    if not any(each in response.head.lower() for each in _SCRIPT_FIELDS):
        return response
    return replace(
        response,
        head=response.head.replace(f"Cache-Control: {_LASTING_CACHE_CONTROL}".encode(), b"Cache-Control: no-store"),
    )


def _is_cacheable(url: str, headers: Headers) -> bool:
    """Whether the next answer to the same URL would be the same: a file by its type and name, that may be cached."""
    told = headers.get("cache-control").lower() + headers.get("pragma").lower()
    return (
        "?" not in url
        and headers.get("content-type").lower().startswith(_LASTING_TYPES)
        and not headers.get("set-cookie")
        and not any(word in told for word in _UNCACHED_WORDS)
    )
