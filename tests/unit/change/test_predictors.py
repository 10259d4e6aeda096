"""Predictors of rates: what they learn from, and that they beat the baseline where there is something to learn."""

from math import log

import pytest

from webkeep.change.prediction import (
    Features,
    Learner,
    MajorityLearner,
    PageFacts,
    UrlTreeLearner,
    learn_rates,
    page_features,
    url_features,
)
from webkeep.change.prediction.rate_predictor import build_equal_bins
from webkeep.errors import UsageError
from webkeep.lab.prediction import (
    DecisionTreeLearner,
    ForestLearner,
    NaiveBayesLearner,
    cross_validate,
    rank_correlation,
)
from webkeep.lab.prediction.forest import CongruentialRandom

SECTIONS = {"news": 1.0, "blog": 0.1, "archive": 0.0, "about": 0.001}
TYPES = {"text/html": 1.0, "image/png": 0.05}


def generated(pages: int, seed: int, noise: float) -> tuple[list[Features], list[float]]:
    """A site whose rates follow from section, kind and depth, blurred by some noise."""
    draw = CongruentialRandom(seed)
    features: list[Features] = []
    rates = []
    for page in range(pages):
        section = list(SECTIONS)[draw.draw_below(4)]
        kind = list(TYPES)[draw.draw_below(2)]
        depth = draw.draw_below(3)
        url = f"https://e.example/{section}/{'deep/' * depth}page{page}" + ("?p=1" if depth == 2 else "")
        rate = SECTIONS[section] * TYPES[kind] / 3**depth
        rates.append(rate * (1 - noise * log((draw.draw_below(999) + 1) / 1000)) if noise else rate)
        features.append(url_features(url, kind))
    return features, rates


