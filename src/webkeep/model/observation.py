"""Observations: one URL seen once, on a visit or a revisit, with its status, media type and digests, and where its
record lies.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from webkeep.model.digest import Digest
from webkeep.model.moment import Moment
from webkeep.model.record_type import RecordType

_REVISIT = RecordType.REVISIT


class VisitKind(enum.StrEnum):
    """Whether a URL was asked for to have it, or asked for again to see whether it had changed."""

    VISIT = "visit"
    REVISIT = "revisit"


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where a record lies: a file in the archive and the bytes it takes there."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Observation:
    """One URL seen once."""

    url: str
    moment: Moment
    place: RecordPlace
    record_type: str = RecordType.RESPONSE
    """The WARC type of the record that holds it: response, revisit, resource or metadata."""
    method: str = "GET"
    status: int | None = None
    media_type: str = ""
    payload_digest: Digest | None = None
    """Over the payload as it came; what WARC files and CDX indexes carry."""
    content_digest: Digest | None = None
    """Over the decoded content, so that chunking and compression do not count as change."""
    size: int = 0
    """How many bytes the payload has as it came."""
    etag: str = ""
    last_modified: str = ""
    capture: str = ""
    """The identifier of the capture it belongs to."""
    via: str = ""
    visit: VisitKind = VisitKind.VISIT
    request: RecordPlace | None = None
    """Where the record of its request lies, if that was kept."""
    original: RecordPlace | None = None
    """Of a revisit that was resolved: where the record lies that holds its payload; None where that is not held."""
    not_modified: bool = False
    """Whether the server sent no more than that nothing had changed; the rest is then of what it was about."""

    @property
    def is_dangling(self) -> bool:
        """Whether it is a revisit, or a "not modified", of something that is not held; or one that was not resolved."""
        return self.original is None and (self.not_modified or self.record_type == _REVISIT)
