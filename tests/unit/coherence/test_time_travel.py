"""A site as of a moment: which capture, and which of a page's sightings."""

import pytest

from webkeep.coherence import Mapping
from webkeep.coherence.sighting import Sighting
from webkeep.coherence.time_travel import Point, Seen, Span, capture_as_of, seen_as_of
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
FIRST = Span("first", NOON, NOON.plus(100))
SECOND = Span("second", NOON.plus(1000), NOON.plus(1200), NOON.plus(1010))
CAPTURES = [SECOND, FIRST]


def seen(seconds: float, body: str = "a", **said: object) -> Sighting:
    return Sighting(NOON.plus(seconds), digest=Digest.of("sha1", [body.encode()]), **said)


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
    found = [capture_as_of(CAPTURES, moment, mapping) for mapping in (Mapping.NEAREST, Mapping.LATEST_BEFORE)]
    assert [each.capture if each else None for each in found] == [nearest, before]


def test_what_a_capture_without_a_reference_stands_for() -> None:
    assert [FIRST.moment(point) for point in Point] == [NOON, NOON.plus(50), NOON.plus(100)]
    assert [SECOND.moment(point) for point in Point] == [NOON.plus(1010)] * 3


def test_of_captures_for_the_same_moment_the_later_one_answers() -> None:
    later = Span("later", NOON.plus(10), NOON.plus(90))
    assert capture_as_of([later, FIRST], NOON) == later
    assert capture_as_of([], NOON) is None


@pytest.mark.parametrize(
    ("sightings", "seconds", "answer"),
    [
        ([seen(0), seen(100)], 30, Seen(0, True)),
        ([seen(0), seen(100)], 50, Seen(0, True)),
        ([seen(0), seen(100)], 51, Seen(1, True)),
        ([seen(100), seen(0)], 51, Seen(0, True)),
        ([seen(0), seen(100, "b")], 30, Seen(0, False)),
        ([seen(0), seen(100, "b")], 0, Seen(0, True)),
        ([seen(0), seen(100, "b")], 100, Seen(1, True)),
        ([seen(0), seen(100)], 101, Seen(1, False)),
        ([seen(0), seen(100)], -1, Seen(0, False)),
        ([seen(0), seen(90, status=503), seen(100)], 90, Seen(2, True)),
        ([seen(0, status=503)], 0, None),
        ([], 0, None),
    ],
)
def test_the_sighting_that_answers(sightings: list[Sighting], seconds: float, answer: Seen | None) -> None:
    assert seen_as_of(sightings, NOON.plus(seconds)) == answer
