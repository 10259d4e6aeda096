"""The experiment on predictors, at a small size: the same by seed, beside its baseline, and of the shape to expect."""

import json

import pytest

from webkeep.cli.main import main
from webkeep.lab.prediction import COHERENCE_STRATEGIES, RateErrorCost, RateScore
from webkeep.lab.prediction.accuracy import (
    AFTER_FETCH,
    BEFORE_FETCH,
    LEARNERS,
    measure_accuracies,
    measure_sitemap_accuracies,
)
from webkeep.lab.prediction.generated_sites import (
    DIRECTORY,
    INSTITUTE,
    MINISTRY,
    SITE_MODELS,
    SiteModel,
    children_by_page,
    generate_site,
)
from webkeep.lab.prediction.rate_error_cost import RATE_SOURCES, average_costs, measure_costs


@pytest.mark.parametrize("manner", SITE_MODELS, ids=lambda manner: manner.name)
def test_sites_are_trees_and_the_same_by_seed(manner: SiteModel) -> None:
    site = generate_site(manner, 300, 1)
    assert site == generate_site(manner, 300, 1)
    assert site != generate_site(manner, 300, 2)
    assert len({page.url for page in site}) == len(site)
    reached, below = [0], children_by_page(site)
    for page in reached:
        reached += below[page]
    assert sorted(reached) == list(range(len(site)))
    assert all(page.rate >= 0 for page in site)


@pytest.mark.parametrize(
    ("manner", "low", "high"), [(INSTITUTE, 0.9, 1.0), (DIRECTORY, 0.6, 0.8), (MINISTRY, 0.3, 0.6)]
)
def test_so_many_pages_never_change(manner: SiteModel, low: float, high: float) -> None:
    site = generate_site(manner, 600, 1)
    assert low < sum(page.rate == 0 for page in site) / len(site) < high


def test_accuracies_stand_beside_the_majority() -> None:
    told = {(each.known, each.learner): each.score for each in measure_accuracies(MINISTRY, 220, 1, folds=4)}
    assert set(told) == {(view, learner) for view in (BEFORE_FETCH, AFTER_FETCH) for learner in LEARNERS}
    assert told[BEFORE_FETCH, "majority"].accuracy == told[BEFORE_FETCH, "majority"].majority
    for learner in ("decision tree", "kin"):
        before, after = told[BEFORE_FETCH, learner], told[AFTER_FETCH, learner]
        assert before.accuracy > before.majority
        assert after.accuracy > before.accuracy
        assert isinstance(before, RateScore)
        assert before.rank_correlation > 0.5
        assert 0.7 < before.calibration < 1.3


def test_words_of_sitemaps_are_told_nearly_always() -> None:
    told = {each.learner: each for each in measure_sitemap_accuracies(300, 1, folds=4)}
    assert told["decision tree"].score.accuracy > 0.9
    assert told["majority"].score.accuracy < 0.5
    assert told["naive Bayes"].published == pytest.approx(0.98464)
    assert told["kin"].published is None


@pytest.fixture(scope="module")
def paid() -> dict[str, RateErrorCost]:
    """What each source of rates costs, over three small sites."""
    made = [list(measure_costs(DIRECTORY, 250, seed)) for seed in (1, 2, 3)]
    assert [cost.source for cost in made[0]] == list(RATE_SOURCES)
    *_, uniform = by_source = list(zip(*made, strict=True))
    return {together[0].source: average_costs(together, uniform) for together in by_source}


def test_worse_rates_cost_coherence(paid: dict[str, RateErrorCost]) -> None:
    incoherent = {source: cost.incoherent["selective-offline"] for source, cost in paid.items()}
    assert incoherent["true"] < incoherent["history"] < incoherent["kin"] < incoherent["uniform"]
    assert incoherent["history"] < 1.15 * incoherent["true"]
    assert incoherent["sitemap and looks"] < incoherent["sitemap"]
    assert set(paid["true"].incoherent) == set(COHERENCE_STRATEGIES)
    assert paid["uniform"].saved == (0.0, 0.0)
    assert paid["true"].saved[0] == pytest.approx(incoherent["uniform"] - incoherent["true"])
    assert paid["true"].saved[1] > 0


def test_worse_rates_cost_blur(paid: dict[str, RateErrorCost]) -> None:
    blur = {source: cost.blur["sharc-offline"] for source, cost in paid.items()}
    assert blur["true"] == min(blur.values())
    assert blur["true"] <= blur["history"] < blur["uniform"]


def test_costs_are_the_same_by_seed() -> None:
    one, other = (list(measure_costs(INSTITUTE, 120, 5)) for _ in range(2))
    assert one == other


def test_the_command_prints_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "prediction", "--quick", "--pages", "100", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(line.get("event") == "accuracy" for line in lines) == (2 * len(SITE_MODELS) + 1) * len(LEARNERS)
    assert sum(line.get("event") == "cost" for line in lines) == len(SITE_MODELS) * len(RATE_SOURCES)
    assert lines[-1]["accuracies"] == (2 * len(SITE_MODELS) + 1) * (len(LEARNERS) - 1)
    assert all("majority" in line for line in lines if line.get("event") == "accuracy")


@pytest.mark.parametrize("words", [["--pages", "3"], ["--slow-down", "0"], ["--slow-down", "nan"]])
def test_experiments_that_cannot_be_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "prediction", *words]) == 2
    assert "give --" in capsys.readouterr().err
