"""The redactor: one function over an exchange, for every way into an archive: its URL, its heads, the body of its
request, messages of WebSockets; bodies of responses stay unless a rule is about them.

What passes is never touched. A value that is left out reads `[redacted]` in the record, and `redacted` in URLs, so that
everyone can see that something was there. What a server answered is stored as it came, unless a rule is about
responses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from webkeep.formats.codings import decode_body
from webkeep.formats.http import declared_media_type, parse_request, parse_response
from webkeep.model import Body, BytesBody, Exchange, Finding, Headers
from webkeep.redaction.body_redactor import MAX_BODY_BYTES, BodyRedactor
from webkeep.redaction.formats.html_inputs import redact_inputs
from webkeep.redaction.head_redactor import HeadRedactor
from webkeep.redaction.names.credential_names import may_hold_credentials
from webkeep.redaction.redaction_rules import RedactionRules
from webkeep.redaction.text_redactor import REDACTED, TextRedactor
from webkeep.redaction.values.escapes import decode_bytes
from webkeep.redaction.values.known_values import KnownValues

LEFT_OUT_CODE = "request-left-out"
"""The code of the finding that a request's body was left out because it could not be read."""

_CODING_FIELDS = re.compile(
    rb"^(?:content-length|transfer-encoding|content-encoding|content-md5|(?:content-|repr-)?digest)[ \t]*:[^\n]*\n",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_LINE = b"GET / HTTP/1.1\r\n"
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_URLENCODED = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class RedactedExchange:
    """An exchange as it is recorded."""

    exchange: Exchange
    count: int = 0
    """How many values were left out."""
    left_out: str = ""
    """Why the request's body was left out, where it was."""

    @property
    def finding(self) -> Finding | None:
        """What a person is told where a body was left out."""
        if not self.left_out:
            return None
        message = f"the body of the request was left out, as it may hold a secret: {self.left_out}"
        return Finding(LEFT_OUT_CODE, self.exchange.url, 0, message)


class Redactor:
    """Leaves credentials out of what is recorded."""

    def __init__(self, rules: RedactionRules | None = None, known: KnownValues | None = None) -> None:
        self.rules = rules or RedactionRules()
        self.known = known or KnownValues()
        listed = self.rules.credentials
        self._words = self.rules.hint_words
        fields, frames = self.rules.secret_names("field"), self.rules.secret_names("field", "frame")
        self._text = TextRedactor(fields, self.known, listed)
        self._heads = HeadRedactor(self.rules.secret_names("header"), self._text, self._words)
        self._bodies = BodyRedactor(fields, self._text, self._heads)
        self._response_names = self.rules.secret_names("response", credentials=False)
        self._response_text = TextRedactor(self._response_names, KnownValues(), shapes=False)
        self._sent_frames = BodyRedactor(frames, TextRedactor(frames, self.known, listed), self._heads)
        self._received_names = self.rules.secret_names("frame", credentials=False)
        self._received_frames = BodyRedactor(
            self._received_names, TextRedactor(self._received_names, self.known, shapes=False), self._heads
        )

    @property
    def is_off(self) -> bool:
        """Whether nothing is ever left out."""
        return self.rules.is_off and not self.known

    def redact(self, exchange: Exchange) -> RedactedExchange:
        """The exchange as it is recorded."""
        count, reason = 0, ""
        if exchange.request_body.size and not self.is_off:
            exchange, count, reason = self._redact_sent_body(exchange)
        if not self.is_off:
            exchange, more = self._redact_heads(exchange)
            count += more
        if not self._response_names.is_empty and exchange.body.size:
            response, body, more = self.redact_response_body(exchange.response, exchange.body)
            exchange, count = replace(exchange, response=response, body=body), count + more
        return RedactedExchange(exchange, count, reason)

    def redact_url(self, url: str) -> tuple[str, int]:
        """A URL without its secrets, and how many there were."""
        if self.is_off:
            return url, 0
        if self._words is not None and not self.known and not may_hold_credentials(url.encode(), self._words):
            return url, 0
        return self._text.redact_target(url)

    def redact_request_head(self, head: bytes) -> tuple[bytes, int]:
        """The head of a request without its secrets, and how many there were."""
        return self._heads.redact_request(head)

    def redact_response_head(self, head: bytes) -> tuple[bytes, int]:
        """The same for the head of a response."""
        return self._heads.redact_response(head)

    def redact_request_body(self, head: bytes, body: Body, url: str) -> tuple[bytes, Body, int, str]:
        """Head and body of a request without what the body holds; how much, and why all of it, where it was."""
        found = self._bodies.redact(parse_request(head).headers, body, url)
        if found is None:
            return head, body, 0, ""
        return _with_content_length(head, len(found.data)), BytesBody(found.data), found.count, found.reason

    def redact_text(self, text: str) -> tuple[str, int]:
        """A text with URLs in it, such as a document that a script made."""
        return (text, 0) if self.is_off else self._text.redact_urls(text)

    def redact_field(self, name: str, value: str) -> tuple[str, int]:
        """The value of a field of any head, such as that of a WARC record."""
        if self.is_off:
            return value, 0
        value, count = self._text.hide_known(value)
        value, more = self._heads.redact_value(name, value, in_response=True)
        return value, count + more

    def redact_fields(self, block: bytes) -> tuple[bytes, int]:
        """Fields without a line before them, such as `application/warc-fields`."""
        if self.is_off:
            return block, 0
        redacted, count = self._heads.redact_request(_ANY_LINE + block)
        return redacted[len(_ANY_LINE) :], count

    def reads_messages(self, from_client: bool) -> bool:
        """Whether messages of WebSockets from that side are searched at all."""
        return not self.is_off and (from_client or not self._received_names.is_empty or bool(self.known))

    def redact_message(self, data: bytes, from_client: bool, is_text: bool = True) -> tuple[bytes, int]:
        """A message of a WebSocket: what a client sends is like a form, what a server sends is a response."""
        if not data or not self.reads_messages(from_client):
            return data, 0
        bodies = self._sent_frames if from_client else self._received_frames
        found = bodies.redact_data(data, "" if is_text else "application/octet-stream", may_hold=from_client)
        if found is None:
            return data, 0
        if found.reason and not from_client:  # what a server sends is not left out for what it might be
            return self.known.hide_in_bytes(data, REDACTED)
        return found.data, found.count

    def redact_response_body(self, head: bytes, body: Body) -> tuple[bytes, Body, int]:
        """Head and body of a response without what rules about responses leave out; it has no codings then."""
        if self._response_names.is_empty:
            return head, body, 0
        headers = parse_response(head).headers
        kind = declared_media_type(headers)
        if not (kind.startswith("text/") or kind.endswith(("json", "script", "xml")) or kind == _URLENCODED):
            return head, body, 0
        data, count = self._redact_response_text(kind, headers, body)
        return (_with_content_length(head, len(data)), BytesBody(data), count) if count else (head, body, 0)

    def _redact_sent_body(self, exchange: Exchange) -> tuple[Exchange, int, str]:
        url, _ = self.redact_url(exchange.url)  # what it was sent to is told by what of the URL will be known
        head, body, count, reason = self.redact_request_body(exchange.request, exchange.request_body, url)
        return (replace(exchange, request=head, request_body=body) if count else exchange), count, reason

    def _redact_heads(self, exchange: Exchange) -> tuple[Exchange, int]:
        request, count = self._heads.redact_request(exchange.request)
        response, more = self._heads.redact_response(exchange.response)
        url, in_url = self.redact_url(exchange.url)
        via, in_via = self.redact_url(exchange.via) if exchange.via else ("", 0)
        # The URL stands in the request too, and what it came by was counted with that.
        count += more + (in_url if not exchange.request else 0)
        if not count and not in_url and not in_via:
            return exchange, 0
        return replace(exchange, request=request, response=response, url=url, via=via), count

    def _redact_response_text(self, kind: str, headers: Headers, body: Body) -> tuple[bytes, int]:
        data = b"".join(decode_body(headers, body.chunks(), MAX_BODY_BYTES + 1))
        if len(data) > MAX_BODY_BYTES:
            return REDACTED.encode(), 1
        text = decode_bytes(data)
        encoding = "utf-8" if text.encode("utf-8", "replace") == data else "latin-1"
        if kind == _URLENCODED:
            text, count = self._response_text.redact_form(text)
        else:
            text, count = self._response_text.redact_json(text)
        if kind in _PAGE_TYPES:
            text, more = redact_inputs(text, self._response_names)
            count += more
        return text.encode(encoding, "replace"), count


def _with_content_length(head: bytes, length: int) -> bytes:
    """The head of a message without codings, of that length, which stands where the first of them stood."""
    match = _CODING_FIELDS.search(head)
    line = b"Content-Length: %d\r\n" % length
    if match is None:
        return head
    return head[: match.start()] + line + _CODING_FIELDS.sub(b"", head[match.end() :])
