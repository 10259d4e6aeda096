"""The rate table: what it is told, whom it believes, how it finds liars out, and that nothing breaks it."""

import sys
from math import exp, isfinite, log

import pytest

from webkeep.change.rates import RateSource, RateTable
from webkeep.change.rates.poll_chains import MAX_POLLS_A_PAGE, NO_POLLS, PollChains
from webkeep.change.rates.rate_estimators import Poll
from webkeep.change.rates.rate_table import DEFAULT_RATE, MAX_RATE, MIN_RATE, HintScale
from webkeep.change.rates.url_rows import UrlRows
from webkeep.lab.prediction.forest import CongruentialRandom
from webkeep.model import ChangeFrequency, Headers, Moment

NOW = Moment.parse("2024-03-10T12:00:00Z")
HOUR, DAY = 3600.0, 86400.0
PAGE = "https://e.example/page"


class Weekly:
    def url_rate(self, url: str) -> float:
        return 1 / (7 * DAY) if "foretold" in url else float("nan")


def dated(days: float) -> Headers:
    return Headers((("Last-Modified", NOW.plus(-days * DAY).datetime.strftime("%a, %d %b %Y %H:%M:%S GMT")),))


def test_each_source_in_its_turn() -> None:
    book = RateTable(predictor=Weekly())
    page = PAGE + "/foretold"
    sources = [book.rate(PAGE).source, book.rate(page).source]
    book.add_response_hint(page, dated(2), NOW)
    sources.append(book.rate(page).source)
    book.add_feed_hint(page, NOW.plus(-DAY), NOW)
    sources.append(book.rate(page).source)
    book.add_sitemap_hint(page, ChangeFrequency.DAILY, None, NOW)
    sources.append(book.rate(page).source)
    book.add_pair(page, NOW, NOW.plus(HOUR), changed=False)
    sources += [book.rate(page).source, book.rate(PAGE).source]
    assert sources == ["default", "prediction", "http", "feed", "sitemap", "history", "site"]
    assert len(book) == 1


def test_rates_are_those_of_their_sources() -> None:
    book = RateTable(predictor=Weekly())
    book.add_response_hint(PAGE, dated(2), NOW)
    assert book.rate(PAGE).per_second == pytest.approx(1 / (2 * DAY))
    assert book.rate(PAGE + "/foretold").per_second == pytest.approx(1 / (7 * DAY))
    assert book.rate("https://other.example/").per_second == DEFAULT_RATE
    assert book.rate(PAGE + "/unknown").per_second == pytest.approx(1 / (2 * DAY))


def test_what_is_heard_later_replaces_what_was_heard_before() -> None:
    book = RateTable()
    for days in (1, 2, 10):
        book.add_response_hint(PAGE, dated(days), NOW)
    assert book.rate(PAGE).per_second == pytest.approx(1 / (10 * DAY))
    assert book.rate(PAGE + "/sibling").per_second == pytest.approx(1 / (10 * DAY))


def test_history_outweighs_hints_in_time() -> None:
    book = RateTable()
    book.add_sitemap_hint(PAGE, ChangeFrequency.NEVER, None, NOW)
    seen = []
    for look in range(40):
        book.add_pair(PAGE, NOW.plus(look * HOUR), NOW.plus((look + 1) * HOUR), changed=look % 2 == 0)
        seen.append(book.rate(PAGE).per_second * HOUR)
    assert 0.01 < seen[1] < 1.3
    assert seen[-1] == pytest.approx(log(2), rel=0.4)
    assert book.rate(PAGE).looks == 40


def test_another_order_of_trust() -> None:
    book = RateTable(predictor=Weekly(), trust=(RateSource.PREDICTION, RateSource.SITEMAP))
    for page in (PAGE, PAGE + "/foretold"):
        book.add_sitemap_hint(page, ChangeFrequency.DAILY, None, NOW)
    assert book.rate(PAGE).source is RateSource.SITEMAP
    assert book.rate(PAGE + "/foretold").source is RateSource.PREDICTION


def test_a_site_that_lies_is_found_out() -> None:
    book = RateTable()
    pages = [f"https://liar.example/{number}" for number in range(100)]
    for page in pages:
        book.add_sitemap_hint(page, ChangeFrequency.ALWAYS, None, NOW)
    book.add_sitemap_hint("https://honest.example/", ChangeFrequency.ALWAYS, None, NOW)
    believed = book.rate(pages[-1]).per_second
    for page in pages[:50]:
        book.add_pair(page, NOW, NOW.plus(HOUR), changed=False)
    assert book.rate(pages[-1]).per_second < believed / 1000
    assert book.rate(pages[-1]).source is RateSource.SITEMAP
    assert book.rate("https://honest.example/").per_second == believed


def test_a_predictor_that_is_off_is_found_out() -> None:
    book = RateTable(predictor=Weekly())
    pages = [f"https://e.example/foretold/{number}" for number in range(60)]
    believed = book.rate(pages[-1]).per_second
    for page in pages[:50]:
        book.add_pair(page, NOW, NOW.plus(HOUR), changed=True)
    assert book.rate(pages[-1]).source is RateSource.PREDICTION
    assert book.rate(pages[-1]).per_second > 100 * believed


