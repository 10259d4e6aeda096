"""Records whose heads are sound and whose blocks are cut off or damaged: which of them are usable, and what is there of
them, as records that are in order and say that they are truncated.

A block that is cut off, or that does not end where its head says, is taken as far as it is there. The record then says
that it is truncated, and why; digests of what it should have been are left out, as they are of other bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.formats.warc import WarcRecord
from webkeep.model import Headers, RecordType

SALVAGED_FIELD = "Webkeep-Salvaged"
"""Named field of our own: that a record is what was left of another, and how much that was."""

_TRUNCATED_FIELD = "WARC-Truncated"
_STATED_FIELDS = ("Content-Length", "WARC-Block-Digest", "WARC-Payload-Digest", "Webkeep-Content-Digest")


def is_usable_record(record: WarcRecord) -> bool:
    """Whether a finished record can be reached, and as much of it is there as its head says, or as can be salvaged."""
    return record.length > 0 and (record.intact or not record.missing_fields())


def salvage_headers(record: WarcRecord) -> Headers:
    """The named fields, but for the length, of what is left of a finished record that is not intact."""
    # What a revisit says of a payload is of one that is kept elsewhere.
    dropped = _STATED_FIELDS[:2] if record.type == RecordType.REVISIT else _STATED_FIELDS
    fields = record.headers.without(*dropped)
    if _TRUNCATED_FIELD not in fields:
        fields = fields.with_field(_TRUNCATED_FIELD, "unspecified")
    stated = record.get("content-length") or "none"
    return fields.with_field(SALVAGED_FIELD, f"{record.held} bytes of a block whose stated length is {stated[:40]}")


def take_bytes(chunks: Iterable[bytes], count: int) -> Iterator[bytes]:
    """The first so many bytes of what comes in pieces."""
    left = count
    for chunk in chunks:
        if left <= 0:
            return
        yield chunk[:left]
        left -= len(chunk)
