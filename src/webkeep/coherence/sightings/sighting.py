"""Sightings: one URL seen once, as far as it matters to when it was what: status, digests, validators, and whether the
answer says anything of the resource.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from webkeep.formats.http import parse_http_date
from webkeep.formats.status import (
    GONE_STATUSES,
    NOT_MODIFIED,
    OK,
    PARTIAL_CONTENT,
    is_answered,
    is_error,
    leads_elsewhere,
)
from webkeep.model import Digest, Moment, Observation, VisitKind

_read_date = lru_cache(4096)(parse_http_date)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one answer said of its URL."""

    moment: Moment
    status: int | None = OK
    """None for a file, which has none."""
    digest: Digest | None = None
    """Over the payload as it came; of a 304, over what it refers to."""
    content: Digest | None = None
    """Over the payload without its codings."""
    etag: str = ""
    last_modified: str = ""
    target: str | None = ""
    """Where a redirect leads; None where that is not known."""
    is_whole: bool = True
    """False where the body was cut off or is a part that was asked for, so that its digest is of a part."""
    is_revisit: bool = False
    """Whether it was asked for again on purpose, to see whether it had changed."""
    capture: str = ""
    media_type: str = ""

    @property
    def is_answer(self) -> bool:
        """Whether it says anything of the resource, and not of the server or of who asks."""
        return self.status is None or is_answered(self.status) or self.status in GONE_STATUSES

    @property
    def is_present(self) -> bool:
        """Whether there was something at the URL, be it a redirect."""
        return not is_error(self.status)

    @property
    def is_part(self) -> bool:
        """Whether it shows a part that was asked for, and not all."""
        return self.status == PARTIAL_CONTENT and not self.is_whole

    @property
    def is_redirect(self) -> bool:
        """Whether it leads elsewhere."""
        return leads_elsewhere(self.status)

    @property
    def is_content(self) -> bool:
        """Whether it shows the resource itself."""
        return self.is_present and not self.is_redirect

    @property
    def modified_at(self) -> Moment | None:
        """When the server says that it changed last, whether that can be or not."""
        return _read_date(self.last_modified) if self.last_modified else None

    @property
    def credible_modified_at(self) -> Moment | None:
        """When it changed last, if the server names a moment that can be true: none after it was seen."""
        dated = self.modified_at
        return dated if dated is not None and dated <= self.moment else None


# From the observations that archives keep to sightings.


def payload_digest_held(status: int | None, digest: Digest | None) -> Digest | None:
    """The digest of what was there; tools that know no better give that of the nothing that came with a 304."""
    is_nothing = status == NOT_MODIFIED and digest is not None and digest == _empty_digest(digest.algorithm)
    return None if is_nothing else digest


def sighting_from_observation(observation: Observation) -> Sighting:
    """An observation as a sighting; it does not tell where a redirect leads."""
    status = observation.status
    digest = payload_digest_held(status, observation.payload_digest)
    return Sighting(
        observation.moment,
        status,
        digest,
        None if digest is None else observation.content_digest,
        observation.etag.strip(),
        observation.last_modified.strip(),
        None if leads_elsewhere(status) else "",
        status != PARTIAL_CONTENT,
        observation.visit is VisitKind.REVISIT,
        observation.capture,
        observation.media_type,
    )


@cache
def _empty_digest(algorithm: str) -> Digest:
    return Digest.from_chunks(algorithm, [])
