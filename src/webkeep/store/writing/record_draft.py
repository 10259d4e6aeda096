"""Drafts: WARC records in the making, with their identifiers and named fields, and how a payload that is held already
is referred to by a revisit.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from webkeep.errors import UsageError
from webkeep.formats.http import ResponseHead, bare_media_type
from webkeep.formats.warc import (
    NOT_MODIFIED_PROFILE,
    build_member,
    clean_field,
    clean_target_uri,
    combine_record_hash,
    stream_member,
)
from webkeep.model import Body, BytesBody, Digest, Moment, RecordPlace, RecordType, VisitKind
from webkeep.store.index.bookkeeping import CatalogUpdate
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.index.record_facts import (
    CONTENT_DIGEST_FIELD,
    HOLDER_FIELD,
    LAST_MODIFIED_FIELD,
    REVISIT_TYPE,
    VIA_FIELD,
    VISIT_FIELD,
    RecordFacts,
)
from webkeep.store.reading.message_digests import BLOCK_ALGORITHM

MAX_HELD_BLOCK_BYTES = 1 << 20
"""Blocks beyond this are streamed to disk, never held."""

PackedTask = tuple[object, ...]
"""Work in plain values, of which another process can make the same work."""

_NO_PLACE = RecordPlace("", 0, 0)
_EMPTY_BODY = BytesBody()
_UUID_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}


@dataclass(frozen=True, slots=True)
class PreparedRecord:
    """One record ready to be appended, and what it says to index and catalog."""

    pieces: Iterable[bytes]
    facts: RecordFacts | None = None
    update: CatalogUpdate | None = None
    key: str = ""
    """The key that the record is looked up by, where it was made already."""
    record_hash: bytes = b""
    """What stands for the record in the archive's log, where it was computed already."""


class WriteTask(Protocol):
    """Something to be stored, in two steps so that many can be looked up at once between them.

    Both may be called again, the first one first: what a prepare worker began is done anew where it was lost.
    """

    def digest_payload(self) -> str:
        """Read it once; gives the digest of a payload that may be held already, or "" where that is no question."""
        ...

    def prepare_records(self, known: DedupLookup) -> Sequence[PreparedRecord]:
        """The records to append: one, and after it its request where there is one."""
        ...

    def pack(self) -> PackedTask | None:
        """What another process can make the same work of; None where it has to be done in this one."""
        ...

    def analyse(self) -> object:
        """What else whoever handed it over wants to know of it."""
        ...


class LocalWriteTask:
    """Work that is done in this process, and of which nobody wants to know more."""

    __slots__ = ()

    def pack(self) -> None:
        """Nothing: it stays here."""

    def analyse(self) -> None:
        """Nothing."""


class DedupLookup(Protocol):
    """What was stored before, for deduplication."""

    def prefetch(self, digests: Sequence[str]) -> None:
        """Bring back what is known of these payloads, which may be claimed next."""
        ...

    def learn(self, payloads: Sequence[StoredPayload]) -> None:
        """Know of payloads that other archives hold and this one does not, in place of what was learned before."""
        ...

    def claim(self, payload: StoredPayload) -> StoredPayload | None:
        """The record that holds this payload already; None, and from now on this one, where there is none."""
        ...

    def latest_payload(self, url: str, before: Moment) -> StoredPayload | None:
        """The latest record of this URL that holds a payload."""
        ...


