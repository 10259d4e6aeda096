"""Collections that decay, pages in flat caches, and the experiments made with them."""

import random

import pytest

from webkeep.lab.recovery.experiments.cache_decay import DecayingCollection, decay_block
from webkeep.lab.recovery.experiments.digital_libraries import libraries_block
from webkeep.lab.recovery.experiments.first_reconstruction import first_reconstruction_block
from webkeep.lab.recovery.experiments.random_sites import random_site_blocks
from webkeep.lab.recovery.experiments.recoverability_score import score_blocks
from webkeep.lab.recovery.experiments.server_components import components_block
from webkeep.lab.recovery.experiments.url_sampling import url_sampling_block
from webkeep.lab.recovery.scenarios.repeated_runs import repeated_runs_block
from webkeep.lab.recovery.simulation.cache_model import CachedCopy, CacheState, simulate_copy
from webkeep.lab.recovery.simulation.parameters import CacheBehaviour
from webkeep.lab.results import ResultAgreement, ResultTable, count_agreements, count_near_published

COLLECTION = DecayingCollection()
SURE = CacheBehaviour(10, 0, 1.0, 5, 1.0, 20, 0.0, 200, 0.0, 0)
"""A cache that comes on day 10 and every 20 days thereafter, takes everything, and shows it five days later."""


@pytest.mark.parametrize(("day", "total"), [(0, 954), (30, 687), (60, 402), (90, 32)])
def test_a_collection_decays_by_plan(day: int, total: int) -> None:
    assert COLLECTION.count_all(day) == total


def test_what_a_collection_is_made_of() -> None:
    bins = range(1, 31)
    assert sum(COLLECTION.count_documents(number, 0) for number in bins) == 350
    assert sum(COLLECTION.count_pages(number, 0) - 1 for number in bins) == 350
    assert sum(COLLECTION.count_images(number, 0) for number in bins) == 222
    assert len(list(COLLECTION.all_page_days())) == 350


def test_the_life_of_a_page_is_told_by_the_plan() -> None:
    assert COLLECTION.page_days(18, 2) == 72
    for number in (1, 7, 18, 30):
        pages = range(1, 90 // number + 1)
        for day in range(91):
            alive = sum(COLLECTION.page_days(number, page) > day for page in pages)
            assert alive == COLLECTION.count_documents(number, day)


def test_a_page_goes_through_all_states() -> None:
    copy = simulate_copy(32, SURE, random.Random(1))
    assert (copy.crawled, copy.available, copy.purged) == (10, 15, 50)
    assert (copy.kept_days, copy.endangered_days, copy.accessibility) == (35, 18, 1)
    states = [copy.state_on(day) for day in (0, 14, 15, 31, 32, 49, 50)]
    assert states == [
        CacheState.VULNERABLE, CacheState.VULNERABLE, CacheState.REPLICATED, CacheState.REPLICATED,
        CacheState.ENDANGERED, CacheState.ENDANGERED,
        CacheState.UNRECOVERABLE,
    ]  # fmt: skip


def test_a_page_that_goes_before_the_first_visit_is_never_kept() -> None:
    copy = simulate_copy(9, SURE, random.Random(1))
    assert copy == CachedCopy(9)
    assert [copy.state_on(0), copy.state_on(9)] == [CacheState.VULNERABLE, CacheState.UNRECOVERABLE]


def test_a_copy_may_appear_after_its_page_has_gone() -> None:
    copy = simulate_copy(12, SURE, random.Random(1))
    assert copy.available == 15
    assert [copy.state_on(12), copy.state_on(15)] == [CacheState.UNRECOVERABLE, CacheState.ENDANGERED]


def test_resurrected_copies_stay_until_the_horizon_and_are_missed_meanwhile() -> None:
    habits = CacheBehaviour(10, 0, 1.0, 5, 1.0, 20, 0.0, 130, 1.0, 102)
    copy = simulate_copy(32, habits, random.Random(1))
    assert copy.purged == 130
    assert copy.accessibility == pytest.approx((35 + 28) / 115)
    states = [copy.state_on(day) for day in (49, 50, 101, 102, 129, 130)]
    gone, kept = CacheState.UNRECOVERABLE, CacheState.ENDANGERED
    assert states == [kept, gone, gone, kept, kept, gone]


def differing(blocks: list[ResultTable]) -> int:
    return count_agreements(blocks)[ResultAgreement.DIFFERS]


def test_decaying_collections_come_out_as_published() -> None:
    block = decay_block()
    assert differing([block]) == 0
    # Late discovery alone explains how little of the collections one cache had.
    assert block.value("msn", "crawled") < 0.4 < block.value("yahoo", "crawled")
    assert {len(line.points) for line in block.lines} == {14}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_other_experiments_stay_within_their_bands(seed: int) -> None:
    assert (
        differing(
            [
                url_sampling_block(seed),
                first_reconstruction_block(seed),
                libraries_block(seed),
                repeated_runs_block(seed=seed),
            ]
        )
        == 0
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_server_components_come_back_week_by_week_as_published(seed: int) -> None:
    block = components_block(seed, runs=100)
    assert differing([block]) == 0
    assert count_near_published([block]) == (23, 24)
    # Blocks that moved are missed until caches have caught up; the version before them is still whole.
    for week, least in (("13", 0.92), ("16", 0.0)):
        assert block.value(week, "server_files") == pytest.approx(least, abs=0.01)
        assert block.value(week, "any_version") > 0.99
    assert block.value("9", "server_files") < 0.998 < block.value("10", "server_files")


def test_scores_of_random_sites() -> None:
    blocks = random_site_blocks(300)
    assert differing(blocks) == 0
    told = [blocks[0].value("mean", name) for name in ("s1", "s2", "s3", "s4", "s5")]
    assert told == sorted(told, reverse=True)


def test_the_score_is_found_again() -> None:
    effects, explained = score_blocks(6000)
    assert differing([effects, explained]) == 0
    assert effects.value("importance", "effect") > 0.05 > 0 > effects.value("hops", "effect")


def test_the_same_seed_gives_the_same_figures() -> None:
    assert decay_block(3, repeats=1) == decay_block(3, repeats=1)
    assert decay_block(3, repeats=1) != decay_block(4, repeats=1)
