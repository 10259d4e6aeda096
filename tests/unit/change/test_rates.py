"""Rates of change: estimators by the worked examples, hints of sitemaps and servers, and which of them is believed."""

import json
from pathlib import Path

import pytest

from webkeep.change import (
    Knowledge,
    Mean,
    Poll,
    Rate,
    RateSource,
    best_rate,
    corrected_rate,
    frequency_rate,
    history_rate,
    http_moment,
    http_rate,
    irregular_rate,
    likeliest_rate,
    naive_rate,
    polled_rate,
    sitemap_rate,
)
from webkeep.errors import UsageError
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

CASES = json.loads((Path(__file__).parents[2] / "data/coherence/rates.json").read_text())
NOW = Moment.parse("2024-03-10T12:00:00Z")
DAY = 86400.0


@pytest.mark.parametrize("row", CASES["corrected"], ids=lambda row: f"{row['changed']} of {row['looks']}")
def test_looks_at_even_intervals(row: dict[str, float]) -> None:
    looks, changed, interval = int(row["looks"]), int(row["changed"]), row["interval"]
    assert corrected_rate(looks, changed, interval) == pytest.approx(row["rate"], abs=1e-7)
    if "naive" in row:
        assert naive_rate(looks, changed, interval) == pytest.approx(row["naive"], abs=1e-7)
        assert likeliest_rate(looks, changed, interval) == pytest.approx(row["likeliest"], abs=1e-7)


@pytest.mark.parametrize("row", CASES["irregular"], ids=lambda row: str(row["changed"]))
def test_looks_at_uneven_intervals(row: dict[str, list[float]]) -> None:
    polls = [Poll(length, True) for length in row["changed"]] + [Poll(length, False) for length in row["calm"]]
    assert irregular_rate(polls) == pytest.approx(row["rate"], abs=1e-7)


def test_looks_that_say_all_or_nothing() -> None:
    assert irregular_rate([Poll(3, False)]) == 0
    assert irregular_rate([Poll(3, True)]) == float("inf")
    assert likeliest_rate(3, 3, 1) == float("inf")
    assert polled_rate([]) == 0
    assert polled_rate([Poll(0, True)]) == 0
    assert polled_rate([Poll(1, True), Poll(5, True)]) == pytest.approx(corrected_rate(2, 2, 3))
    assert history_rate(6, 3) == 2
    assert history_rate(6, 0) == 0


@pytest.mark.parametrize(("looks", "changed", "interval"), [(0, 0, 1), (2, 3, 1), (2, -1, 1), (2, 1, 0)])
def test_looks_that_cannot_be_are_refused(looks: int, changed: int, interval: float) -> None:
    with pytest.raises(UsageError, match="give no rate"):
        corrected_rate(looks, changed, interval)


@pytest.mark.parametrize("word", CASES["frequencies at three seconds"])
def test_words_of_sitemaps(word: str) -> None:
    expected = CASES["frequencies at three seconds"][word]
    assert frequency_rate(ChangeFrequency(word), 3.0) == pytest.approx(expected, rel=1e-6)


def test_the_geometric_mean_is_gentler() -> None:
    gentle = frequency_rate(ChangeFrequency.HOURLY, 3.0, Mean.GEOMETRIC)
    assert gentle < frequency_rate(ChangeFrequency.HOURLY, 3.0)
    assert gentle > frequency_rate(ChangeFrequency.DAILY, 3.0, Mean.GEOMETRIC)


def test_a_sitemap_is_believed_as_far_as_its_dates_allow() -> None:
    said = SitemapEntry("https://e.example/", changefreq=ChangeFrequency.HOURLY)
    stale = SitemapEntry("https://e.example/", NOW.plus(-1000 * DAY), ChangeFrequency.HOURLY)
    dated = SitemapEntry("https://e.example/", NOW.plus(-2 * DAY))
    future = SitemapEntry("https://e.example/", NOW.plus(DAY))
    assert sitemap_rate(said, NOW, 3.0) == frequency_rate(ChangeFrequency.HOURLY, 3.0, Mean.GEOMETRIC)
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


@pytest.mark.parametrize(
    "text", ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
)
def test_http_dates_have_three_spellings(text: str) -> None:
    assert http_moment(text) == Moment.parse("1994-11-06T08:49:37Z")


def test_history_is_believed_before_predictions_before_hints() -> None:
    hints = Knowledge(predicted=3.0, sitemap=2.0, http=1.0)
    assert best_rate(hints, 9.0) == Rate(3.0, RateSource.PREDICTION)
    assert best_rate(Knowledge(sitemap=2.0, http=1.0), 9.0) == Rate(2.0, RateSource.SITEMAP)
    assert best_rate(Knowledge(http=1.0), 9.0) == Rate(1.0, RateSource.HTTP)
    assert best_rate(Knowledge(), 9.0) == Rate(9.0, RateSource.DEFAULT)
    polls = [Poll(1.0, number < 3) for number in range(10)]
    assert best_rate(Knowledge(polls, predicted=3.0), 9.0) == Rate(pytest.approx(0.3364722), RateSource.HISTORY, 10)


def test_every_look_pulls_a_hint_towards_what_was_seen() -> None:
    rates = [best_rate(Knowledge([Poll(1.0, False)] * count, sitemap=3.0), 9.0).per_second for count in range(4)]
    assert rates == pytest.approx([3.0, 2.0, 1.0, 0.0])
