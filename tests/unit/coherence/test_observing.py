"""Observations of an archive as sightings."""

import pytest

from webkeep.coherence.comparing import Sameness, compared
from webkeep.coherence.observing import held_digest, sighting_of
from webkeep.model import Digest, Moment, Observation, Place, Visit

NOON = Moment.parse("2024-03-01T12:00:00Z")
NOTHING, SOMETHING = Digest.of("sha1", []), Digest.of("sha1", [b"a"])


def observed(offset: int = 0, **said: object) -> Observation:
    values: dict[str, object] = {"status": 200, "payload_digest": SOMETHING, **said}
    return Observation("http://h/", NOON.plus(offset), Place("a.warc.gz", offset, 9), **values)


def test_everything_that_matters_comes_along() -> None:
    sighting = sighting_of(
        observed(etag=' "x" ', last_modified="Mon", capture="c", visit=Visit.REVISIT, media_type="text/html")
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
    assert held_digest(status, digest) == held


def test_a_part_is_not_the_whole() -> None:
    assert not sighting_of(observed(status=206)).is_whole


def test_where_redirects_lead_is_not_known() -> None:
    one, other, moved = (
        sighting_of(observed(each, status=status)) for each, status in ((0, 302), (10, 302), (20, 301))
    )
    assert compared(one, other).sameness is Sameness.UNKNOWN
    assert compared(other, moved).sameness is Sameness.CHANGED
