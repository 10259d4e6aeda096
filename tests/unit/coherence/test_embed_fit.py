"""Which version of an embedded resource is shown with a page, and how well it fits."""

import pytest

from webkeep.coherence.sightings import Sighting
from webkeep.coherence.time_travel import FittingChoice, TemporalFit, choose_sighting, judge_fit
from webkeep.coherence.time_travel.embed_fit import FitGround
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
HOUR = 3600.0
BEFORE = "Fri, 01 Mar 2024 09:00:00 GMT"
AFTER = "Fri, 01 Mar 2024 13:00:00 GMT"
NEARLY = "Fri, 01 Mar 2024 12:00:20 GMT"


def seen(hours: float, body: str = "a", capture: str = "", **said: object) -> Sighting:
    values: dict[str, object] = {"digest": Digest.from_chunks("sha1", [body.encode()]), "capture": capture, **said}
    return Sighting(NOON.plus(hours * HOUR), **values)


ONE_VERSION = [
    # Seen before the page: it may have been so still.
    (seen(-2), TemporalFit.POSSIBLY_COHERENT),
    (seen(-2, last_modified=BEFORE), TemporalFit.POSSIBLY_COHERENT),
    # Seen after the page, and not changed since before it.
    (seen(2, last_modified=BEFORE), TemporalFit.COHERENT),
    # Seen after the page, and changed after it.
    (seen(2, last_modified=AFTER), TemporalFit.VIOLATIVE),
    # Seen after the page, and no date, one that cannot be, or one too near to tell.
    (seen(2), TemporalFit.PROBABLY_VIOLATIVE),
    (seen(2, last_modified="Fri, 01 Mar 2030 00:00:00 GMT"), TemporalFit.PROBABLY_VIOLATIVE),
    (seen(2, last_modified="yesterday"), TemporalFit.PROBABLY_VIOLATIVE),
    (seen(2, last_modified=NEARLY), TemporalFit.PROBABLY_VIOLATIVE),
    # Seen at the very moment.
    (seen(0), TemporalFit.COHERENT),
]


@pytest.mark.parametrize(("sighting", "fit"), ONE_VERSION)
def test_one_version(sighting: Sighting, fit: TemporalFit) -> None:
    assert judge_fit(NOON, [sighting], 0) is fit
    choice = choose_sighting(NOON, [sighting])
    assert choice is not None
    assert (choice.place, choice.fit) == (0, fit)


SEVERAL = [
    ("the same before and after", [seen(-2), seen(3)], [TemporalFit.COHERENT, TemporalFit.COHERENT]),
    ("another one after", [seen(-2), seen(3, "b")], [TemporalFit.POSSIBLY_COHERENT, TemporalFit.PROBABLY_VIOLATIVE]),
    (
        "a dated one after",
        [seen(-2), seen(3, "b", last_modified=AFTER)],
        [TemporalFit.POSSIBLY_COHERENT, TemporalFit.VIOLATIVE],
    ),
    (
        "another one after, that was there at the moment by its date",
        [seen(-4), seen(3, "b", last_modified=BEFORE)],
        [TemporalFit.VIOLATIVE, TemporalFit.COHERENT],
    ),
    (
        "a date that a sighting of another version belies",
        [seen(-2), seen(3, "b", last_modified=BEFORE)],
        [TemporalFit.POSSIBLY_COHERENT, TemporalFit.PROBABLY_VIOLATIVE],
    ),
    (
        "another one proven at the moment",
        [seen(-4), seen(-2, "b"), seen(2, "b"), seen(4)],
        [TemporalFit.VIOLATIVE, TemporalFit.COHERENT, TemporalFit.COHERENT, TemporalFit.VIOLATIVE],
    ),
    (
        "another one in between",
        [seen(-4), seen(-2, "b")],
        [TemporalFit.PROBABLY_VIOLATIVE, TemporalFit.POSSIBLY_COHERENT],
    ),
    (
        "missing at the moment",
        [seen(-4), seen(-2, status=404), seen(2, status=404)],
        [TemporalFit.VIOLATIVE, TemporalFit.COHERENT, TemporalFit.COHERENT],
    ),
    (
        "a strong tag says the same where bodies cannot be compared",
        [seen(-2, etag='"x"', is_whole=False), seen(2, etag='"x"')],
        [TemporalFit.COHERENT, TemporalFit.COHERENT],
    ),
    (
        "what cannot be compared proves nothing",
        [seen(-2, digest=None), seen(0), seen(2)],
        [TemporalFit.PROBABLY_VIOLATIVE, TemporalFit.COHERENT, TemporalFit.COHERENT],
    ),
]


@pytest.mark.parametrize(("sightings", "fits"), [each[1:] for each in SEVERAL], ids=[each[0] for each in SEVERAL])
def test_several_versions(sightings: list[Sighting], fits: list[TemporalFit]) -> None:
    assert [judge_fit(NOON, sightings, place) for place in range(len(sightings))] == fits


CHOICES = [
    (
        "the nearest of a proven one",
        [seen(-2), seen(1), seen(-5, "b")],
        "",
        FittingChoice(1, TemporalFit.COHERENT, FitGround.PROVEN),
    ),
    (
        "a proven one before one of the same capture",
        [seen(-3), seen(5), seen(6, "b", "c")],
        "c",
        FittingChoice(0, TemporalFit.COHERENT, FitGround.PROVEN),
    ),
    (
        "a dated one before one of the same capture",
        [seen(-9, "b", "c"), seen(5, last_modified=BEFORE)],
        "c",
        FittingChoice(1, TemporalFit.COHERENT, FitGround.DATED),
    ),
    (
        "one of the same capture before a nearer one",
        [seen(-1, "b", "x"), seen(2, "a", "c")],
        "c",
        FittingChoice(1, TemporalFit.PROBABLY_VIOLATIVE, FitGround.SAME_CAPTURE),
    ),
    (
        "not one that is known to be another, though of the same capture",
        [seen(-9, "b", "x"), seen(2, "a", "c", last_modified=AFTER)],
        "c",
        FittingChoice(0, TemporalFit.POSSIBLY_COHERENT, FitGround.NEAREST),
    ),
    ("the nearest", [seen(-3), seen(2, "b")], "", FittingChoice(1, TemporalFit.PROBABLY_VIOLATIVE, FitGround.NEAREST)),
    (
        "the past where both are as near",
        [seen(2, "b"), seen(-2)],
        "",
        FittingChoice(1, TemporalFit.POSSIBLY_COHERENT, FitGround.NEAREST),
    ),
    (
        "what is known to be another where there is nothing else",
        [seen(-1, status=404), seen(1, status=404), seen(2)],
        "",
        FittingChoice(2, TemporalFit.VIOLATIVE, FitGround.LEFT),
    ),
]


@pytest.mark.parametrize(
    ("sightings", "capture", "choice"), [each[1:] for each in CHOICES], ids=[each[0] for each in CHOICES]
)
def test_what_is_chosen(sightings: list[Sighting], capture: str, choice: FittingChoice) -> None:
    assert choose_sighting(NOON, sightings, capture) == choice


def test_nothing_to_show() -> None:
    assert choose_sighting(NOON, []) is None
    assert choose_sighting(NOON, [seen(0, status=503), seen(1, status=404)]) is None
