"""From exchanges, files and notes to WARC records ready to be appended: what becomes a response, a revisit, a request,
a resource, metadata or warcinfo, and under which digests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webkeep.formats.cdx import post_query
from webkeep.formats.http import bare_media_type, parse_request, parse_response
from webkeep.formats.status import NOT_MODIFIED
from webkeep.formats.warc import IDENTICAL_PAYLOAD_PROFILE, NOT_MODIFIED_PROFILE
from webkeep.model import Body, BytesBody, Capture, Digest, Exchange, Headers, Moment, RecordType, VisitKind
from webkeep.store.index.bookkeeping import BookkeepingRecord, CatalogUpdate, build_warcinfo, parse_warcinfo
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.reading.message_digests import BLOCK_ALGORITHM, PAYLOAD_ALGORITHM, MessageDigests, digest_message
from webkeep.store.reading.record_payload import RecordPayload
from webkeep.store.writing.record_draft import (
    DedupLookup,
    LocalWriteTask,
    PackedTask,
    PreparedRecord,
    RecordDraft,
    new_record_id,
)

_MAX_POST_BODY_BYTES = 1 << 20
"""A longer body of a request is no part of its key."""
_RESPONSE_TYPE = "application/http; msgtype=response"
_REQUEST_TYPE = "application/http; msgtype=request"
_NO_HEADERS = Headers()


ExchangeAnalysis = Callable[[Exchange], object]
"""Reads something out of an exchange while it is being stored; a function of a module, so that others can call it.

What it gives may have a `fingerprint`: that of the page, which is then not read a second time."""


class ExchangeTask:
    """An exchange to be stored: the response, or a revisit of what is known, and the request."""

    __slots__ = ("_analysis", "_capture", "_draft", "_exchange", "_fingerprint", "_lean")

    def __init__(
        self, exchange: Exchange, capture: str, analysis: ExchangeAnalysis | None = None, lean: bool = False
    ) -> None:
        """`lean` keeps a revisit small, and no request with it."""
        self._exchange = exchange
        self._capture = capture
        self._analysis = analysis
        self._lean = lean
        self._draft: RecordDraft
        self._fingerprint: bytes | None = None

    @classmethod
    def unpack(cls, packed: tuple[Any, ...]) -> ExchangeTask:
        """The work that was packed."""
        url, micros, head, body, request, asked, address, protocols, truncated, via, visit, *mine = packed
        exchange = Exchange(
            url,
            Moment(micros),
            head,
            BytesBody(body),
            request,
            BytesBody(asked),
            address,
            protocols,
            truncated,
            via,
            VisitKind(visit),
        )
        return cls(exchange, *mine)

    def pack(self) -> PackedTask | None:
        """Everything in plain values, if it is in memory."""
        exchange = self._exchange
        body, asked = exchange.body, exchange.request_body
        if not isinstance(body, BytesBody) or not isinstance(asked, BytesBody):
            return None
        return (
            exchange.url,
            exchange.moment.micros,
            exchange.response,
            body.data,
            exchange.request,
            asked.data,
            exchange.address,
            exchange.protocols,
            exchange.truncated,
            exchange.via,
            exchange.visit.value,
            self._capture,
            self._analysis,
            self._lean,
        )

    @property
    def shareable_size(self) -> int:
        """How long the payload is, where another archive may hold the same; 0 where it was cut off."""
        return 0 if self._exchange.truncated else self._exchange.body.size

    @property
    def media_type(self) -> str:
        """The type that the response names, without parameters."""
        return bare_media_type(parse_response(self._exchange.response).headers.get("content-type") or "").lower()

    def analyse(self) -> object:
        """What the one who handed it over wanted to know."""
        found = self._analysis(self._exchange) if self._analysis is not None else None
        self._fingerprint = getattr(found, "fingerprint", None)
        return found

    def digest_payload(self) -> str:
        """Digest the message; gives the payload's digest if a record of the same payload may be referred to."""
        exchange = self._exchange
        draft = self._draft = RecordDraft(
            RecordType.RESPONSE,
            exchange.url,
            exchange.moment,
            self._capture,
            _RESPONSE_TYPE,
            exchange.response,
            body=exchange.body,
            via=exchange.via,
            visit=exchange.visit,
            truncated=exchange.truncated,
        )
        draft.parsed = parse_response(draft.head)
        digests = digest_message(draft.head, draft.parsed.headers, draft.body)
        _set_digests(digests, draft)
        return draft.payload if draft.body.size and not draft.truncated else ""

    def prepare_records(self, known: DedupLookup) -> list[PreparedRecord]:
        """The records to append."""
        exchange, draft = self._exchange, self._draft
        draft.record_id = new_record_id()
        draft.add_field("WARC-IP-Address", exchange.address)
        for protocol in exchange.protocols:
            draft.add_field("WARC-Protocol", protocol)
        original, profile = self._find_original(known)
        if original is not None:
            draft.refer_to(original, profile, by_record=not self._lean)
            draft.block = Digest.from_chunks(PAYLOAD_ALGORITHM if self._lean else BLOCK_ALGORITHM, [draft.head])
        elif self._fingerprint is None:
            draft.fingerprint = _fingerprint_draft(draft)
        else:
            draft.fingerprint = self._fingerprint
        prepared = draft.finish(*_request_method_and_key(exchange))
        is_alone = not exchange.request or (self._lean and original is not None)
        return [prepared] if is_alone else [prepared, _prepare_request(exchange, draft)]

    def _find_original(self, known: DedupLookup) -> tuple[StoredPayload | None, str]:
        """The record whose payload is meant, and the profile of revisit that says so."""
        draft = self._draft
        if draft.parsed is not None and draft.parsed.status == NOT_MODIFIED:
            return known.latest_payload(draft.url, draft.moment), NOT_MODIFIED_PROFILE
        if draft.body.size and not draft.truncated:
            return draft.find_duplicate(known), IDENTICAL_PAYLOAD_PROFILE
        return None, ""


