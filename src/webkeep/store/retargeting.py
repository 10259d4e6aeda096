"""Revisits whose target goes away: made whole again with the payload, or turned towards another record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from webkeep.formats.record import Record
from webkeep.formats.warc_writer import large_member, record_head, small_member
from webkeep.model import Digest, Moment, Observation
from webkeep.store.digesting import BLOCK
from webkeep.store.drafting import LARGE
from webkeep.store.reading import Holding, WarcFiles
from webkeep.store.resolving import resolved

_REFERENCE = ("WARC-Profile", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date")
_RESPONSE = "application/http; msgtype=response"


@dataclass(frozen=True, slots=True)
class Target:
    """A record that a revisit can refer to."""

    record: str
    url: str
    moment: Moment


def target_at(files: WarcFiles, observation: Observation) -> Target:
    """The record of an observation as a target."""
    with files.open(observation.place.file) as stream:
        return Target(files.record(observation.place, stream).id, observation.url, observation.moment)


def made_whole(revisit: Record, own: Holding, answer: Holding, original: Holding) -> Iterable[bytes]:
    """A revisit as a record that holds the payload itself: a response, or a resource where it has no HTTP head."""
    whole = resolved(revisit, own, answer, original)
    head = whole.raw_head
    block = Digest.of(BLOCK, chain([head], whole.body.chunks()))
    fields = (
        revisit.headers.without(*_REFERENCE, "Content-Length")
        .with_field("WARC-Type", "resource" if whole.head is None else "response")
        .with_field("WARC-Block-Digest", str(block))
    )
    if whole.head is None or not revisit.is_http:
        fields = fields.with_field("Content-Type", whole.media_type if whole.head is None else _RESPONSE)
    start = record_head(fields, len(head) + whole.body.size)
    if whole.body.size > LARGE:
        return large_member(start, head, whole.body)
    return [small_member(start, b"".join((head, *whole.body.chunks())))]


def turned_to(revisit: Record, block: bytes, target: Target) -> Iterable[bytes]:
    """A revisit, with its block, that refers to another record with the same payload."""
    fields = (
        revisit.headers.without("Content-Length", *([] if target.record else ["WARC-Refers-To"]))
        .with_field("WARC-Refers-To-Target-URI", target.url)
        .with_field("WARC-Refers-To-Date", target.moment.iso())
    )
    if target.record:
        fields = fields.with_field("WARC-Refers-To", f"<{target.record}>")
    return [small_member(record_head(fields, len(block)), block)]
