"""Held answers: what a capture has stored already, given again to a browser that asks for it once more.

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
from http import HTTPStatus
from typing import NamedTuple

from webkeep.errors import StorageError
from webkeep.fetch.recording import Answer
from webkeep.fetch.status import status_of
from webkeep.formats.codings import decoded
from webkeep.formats.http1 import parse_response
from webkeep.model import Body, BytesBody, Exchange, Headers, Place
from webkeep.redaction import REDACTED
from webkeep.store.archive import Archive

_MOST_KEYS = 100_000
_LARGEST = 32 << 20
_MEMORY = 64 << 20
_SMALL = 1 << 20
_PATIENCE = 5.0
"""Seconds for which an answer is waited for that another tab asked for; some never end."""
_PARTIAL = 206
_FRAMING = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "keep-alive", "trailer"})
_NO_BODY = frozenset({204, 304})
_UNMODIFIED = 304
_LASTING = "public, max-age=31536000"
_LASTING_TYPES = ("image/", "font/", "text/css", "text/javascript", "application/javascript")
_SCRIPTS = b"\ncontent-type: text/javascript", b"\ncontent-type: application/javascript"
_CACHING = frozenset({"cache-control", "expires", "pragma", "age", "vary"})
_SECRET_PLACE = re.compile(rb"\n(?:location|refresh|link)[ \t]*:[^\n]*=redacted", re.IGNORECASE).search
_NOT_KEPT = ("no-store", "no-cache", "private", "must-revalidate")


class Key(NamedTuple):
    """What makes two requests the same."""

    method: str
    url: str
    body: str = ""
    """A digest of the body; and the range, where one was asked for."""


@dataclass(slots=True, eq=False)
class Slot:
    """One answer to a key: under way, in memory, on disk, or none that could be given again."""

    place: Place | None = None
    answer: Answer | None = None
    pending: asyncio.Event | None = None


@dataclass(slots=True)
class HeldAnswers:
    """The answers of a capture, by key and occurrence."""

    archive: Archive
    capture: str
    _slots: OrderedDict[Key, list[Slot]] = field(default_factory=OrderedDict)
    _remembered: OrderedDict[int, Slot] = field(default_factory=OrderedDict)
    _size: int = 0

    async def find(self, key: Key, occurrence: int, conditional: bool = False) -> Answer | None:
        """The answer to the n-th request of a key, counted from one; None where it has to be asked for.

        That something was not modified is only said to a browser that asked whether it was.
        """
        slots = self._of(key)
        if occurrence > len(slots):
            return None
        slot = slots[occurrence - 1]
        if slot.pending is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(slot.pending.wait(), _PATIENCE)
        if slot.answer is None and slot.place is not None:
            self._remember(slot, await asyncio.to_thread(self._read, slot.place))
        if slot.answer is not None and status_of(slot.answer.head) == _UNMODIFIED and not conditional:
            return None
        return slot.answer

    def is_known(self, key: Key) -> bool:
        """Whether it was asked for before."""
        return bool(self._of(key))

    def is_only(self, key: Key) -> bool:
        """Whether nothing has asked for it twice on one path."""
        return len(self._of(key)) == 1

    def expect(self, key: Key, occurrence: int) -> Slot | None:
        """Take note that the n-th answer is asked for; None where that is not the next one."""
        slots = self._of(key)
        if occurrence <= len(slots):
            return None
        slot = Slot(pending=asyncio.Event())
        slots.append(slot)
        return slot

    def withdraw(self, key: Key, slot: Slot | None) -> None:
        """An answer is not asked for after all."""
        if slot is None:
            return
        if slot.pending is not None:
            slot.pending.set()
            slot.pending = None
        if self._of(key)[-1:] == [slot]:
            self._of(key).pop()

    def came(self, slot: Slot, exchange: Exchange | None) -> None:
        """An answer came that was expected; None where there is none to be given again."""
        if exchange is not None and exchange.body.size <= _SMALL:
            self._remember(slot, given_again(exchange.url, exchange.response, exchange.body))
        if slot.pending is not None and (exchange is None or slot.answer is not None):
            slot.pending.set()
            slot.pending = None

    def stored(self, slot: Slot, place: Place) -> None:
        """An answer is on disk."""
        slot.place = place
        if slot.pending is not None:
            slot.pending.set()
            slot.pending = None

    def _of(self, key: Key) -> list[Slot]:
        known = self._slots.get(key)
        if known is None:
            known = self._slots[key] = self._in_archive(key) if key.method == "GET" and not key.body else []
            if len(self._slots) > _MOST_KEYS:
                self._slots.popitem(last=False)
        self._slots.move_to_end(key)
        return known

    def _in_archive(self, key: Key) -> list[Slot]:
        return [
            Slot(each.place)
            for each in self.archive.history(key.url)
            if each.url == key.url
            and each.capture == self.capture
            and each.method == "GET"
            and each.status is not None
            and each.status != _PARTIAL
        ]

    def _read(self, place: Place) -> Answer | None:
        try:
            holding = self.archive.read_place(place)
        except StorageError:  # taken down meanwhile, or damaged: it is asked for again
            return None
        if holding.body.size > _LARGEST or _leads_nowhere(holding.raw_head):
            return None
        if holding.head is not None and holding.head.status == _UNMODIFIED:
            return None  # what the server meant is not held
        return given_again(holding.url, holding.raw_head, holding.body)

    def _remember(self, slot: Slot, answer: Answer | None) -> None:
        slot.answer = answer
        if answer is None:
            return
        self._remembered[id(slot)] = slot
        self._size += answer.body.size
        while self._size > _MEMORY and len(self._remembered) > 1:
            _, oldest = self._remembered.popitem(last=False)
            self._forget(oldest)

    def _forget(self, slot: Slot) -> None:
        if slot.answer is not None:
            self._size -= slot.answer.body.size
        if slot.place is not None:
            slot.answer = None


def given_again(url: str, head: bytes, body: Body) -> Answer:
    """An answer as it can be given to a browser at once: without codings, its length told.

    What pages only show or run, and load again with every load, the browser may keep by itself from then on.
    """
    parsed = parse_response(head)
    content = b"".join(decoded(parsed.headers, body.chunks(), _LARGEST))
    status = parsed.status or 200
    lines = [f"HTTP/1.1 {status} {parsed.reason}"]
    lasts = status == HTTPStatus.OK and _lasts(url, parsed.headers)
    dropped = _FRAMING | _CACHING if lasts else _FRAMING
    kept = [field for field in parsed.headers.fields if field[0].lower() not in dropped]
    # A cookie that is left out of a record would end the login of the browser that is given it.
    lines += [f"{name}: {value}" for name, value in kept if value != REDACTED]
    if lasts:
        lines.append(f"Cache-Control: {_LASTING}")
    if status not in _NO_BODY:
        lines.append(f"Content-Length: {len(content)}")
    return Answer("\r\n".join([*lines, "", ""]).encode("utf-8", "replace"), BytesBody(content))


def _leads_nowhere(head: bytes) -> bool:
    """Whether a recorded head has secrets left out of where it leads to: it has to be asked for again."""
    return _SECRET_PLACE(head) is not None


def asked_each_time(answer: Answer) -> Answer:
    """The same, not to be kept by the browser if it is a script, which may say something else the next time."""
    if not any(each in answer.head.lower() for each in _SCRIPTS):
        return answer
    return replace(answer, head=answer.head.replace(f"Cache-Control: {_LASTING}".encode(), b"Cache-Control: no-store"))


def _lasts(url: str, headers: Headers) -> bool:
    """Whether the next answer to the same URL would be the same: a file by its type and name, that may be cached."""
    told = headers.get("cache-control").lower() + headers.get("pragma").lower()
    return (
        "?" not in url
        and headers.get("content-type").lower().startswith(_LASTING_TYPES)
        and not headers.get("set-cookie")
        and not any(word in told for word in _NOT_KEPT)
    )
