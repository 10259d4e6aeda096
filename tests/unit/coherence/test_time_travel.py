"""A site as of a moment: which capture, and which of a page's sightings."""

import pytest

from webkeep.coherence.sightings import Sighting
from webkeep.coherence.time_travel import CaptureSpan, MomentMapping, choose_capture, choose_sighting_at
from webkeep.coherence.time_travel.capture_mapping import PageSighting, ReferencePoint
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
FIRST = CaptureSpan("first", NOON, NOON.plus(100))
SECOND = CaptureSpan("second", NOON.plus(1000), NOON.plus(1200), NOON.plus(1010))
CAPTURES = [SECOND, FIRST]


def seen(seconds: float, body: str = "a", **said: object) -> Sighting:
    return Sighting(NOON.plus(seconds), digest=Digest.from_chunks("sha1", [body.encode()]), **said)


@pytest.mark.parametrize(
    ("seconds", "nearest", "before"),
    [
        (-500, "first", None),
        (49, "first", None),
        (50, "first", "first"),
        (530, "first", "first"),
        (531, "second", "first"),
        (1009, "second", "first"),
        (1010, "second", "second"),
        (9999, "second", "second"),
    ],
)
def test_the_capture_that_answers(seconds: float, nearest: str, before: str | None) -> None:
    moment = NOON.plus(seconds)
    found = [
        choose_capture(CAPTURES, moment, mapping) for mapping in (MomentMapping.NEAREST, MomentMapping.LATEST_BEFORE)
    ]
    assert [each.capture if each else None for each in found] == [nearest, before]


def test_what_a_capture_without_a_reference_stands_for() -> None:
    assert [FIRST.reference_moment(point) for point in ReferencePoint] == [NOON, NOON.plus(50), NOON.plus(100)]
    assert [SECOND.reference_moment(point) for point in ReferencePoint] == [NOON.plus(1010)] * 3


def test_of_captures_for_the_same_moment_the_later_one_answers() -> None:
    later = CaptureSpan("later", NOON.plus(10), NOON.plus(90))
    assert choose_capture([later, FIRST], NOON) == later
    assert choose_capture([], NOON) is None


@pytest.mark.parametrize(
    ("sightings", "seconds", "answer"),
    [
        ([seen(0), seen(100)], 30, PageSighting(0, True)),
        ([seen(0), seen(100)], 50, PageSighting(0, True)),
        ([seen(0), seen(100)], 51, PageSighting(1, True)),
        ([seen(100), seen(0)], 51, PageSighting(0, True)),
        ([seen(0), seen(100, "b")], 30, PageSighting(0, False)),
        ([seen(0), seen(100, "b")], 0, PageSighting(0, True)),
        ([seen(0), seen(100, "b")], 100, PageSighting(1, True)),
        ([seen(0), seen(100)], 101, PageSighting(1, False)),
        ([seen(0), seen(100)], -1, PageSighting(0, False)),
        ([seen(0), seen(90, status=503), seen(100)], 90, PageSighting(2, True)),
        ([seen(0, status=503)], 0, None),
        ([], 0, None),
    ],
)
def test_the_sighting_that_answers(sightings: list[Sighting], seconds: float, answer: PageSighting | None) -> None:
    assert choose_sighting_at(sightings, NOON.plus(seconds)) == answer
