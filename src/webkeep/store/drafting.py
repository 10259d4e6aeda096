"""Drafts: records in the making, and how a payload that is held already is referred to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from webkeep.errors import UsageError
from webkeep.formats.content_type import bare_type
from webkeep.formats.field_text import field_text, target_text
from webkeep.formats.http1 import ResponseHead
from webkeep.formats.record import NOT_MODIFIED
from webkeep.formats.warc_writer import large_member, small_member
from webkeep.model import Body, BytesBody, Digest, Moment, Place, Visit
from webkeep.store.bookkeeping import News
from webkeep.store.payload import Payload
from webkeep.store.sight import CONTENT_DIGEST, LAST_MODIFIED, REVISIT_TYPE, VIA, VISIT, Sight

LARGE = 1 << 20
"""Blocks beyond this are streamed to disk, never held."""

Packed = tuple[object, ...]
"""Work in plain values, of which another process can make the same work."""

_NOWHERE = Place("", 0, 0)
_NOTHING = BytesBody()
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """One record ready to be appended, and what it says to index and catalog."""

    pieces: Iterable[bytes]
    sight: Sight | None = None
    news: News | None = None
    key: str = ""
    """The key that the record is looked up by, where it was made already."""


class Work(Protocol):
    """Something to be stored, in two steps so that many can be looked up at once between them.

    Both may be called again, the first one first: what an assistant began is done anew where it was lost.
    """

    def examine(self) -> str:
        """Read it once; gives the digest of a payload that may be held already, or "" where that is no question."""
        ...

    def prepare(self, known: Known) -> Sequence[Prepared]:
        """The records to append: one, and after it its request where there is one."""
        ...

    def packed(self) -> Packed | None:
        """What another process can make the same work of; None where it has to be done in this one."""
        ...

    def study(self) -> object:
        """What else whoever handed it over wants to know of it."""
        ...


class LocalWork:
    """Work that is done in this process, and of which nobody wants to know more."""

    __slots__ = ()

    def packed(self) -> None:
        """Nothing: it stays here."""

    def study(self) -> None:
        """Nothing."""


class Known(Protocol):
    """What was stored before, for deduplication."""

    def recall(self, digests: Sequence[str]) -> None:
        """Bring back what is known of these payloads, which may be claimed next."""
        ...

    def claim(self, payload: Payload) -> Payload | None:
        """The record that holds this payload already; None, and from now on this one, where there is none."""
        ...

    def latest(self, url: str, before: Moment) -> Payload | None:
        """The latest record of this URL that holds a payload."""
        ...


@dataclass(frozen=True, slots=True)
class _Measured:
    """A body that must be as long as it said: the record's head promises that."""

    body: Body
    url: str

    @property
    def size(self) -> int:
        return self.body.size

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        left = self.body.size - start
        for chunk in self.body.chunks(start):
            left -= len(chunk)
            yield chunk
        if left:
            raise UsageError(f"the body of {self.url} is not {self.body.size} bytes long, as it said; store it again")


