"""What one WARC record says of its URL: the common ground of index entry, observation and payload; and the named fields
of our own, such as `Webkeep-Via`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from webkeep.formats.http import ResponseHead, bare_media_type
from webkeep.model import CONTENT_TYPES, PAYLOAD_TYPES, Digest, Moment, Observation, RecordPlace, RecordType, VisitKind

_REVISIT = RecordType.REVISIT

CONTENT_DIGEST_FIELD = "Webkeep-Content-Digest"
VIA_FIELD = "Webkeep-Via"
VISIT_FIELD = "Webkeep-Visit"
LAST_MODIFIED_FIELD = "Webkeep-Last-Modified"
HOLDER_FIELD = "Webkeep-Payload-Holder"
"""Named fields of our own: what a rebuild needs of a response beyond what the standard has fields for."""

REVISIT_TYPE = "warc/revisit"
"""What CDX indexes have in place of the media type of a revisit."""

INDEXED_TYPES = CONTENT_TYPES | {RecordType.METADATA}
"""The record types that stand in the index."""

_VIA_KEY, _VISIT_KEY, _LAST_MODIFIED_KEY = VIA_FIELD.lower(), VISIT_FIELD.lower(), LAST_MODIFIED_FIELD.lower()
_MAX_CACHED_TYPE_CHARS = 100
"""Longer content types are not remembered: what strangers send must not fill memory."""


# One is made for every record, twice where a prepare worker helps: plain values are made in a tenth of the time.
class RecordFacts(NamedTuple):
    """Everything known of one URL seen once, but for the place of its record."""

    record: str
    record_type: str
    url: str
    moment: Moment
    status: int | None
    media_type: str
    indexed_type: str
    payload_digest: str
    """As it stands in the record."""
    content_digest: str | None
    """Over the decoded content; "" where that is the payload, None where it is not known."""
    check: bytes
    """The quick hash of the payload; b"" where the record holds none."""
    size: int
    etag: str
    last_modified: str
    capture: str
    """The capture the record names."""
    within: str
    """The capture whose description stands before the record in its file."""
    via: str
    visit: VisitKind
    method: str = "GET"
    post: str = ""
    truncated: bool = False
    fingerprint: bytes = b""
    """Of the page that the record holds, packed; empty where it holds none."""

    @property
    def has_payload(self) -> bool:
        """Whether the record holds a payload, and all of it."""
        return self.size > 0 and not self.truncated and self.record_type in PAYLOAD_TYPES

    def to_observation(self, place: RecordPlace, capture: str, request: RecordPlace | None) -> Observation:
        """The observation whose record lies there and belongs to that capture."""
        payload = Digest.parse(self.payload_digest)
        return Observation(
            self.url,
            self.moment,
            place,
            self.record_type,
            self.method,
            self.status,
            self.media_type,
            payload,
            content_digest_of(self.content_digest, payload),
            self.size,
            self.etag,
            self.last_modified,
            capture,
            self.via,
            self.visit,
            request,
        )


def content_digest_of(content: str | None, payload: Digest | None) -> Digest | None:
    """The digest of the content, which is the payload's where the payload is not coded."""
    return payload if content == "" else Digest.parse(content or "")


class PayloadFacts(NamedTuple):
    """What is known of a record's payload by its bytes, or by what its fields say of them."""

    size: int
    digest: str
    content_digest: str | None
    check: bytes
    fingerprint: bytes = b""


def read_record_facts(
    fields: Mapping[str, str],
    url: str,
    moment: Moment,
    head: ResponseHead | None,
    payload: PayloadFacts,
    within: str,
) -> RecordFacts:
    """Gather what a record's fields (by lower-case name) and its HTTP head say."""
    record_type = fields.get("warc-type", "").lower()
    if head is not None:
        named = head.headers.first
        status, named_type = head.status, named.get("content-type", "")
        etag, last_modified = named.get("etag", ""), named.get("last-modified", "")
    else:
        status, named_type = None, fields.get("content-type", "")
        etag, last_modified = "", fields.get(_LAST_MODIFIED_KEY, "")
    bare, media_type = (
        _cached_bare_types(named_type) if len(named_type) <= _MAX_CACHED_TYPE_CHARS else _bare_types(named_type)
    )
    return RecordFacts(
        fields.get("warc-record-id", "").strip("<>"),
        record_type,
        url,
        moment,
        status,
        media_type,
        REVISIT_TYPE if record_type == _REVISIT else bare,
        payload.digest,
        payload.content_digest,
        payload.check,
        0 if record_type == _REVISIT else payload.size,
        etag,
        last_modified,
        fields.get("warc-warcinfo-id", "").strip("<>").removeprefix("urn:uuid:"),
        within,
        fields.get(_VIA_KEY, ""),
        VisitKind.REVISIT if fields.get(_VISIT_KEY) == VisitKind.REVISIT else VisitKind.VISIT,
        truncated="warc-truncated" in fields,
        fingerprint=payload.fingerprint,
    )


def _bare_types(content_type: str) -> tuple[str, str]:
    """The bare type as it is spelled, and in lower case."""
    bare = bare_media_type(content_type)
    return bare, bare.lower()


_cached_bare_types = lru_cache(256)(_bare_types)
