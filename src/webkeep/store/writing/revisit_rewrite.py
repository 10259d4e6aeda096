"""Revisits whose target goes away: made whole again with the payload, or turned towards another record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from webkeep.formats.warc import WarcRecord, build_member, build_record_head, stream_member
from webkeep.model import Digest, Moment, Observation, RecordType
from webkeep.store.index.record_facts import HOLDER_FIELD
from webkeep.store.reading.message_digests import BLOCK_ALGORITHM
from webkeep.store.reading.revisit_resolution import merge_revisit
from webkeep.store.reading.stored_response import StoredResponse, WarcFiles
from webkeep.store.writing.record_draft import MAX_HELD_BLOCK_BYTES

_REFERENCE_FIELDS = ("WARC-Profile", "WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date", HOLDER_FIELD)
_RESPONSE_TYPE = "application/http; msgtype=response"


@dataclass(frozen=True, slots=True)
class RevisitTarget:
    """A record that a revisit can refer to."""

    record: str
    url: str
    moment: Moment


def read_target(files: WarcFiles, observation: Observation) -> RevisitTarget:
    """The record of an observation as a target."""
    with files.open(observation.place.file) as stream:
        return RevisitTarget(files.read_record(observation.place, stream).id, observation.url, observation.moment)


def expand_revisit(
    revisit: WarcRecord, own: StoredResponse, stored: StoredResponse, original: StoredResponse
) -> Iterable[bytes]:
    """A revisit as a record that holds the payload itself: a response, or a resource where it has no HTTP head."""
    whole = merge_revisit(revisit, own, stored, original)
    head = whole.raw_head
    block = Digest.from_chunks(BLOCK_ALGORITHM, chain([head], whole.body.chunks()))
    fields = (
        revisit.headers.without(*_REFERENCE_FIELDS, "Content-Length")
        .with_field("WARC-Type", RecordType.RESOURCE if whole.head is None else RecordType.RESPONSE)
        .with_field("WARC-Block-Digest", str(block))
    )
    if whole.head is None or not revisit.is_http:
        fields = fields.with_field("Content-Type", whole.media_type if whole.head is None else _RESPONSE_TYPE)
    start = build_record_head(fields, len(head) + whole.body.size)
    if whole.body.size > MAX_HELD_BLOCK_BYTES:
        return stream_member(start, head, whole.body)
    return [build_member(start, b"".join((head, *whole.body.chunks())))]


def retarget_revisit(revisit: WarcRecord, block: bytes, target: RevisitTarget) -> Iterable[bytes]:
    """A revisit, with its block, that refers to another record with the same payload."""
    fields = (
        revisit.headers.without("Content-Length", HOLDER_FIELD, *([] if target.record else ["WARC-Refers-To"]))
        .with_field("WARC-Refers-To-Target-URI", target.url)
        .with_field("WARC-Refers-To-Date", target.moment.iso())
    )
    if target.record:
        fields = fields.with_field("WARC-Refers-To", f"<{target.record}>")
    return [build_member(build_record_head(fields, len(block)), block)]
