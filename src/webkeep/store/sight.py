"""What one record says of its URL: the common ground of index entry, observation and payload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webkeep.formats.content_type import bare_type
from webkeep.formats.http1 import ResponseHead
from webkeep.model import Digest, Moment, Observation, Place, Visit
from webkeep.store.payload import Payload, canonical

CONTENT_DIGEST = "Webkeep-Content-Digest"
VIA = "Webkeep-Via"
VISIT = "Webkeep-Visit"
LAST_MODIFIED = "Webkeep-Last-Modified"
"""Named fields of our own: what a rebuild needs of a response beyond what the standard has fields for."""

_VIA, _VISIT, _LAST_MODIFIED = VIA.lower(), VISIT.lower(), LAST_MODIFIED.lower()

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
    fields: Mapping[str, str],
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
    """Gather what a record's fields (by lower-case name) and its HTTP head say."""
    record_type = fields.get("warc-type", "").lower()
    if head is not None:
        status, named_type = head.status, head.headers.get("content-type")
        etag, last_modified = head.headers.get("etag"), head.headers.get("last-modified")
    else:
        status, named_type = None, fields.get("content-type", "")
        etag, last_modified = "", fields.get(_LAST_MODIFIED, "")
    bare = bare_type(named_type)
    return Sight(
        fields.get("warc-record-id", "").strip("<>"),
        record_type,
        url,
        moment,
        status,
        bare.lower(),
        "warc/revisit" if record_type == "revisit" else bare,
        payload_digest,
        content_digest,
        0 if record_type == "revisit" else size,
        etag,
        last_modified,
        fields.get("warc-warcinfo-id", "").strip("<>").removeprefix("urn:uuid:"),
        within,
        fields.get(_VIA, ""),
        Visit.REVISIT if fields.get(_VISIT) == "revisit" else Visit.VISIT,
        method,
        post,
        "warc-truncated" in fields,
    )
