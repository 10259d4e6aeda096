"""Rates of change: estimators by the worked examples, hints of sitemaps and servers."""

import json
from pathlib import Path

import pytest

from webkeep.change.rates import RateMean, frequency_rate, history_rate
from webkeep.change.rates.rate_estimators import (
    Poll,
    bias_corrected_rate,
    estimate_rate,
    hinted_rate,
    irregular_likelihood_rate,
    maximum_likelihood_rate,
    naive_rate,
)
from webkeep.change.rates.rate_hints import http_rate, sitemap_rate
from webkeep.errors import UsageError
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

CASES = json.loads((Path(__file__).parents[2] / "data/coherence/rates.json").read_text())
NOW = Moment.parse("2024-03-10T12:00:00Z")
DAY = 86400.0


@pytest.mark.parametrize("row", CASES["corrected"], ids=lambda row: f"{row['changed']} of {row['looks']}")
def test_looks_at_even_intervals(row: dict[str, float]) -> None:
    looks, changed, interval = int(row["looks"]), int(row["changed"]), row["interval"]
    assert bias_corrected_rate(looks, changed, interval) == pytest.approx(row["rate"], abs=1e-7)
    if "naive" in row:
        assert naive_rate(looks, changed, interval) == pytest.approx(row["naive"], abs=1e-7)
        assert maximum_likelihood_rate(looks, changed, interval) == pytest.approx(row["likeliest"], abs=1e-7)


@pytest.mark.parametrize("row", CASES["irregular"], ids=lambda row: str(row["changed"]))
def test_looks_at_uneven_intervals(row: dict[str, list[float]]) -> None:
    polls = [Poll(length, True) for length in row["changed"]] + [Poll(length, False) for length in row["calm"]]
    assert irregular_likelihood_rate(polls) == pytest.approx(row["rate"], abs=1e-7)


def test_looks_that_say_all_or_nothing() -> None:
    assert irregular_likelihood_rate([Poll(3, False)]) == 0
    assert irregular_likelihood_rate([Poll(3, True)]) == float("inf")
    assert maximum_likelihood_rate(3, 3, 1) == float("inf")
    assert estimate_rate([]) == 0
    assert estimate_rate([Poll(0, True)]) == 0
    assert estimate_rate([Poll(1, True), Poll(5, True)]) == pytest.approx(bias_corrected_rate(2, 2, 3))
    assert history_rate(6, 3) == 2
    assert history_rate(6, 0) == 0


@pytest.mark.parametrize(("looks", "changed", "interval"), [(0, 0, 1), (2, 3, 1), (2, -1, 1), (2, 1, 0)])
def test_looks_that_cannot_be_are_refused(looks: int, changed: int, interval: float) -> None:
    with pytest.raises(UsageError, match="give no rate"):
        bias_corrected_rate(looks, changed, interval)


@pytest.mark.parametrize("word", CASES["frequencies at three seconds"])
def test_words_of_sitemaps(word: str) -> None:
    expected = CASES["frequencies at three seconds"][word]
    assert frequency_rate(ChangeFrequency(word), 3.0) == pytest.approx(expected, rel=1e-6)


def test_the_geometric_mean_is_gentler() -> None:
    gentle = frequency_rate(ChangeFrequency.HOURLY, 3.0, RateMean.GEOMETRIC)
    assert gentle < frequency_rate(ChangeFrequency.HOURLY, 3.0)
    assert gentle > frequency_rate(ChangeFrequency.DAILY, 3.0, RateMean.GEOMETRIC)


def test_a_sitemap_is_believed_as_far_as_its_dates_allow() -> None:
    said = SitemapEntry("https://e.example/", changefreq=ChangeFrequency.HOURLY)
    stale = SitemapEntry("https://e.example/", NOW.plus(-1000 * DAY), ChangeFrequency.HOURLY)
    dated = SitemapEntry("https://e.example/", NOW.plus(-2 * DAY))
    future = SitemapEntry("https://e.example/", NOW.plus(DAY))
    assert sitemap_rate(said, NOW, 3.0) == frequency_rate(ChangeFrequency.HOURLY, 3.0, RateMean.GEOMETRIC)
    assert sitemap_rate(stale, NOW, 3.0) == pytest.approx(2.995732 / (1000 * DAY), rel=1e-6)
    assert sitemap_rate(dated, NOW, 3.0) == pytest.approx(1 / (2 * DAY))
    assert sitemap_rate(future, NOW, 3.0) is None
    assert sitemap_rate(SitemapEntry("https://e.example/"), NOW, 3.0) is None


