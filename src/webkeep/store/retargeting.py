"""Revisits whose target goes away: made whole again with the payload, or turned towards another record."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from webkeep.formats.record import Record
from webkeep.formats.warc_writer import large_member, record_head, small_member
from webkeep.model import Body, Digest
from webkeep.store.digesting import BLOCK
from webkeep.store.drafting import LARGE
from webkeep.store.payload import Payload

_REFERENCE = ("WARC-Profile", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date")


def made_whole(revisit: Record, head: bytes, payload: Body) -> Iterable[bytes]:
    """A revisit as a record that holds the payload itself: a response, or a resource where it has no HTTP head."""
    kind = "response" if revisit.is_http else "resource"
    block = Digest.of(BLOCK, chain([head], payload.chunks()))
    fields = revisit.headers.without(*_REFERENCE, "Content-Length").with_field("WARC-Type", kind)
    fields = fields.with_field("WARC-Block-Digest", str(block))
    start = record_head(fields, len(head) + payload.size)
    if payload.size > LARGE:
        return large_member(start, head, payload)
    return [small_member(start, b"".join((head, *payload.chunks())))]


def turned_to(revisit: Record, target: Payload) -> Iterable[bytes]:
    """A revisit that refers to another record with the same payload."""
    fields = (
        revisit.headers.without("Content-Length")
        .with_field("WARC-Refers-To", f"<{target.record}>")
        .with_field("WARC-Refers-To-Target-URI", target.url)
        .with_field("WARC-Refers-To-Date", target.moment.iso())
    )
    block = revisit.read()
    return [small_member(record_head(fields, len(block)), block)]
