"""From exchanges, files and notes to records ready to be appended: digests, deduplication, compression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webkeep.formats.http1 import parse_request, parse_response
from webkeep.formats.post_key import post_query
from webkeep.formats.record import IDENTICAL_PAYLOAD, NOT_MODIFIED
from webkeep.model import Body, BytesBody, Capture, Digest, Exchange, Headers, Moment, Visit
from webkeep.store.bookkeeping import News, Note, capture_block, capture_in
from webkeep.store.digesting import BLOCK, PAYLOAD, MessageDigests, digest_message
from webkeep.store.drafting import Draft, Known, LocalWork, Packed, Prepared, new_record_id
from webkeep.store.payload import Payload

_POST_BODY = 1 << 20
_RESPONSE = "application/http; msgtype=response"
_REQUEST = "application/http; msgtype=request"
_NO_HEADERS = Headers()


Study = Callable[[Exchange], object]
"""Reads something out of an exchange while it is being stored; a function of a module, so that others can call it."""


class ExchangeWork:
    """An exchange to be stored: the response, or a revisit of what is known, and the request."""

    __slots__ = ("_capture", "_draft", "_exchange", "_lean", "_study")

    def __init__(self, exchange: Exchange, capture: str, study: Study | None = None, lean: bool = False) -> None:
        """`lean` keeps a revisit small, and no request with it."""
        self._exchange = exchange
        self._capture = capture
        self._study = study
        self._lean = lean
        self._draft: Draft

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> ExchangeWork:
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
            Visit(visit),
        )
        return cls(exchange, *mine)

    def packed(self) -> Packed | None:
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
            self._study,
            self._lean,
        )

    def study(self) -> object:
        """What the one who handed it over wanted to know."""
        return self._study(self._exchange) if self._study is not None else None

    def examine(self) -> str:
        """Digest the message; gives the payload's digest if a record of the same payload may be referred to."""
        exchange = self._exchange
        draft = self._draft = Draft(
            "response",
            exchange.url,
            exchange.moment,
            self._capture,
            _RESPONSE,
            exchange.response,
            body=exchange.body,
            via=exchange.via,
            visit=exchange.visit,
            truncated=exchange.truncated,
        )
        draft.parsed = parse_response(draft.head)
        digests = digest_message(draft.head, draft.parsed.headers, draft.body)
        _take(digests, draft)
        return draft.payload if draft.body.size and not draft.truncated else ""

    def prepare(self, known: Known) -> list[Prepared]:
        """The records to append."""
        exchange, draft = self._exchange, self._draft
        draft.record_id = new_record_id()
        draft.add("WARC-IP-Address", exchange.address)
        for protocol in exchange.protocols:
            draft.add("WARC-Protocol", protocol)
        original, profile = self._original(known)
        if original is not None:
            draft.refer_to(original, profile, by_record=not self._lean)
            draft.block = Digest.of(PAYLOAD if self._lean else BLOCK, [draft.head])
        prepared = draft.finished(*_asked(exchange))
        is_alone = not exchange.request or (self._lean and original is not None)
        return [prepared] if is_alone else [prepared, _request(exchange, draft)]

    def _original(self, known: Known) -> tuple[Payload | None, str]:
        """The record whose payload is meant, and the profile of revisit that says so."""
        draft = self._draft
        if draft.parsed is not None and draft.parsed.status == 304:
            return known.latest(draft.url, draft.moment), NOT_MODIFIED
        if draft.body.size and not draft.truncated:
            return draft.same_payload(known), IDENTICAL_PAYLOAD
        return None, ""


@dataclass(slots=True)
class ResourceWork(LocalWork):
    """A file to be stored: a resource record, or a revisit of a payload that is known."""

    url: str
    moment: Moment
    media_type: str
    body: Body
    capture: str
    last_modified: str = ""
    via: str = ""
    truncated: str = ""
    _draft: Draft = field(init=False)

    def examine(self) -> str:
        """Digest the file."""
        draft = self._draft = Draft(
            "resource",
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
        _take(digests, draft)
        return draft.payload if draft.body.size and not draft.truncated else ""

    def prepare(self, known: Known) -> list[Prepared]:
        """The record to append."""
        draft = self._draft
        draft.record_id = new_record_id()
        original = draft.same_payload(known) if draft.body.size and not draft.truncated else None
        if original is not None:
            draft.refer_to(original, IDENTICAL_PAYLOAD)
            draft.block = Digest.of(BLOCK, [])
        return [draft.finished()]


@dataclass(frozen=True, slots=True)
class NoteWork(LocalWork):
    """A metadata record about the archive itself."""

    note: Note
    capture: str
    now: Moment

    def examine(self) -> str:
        """Notes are never referred to."""
        return ""

    def prepare(self, known: Known) -> list[Prepared]:  # noqa: ARG002
        """The record to append."""
        note = self.note
        draft = Draft("metadata", note.urn, self.now, self.capture, note.content_type, note.block)
        draft.payload = str(Digest.of(PAYLOAD, [note.block]))
        draft.block = Digest.of(BLOCK, [note.block])
        draft.record_id = new_record_id()
        return [draft.finished(news=note.news)]


@dataclass(frozen=True, slots=True)
class DescribeWork(LocalWork):
    """A capture described again, because what was written in between belongs to another."""

    capture: Capture
    now: Moment

    def examine(self) -> str:
        """Descriptions are never referred to."""
        return ""

    def prepare(self, known: Known) -> list[Prepared]:  # noqa: ARG002
        """The record to append."""
        return [prepare_capture(self.capture, "", self.now, first=False)]


def prepare_capture(capture: Capture, file: str, now: Moment, first: bool) -> Prepared:
    """The warcinfo record that describes a capture; the first one bears the capture's own identifier."""
    block = capture_block(capture, file)
    draft = Draft("warcinfo", "", now, "", "application/warc-fields", block, block=Digest.of(BLOCK, [block]))
    draft.record_id = f"urn:uuid:{capture.id}" if first else new_record_id()
    draft.add("WARC-Filename", file)
    return Prepared(draft.pieces(), news=News(capture=capture_in(block)))


def _take(digests: MessageDigests, draft: Draft) -> None:
    draft.payload, draft.block = str(digests.payload), digests.block
    draft.check, draft.content = digests.check, digests.content


def _asked(exchange: Exchange) -> tuple[str, str]:
    if not exchange.request or exchange.request.startswith(b"GET "):
        return "GET", ""
    request = parse_request(exchange.request)
    if request.method == "GET":
        return "GET", ""
    body = b"".join(exchange.request_body.chunks()) if exchange.request_body.size <= _POST_BODY else b""
    return request.method, post_query(request.method, request.headers.get("content-type"), body)


def _request(exchange: Exchange, response: Draft) -> Prepared:
    head, body = exchange.request, exchange.request_body
    draft = Draft("request", exchange.url, exchange.moment, response.capture, _REQUEST, head, body=body)
    if body.size:
        digests = digest_message(head, _NO_HEADERS, body)
        draft.block, draft.payload = digests.block, str(digests.payload)
    else:
        draft.block = Digest.of(BLOCK, [head])
    draft.record_id = new_record_id()
    draft.add("WARC-Concurrent-To", f"<{response.record_id}>")
    return Prepared(draft.pieces())