@dataclass(frozen=True, slots=True)
class _LengthCheckedBody:
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
class RecordDraft:
    """A record in the making; gives both the record and, without reading that again, what it says."""

    record_type: RecordType
    url: str
    moment: Moment
    capture: str
    content_type: str
    head: bytes = b""
    parsed: ResponseHead | None = None
    body: Body = _EMPTY_BODY
    payload: str = ""
    content: str | None = None
    check: bytes = b""
    block: Digest | None = None
    via: str = ""
    visit: VisitKind = VisitKind.VISIT
    truncated: str = ""
    last_modified: str = ""
    fingerprint: bytes = b""
    lines: str = ""
    """Further named fields, each with its line end."""
    record_id: str = ""

    def __post_init__(self) -> None:
        # What is said of a record is what will be read of it.
        self.url = clean_target_uri(self.url)
        if not self.content_type.startswith("application/http;"):
            self.content_type = clean_field(self.content_type)
        if self.via:
            self.via = clean_field(self.via)
        if self.truncated:
            self.truncated = clean_field(self.truncated)
        if self.last_modified:
            self.last_modified = clean_field(self.last_modified)

    def refer_to(self, original: StoredPayload, profile: str, by_record: bool = True) -> None:
        """Make it a revisit of another record's payload, which URL and moment name well enough."""
        self.record_type = RecordType.REVISIT
        self.body = _EMPTY_BODY
        self.add_field("WARC-Profile", profile)
        if by_record and original.record:
            self.add_field("WARC-Refers-To", f"<{original.record}>")
        self.add_field("WARC-Refers-To-Target-URI", original.url)
        self.add_field("WARC-Refers-To-Date", original.moment.iso())
        self.add_field(HOLDER_FIELD, original.holder)
        if profile == NOT_MODIFIED_PROFILE:  # no payload came with it: what is meant is the original's
            self.payload = original.digest
            self.content = original.digest if original.content == "" else original.content

    def find_duplicate(self, known: DedupLookup) -> StoredPayload | None:
        """The record that holds the same payload; where there is none, this one will be it."""
        mine = StoredPayload(self.payload, self.check, self.content, _NO_PLACE, self.record_id, self.url, self.moment)
        found = known.claim(mine)
        # SHA-1 can be made to collide; what was kept is only referred to if the second hash does not contradict.
        agrees = found is None or not found.check or found.check == self.check
        return found if agrees else None

    def add_field(self, name: str, value: str) -> None:
        """Add a named field, unless it would be empty."""
        if value:
            self.lines += f"{name}: {clean_field(value)}\r\n"

    def finish(self, method: str = "GET", post: str = "", update: CatalogUpdate | None = None) -> PreparedRecord:
        """The record, and what it says to index and catalog; nothing where it has no URL to be looked up by."""
        return self.prepare(self._record_facts(method, post) if self.url else None, update)

    def prepare(self, facts: RecordFacts | None = None, update: CatalogUpdate | None = None) -> PreparedRecord:
        """The record, and what is given of what it says."""
        start, block = self._named_fields(), self.block
        is_hashed = block is not None and block.algorithm == BLOCK_ALGORITHM
        record_hash = combine_record_hash(start, block.value) if block is not None and is_hashed else b""
        return PreparedRecord(self._pieces(start), facts, update, record_hash=record_hash)

    def _pieces(self, start: bytes) -> Iterable[bytes]:
        """The record as one gzip member."""
        body = self.body
        if isinstance(body, BytesBody) and len(body.data) <= MAX_HELD_BLOCK_BYTES:
            return [build_member(start, self.head, body.data)]
        measured = _LengthCheckedBody(body, self.url)
        if body.size > MAX_HELD_BLOCK_BYTES:
            return stream_member(start, self.head, measured)
        return [build_member(start, self.head, b"".join(measured.chunks()))]

    def _named_fields(self) -> bytes:
        if self.via:
            self.add_field(VIA_FIELD, self.via)
        if self.visit is VisitKind.REVISIT:
            self.add_field(VISIT_FIELD, VisitKind.REVISIT)
        if self.last_modified:
            self.add_field(LAST_MODIFIED_FIELD, self.last_modified)
        if self.truncated:
            self.add_field("WARC-Truncated", self.truncated)
        capture = f"WARC-Warcinfo-ID: <urn:uuid:{self.capture}>\r\n" if self.capture else ""
        url = f"WARC-Target-URI: {self.url}\r\n" if self.url else ""
        payload = f"WARC-Payload-Digest: {self.payload}\r\n" if self.payload else ""
        block = f"WARC-Block-Digest: {self.block}\r\n" if self.block else ""
        content = f"{CONTENT_DIGEST_FIELD}: {self.content}\r\n" if self.content else ""
        return (
            f"WARC/1.1\r\nWARC-Type: {self.record_type}\r\nWARC-Record-ID: <{self.record_id}>\r\n"
            f"WARC-Date: {self.moment.iso()}\r\n{url}{capture}{self.lines}{payload}{block}{content}"
            f"Content-Type: {self.content_type}\r\nContent-Length: {len(self.head) + self.body.size}\r\n\r\n"
        ).encode("utf-8", "replace")

    def _record_facts(self, method: str, post: str) -> RecordFacts:
        status, named_type, etag, last_modified = None, self.content_type, "", self.last_modified
        if self.parsed is not None:
            first = self.parsed.headers.first
            status, named_type = self.parsed.status, first.get("content-type", "")
            etag, last_modified = first.get("etag", ""), first.get("last-modified", "")
        bare = bare_media_type(named_type)
        return RecordFacts(
            self.record_id,
            self.record_type.value,
            self.url,
            self.moment,
            status,
            bare.lower(),
            REVISIT_TYPE if self.record_type is RecordType.REVISIT else bare,
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
            self.fingerprint,
        )


def new_record_id() -> str:
    """A fresh record identifier: a random UUID as a URN."""
    digits = os.urandom(16).hex()
    variant = _UUID_VARIANTS[digits[16]]
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
