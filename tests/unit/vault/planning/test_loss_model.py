import random
from math import sqrt

import pytest

from webkeep.errors import UsageError
from webkeep.vault.planning import ArchiveOdds, LossModel, PageOdds, directory_loss

PAGES = [PageOdds(f"/{at % 12}/{at}", f"/{at % 12}/", (0.5,)) for at in range(120)]
ONE = (ArchiveOdds("one"),)


def test_a_correlation_says_how_often_a_directory_is_missed_whole() -> None:
    missed, chance = directory_loss(0.6, 0.2), 0.6
    both = chance**2 / (1 - missed)
    assert (both - chance**2) / (chance * (1 - chance)) == pytest.approx(0.2)
    assert directory_loss(0.6, 0.0) == directory_loss(1.0, 0.5) == 0.0


def test_what_is_lost_together_makes_a_rare_loss_likelier() -> None:
    chances = [LossModel(ONE, rho).segment_chance(PAGES, 45) for rho in (0.0, 0.1, 0.3)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.99 > chances[2]


def test_an_archive_that_may_be_gone_is_reckoned_with() -> None:
    pages = [PageOdds("/", "/", (1.0, 1.0))]
    model = LossModel((ArchiveOdds("a", 0.9), ArchiveOdds("b", 0.8)))
    assert model.any_answers == pytest.approx(0.98)
    assert model.segment_chance(pages, 1) == pytest.approx(0.98)
    assert model.independent.segment_chance(pages, 1) == pytest.approx(1.0)


def test_segments_that_archives_lose_together_are_not_lost_twice() -> None:
    model = LossModel((ArchiveOdds("a", 0.9),))
    pages = [PageOdds("/", "/", (1.0,))]
    assert model.whole_chance([(pages, 1), (pages, 1)]) == pytest.approx(0.9)


def test_very_many_different_chances_are_rounded_down() -> None:
    pages = [PageOdds(f"/{at}", "/", (0.4 + at / 5000,)) for at in range(1000)]
    exact = LossModel(ONE).segment_chance([PageOdds("/", "/", (page.chance,)) for page in pages[:100]], 40)
    assert exact == pytest.approx(LossModel(ONE).segment_chance(pages[:100], 40))
    assert LossModel(ONE).segment_chance(pages, 490) < LossModel(ONE).segment_chance(
        [PageOdds("/", "/", (0.5,))] * 1000, 490
    )


@pytest.mark.parametrize("correlation", [-0.1, 1.0, float("nan")])
def test_correlations_that_cannot_be_are_refused(correlation: float) -> None:
    with pytest.raises(UsageError, match="correlation"):
        LossModel(ONE, correlation)


@pytest.mark.parametrize("archives", [(), ONE * 7])
def test_too_few_and_too_many_archives_are_refused(archives: tuple[ArchiveOdds, ...]) -> None:
    with pytest.raises(UsageError, match="archives"):
        LossModel(archives)


def test_the_chance_is_the_share_of_simulated_losses_that_are_survived() -> None:
    model = LossModel((ArchiveOdds("a", 0.8), ArchiveOdds("b", 0.9)), 0.2)
    pages = [PageOdds(f"/{at}", f"/{at % 10}/", (0.5, 0.3)) for at in range(100)]
    chance, runs = random.Random(7), 4000
    survived = 0
    for _ in range(runs):
        answering = [chance.random() < archive.answers for archive in model.archives]
        held = 1 - (0.5 if answering[0] else 1) * (0.7 if answering[1] else 1)
        missed = directory_loss(held, 0.2) if held else 1.0
        found = sum(
            chance.random() < held / (1 - missed) for _ in range(10) if chance.random() >= missed for _ in range(10)
        )
        survived += found >= 50
    told = model.segment_chance(pages, 50)
    assert abs(survived / runs - told) < 4 * sqrt(told * (1 - told) / runs)
