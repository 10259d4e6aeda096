"""Conditional requests: when If-None-Match (ETag) or If-Modified-Since is sent, and which stored response it refers to;
weak dates and truncated records are not trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webkeep.formats.http import parse_http_date, parse_response, take_response_head
from webkeep.formats.status import NOT_MODIFIED, OK
from webkeep.model import RESPONSE_TYPES, Observation, RecordPlace
from webkeep.store.archive import Archive

_MIN_AGE_SECONDS = 1.0
"""Seconds that a last change must lie back for no other to hide behind the same date (RFC 9110, 8.8.2.2)."""
_HEAD_END = b"\r\n\r\n"
_TRUNCATED_FIELD = re.compile(rb"\nwarc-truncated[ \t]*:[ \t]*[^\s]", re.IGNORECASE)
# As RFC 9110 has them, and no longer than any server makes them in earnest; `*` would stand for whatever there is.
_match_etag = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,256}"').fullmatch


def last_whole_response(looks: Iterable[Observation]) -> Observation | None:
    """The last whole answer with the content that a URL has by these looks at it, given as they came.

    None where the last of them was no content, or one of which that is not known.
    """
    seen = [each for each in looks if each.record_type in RESPONSE_TYPES and each.method == "GET"]
    digest = seen[-1].payload_digest if seen else None
    while seen and seen[-1].status == NOT_MODIFIED and seen[-1].payload_digest == digest:
        seen.pop()
    is_same = bool(seen) and seen[-1].status == OK and seen[-1].payload_digest == digest
    return seen[-1] if is_same else None


def condition_headers(archive: Archive, held: Observation) -> tuple[tuple[str, str], ...]:
    """The header fields that ask for a page only if it is not what is held; none where that cannot be told."""
    has_tag = _match_etag(held.etag) is not None
    if not has_tag and not held.last_modified:
        return ()
    is_cut, raw = _read_heads(archive, held.place)
    if is_cut:
        return ()
    if has_tag:
        return (("If-None-Match", held.etag),)
    head = parse_response(raw)
    sent, changed = parse_http_date(head.headers.get("date")), parse_http_date(held.last_modified)
    is_sure = changed is not None and (sent or held.moment).seconds_since(changed) >= _MIN_AGE_SECONDS
    return (("If-Modified-Since", held.last_modified),) if is_sure else ()


def _read_heads(archive: Archive, place: RecordPlace) -> tuple[bool, bytes]:
    """Whether a record holds less than came, and the head of the response in it."""
    head, _, block = archive.files.read_start(place).partition(_HEAD_END)
    raw, end, _ = block.partition(_HEAD_END)
    if end:
        return _TRUNCATED_FIELD.search(head) is not None, raw + end
    with archive.files.open(place.file) as stream:  # longer than a glance
        record = archive.files.read_record(place, stream)
        return bool(record.get("warc-truncated")), take_response_head(record.chunks())[0]
