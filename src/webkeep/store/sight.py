"""What one record says of its URL: the common ground of index entry, observation and payload."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.formats.content_type import bare_type
from webkeep.formats.http1 import ResponseHead
from webkeep.model import Digest, Headers, Moment, Observation, Place, Visit
from webkeep.store.payload import Payload, canonical

CONTENT_DIGEST = "Webkeep-Content-Digest"
VIA = "Webkeep-Via"
VISIT = "Webkeep-Visit"
LAST_MODIFIED = "Webkeep-Last-Modified"
"""Named fields of our own: what a rebuild needs of a response beyond what the standard has fields for."""

INDEXED = frozenset({"response", "revisit", "resource", "metadata"})
"""The record types that stand in the index."""


@dataclass(frozen=True, slots=True)
class Sight:
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
    content_digest: Digest | None
    size: int
    etag: str
    last_modified: str
    capture: str
    """The capture the record names."""
    within: str
    """The capture whose description stands before the record in its file."""
    via: str
    visit: Visit
    method: str = "GET"
    post: str = ""
    truncated: bool = False

    def observation(self, place: Place, capture: str, request: Place | None) -> Observation:
        """The observation whose record lies there and belongs to that capture."""
        return Observation(
            self.url,
            self.moment,
            place,
            self.record_type,
            self.method,
            self.status,
            self.media_type,
            Digest.parse(self.payload_digest),
            self.content_digest,
            self.size,
            self.etag,
            self.last_modified,
            capture,
            self.via,
            self.visit,
            request,
        )

    @property
    def holds_payload(self) -> bool:
        """Whether the record holds a payload, and all of it."""
        return self.record_type in ("response", "resource") and self.size > 0 and not self.truncated

    def payload(self, place: Place) -> Payload | None:
        """The payload that revisits can refer to; None where the record holds none that is whole."""
        if not self.holds_payload:
            return None
        content = self.content_digest.value if self.content_digest else None
        return Payload(canonical(self.payload_digest), content, place, self.record, self.url, self.moment)


def sight_of(
    fields: Headers,
    url: str,
    moment: Moment,
    head: ResponseHead | None,
    size: int,
    payload_digest: str,
    content_digest: Digest | None,
    within: str,
    method: str = "GET",
    post: str = "",
) -> Sight:
    """Gather what a record's fields and its HTTP head say."""
    field = fields.get
    record_type = field("warc-type").lower()
    if head is not None:
        status, named_type = head.status, head.headers.get("content-type")
        etag, last_modified = head.headers.get("etag"), head.headers.get("last-modified")
    else:
        status, named_type = None, field("content-type")
        etag, last_modified = "", field(LAST_MODIFIED.lower())
    return Sight(
        record=field("warc-record-id").strip("<>"),
        record_type=record_type,
        url=url,
        moment=moment,
        status=status,
        media_type=bare_type(named_type).lower(),
        indexed_type="warc/revisit" if record_type == "revisit" else bare_type(named_type),
        payload_digest=payload_digest,
        content_digest=content_digest,
        size=0 if record_type == "revisit" else size,
        etag=etag,
        last_modified=last_modified,
        capture=field("warc-warcinfo-id").strip("<>").removeprefix("urn:uuid:"),
        within=within,
        via=field(VIA.lower()),
        visit=Visit.REVISIT if field(VISIT.lower()) == Visit.REVISIT else Visit.VISIT,
        method=method,
        post=post,
        truncated=bool(field("warc-truncated")),
    )