@dataclass(slots=True)
class ResourceTask(LocalWriteTask):
    """A file to be stored: a resource record, or a revisit of a payload that is known."""

    url: str
    moment: Moment
    media_type: str
    body: Body
    capture: str
    last_modified: str = ""
    via: str = ""
    truncated: str = ""
    _draft: RecordDraft = field(init=False)

    def digest_payload(self) -> str:
        """Digest the file."""
        draft = self._draft = RecordDraft(
            RecordType.RESOURCE,
            self.url,
            self.moment,
            self.capture,
            self.media_type,
            body=self.body,
            via=self.via,
            truncated=self.truncated,
            last_modified=self.last_modified,
        )
        digests = digest_message(b"", _NO_HEADERS, draft.body)
        _set_digests(digests, draft)
        return draft.payload if draft.body.size and not draft.truncated else ""

    def prepare_records(self, known: DedupLookup) -> list[PreparedRecord]:
        """The record to append."""
        draft = self._draft
        draft.record_id = new_record_id()
        original = draft.find_duplicate(known) if draft.body.size and not draft.truncated else None
        if original is not None:
            draft.refer_to(original, IDENTICAL_PAYLOAD_PROFILE)
            draft.block = Digest.from_chunks(BLOCK_ALGORITHM, [])
        else:
            draft.fingerprint = _fingerprint_draft(draft)
        return [draft.finish()]


@dataclass(frozen=True, slots=True)
class MetadataTask(LocalWriteTask):
    """A metadata record about the archive itself."""

    record: BookkeepingRecord
    capture: str
    now: Moment

    def digest_payload(self) -> str:
        """Notes are never referred to."""
        return ""

    def prepare_records(self, known: DedupLookup) -> list[PreparedRecord]:  # noqa: ARG002
        """The record to append."""
        record = self.record
        draft = RecordDraft(RecordType.METADATA, record.urn, self.now, self.capture, record.content_type, record.block)
        draft.payload = str(Digest.from_chunks(PAYLOAD_ALGORITHM, [record.block]))
        draft.block = Digest.from_chunks(BLOCK_ALGORITHM, [record.block])
        draft.record_id = new_record_id()
        return [draft.finish(update=record.update)]


@dataclass(frozen=True, slots=True)
class WarcinfoTask(LocalWriteTask):
    """A capture described again, because what was written in between belongs to another."""

    capture: Capture
    now: Moment

    def digest_payload(self) -> str:
        """Descriptions are never referred to."""
        return ""

    def prepare_records(self, known: DedupLookup) -> list[PreparedRecord]:  # noqa: ARG002
        """The record to append."""
        return [prepare_warcinfo(self.capture, "", self.now, first=False)]


def prepare_warcinfo(capture: Capture, file: str, now: Moment, first: bool) -> PreparedRecord:
    """The warcinfo record that describes a capture; the first one bears the capture's own identifier."""
    block = build_warcinfo(capture, file)
    draft = RecordDraft(
        RecordType.WARCINFO,
        "",
        now,
        "",
        "application/warc-fields",
        block,
        block=Digest.from_chunks(BLOCK_ALGORITHM, [block]),
    )
    draft.record_id = f"urn:uuid:{capture.id}" if first else new_record_id()
    draft.add_field("WARC-Filename", file)
    return draft.prepare(update=CatalogUpdate(capture=parse_warcinfo(block)))


def _set_digests(digests: MessageDigests, draft: RecordDraft) -> None:
    draft.payload, draft.block = str(digests.payload), digests.block
    draft.check, draft.content = digests.check, digests.content


def _fingerprint_draft(draft: RecordDraft) -> bytes:
    payload = RecordPayload.of_record(draft.url, draft.parsed, draft.content_type, draft.body.size)
    return payload.fingerprint(draft.body.chunks())


def _request_method_and_key(exchange: Exchange) -> tuple[str, str]:
    if not exchange.request or exchange.request.startswith(b"GET "):
        return "GET", ""
    request = parse_request(exchange.request)
    if request.method == "GET":
        return "GET", ""
    body = b"".join(exchange.request_body.chunks()) if exchange.request_body.size <= _MAX_POST_BODY_BYTES else b""
    return request.method, post_query(request.method, request.headers.get("content-type"), body)


def _prepare_request(exchange: Exchange, response: RecordDraft) -> PreparedRecord:
    head, body = exchange.request, exchange.request_body
    draft = RecordDraft(
        RecordType.REQUEST, exchange.url, exchange.moment, response.capture, _REQUEST_TYPE, head, body=body
    )
    if body.size:
        digests = digest_message(head, _NO_HEADERS, body)
        draft.block, draft.payload = digests.block, str(digests.payload)
    else:
        draft.block = Digest.from_chunks(BLOCK_ALGORITHM, [head])
    draft.record_id = new_record_id()
    draft.add_field("WARC-Concurrent-To", f"<{response.record_id}>")
    return draft.prepare()