def fields(**values: str) -> Headers:
    return Headers(tuple((name.replace("_", "-"), value) for name, value in values.items()))


def test_http_fields_tell_of_the_past_and_of_the_future() -> None:
    dated = fields(Last_Modified="Fri, 08 Mar 2024 12:00:00 GMT")
    kept = fields(Cache_Control="public, max-age=600")
    expiring = fields(Date="Sun, 10 Mar 2024 12:00:00 GMT", Expires="Sun, 10 Mar 2024 12:10:00 GMT")
    both = fields(Last_Modified="Fri, 08 Mar 2024 12:00:00 GMT", Cache_Control="max-age=1")
    assert http_rate(dated, NOW, 3.0) == pytest.approx(1 / (2 * DAY))
    assert http_rate(kept, NOW, 3.0) == pytest.approx(0.0512933 / 600, rel=1e-6)
    assert http_rate(expiring, NOW, 3.0) == http_rate(kept, NOW, 3.0)
    assert http_rate(both, NOW, 3.0) == pytest.approx(2.995732 / (2 * DAY), rel=1e-6)


@pytest.mark.parametrize(
    "headers",
    [fields(), fields(Last_Modified="Tue, 08 Mar 2044 12:00:00 GMT"), fields(Last_Modified="yesterday"),
     fields(Cache_Control="no-cache, max-age=0"), fields(Expires="0"), fields(Expires="Thu, 01 Jan 1970 00:00:00 GMT"),
     fields(Last_Modified="Thu, 99 Foo 99999 99:99:99 GMT"), fields(Expires="\0"), fields(Cache_Control="max-age=x")],
    ids=lambda headers: str(list(headers)),
)  # fmt: skip
def test_lies_and_noise_say_nothing(headers: Headers) -> None:
    assert http_rate(headers, NOW, 3.0) is None


def test_pages_made_when_asked_for_say_nothing_by_their_date() -> None:
    made = fields(Date="Sun, 10 Mar 2024 12:00:00 GMT", Last_Modified="Sun, 10 Mar 2024 12:00:00 GMT")
    assert http_rate(made, NOW, 3.0) is None
    assert http_rate(made.with_field("Cache-Control", "max-age=600"), NOW, 3.0) == pytest.approx(0.0512933 / 600)


def test_a_hint_gives_way_to_what_is_seen() -> None:
    assert hinted_rate([], 3.0) == 3.0
    calm = [hinted_rate([Poll(length, False)], 3.0, weight=1.0) for length in (0.01, 1.0, 100.0, 1e6)]
    assert calm == pytest.approx([2.834611, 0.6457513, 0.009934, 1e-6], rel=1e-3)
    assert hinted_rate([Poll(0.5, False)] * 2, 3.0, weight=1.0) == pytest.approx(calm[1])
    assert hinted_rate([Poll(1.0, False)], 3.0, weight=2.0) > calm[1]
    assert hinted_rate([Poll(100.0, False)], 3.0, weight=0.1) == pytest.approx(0.001, rel=0.02)


def test_one_change_seen_is_no_proof_of_many() -> None:
    for weight in (0.01, 0.1, 0.5):
        assert hinted_rate([Poll(1.0, True)], 1e-6, weight) < 1.3
    assert hinted_rate([Poll(1.0, True)], 1e-6, 2.0) < 1e-5


@pytest.mark.parametrize("hint", [1e-9, 1e-3, 1.0, 1e3, 1e9])
def test_a_hint_however_wrong_is_lost_among_many_looks(hint: float) -> None:
    polls = [Poll(1.0 + number % 3, number % 4 == 0) for number in range(400)]
    assert hinted_rate(polls, hint) == pytest.approx(irregular_likelihood_rate(polls), rel=0.02)
    assert hinted_rate(polls[:16], hint) == pytest.approx(irregular_likelihood_rate(polls[:16]), rel=0.4)


@pytest.mark.parametrize("hint", [0.0, -1.0, float("nan"), float("inf")])
def test_hints_that_are_none_are_refused(hint: float) -> None:
    with pytest.raises(UsageError, match="above zero"):
        hinted_rate([], hint)


def test_extremes_stay_numbers() -> None:
    for polls in ([Poll(1e9, True)], [Poll(1e-8, True)] * 16, [Poll(1e9, False), Poll(1e-8, True), Poll(1e9, True)]):
        for hint in (1e-10, 1.0, 1e3):
            assert 0 < hinted_rate(polls, hint) < float("inf")
