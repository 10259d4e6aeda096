"""Laws of rates: looks and hints, chains of looks, calibrations, edits, the rate table, and predictors as JSON."""

import json
from math import inf, isfinite

import pytest
from hypothesis import given, strategies as st

from webkeep.change.detection.edit_distance import edit_distance
from webkeep.change.prediction.rate_predictor import fit_calibration
from webkeep.change.rates import RateTable
from webkeep.change.rates.poll_chains import MAX_POLLS_A_PAGE, NO_POLLS, PollChains
from webkeep.change.rates.rate_estimators import Poll, hinted_rate
from webkeep.change.rates.rate_table import MAX_RATE, MIN_RATE
from webkeep.errors import FormatError
from webkeep.lab.prediction.predictor_json import FORMAT, predictor_from_json
from webkeep.model import ChangeFrequency, Headers, Moment

LENGTHS = st.floats(1e-3, 1e8)
POLLS = st.lists(st.builds(Poll, LENGTHS, st.booleans()), max_size=8)
RATES = st.floats(1e-9, 1e3)
WEIGHTS = st.floats(0.01, 5.0)


@given(POLLS, RATES, RATES, WEIGHTS)
def test_a_higher_hint_gives_no_lower_rate(polls: list[Poll], one: float, other: float, weight: float) -> None:
    low, high = (hinted_rate(polls, hint, weight) for hint in sorted((one, other)))
    assert 0 < low <= high * (1 + 1e-6) < inf


@given(POLLS, LENGTHS, RATES, WEIGHTS)
def test_calm_lowers_and_change_raises(polls: list[Poll], length: float, hint: float, weight: float) -> None:
    before = hinted_rate(polls, hint, weight)
    assert hinted_rate([*polls, Poll(length, False)], hint, weight) <= before * (1 + 1e-6)
    assert hinted_rate([*polls, Poll(length, True)], hint, weight) >= before * (1 - 1e-6)


@given(POLLS, RATES, WEIGHTS, st.floats(0.01, 100))
def test_the_unit_of_time_does_not_matter(polls: list[Poll], hint: float, weight: float, unit: float) -> None:
    stretched = [Poll(poll.length * unit, poll.changed) for poll in polls]
    assert hinted_rate(stretched, hint / unit, weight) == pytest.approx(
        hinted_rate(polls, hint, weight) / unit, rel=1e-4
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 50), st.booleans()), max_size=120))
def test_chains_keep_the_newest_looks_and_all_calm_between(steps: list[tuple[int, int, bool]]) -> None:
    looks, chains, plain = PollChains(), [NO_POLLS] * 3, [[] for _ in range(3)]
    for page, length, changed in steps:
        chains[page] = looks.add(chains[page], float(length), changed)
        kept = plain[page]
        if kept and not changed and not kept[0].changed:
            kept[0] = Poll(kept[0].length + length, False)
        else:
            kept.insert(0, Poll(float(length), changed))
            del kept[MAX_POLLS_A_PAGE:]
    assert [looks.polls_of(chain) for chain in chains] == plain


CHANCES = st.floats(0, 1)


@given(st.lists(st.tuples(CHANCES, CHANCES), max_size=60), CHANCES, CHANCES)
def test_calibrations_rise_and_stay_chances(known: list[tuple[float, float]], one: float, other: float) -> None:
    calibration = fit_calibration([told for told, _ in known], [true for _, true in known])
    low, high = calibration.calibrate(min(one, other)), calibration.calibrate(max(one, other))
    assert 0 <= low <= high + 1e-9 <= 1 + 2e-9


TEXTS = st.text("ab ", max_size=12)


@given(TEXTS, TEXTS, TEXTS, st.integers(0, 6))
def test_edits_are_a_distance(one: str, other: str, third: str, most: int) -> None:
    distance = edit_distance(one, other)
    assert distance == edit_distance(other, one)
    assert (distance == 0) == (one == other)
    assert distance <= edit_distance(one, third) + edit_distance(third, other)
    assert edit_distance(one, other, most) == min(distance, most + 1)


MOMENTS = st.integers(-(10**17), 10**17).map(Moment)
URLS = st.one_of(
    st.sampled_from(["https://e.example/a", "https://e.example/b", "https://f.example/"]), st.text(max_size=9)
)
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "Last-Modified": st.one_of(st.text(max_size=40), st.just("Fri, 08 Mar 2024 12:00:00 GMT")),
        "Cache-Control": st.one_of(st.text(max_size=20), st.integers(0, 10**12).map("max-age={}".format)),
        "Expires": st.one_of(st.text(max_size=20), st.just("Fri, 08 Mar 2999 12:00:00 GMT")),
    },
)
HEARD = st.one_of(
    st.tuples(
        st.just("add_sitemap_hint"), URLS, st.sampled_from([None, *ChangeFrequency]), st.none() | MOMENTS, MOMENTS
    ),
    st.tuples(st.just("add_feed_hint"), URLS, st.none() | MOMENTS, MOMENTS),
    st.tuples(st.just("add_response_hint"), URLS, FIELDS.map(lambda each: Headers(tuple(each.items()))), MOMENTS),
    st.tuples(st.just("add_prediction"), URLS, NUMBERS),
    st.tuples(st.just("add_pair"), URLS, MOMENTS, MOMENTS, st.booleans()),
)


@given(NUMBERS, NUMBERS, st.integers(0, 5), st.lists(HEARD, max_size=30), URLS)
def test_nothing_told_breaks_a_rate_table(
    delay: float, default: float, most: int, heard: list[tuple], url: str
) -> None:
    book = RateTable(delay, default, most=most)
    for name, *words in heard:
        getattr(book, name)(*words)
    rate = book.rate(url)
    assert isfinite(rate.per_second)
    assert MIN_RATE * 0.999 <= rate.per_second <= MAX_RATE * 1.001
    assert len(book) <= most


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=9), parts, max_size=4),
    max_leaves=12,
)


@given(JSON, JSON, JSON, JSON, st.sampled_from(["constant", "witnesses", "tree", "grove", "relations", "other"]))
def test_no_json_breaks_the_reading_of_predictors(
    bins: object, horizon: object, calibration: object, predictor: object, kind: str
) -> None:
    inner = {**predictor, "kind": kind} if isinstance(predictor, dict) else predictor
    whole = {"format": FORMAT, "bins": bins, "horizon": horizon, "calibration": calibration, "predictor": inner}
    for plain in (whole, {**whole, "bins": {"edges": [], "means": [1.0]}, "horizon": 1, "calibration": []}, predictor):
        try:
            assert predictor_from_json(json.dumps(plain)).predict_rate({}) >= 0
        except FormatError as error:
            assert "train it again" in str(error)