@dataclass(slots=True)
class Draft:
    """A record in the making; gives both the record and, without reading that again, what it says."""

    record_type: str
    url: str
    moment: Moment
    capture: str
    content_type: str
    head: bytes = b""
    parsed: ResponseHead | None = None
    body: Body = _NOTHING
    payload: str = ""
    content: str | None = None
    check: bytes = b""
    block: Digest | None = None
    via: str = ""
    visit: Visit = Visit.VISIT
    truncated: str = ""
    last_modified: str = ""
    lines: str = ""
    """Further named fields, each with its line end."""
    record_id: str = ""

    def __post_init__(self) -> None:
        # What is said of a record is what will be read of it.
        self.url = target_text(self.url)
        if not self.content_type.startswith("application/http;"):
            self.content_type = field_text(self.content_type)
        if self.via:
            self.via = field_text(self.via)
        if self.truncated:
            self.truncated = field_text(self.truncated)
        if self.last_modified:
            self.last_modified = field_text(self.last_modified)

    def refer_to(self, original: Payload, profile: str, by_record: bool = True) -> None:
        """Make it a revisit of another record's payload, which URL and moment name well enough."""
        self.record_type = "revisit"
        self.body = _NOTHING
        self.add("WARC-Profile", profile)
        if by_record and original.record:
            self.add("WARC-Refers-To", f"<{original.record}>")
        self.add("WARC-Refers-To-Target-URI", original.url)
        self.add("WARC-Refers-To-Date", original.moment.iso())
        if profile == NOT_MODIFIED:  # no payload came with it: what is meant is the original's
            self.payload = original.digest
            self.content = original.digest if original.content == "" else original.content

    def same_payload(self, known: Known) -> Payload | None:
        """The record that holds the same payload; where there is none, this one will be it."""
        mine = Payload(self.payload, self.check, self.content, _NOWHERE, self.record_id, self.url, self.moment)
        found = known.claim(mine)
        # SHA-1 can be made to collide; what was kept is only referred to if the second hash does not contradict.
        agrees = found is None or not found.check or found.check == self.check
        return found if agrees else None

    def add(self, name: str, value: str) -> None:
        """Add a named field, unless it would be empty."""
        if value:
            self.lines += f"{name}: {field_text(value)}\r\n"

    def finished(self, method: str = "GET", post: str = "", news: News | None = None) -> Prepared:
        """The record, and what it says to index and catalog; nothing where it has no URL to be looked up by."""
        return Prepared(self.pieces(), self._sight(method, post) if self.url else None, news)

    def pieces(self) -> Iterable[bytes]:
        """The record as one gzip member."""
        start, body = self._named_fields(), self.body
        if isinstance(body, BytesBody) and len(body.data) <= LARGE:
            return [small_member(start, self.head, body.data)]
        measured = _Measured(body, self.url)
        if body.size > LARGE:
            return large_member(start, self.head, measured)
        return [small_member(start, self.head, b"".join(measured.chunks()))]

    def _named_fields(self) -> bytes:
        if self.via:
            self.add(VIA, self.via)
        if self.visit is Visit.REVISIT:
            self.add(VISIT, "revisit")
        if self.last_modified:
            self.add(LAST_MODIFIED, self.last_modified)
        if self.truncated:
            self.add("WARC-Truncated", self.truncated)
        capture = f"WARC-Warcinfo-ID: <urn:uuid:{self.capture}>\r\n" if self.capture else ""
        url = f"WARC-Target-URI: {self.url}\r\n" if self.url else ""
        payload = f"WARC-Payload-Digest: {self.payload}\r\n" if self.payload else ""
        block = f"WARC-Block-Digest: {self.block}\r\n" if self.block else ""
        content = f"{CONTENT_DIGEST}: {self.content}\r\n" if self.content else ""
        return (
            f"WARC/1.1\r\nWARC-Type: {self.record_type}\r\nWARC-Record-ID: <{self.record_id}>\r\n"
            f"WARC-Date: {self.moment.iso()}\r\n{url}{capture}{self.lines}{payload}{block}{content}"
            f"Content-Type: {self.content_type}\r\nContent-Length: {len(self.head) + self.body.size}\r\n\r\n"
        ).encode("utf-8", "replace")

    def _sight(self, method: str, post: str) -> Sight:
        status, named_type, etag, last_modified = None, self.content_type, "", self.last_modified
        if self.parsed is not None:
            first = self.parsed.headers.first
            status, named_type = self.parsed.status, first.get("content-type", "")
            etag, last_modified = first.get("etag", ""), first.get("last-modified", "")
        bare = bare_type(named_type)
        return Sight(
            self.record_id,
            self.record_type,
            self.url,
            self.moment,
            status,
            bare.lower(),
            REVISIT_TYPE if self.record_type == "revisit" else bare,
            self.payload,
            self.content,
            self.check,
            self.body.size,
            etag,
            last_modified,
            self.capture,
            "",
            self.via,
            self.visit,
            method,
            post,
            bool(self.truncated),
        )


def new_record_id() -> str:
    """A fresh record identifier: a random UUID as a URN."""
    digits = os.urandom(16).hex()
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{_VARIANTS[digits[16]]}{digits[17:20]}-{digits[20:]}"
