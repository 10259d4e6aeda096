"""What an archive teaches: pairs of looks, lessons, predictors trained on them, and predictors kept as JSON."""

import json
from collections.abc import Iterator
from dataclasses import replace
from math import exp

import pytest

from webkeep.change.prediction import (
    Features,
    Learner,
    MajorityLearner,
    PageFacts,
    UrlTreeLearner,
    learn_rates,
    sitemap_features,
    train_predictor,
    training_pages,
    url_features,
)
from webkeep.change.prediction.features import page_facts
from webkeep.change.rates import ObservationPair, RateSource, RateTable, pair_observations
from webkeep.errors import FormatError, UsageError
from webkeep.lab.prediction import DecisionTreeLearner, ForestLearner, NaiveBayesLearner, learn_changefreq
from webkeep.lab.prediction.forest import CongruentialRandom
from webkeep.lab.prediction.predictor_json import predictor_from_json, predictor_to_json
from webkeep.model import ChangeFrequency, Digest, Moment, Observation, RecordPlace

START = Moment.parse("2024-03-01T00:00:00Z")
DAY = 86400.0
LEARNERS: list[Learner] = [
    MajorityLearner(),
    NaiveBayesLearner(),
    DecisionTreeLearner(),
    ForestLearner(trees=4),
    UrlTreeLearner(),
]


def observed(url: str, day: float, content: str = "", status: int | None = 200, **more: str) -> Observation:
    digest = Digest.from_chunks("sha1", [content.encode()])
    seen = Observation(url, START.plus(day * DAY), RecordPlace("a.warc.gz", 0, 1), status=status, content_digest=digest)
    return replace(seen, media_type=more.get("media", "text/html"), last_modified=more.get("modified", ""))


def archive(days: int, seed: int = 1) -> Iterator[Observation]:
    """Daily captures of a site whose news change about every other day and whose archive never does."""
    draw = CongruentialRandom(seed)
    versions = dict.fromkeys([f"https://e.example/news/{number}" for number in range(30)], 0)
    for day in range(days):
        for url in versions:
            versions[url] += draw.draw_below(1000) < 1000 * (1 - exp(-0.5))
            yield observed(url, day, str(versions[url]))
        for number in range(30):
            yield observed(f"https://e.example/archive/{number}", day, "old")


def test_every_observation_is_held_against_the_one_before() -> None:
    page, other = "https://e.example/", "https://e.example/other"
    seen = [observed(page, 0, "a"), observed(other, 0, "x"), observed(page, 1, "a"), observed(page, 3, "b")]
    assert list(pair_observations(seen)) == [
        ObservationPair(page, START, START.plus(DAY), changed=False),
        ObservationPair(page, START.plus(DAY), START.plus(3 * DAY), changed=True),
    ]


@pytest.mark.parametrize(
    ("status", "changes"), [(304, [False]), (404, [True]), (410, [True]), (503, []), (403, []), (429, [])]
)
def test_what_answers_say_of_a_page(status: int, changes: list[bool]) -> None:
    page = "https://e.example/"
    assert [
        pair.changed for pair in pair_observations([observed(page, 0, "a"), observed(page, 1, "b", status)])
    ] == changes


def test_a_page_that_comes_back_has_changed() -> None:
    page = "https://e.example/"
    seen = [observed(page, 0, "", 404), observed(page, 1, "", 404), observed(page, 2, "a")]
    assert [pair.changed for pair in pair_observations(seen)] == [False, True]


def test_what_cannot_be_compared_makes_no_pair() -> None:
    page = "https://e.example/"
    longer = replace(observed(page, 1), content_digest=Digest.from_chunks("sha256", [b"a"]))
    posted = replace(observed(page, 1, "b"), method="POST")
    unknown = replace(observed(page, 1), content_digest=None)
    earlier, at_once = observed(page, -1, "b"), observed(page, 0, "b")
    for second in (longer, posted, unknown, earlier, at_once):
        assert list(pair_observations([observed(page, 0, "a"), second])) == []
    assert list(pair_observations([observed(page, 0, "a"), observed(page, 1, "b")], most=0)) == []


def test_a_rate_table_learns_from_an_archive() -> None:
    book = RateTable()
    for pair in pair_observations(archive(15)):
        book.add_pair(*pair)
    news, old = book.rate("https://e.example/news/1"), book.rate("https://e.example/archive/1")
    assert news.source is RateSource.HISTORY
    assert news.looks == 14
    assert news.per_second > 5 * old.per_second


def test_lessons_of_an_archive() -> None:
    taught = training_pages(archive(20))
    assert [lesson.url for lesson in taught] == sorted(lesson.url for lesson in taught)
    assert len(taught) == 60
    assert {lesson.looks for lesson in taught} == {19}
    old, news = taught[0], taught[-1]
    assert (old.rate, old.days_unchanged) == (0.0, 19.0)
    assert news.rate * DAY == pytest.approx(0.5, abs=0.4)
    assert news.features_after_fetch.items() >= news.features_before_fetch.items()


def test_dates_of_last_change_are_believed_unless_they_are_to_come() -> None:
    page = "https://e.example/"
    for modified, days in (("Wed, 28 Feb 2024 00:00:00 GMT", 3.0), ("Fri, 01 Mar 2030 00:00:00 GMT", 1.0)):
        seen = [observed(page, day, "a", modified=modified) for day in range(2)]
        assert training_pages(seen)[0].days_unchanged == days