@pytest.mark.parametrize("true_rate", [0.1 / HOUR, 1 / HOUR, 5 / HOUR])
def test_pairs_teach_what_other_pages_of_the_site_are_like(true_rate: float) -> None:
    book, draw = RateTable(), CongruentialRandom(7)
    for number in range(400):
        changed = draw.draw_below(1000) < 1000 * (1 - exp(-true_rate * HOUR))
        book.add_pair(f"https://e.example/{number}", NOW, NOW.plus(HOUR), changed)
    told = book.rate("https://e.example/never-seen")
    assert told.source is RateSource.SITE
    assert told.per_second == pytest.approx(true_rate, rel=0.5)


@pytest.mark.parametrize("seconds", [0.0, -5.0, 1e12])
def test_clocks_that_jump_teach_nothing(seconds: float) -> None:
    book = RateTable()
    book.add_pair(PAGE, NOW, NOW.plus(seconds), changed=True)
    assert book.rate(PAGE).source is RateSource.DEFAULT


@pytest.mark.parametrize("rate", [float("nan"), -1.0, float("-inf")])
def test_what_is_no_rate_is_not_heard(rate: float) -> None:
    book = RateTable(default=rate)
    book.add_prediction(PAGE, rate)
    assert book.rate(PAGE).per_second == DEFAULT_RATE


@pytest.mark.parametrize(("rate", "taken"), [(0.0, MIN_RATE), (float("inf"), MAX_RATE), (1e300, MAX_RATE)])
def test_absurd_rates_are_bounded(rate: float, taken: float) -> None:
    book = RateTable()
    book.add_prediction(PAGE, rate)
    assert book.rate(PAGE).per_second == pytest.approx(taken)
    book.add_pair(PAGE, NOW, NOW.plus(1e-6), changed=True)
    assert 0 < book.rate(PAGE).per_second <= MAX_RATE


def test_dates_to_come_and_dates_of_no_day_say_nothing() -> None:
    book = RateTable(delay=float("nan"))
    book.add_sitemap_hint(PAGE, None, NOW.plus(DAY), NOW)
    book.add_feed_hint(PAGE, None, NOW)
    book.add_response_hint(PAGE, dated(-3), NOW)
    book.add_response_hint(PAGE, Headers((("Last-Modified", "Thu, 99 Foo 9999"), ("Expires", "-1"))), NOW)
    assert book.rate(PAGE).source is RateSource.DEFAULT
    assert len(book) == 0


@pytest.mark.parametrize("url", ["", "://", "no scheme", "https://\udcff/\ud800", "x" * 100_000])
def test_no_url_breaks_it(url: str) -> None:
    book = RateTable()
    book.add_pair(url, NOW, NOW.plus(DAY), changed=True)
    assert isfinite(book.rate(url).per_second)


def test_beyond_its_size_pages_are_like_their_site() -> None:
    book = RateTable(most=2)
    for number in range(5):
        book.add_pair(f"https://e.example/{number}", NOW, NOW.plus(HOUR), changed=False)
    assert len(book) == 2
    assert [book.rate(f"https://e.example/{number}").source for number in (0, 1, 2)] == ["history", "history", "site"]


def test_many_urls_keep_their_rows() -> None:
    rows = UrlRows(most=5000, salt=9)
    given = [rows.find_or_add_row(f"https://e.example/{number}") for number in range(6000)]
    assert given == [*range(5000), *[-1] * 1000]
    assert [rows.find_row(f"https://e.example/{number}") for number in range(6000)] == given
    assert rows.find_or_add_row("https://e.example/17") == 17


def test_a_page_takes_few_bytes() -> None:
    rows = UrlRows(most=100_000)
    for number in range(100_000):
        rows.find_or_add_row(f"https://e.example/{number}")
    assert (sys.getsizeof(rows._keys) + sys.getsizeof(rows._slots)) / 100_000 < 24


def test_chains_of_looks_drop_the_oldest() -> None:
    looks, chains = PollChains(), [NO_POLLS, NO_POLLS]
    for number in range(1, 40):
        for page in range(2):
            chains[page] = looks.add(chains[page], float(number + 100 * page), changed=number % 2 == 0)
    for page in range(2):
        expected = [
            Poll(float(number + 100 * page), number % 2 == 0) for number in range(39, 39 - MAX_POLLS_A_PAGE, -1)
        ]
        assert looks.polls_of(chains[page]) == expected
    assert looks.polls_of(NO_POLLS) == []


def test_calm_looks_in_a_row_are_one() -> None:
    looks, chain = PollChains(), NO_POLLS
    for number in range(100):
        chain = looks.add(chain, 1.0, changed=number == 50)
    assert looks.polls_of(chain) == [Poll(49.0, False), Poll(1.0, True), Poll(50.0, False)]


def test_a_scale_learns_from_looks_that_could_show_something() -> None:
    scale = HintScale()
    for _ in range(1000):
        scale.learn(1e-6, 1.0, changed=False)
    assert scale.factor == pytest.approx(1, rel=0.01)
    for _ in range(1000):
        scale.learn(1e-6, 1.0, changed=True)
    assert scale.factor > 1e5
    for _ in range(10_000):
        scale.learn(1.0, 1e300, changed=False)
    assert 0 < scale.factor < 1e-6
