"""Observations of an archive as sightings."""

import pytest

from webkeep.coherence.sightings import Sameness, payload_digest_held, sighting_from_observation
from webkeep.coherence.sightings.sighting_comparison import compare_sightings
from webkeep.model import Digest, Moment, Observation, RecordPlace, VisitKind

NOON = Moment.parse("2024-03-01T12:00:00Z")
NOTHING, SOMETHING = Digest.from_chunks("sha1", []), Digest.from_chunks("sha1", [b"a"])


def observed(offset: int = 0, **said: object) -> Observation:
    values: dict[str, object] = {"status": 200, "payload_digest": SOMETHING, **said}
    return Observation("http://h/", NOON.plus(offset), RecordPlace("a.warc.gz", offset, 9), **values)


def test_everything_that_matters_comes_along() -> None:
    sighting = sighting_from_observation(
        observed(etag=' "x" ', last_modified="Mon", capture="c", visit=VisitKind.REVISIT, media_type="text/html")
    )
    assert (sighting.moment, sighting.status, sighting.digest) == (NOON, 200, SOMETHING)
    assert (sighting.etag, sighting.last_modified, sighting.capture) == ('"x"', "Mon", "c")
    assert (sighting.is_revisit, sighting.is_whole, sighting.media_type) == (True, True, "text/html")


@pytest.mark.parametrize(
    ("status", "digest", "held"),
    [(304, NOTHING, None), (304, SOMETHING, SOMETHING), (200, NOTHING, NOTHING), (304, None, None)],
)
def test_the_nothing_that_comes_with_a_not_modified_is_no_digest(
    status: int, digest: Digest | None, held: Digest | None
) -> None:
    assert payload_digest_held(status, digest) == held


def test_a_part_is_not_the_whole() -> None:
    assert not sighting_from_observation(observed(status=206)).is_whole


def test_where_redirects_lead_is_not_known() -> None:
    one, other, moved = (
        sighting_from_observation(observed(each, status=status)) for each, status in ((0, 302), (10, 302), (20, 301))
    )
    assert compare_sightings(one, other).sameness is Sameness.UNKNOWN
    assert compare_sightings(other, moved).sameness is Sameness.CHANGED
