"""What two sightings of a URL come to: same or not, what says so, how far it reaches, and what has to be known."""

from dataclasses import replace

import pytest

from webkeep.coherence.sightings import Caveat, Sameness, SamenessStrength, SamenessWitness, Sighting
from webkeep.coherence.sightings.seen_versions import KnownReach, history_from_sightings, version_intervals
from webkeep.coherence.sightings.sighting_comparison import compare_sightings
from webkeep.formats.http import is_strong_etag, is_weak_etag
from webkeep.model import Digest, Moment

NOON = Moment.parse("2024-03-01T12:00:00Z")
OLD, OTHER = "Mon, 01 Jan 2024 00:00:00 GMT", "Tue, 02 Jan 2024 00:00:00 GMT"
FRESH, FUTURE = "Fri, 01 Mar 2024 11:59:30 GMT", "Fri, 01 Mar 2030 00:00:00 GMT"


def digest(text: str) -> Digest:
    return Digest.from_chunks("sha1", [text.encode()])


A, B = digest("a"), digest("b")
PLAIN = {Caveat.REVERT_UNSEEN}


def seen(seconds: float = 0, **said: object) -> Sighting:
    values: dict[str, object] = {"digest": A, **said}
    return Sighting(NOON.plus(seconds), **values)


@pytest.mark.parametrize(
    ("before", "after", "witness", "strength", "caveats"),
    [
        ({}, {}, SamenessWitness.PAYLOAD, SamenessStrength.NONE, PLAIN),
        ({"etag": '"x"'}, {"etag": '"x"'}, SamenessWitness.PAYLOAD, SamenessStrength.STRONG_ETAG, set()),
        (
            {"etag": 'W/"x"'},
            {"etag": 'W/"x"'},
            SamenessWitness.PAYLOAD,
            SamenessStrength.WEAK_ETAG,
            {*PLAIN, Caveat.WEAK_ETAG},
        ),
        (
            {"etag": '"x"'},
            {"etag": '"y"'},
            SamenessWitness.PAYLOAD,
            SamenessStrength.NONE,
            {*PLAIN, Caveat.ETAG_UNSTEADY},
        ),
        ({"etag": '"x"'}, {}, SamenessWitness.PAYLOAD, SamenessStrength.NONE, PLAIN),
        (
            {"last_modified": OLD},
            {"last_modified": OLD},
            SamenessWitness.PAYLOAD,
            SamenessStrength.LAST_MODIFIED,
            set(),
        ),
        (
            {"last_modified": OLD},
            {"last_modified": OTHER},
            SamenessWitness.PAYLOAD,
            SamenessStrength.NONE,
            {*PLAIN, Caveat.DATE_MOVED},
        ),
        (
            {"last_modified": FRESH},
            {"last_modified": FRESH},
            SamenessWitness.PAYLOAD,
            SamenessStrength.NONE,
            {*PLAIN, Caveat.DATE_FRESH},
        ),
        ({"last_modified": FUTURE}, {"last_modified": FUTURE}, SamenessWitness.PAYLOAD, SamenessStrength.NONE, PLAIN),
        ({"last_modified": "soon"}, {"last_modified": "soon"}, SamenessWitness.PAYLOAD, SamenessStrength.NONE, PLAIN),
        (
            {"etag": '"x"', "last_modified": OLD},
            {"etag": '"y"', "last_modified": OLD},
            SamenessWitness.PAYLOAD,
            SamenessStrength.LAST_MODIFIED,
            {Caveat.ETAG_UNSTEADY},
        ),
        ({"content": A}, {"digest": B, "content": A}, SamenessWitness.CONTENT, SamenessStrength.NONE, PLAIN),
        (
            {"etag": '"x"'},
            {"status": 304, "digest": None},
            SamenessWitness.SERVER,
            SamenessStrength.STRONG_ETAG,
            {Caveat.SERVERS_WORD},
        ),
        (
            {"last_modified": OLD},
            {"status": 304},
            SamenessWitness.SERVER,
            SamenessStrength.LAST_MODIFIED,
            {Caveat.SERVERS_WORD},
        ),
        ({}, {"status": 304}, SamenessWitness.SERVER, SamenessStrength.NONE, {*PLAIN, Caveat.SERVERS_WORD}),
        (
            {"is_whole": False, "etag": '"x"'},
            {"digest": B, "etag": '"x"'},
            SamenessWitness.SERVER,
            SamenessStrength.STRONG_ETAG,
            {Caveat.SERVERS_WORD, Caveat.CUT_OFF},
        ),
        ({"status": 404}, {"status": 410, "digest": B}, SamenessWitness.ANSWER, SamenessStrength.NONE, PLAIN),
        (
            {"status": 301, "target": "/x"},
            {"status": 301, "target": "/x", "digest": B},
            SamenessWitness.ANSWER,
            SamenessStrength.NONE,
            PLAIN,
        ),
        ({"status": None}, {"status": None}, SamenessWitness.PAYLOAD, SamenessStrength.NONE, PLAIN),
    ],
)
def test_what_is_the_same(
    before: dict[str, object],
    after: dict[str, object],
    witness: SamenessWitness,
    strength: SamenessStrength,
    caveats: set[Caveat],
) -> None:
    found = compare_sightings(seen(**before), seen(100, **after))
    assert (found.sameness, found.witness, found.strength) == (Sameness.SAME, witness, strength)
    assert found.caveats == caveats