@pytest.mark.parametrize(
    "learner",
    [NaiveBayesLearner(), DecisionTreeLearner(), ForestLearner(trees=5), UrlTreeLearner()],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize(("seed", "noise"), [(1, 0.0), (2, 0.5)])
def test_predictors_beat_the_majority(learner: Learner, seed: int, noise: float) -> None:
    pages, rates = generated(240, seed, noise)
    score = cross_validate(learner, pages, rates)
    assert score.accuracy > score.majority + 0.1
    assert score.rank_correlation > 0.7
    assert score.bin_error < 2
    assert 0.5 < score.calibration < 1.5


def test_few_kin_are_weighed_against_many() -> None:
    kin, lone = {"domain": "e.example", "segment 1": "news"}, {"domain": "e.example", "segment 1": "rare"}
    pages: list[Features] = [*[kin] * 20, *[{"domain": "e.example", "segment 1": "old"}] * 20, *[lone] * 2]
    told = UrlTreeLearner().learn(pages, [1] * 20 + [0] * 20 + [1] * 2, 2)
    assert told.class_probabilities(kin)[1] > 0.9
    assert 0.5 < told.class_probabilities(lone)[1] < told.class_probabilities(kin)[1]
    assert told.class_probabilities({"domain": "unheard.example"})[1] == pytest.approx(0.52, abs=0.03)


def test_numbers_move_what_kin_say() -> None:
    pages: list[Features] = [{"domain": "e.example", "days unchanged": float(day)} for day in range(100)]
    told = UrlTreeLearner().learn(pages, [int(day < 50) for day in range(100)], 2)
    assert told.class_probabilities({"domain": "e.example", "days unchanged": 3.0})[1] > 0.8
    assert told.class_probabilities({"domain": "e.example", "days unchanged": 97.0})[1] < 0.2


def test_the_majority_is_its_own_baseline() -> None:
    pages, rates = generated(100, 3, 0.0)
    score = cross_validate(MajorityLearner(), pages, rates)
    assert score.accuracy == score.majority
    assert abs(score.rank_correlation) < 0.5


@pytest.mark.parametrize(
    ("learner", "times"),
    [(NaiveBayesLearner(), 1), (DecisionTreeLearner(), 20), (ForestLearner(trees=5), 20), (UrlTreeLearner(), 20)],
)
def test_rates_are_told_of_pages_not_seen(learner: Learner, times: float) -> None:
    pages, rates = generated(300, 4, 0.0)
    told = learn_rates(learner, pages, rates)
    hot = told.predict_rate(url_features("https://e.example/news/other", "text/html"))
    cold = told.predict_rate(url_features("https://e.example/archive/other", "text/html"))
    assert hot > 0
    assert hot >= times * cold
    assert told.predict_rate({}) >= 0
    assert told.predict_rate({"unheard": "of", "depth": 2.0}) >= 0


@pytest.mark.parametrize(
    "learner",
    [NaiveBayesLearner(), DecisionTreeLearner(), ForestLearner(trees=3), UrlTreeLearner()],
    ids=lambda each: type(each).__name__,
)
def test_sites_that_teach_nothing(learner: Learner) -> None:
    page = url_features("https://e.example/")
    assert learn_rates(learner, [page], [0.0]).predict_rate(page) == 0
    assert learn_rates(learner, [page] * 5, [2.0] * 5).predict_rate(page) == pytest.approx(2)


def test_a_tree_parts_numbers_by_a_border() -> None:
    pages: list[Features] = [{"size": float(size)} for size in range(40)]
    tree = DecisionTreeLearner().learn(pages, [int(size >= 25) for size in range(40)], 2)
    assert tree.class_probabilities({"size": 24.0})[0] > 0.9
    assert tree.class_probabilities({"size": 25.0})[1] > 0.9


def test_pruning_takes_back_what_is_chance() -> None:
    draw = CongruentialRandom(5)
    pages: list[Features] = [{"noise": float(draw.draw_below(1000))} for _ in range(200)]
    classes = [int(draw.draw_below(10) == 0) for _ in pages]
    told = DecisionTreeLearner().learn(pages, classes, 2)
    assert len({tuple(told.class_probabilities(page)) for page in pages}) <= 10
    wild = DecisionTreeLearner(pruned=False).learn(pages, classes, 2)
    assert len({tuple(wild.class_probabilities(page)) for page in pages}) > 3


def test_classes_of_rates() -> None:
    bins = build_equal_bins([0.0] * 5 + [1.0, 2.0, 3.0, 4.0], 3)
    assert [bins.bin_of(rate) for rate in (0.0, 1.0, 2.0, 3.0, 4.0, 99.0)] == [0, 1, 1, 2, 2, 2]
    assert bins.means == (0.0, 1.5, 3.5)
    assert len(build_equal_bins([0.0, 0.0], 10)) == 1
    assert len(build_equal_bins([7.0] * 30, 10)) == 1
    with pytest.raises(UsageError, match="cannot be put"):
        build_equal_bins([], 10)


def test_features_of_a_url() -> None:
    features = url_features("https://E.example/~ann/a_b/c%20d/e?x=1;2", "Text/HTML")
    assert features["domain"] == "e.example"
    assert features["type"] == "text/html"
    assert features["depth"] == 4
    assert [features[f"segment {number}"] for number in (1, 2, 3)] == ["~ann", "a_b", "c%20d"]
    flags = ("tilde", "underscore", "question", "semicolon", "colon", "comma", "percent")
    assert [features[name] for name in flags] == ["yes", "yes", "yes", "yes", "no", "no", "yes"]


def test_features_of_a_page_add_to_those_of_its_url() -> None:
    features = page_features("https://e.example/a", "text/html", PageFacts(3.5, images=2, links_out=7))
    assert features.items() >= url_features("https://e.example/a", "text/html").items()
    assert (features["days unchanged"], features["images"], features["links out"]) == (3.5, 2.0, 7.0)


def test_order_is_compared_with_shared_places() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert rank_correlation([1, 1, 1], [3, 2, 1]) == 0
    assert rank_correlation([1, 1, 2], [1, 1, 2]) == pytest.approx(1)


def test_folds_need_pages() -> None:
    with pytest.raises(UsageError, match="folds"):
        cross_validate(MajorityLearner(), [{}], [1.0])
