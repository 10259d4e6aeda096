"""Revisits and what they refer to: which record they name, and what they are together with its payload."""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.formats.record import NOT_MODIFIED, Record
from webkeep.model import Moment
from webkeep.store.reading import Holding

_NOT_MODIFIED = NOT_MODIFIED.rpartition("/")[2]


def is_not_modified(revisit: Record) -> bool:
    """Whether a server said that nothing changed, by whichever version of WARC it was written down."""
    return revisit.get("warc-profile").rstrip("/").endswith(_NOT_MODIFIED)


def named_by(revisit: Record) -> tuple[str, Moment] | None:
    """The URL and the moment of the record a revisit refers to; None where it does not say."""
    url, date = revisit.get("warc-refers-to-target-uri").strip("<>"), revisit.get("warc-refers-to-date")
    try:
        return (url, Moment.parse(date)) if url and date else None
    except UsageError:
        return None


def resolved(revisit: Record, own: Holding, original: Holding) -> Holding:
    """A revisit with the payload of the record it refers to, and with the head of that one where it has none."""
    if own.raw_head:
        # A server that says "not modified" leaves out how the body is coded.
        body_head = original.head if is_not_modified(revisit) else None
        return Holding(own.url, own.head, own.raw_head, original.body, own.media_type, body_head)
    if own.head is None and own.media_type:
        return Holding(own.url, None, b"", original.body, own.media_type)
    return Holding(own.url, original.head, original.raw_head, original.body, original.media_type)