def test_large_archives_are_sampled_whatever_their_order() -> None:
    seen = list(archive(3))
    few = training_pages(seen, most=20)
    assert 5 <= len(few) <= 20
    backwards = sorted(seen, key=lambda each: (each.moment, each.url), reverse=False)
    assert [lesson.url for lesson in training_pages(backwards, most=20)] == [lesson.url for lesson in few]


@pytest.mark.parametrize("learner", LEARNERS[1:], ids=lambda each: type(each).__name__)
def test_pages_never_seen_are_foretold(learner: Learner) -> None:
    predictor = train_predictor(training_pages(archive(20)), learner)
    book = RateTable(predictor=predictor)
    new, old = (book.rate(f"https://e.example/{section}/77") for section in ("news", "archive"))
    assert new.source is RateSource.PREDICTION
    assert new.per_second * DAY == pytest.approx(0.5, rel=0.8)
    assert old.per_second < new.per_second / 10


def test_nothing_seen_twice_teaches_nothing() -> None:
    with pytest.raises(UsageError, match="nothing to learn"):
        train_predictor(training_pages(archive(1)))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
def test_predictors_are_the_same_after_being_kept(learner: Learner) -> None:
    predictor = train_predictor(training_pages(archive(10)), learner)
    text = predictor_to_json(predictor)
    again = predictor_from_json(text)
    assert again == predictor
    assert predictor_to_json(again) == text
    for url in ("https://e.example/news/1", "https://e.example/archive/", "ftp://x.example/~a?b"):
        assert again.url_rate(url) == predictor.url_rate(url)
        facts = PageFacts(3.0, images=2)
        assert again.predict_page_rate(url, "text/html", facts) == predictor.predict_page_rate(url, "text/html", facts)


def test_trees_that_ask_about_numbers_are_kept_too() -> None:
    pages: list[Features] = [{"size": float(size), "kind": "a" if size % 2 else 7.0} for size in range(60)]
    predictor = learn_rates(DecisionTreeLearner(), pages, [float(size // 20) for size in range(60)])
    assert predictor_from_json(predictor_to_json(predictor)) == predictor


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '{"format": "another"}', "[" * 100_000, '{"format": "webkeep rate predictor 1"}',
     "\0", '{"format": "webkeep rate predictor 1", "bins": {"edges": [2, 1], "means": [0, 1, 2]}, "predictor": {}}',
     '{"format": "webkeep rate predictor 1", "bins": {"edges": [], "means": [NaN]}, "predictor": {}}',
     '{"format": "webkeep rate predictor 1", "bins": {"edges": [], "means": [-1]}, "predictor": {}}'],
    ids=lambda text: text[:60],
)  # fmt: skip
def test_texts_that_are_no_predictor(text: str) -> None:
    with pytest.raises(FormatError, match="train it again"):
        predictor_from_json(text, "model.json")


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
def test_predictors_with_a_part_spoiled_are_refused_or_answer(learner: Learner) -> None:
    plain = json.loads(predictor_to_json(train_predictor(training_pages(archive(10)), learner)))
    refused = 0
    for spoiled in _spoiled(plain["predictor"]):
        try:
            predictor = predictor_from_json(json.dumps({**plain, "predictor": spoiled}))
        except FormatError:
            refused += 1
        else:
            assert predictor.predict_rate(url_features("https://e.example/news/1", "text/html")) >= 0
    assert refused > 0


def _spoiled(plain: object, rows: int = 40) -> Iterator[object]:
    """The value with each of its parts, down to some depth, replaced by something else."""
    for other in (None, -1, "x", [], {}, 1e999):
        yield other
    parts = (
        list(plain.items()) if isinstance(plain, dict) else list(enumerate(plain)) if isinstance(plain, list) else []
    )
    for key, part in parts[:rows]:
        for other in _spoiled(part, 3):
            if isinstance(plain, dict):
                yield {**plain, key: other}
            elif isinstance(plain, list):
                yield [*plain[:key], other, *plain[key + 1 :]]


def test_markup_is_counted() -> None:
    text = '<table><tr><td><img src=a><IMG/><a href="b">b</a><abbr>c</abbr><a>d</a></table><table class=x></table>'
    facts = page_facts(text, 2.0, links_in=4)
    assert facts == PageFacts(2.0, images=2, tables=2, links_out=1, links_in=4, size=len(text))


def test_words_of_sitemaps_are_told_from_the_rest() -> None:
    words = [ChangeFrequency.DAILY, ChangeFrequency.MONTHLY] * 20
    pages = [
        sitemap_features(f"https://e.example/{'a/' * (1 + n % 2)}{n}", days_unchanged=n % 2 * 9) for n in range(40)
    ]
    predictor = learn_changefreq(DecisionTreeLearner(), pages, words)
    fresh, deep = sitemap_features("https://e.example/a/x"), sitemap_features("https://e.example/a/a/x", "", 9.0)
    assert predictor.predict_word(fresh) is ChangeFrequency.DAILY
    assert predictor.predict_word(deep) is ChangeFrequency.MONTHLY
    assert predictor.predict_rate(fresh, 1.0) > predictor.predict_rate(deep, 1.0)
    with pytest.raises(UsageError, match="nothing to learn"):
        learn_changefreq(DecisionTreeLearner(), [], [])


@pytest.mark.parametrize("days", [float("nan"), float("inf"), -3.0, 1e300])
def test_absurd_facts_break_no_predictor(days: float) -> None:
    for learner in LEARNERS:
        predictor = train_predictor(training_pages(archive(5)), learner)
        assert predictor.predict_page_rate("https://e.example/", "", PageFacts(days, images=10**400)) >= 0
