"""Drafts: records in the making, and how a payload that is held already is referred to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from webkeep.formats.http1 import ResponseHead
from webkeep.formats.record import NOT_MODIFIED
from webkeep.formats.warc_writer import large_member, record_head, small_member
from webkeep.model import Body, BytesBody, Digest, Headers, Moment, Place
from webkeep.store.bookkeeping import News, capture_urn
from webkeep.store.payload import Payload
from webkeep.store.sight import CONTENT_DIGEST, Sight, sight_of

LARGE = 1 << 20
"""Blocks beyond this are streamed to disk, never held."""

_NOWHERE = Place("", 0, 0)


@dataclass(frozen=True, slots=True)
class Prepared:
    """One record ready to be appended, and what it says to index and catalog."""

    pieces: Iterable[bytes]
    sight: Sight | None = None
    news: News | None = None


class Work(Protocol):
    """Something to be stored, in two steps so that many can be looked up at once between them."""

    def examine(self) -> str:
        """Read it once; gives the digest of a payload that may be held already, or "" where that is no question."""
        ...

    def prepare(self, known: Known) -> Sequence[Prepared]:
        """The records to append: one, and after it its request where there is one."""
        ...


class Known(Protocol):
    """What was stored before, for deduplication."""

    def claim(self, payload: Payload) -> Payload | None:
        """The record that holds this payload already; None, and from now on this one, where there is none."""
        ...

    def latest(self, url: str, before: Moment) -> Payload | None:
        """The latest record of this URL that holds a payload."""
        ...


@dataclass(slots=True)
class Draft:
    """A record in the making: its fields, and its block as a head and a body."""

    fields: list[tuple[str, str]]
    head: bytes = b""
    parsed: ResponseHead | None = None
    body: Body = field(default_factory=BytesBody)
    payload: str = ""
    content: Digest | None = None
    method: str = "GET"
    post: str = ""

    @property
    def record_id(self) -> str:
        """The record's identifier, without angle brackets."""
        return self.fields[1][1].strip("<>")

    def add(self, name: str, value: str) -> None:
        """Add a field, unless it would be empty."""
        if value:
            self.fields.append((name, value))

    def add_digests(self, block: Digest) -> None:
        """Add the fields for the digests of payload, block and content."""
        self.add("WARC-Payload-Digest", self.payload)
        self.add("WARC-Block-Digest", str(block))
        self.add(CONTENT_DIGEST, str(self.content or ""))

    def refer_to(self, original: Payload, profile: str) -> None:
        """Make it a revisit of another record's payload."""
        self.fields[0] = ("WARC-Type", "revisit")
        self.add("WARC-Profile", profile)
        self.add("WARC-Refers-To", f"<{original.record}>" if original.record else "")
        self.add("WARC-Refers-To-Target-URI", original.url)
        self.add("WARC-Refers-To-Date", original.moment.iso())
        if profile == NOT_MODIFIED:  # no payload came with it: what is meant is the original's
            self.payload = original.digest
            self.content = Digest("sha256", original.content) if original.content else None

    def same_payload(self, url: str, moment: Moment, known: Known) -> Payload | None:
        """The record that holds the same payload; where there is none, this one will be it."""
        content = self.content.value if self.content else None
        found = known.claim(Payload(self.payload, content, _NOWHERE, self.record_id, url, moment))
        # SHA-1 can be made to collide; what was kept is only referred to if SHA-256 does not contradict.
        agrees = found is None or found.content is None or content is None or found.content == content
        return found if agrees else None

    def finished(self, url: str, moment: Moment, news: News | None = None) -> Prepared:
        """The record, and what it says to index and catalog."""
        sight = sight_of(
            Headers(tuple(self.fields)),
            url,
            moment,
            self.parsed,
            self.body.size,
            self.payload,
            self.content,
            "",
            self.method,
            self.post,
        )
        return Prepared(self.pieces(), sight, news)

    def pieces(self) -> Iterable[bytes]:
        """The record as one gzip member."""
        start = record_head(self.fields, len(self.head) + self.body.size)
        if self.body.size > LARGE:
            return large_member(start, self.head, self.body)
        return [small_member(start, b"".join((self.head, *self.body.chunks())))]


def opening(record_type: str, moment: Moment, url: str, capture: str) -> list[tuple[str, str]]:
    """The fields every record of a URL begins with."""
    fields = [
        ("WARC-Type", record_type),
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Date", moment.iso()),
        ("WARC-Target-URI", url),
    ]
    return [*fields, ("WARC-Warcinfo-ID", capture_urn(capture))] if capture else fields


def new_record_id() -> str:
    """A fresh record identifier (a random UUID) in angle brackets."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"