@pytest.mark.parametrize(
    ("before", "after", "sameness", "caveats"),
    [
        ({}, {"digest": B}, Sameness.CHANGED, set()),
        ({"etag": '"x"'}, {"digest": B, "etag": '"x"'}, Sameness.CHANGED, {Caveat.ETAG_LIES}),
        ({"etag": 'W/"x"'}, {"digest": B, "etag": 'W/"x"'}, Sameness.CHANGED, set()),
        ({"last_modified": OLD}, {"digest": B, "last_modified": OLD}, Sameness.CHANGED, {Caveat.DATE_LIES}),
        ({"last_modified": FRESH}, {"digest": B, "last_modified": FRESH}, Sameness.CHANGED, {Caveat.DATE_FRESH}),
        ({"content": A}, {"digest": B, "content": B}, Sameness.CHANGED, set()),
        ({}, {"status": 304, "digest": B}, Sameness.CHANGED, set()),
        ({}, {"status": 404}, Sameness.VANISHED, set()),
        ({"status": 410}, {}, Sameness.APPEARED, set()),
        ({}, {"status": 302, "target": "/"}, Sameness.CHANGED, set()),
        ({"status": 302, "target": "/a"}, {"status": 302, "target": "/b"}, Sameness.CHANGED, set()),
        ({"digest": None}, {}, Sameness.UNKNOWN, set()),
        ({"digest": Digest.from_chunks("sha256", [b"a"])}, {}, Sameness.UNKNOWN, set()),
        ({"is_whole": False}, {}, Sameness.UNKNOWN, {Caveat.CUT_OFF}),
    ],
)
def test_what_is_not(
    before: dict[str, object], after: dict[str, object], sameness: Sameness, caveats: set[Caveat]
) -> None:
    found = compare_sightings(seen(**before), seen(100, **after))
    assert (found.sameness, found.witness, found.strength) == (sameness, None, None)
    assert found.caveats == caveats


@pytest.mark.parametrize(
    ("tag", "strong", "weak"),
    [('"x"', True, False), ('W/"x"', False, True), ("x", False, False), ("", False, False), ('""', False, False)],
)
def test_tags_are_strong_weak_or_none(tag: str, strong: bool, weak: bool) -> None:
    assert (is_strong_etag(tag), is_weak_etag(tag)) == (strong, weak)


@pytest.mark.parametrize(
    ("status", "is_answer"),
    [
        (200, True),
        (304, True),
        (404, True),
        (None, True),
        (500, False),
        (503, False),
        (429, False),
        (0, False),
        (100, False),
    ],
)
def test_a_server_in_trouble_says_nothing(status: int | None, is_answer: bool) -> None:
    assert seen(status=status).is_answer is is_answer


def test_versions_are_runs_of_the_same_in_the_order_of_time() -> None:
    looks = [
        seen(0),
        seen(10),
        seen(20, status=503, digest=None),
        seen(30, digest=B),
        seen(40, status=304, digest=None),
    ]
    history = history_from_sightings(reversed(looks))
    assert [(each.first, each.last, each.observations, each.digest, each.ending) for each in history.versions] == [
        (NOON, NOON.plus(10), 2, A, Sameness.CHANGED),
        (NOON.plus(30), NOON.plus(40), 2, B, None),
    ]
    assert history.caveats == {Caveat.REVERT_UNSEEN, Caveat.UNANSWERED, Caveat.SERVERS_WORD}


def test_what_a_not_modified_leaves_out_is_remembered() -> None:
    looks = [seen(0, etag='"x"'), seen(10, status=304, digest=None), seen(20, etag='"x"')]
    (version,) = history_from_sightings(looks).versions
    assert (version.observations, version.strength, version.witness) == (
        3,
        SamenessStrength.STRONG_ETAG,
        SamenessWitness.SERVER,
    )


def test_the_weakest_link_counts() -> None:
    looks = [seen(0, etag='"x"'), seen(10, etag='"x"'), seen(20)]
    (version,) = history_from_sightings(looks).versions
    assert version.strength is SamenessStrength.NONE


def test_a_date_in_the_future_is_a_caveat_and_not_believed() -> None:
    history = history_from_sightings([seen(0, last_modified=FUTURE)])
    assert history.caveats == {Caveat.DATE_FUTURE}
    assert history.versions[0].believed_since == NOON


def test_no_moment_lies_in_two_versions_even_if_dates_are_believed() -> None:
    touching = history_from_sightings([seen(0), seen(10), seen(10, digest=B), seen(20, digest=B)]).versions
    start = NOON.micros
    assert version_intervals(touching) == [(start, start + 9_999_999), (start + 10_000_001, start + 20_000_000)]
    dated = history_from_sightings(
        [seen(0, last_modified=OLD), replace(seen(10, digest=B), last_modified=OTHER)]
    ).versions
    assert version_intervals(dated, KnownReach.DATED)[0][0] == Moment.parse("2024-01-01").micros
    assert version_intervals(dated, KnownReach.DATED)[1] == (start + 1, start + 10_000_000)
