"""The experiment on predictors, at a small size: the same by seed, beside its baseline, and of the shape to expect."""

import json

import pytest

from webkeep.change import Score
from webkeep.cli.command import main
from webkeep.lab.prediction import (
    AFTER,
    BEFORE,
    COHERENT,
    LEARNERS,
    MANNERS,
    SOURCES,
    Cost,
    Manner,
    accuracies,
    averaged,
    costs,
    generated,
    sitemap_accuracies,
)
from webkeep.lab.prediction.sites import DIRECTORY, INSTITUTE, MINISTRY, children_of


@pytest.mark.parametrize("manner", MANNERS, ids=lambda manner: manner.name)
def test_sites_are_trees_and_the_same_by_seed(manner: Manner) -> None:
    site = generated(manner, 300, 1)
    assert site == generated(manner, 300, 1)
    assert site != generated(manner, 300, 2)
    assert len({page.url for page in site}) == len(site)
    reached, below = [0], children_of(site)
    for page in reached:
        reached += below[page]
    assert sorted(reached) == list(range(len(site)))
    assert all(page.rate >= 0 for page in site)


@pytest.mark.parametrize(
    ("manner", "low", "high"), [(INSTITUTE, 0.9, 1.0), (DIRECTORY, 0.6, 0.8), (MINISTRY, 0.3, 0.6)]
)
def test_so_many_pages_never_change(manner: Manner, low: float, high: float) -> None:
    site = generated(manner, 600, 1)
    assert low < sum(page.rate == 0 for page in site) / len(site) < high


def test_accuracies_stand_beside_the_majority() -> None:
    told = {(each.known, each.learner): each.score for each in accuracies(MINISTRY, 220, 1, folds=4)}
    assert set(told) == {(view, learner) for view in (BEFORE, AFTER) for learner in LEARNERS}
    assert told[BEFORE, "majority"].accuracy == told[BEFORE, "majority"].majority
    for learner in ("decision tree", "kin"):
        before, after = told[BEFORE, learner], told[AFTER, learner]
        assert before.accuracy > before.majority
        assert after.accuracy > before.accuracy
        assert isinstance(before, Score)
        assert before.rank_correlation > 0.5
        assert 0.7 < before.calibration < 1.3


def test_words_of_sitemaps_are_told_nearly_always() -> None:
    told = {each.learner: each for each in sitemap_accuracies(300, 1, folds=4)}
    assert told["decision tree"].score.accuracy > 0.9
    assert told["majority"].score.accuracy < 0.5
    assert told["naive Bayes"].published == pytest.approx(0.98464)
    assert told["kin"].published is None


@pytest.fixture(scope="module")
def paid() -> dict[str, Cost]:
    """What each source of rates costs, over three small sites."""
    made = [list(costs(DIRECTORY, 250, seed)) for seed in (1, 2, 3)]
    assert [cost.source for cost in made[0]] == list(SOURCES)
    *_, uniform = by_source = list(zip(*made, strict=True))
    return {together[0].source: averaged(together, uniform) for together in by_source}


def test_worse_rates_cost_coherence(paid: dict[str, Cost]) -> None:
    incoherent = {source: cost.incoherent["selective-offline"] for source, cost in paid.items()}
    assert incoherent["true"] < incoherent["history"] < incoherent["kin"] < incoherent["uniform"]
    assert incoherent["history"] < 1.15 * incoherent["true"]
    assert incoherent["sitemap and looks"] < incoherent["sitemap"]
    assert set(paid["true"].incoherent) == set(COHERENT)
    assert paid["uniform"].saved == (0.0, 0.0)
    assert paid["true"].saved[0] == pytest.approx(incoherent["uniform"] - incoherent["true"])
    assert paid["true"].saved[1] > 0


def test_worse_rates_cost_blur(paid: dict[str, Cost]) -> None:
    blur = {source: cost.blur["sharc-offline"] for source, cost in paid.items()}
    assert blur["true"] == min(blur.values())
    assert blur["true"] <= blur["history"] < blur["uniform"]


def test_costs_are_the_same_by_seed() -> None:
    one, other = (list(costs(INSTITUTE, 120, 5)) for _ in range(2))
    assert one == other


def test_the_command_prints_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "prediction", "--quick", "--pages", "100", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(line.get("event") == "accuracy" for line in lines) == (2 * len(MANNERS) + 1) * len(LEARNERS)
    assert sum(line.get("event") == "cost" for line in lines) == len(MANNERS) * len(SOURCES)
    assert lines[-1]["accuracies"] == (2 * len(MANNERS) + 1) * (len(LEARNERS) - 1)
    assert all("majority" in line for line in lines if line.get("event") == "accuracy")


@pytest.mark.parametrize("words", [["--pages", "3"], ["--slow-down", "0"], ["--slow-down", "nan"]])
def test_experiments_that_cannot_be_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "prediction", *words]) == 2
    assert "give --" in capsys.readouterr().err
