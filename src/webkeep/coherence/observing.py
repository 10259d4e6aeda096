"""From the observations that archives keep to sightings."""

from __future__ import annotations

from functools import cache

from webkeep.coherence.sighting import NOT_MODIFIED, PARTIAL, Sighting
from webkeep.model import Digest, Observation, Visit

_REDIRECTS = range(300, 400)


def is_redirect(status: int | None) -> bool:
    """Whether an answer of this status leads elsewhere."""
    return status in _REDIRECTS and status != NOT_MODIFIED


def held_digest(status: int | None, digest: Digest | None) -> Digest | None:
    """The digest of what was there; tools that know no better give that of the nothing that came with a 304."""
    is_nothing = status == NOT_MODIFIED and digest is not None and digest == _nothing(digest.algorithm)
    return None if is_nothing else digest


def sighting_of(observation: Observation) -> Sighting:
    """An observation as a sighting; it does not tell where a redirect leads."""
    status = observation.status
    digest = held_digest(status, observation.payload_digest)
    return Sighting(
        observation.moment,
        status,
        digest,
        None if digest is None else observation.content_digest,
        observation.etag.strip(),
        observation.last_modified.strip(),
        None if is_redirect(status) else "",
        status != PARTIAL,
        observation.visit is Visit.REVISIT,
        observation.capture,
        observation.media_type,
    )


@cache
def _nothing(algorithm: str) -> Digest:
    return Digest.of(algorithm, [])
