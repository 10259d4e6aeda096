"""From exchanges, files and notes to records ready to be appended: digests, deduplication, compression."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.formats.http1 import parse_request, parse_response
from webkeep.formats.post_key import post_query
from webkeep.formats.record import IDENTICAL_PAYLOAD, NOT_MODIFIED
from webkeep.model import Body, Capture, Digest, Exchange, Headers, Moment, Visit
from webkeep.store.bookkeeping import News, Note, capture_block, capture_urn
from webkeep.store.digesting import BLOCK, PAYLOAD, MessageDigests, digest_message
from webkeep.store.drafting import Draft, Known, Prepared, new_record_id, opening
from webkeep.store.payload import Payload
from webkeep.store.sight import LAST_MODIFIED, VIA, VISIT

_POST_BODY = 1 << 20
_RESPONSE = "application/http; msgtype=response"
_REQUEST = "application/http; msgtype=request"
_NO_DIGEST = Digest("sha1", b"")


class ExchangeWork:
    """An exchange to be stored: the response, or a revisit of what is known, and the request."""

    def __init__(self, exchange: Exchange, capture: str) -> None:
        self._exchange = exchange
        self._capture = capture
        self._draft = Draft([])
        self._block = _NO_DIGEST

    def examine(self) -> str:
        """Digest the message; gives the payload's digest if a record of the same payload may be referred to."""
        exchange = self._exchange
        parsed = parse_response(exchange.response)
        digests = digest_message(exchange.response, parsed.headers, exchange.body.chunks(), exchange.body.size)
        self._block = digests.block
        self._draft = Draft(
            opening("response", exchange.moment, exchange.url, self._capture),
            exchange.response,
            parsed,
            payload=str(digests.payload),
            content=digests.content,
        )
        return self._draft.payload if exchange.body.size and not exchange.truncated else ""

    def prepare(self, known: Known) -> list[Prepared]:
        """The records to append."""
        exchange, draft = self._exchange, self._draft
        draft.method, draft.post = _asked(exchange)
        _add_circumstances(draft, exchange)
        original, profile = self._original(known)
        if original is None:
            draft.body = exchange.body
            draft.add_digests(self._block)
        else:
            draft.refer_to(original, profile)
            draft.add_digests(Digest.of(BLOCK, [exchange.response]))
        draft.add("Content-Type", _RESPONSE)
        prepared = draft.finished(exchange.url, exchange.moment)
        return [prepared, _request(exchange, draft.record_id, self._capture)] if exchange.request else [prepared]

    def _original(self, known: Known) -> tuple[Payload | None, str]:
        """The record whose payload is meant, and the profile of revisit that says so."""
        exchange, parsed = self._exchange, self._draft.parsed
        if parsed is not None and parsed.status == 304:
            return known.latest(exchange.url, exchange.moment), NOT_MODIFIED
        if exchange.body.size and not exchange.truncated:
            return self._draft.same_payload(exchange.url, exchange.moment, known), IDENTICAL_PAYLOAD
        return None, ""


class ResourceWork:
    """A file to be stored: a resource record, or a revisit of a payload that is known."""

    def __init__(
        self, url: str, moment: Moment, media_type: str, body: Body, capture: str, last_modified: str = ""
    ) -> None:
        self._url = url
        self._moment = moment
        self._media_type = media_type
        self._body = body
        self._capture = capture
        self._last_modified = last_modified
        self._digests = MessageDigests(_NO_DIGEST, _NO_DIGEST, None)

    def examine(self) -> str:
        """Digest the file."""
        self._digests = digest_message(b"", Headers(), self._body.chunks(), self._body.size)
        return str(self._digests.payload) if self._body.size else ""

    def prepare(self, known: Known) -> list[Prepared]:
        """The record to append."""
        digests = self._digests
        fields = opening("resource", self._moment, self._url, self._capture)
        draft = Draft(fields, payload=str(digests.payload), content=digests.content)
        draft.add(LAST_MODIFIED, self._last_modified)
        original = draft.same_payload(self._url, self._moment, known) if self._body.size else None
        if original is None:
            draft.body = self._body
            draft.add_digests(digests.block)
        else:
            draft.refer_to(original, IDENTICAL_PAYLOAD)
            draft.add_digests(Digest.of(BLOCK, []))
        draft.add("Content-Type", self._media_type)
        return [draft.finished(self._url, self._moment)]


@dataclass(frozen=True, slots=True)
class NoteWork:
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
        payload = str(Digest.of(PAYLOAD, [note.block]))
        draft = Draft(opening("metadata", self.now, note.urn, self.capture), note.block, payload=payload)
        draft.add_digests(Digest.of(BLOCK, [note.block]))
        draft.add("Content-Type", note.content_type)
        return [draft.finished(note.urn, self.now, note.news)]


def prepare_capture(capture: Capture, file: str, now: Moment, first: bool) -> Prepared:
    """The warcinfo record that describes a capture; the first one bears the capture's own identifier."""
    block = capture_block(capture, file)
    draft = Draft(
        [
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", capture_urn(capture.id) if first else new_record_id()),
            ("WARC-Date", now.iso()),
            ("WARC-Filename", file),
            ("WARC-Block-Digest", str(Digest.of(BLOCK, [block]))),
            ("Content-Type", "application/warc-fields"),
        ],
        block,
    )
    return Prepared(draft.pieces(), news=News(capture=capture))


def _asked(exchange: Exchange) -> tuple[str, str]:
    if not exchange.request or exchange.request.startswith(b"GET "):
        return "GET", ""
    request = parse_request(exchange.request)
    if request.method == "GET":
        return "GET", ""
    body = b"".join(exchange.request_body.chunks()) if exchange.request_body.size <= _POST_BODY else b""
    return request.method, post_query(request.method, request.headers.get("content-type"), body)


def _request(exchange: Exchange, response_id: str, capture: str) -> Prepared:
    body = exchange.request_body
    digests = digest_message(exchange.request, Headers(), body.chunks(), body.size)
    draft = Draft(opening("request", exchange.moment, exchange.url, capture), exchange.request, body=body)
    draft.add("WARC-Concurrent-To", f"<{response_id}>")
    draft.add("WARC-Payload-Digest", str(digests.payload) if body.size else "")
    draft.add("WARC-Block-Digest", str(digests.block))
    draft.add("Content-Type", _REQUEST)
    return Prepared(draft.pieces())


def _add_circumstances(draft: Draft, exchange: Exchange) -> None:
    draft.add("WARC-IP-Address", exchange.address)
    for protocol in exchange.protocols:
        draft.add("WARC-Protocol", protocol)
    draft.add("WARC-Truncated", exchange.truncated)
    draft.add(VIA, exchange.via)
    draft.add(VISIT, "" if exchange.visit is Visit.VISIT else str(exchange.visit))
