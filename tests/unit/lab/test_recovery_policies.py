"""The published policies on simulated sites, the ceiling, and scenarios made with both."""

from dataclasses import replace
from functools import cache

import pytest

from webkeep.lab.recovery.experiments.policy_comparison import build_outcome, policies_block
from webkeep.lab.recovery.scenarios.days_since_loss import days_since_loss_block
from webkeep.lab.recovery.scenarios.quotas import count_days, quotas_block
from webkeep.lab.recovery.scenarios.redesign import redesign_block
from webkeep.lab.recovery.simulation.efficiency_ceiling import efficiency_ceiling
from webkeep.lab.recovery.simulation.lost_site import LostSite, WorldKind, draw_lost_sites
from webkeep.lab.recovery.simulation.parameters import read_parameters
from webkeep.lab.recovery.simulation.published_crawl import PUBLISHED_POLICIES, listing_cost, run_published_crawl
from webkeep.lab.results import ResultAgreement, count_agreements
from webkeep.recover import RecoveryPolicy

HOLDERS = read_parameters().holders


def small(held: dict[str, set[int]]) -> LostSite:
    """A root that links to a page and a picture; the page links to another; two more pages are linked from nowhere."""
    kinds = (WorldKind.HTML, WorldKind.HTML, WorldKind.IMAGE, WorldKind.HTML, WorldKind.HTML, WorldKind.HTML)
    full = {holder.name: frozenset(held.get(holder.name, set())) for holder in HOLDERS}
    return LostSite(0, kinds, 5, {0: (1, 2), 1: (3,)}, full, HOLDERS)


@cache
def sites() -> list[LostSite]:
    return list(draw_lost_sites(150))


EVERYWHERE = small({holder.name: {0, 1, 2, 3} for holder in HOLDERS})
ORPHANS = small({"ia": {0, 1, 2, 4, 5}, "google": {0, 3}})


def test_naive_asks_every_repository_for_every_url() -> None:
    lonely = run_published_crawl(small({"ia": {0}}), RecoveryPolicy.NAIVE)
    assert lonely.recovered == {0}
    # The root and its two links, of each; the archive takes one request more for what it has, one cache is asked twice.
    assert lonely.requests == {"ia": 2 + 1 + 1, "google": 3, "msn": 3, "yahoo": 6}


def test_a_picture_is_taken_from_the_first_that_has_it() -> None:
    told = run_published_crawl(EVERYWHERE, RecoveryPolicy.NAIVE)
    assert told.recovered == {0, 1, 2, 3}
    assert told.requests == {"ia": 8, "google": 3, "msn": 3, "yahoo": 6}
    assert told.givers[2].name == "ia"


def test_knowledgeable_asks_only_holders() -> None:
    told = run_published_crawl(ORPHANS, RecoveryPolicy.KNOWLEDGEABLE)
    assert told.recovered == {0, 1, 2, 3}
    assert told.requests == {"ia": 1 + 6, "google": 1 + 2, "msn": 1, "yahoo": 1}
    assert told.skipped == {4, 5}


def test_only_exhaustive_recovers_orphans() -> None:
    recovered = {policy: run_published_crawl(ORPHANS, policy).recovered for policy in PUBLISHED_POLICIES}
    assert recovered[RecoveryPolicy.EXHAUSTIVE] == {0, 1, 2, 3, 4, 5}
    assert recovered[RecoveryPolicy.NAIVE] == recovered[RecoveryPolicy.KNOWLEDGEABLE] == {0, 1, 2, 3}


def test_modified_dates_lose() -> None:
    told = run_published_crawl(EVERYWHERE, RecoveryPolicy.EXHAUSTIVE)
    assert "yahoo" not in told.resources_by_holder
    assert run_published_crawl(small({"yahoo": {0}, "ia": {0}}), RecoveryPolicy.NAIVE).givers[0].name == "yahoo"


def test_a_listing_is_read_page_by_page() -> None:
    google = next(each for each in HOLDERS if each.name == "google")
    assert [listing_cost(small({"google": set(range(count))}), google) for count in (0, 1, 10, 11)] == [1, 1, 1, 2]


def test_the_ceiling_needs_no_listing_where_links_lead_everywhere() -> None:
    told = efficiency_ceiling(EVERYWHERE)
    assert (told.held, told.listed, told.requests) == (4, (), 4)
    assert told.efficiency == 1


def test_the_ceiling_pays_for_the_listing_that_tells_of_orphans() -> None:
    told = efficiency_ceiling(ORPHANS)
    assert (told.held, told.listed, told.requests) == (6, ("ia",), 7)


@pytest.mark.parametrize("number", range(5))
def test_nobody_exceeds_the_ceiling(number: int) -> None:
    site = sites()[number]
    best = efficiency_ceiling(site)
    assert best.held == len(site.held_anywhere)
    for policy in PUBLISHED_POLICIES:
        told = run_published_crawl(site, policy)
        assert told.efficiency <= best.efficiency
        made = build_outcome(site, told.recovered, told.cost)
        assert made.recovered_of_held == pytest.approx(len(told.recovered) / best.held)


def test_policies_come_out_as_published() -> None:
    block = policies_block(sites())
    assert count_agreements([block])[ResultAgreement.DIFFERS] == 0
    naive, knowledgeable, exhaustive = (block.value(policy, "efficiency") for policy in PUBLISHED_POLICIES)
    assert naive < knowledgeable < exhaustive
    naive, knowledgeable, exhaustive = (
        block.value(policy, "efficiency_without_added") for policy in PUBLISHED_POLICIES
    )
    assert naive < exhaustive < knowledgeable
    assert block.value("exhaustive", "recovered_of_held") == 1


def test_the_same_seed_gives_the_same_sites() -> None:
    assert list(draw_lost_sites(2, 7)) == list(draw_lost_sites(2, 7))
    assert list(draw_lost_sites(2, 7)) != list(draw_lost_sites(2, 8))


def test_caches_vanish_after_a_loss_and_archives_stay() -> None:
    block = days_since_loss_block(sites()[:40])
    caches = [block.value(day, "caches") for day in ("0", "7", "30", "90", "365")]
    assert caches == sorted(caches, reverse=True)
    assert caches[-1] == 0
    assert block.value("0", "archive") == block.value("365", "archive") == block.value("365", "union") > 0.3


def test_a_redesign_breaks_the_naive_policy_only() -> None:
    block = redesign_block(sites()[:40])
    assert block.value("naive", "recovered") < 0.05
    assert block.value("knowledgeable", "recovered") > 0.3


def test_days_by_quota() -> None:
    steps = [{"a": 1}] * 4 + [{"b": 1}] * 4
    told = count_days(steps, {"a": 2, "b": 2})
    assert told == {"bound": 4, "sleeping": 3, "parking": 2, "least": 2}


def test_the_published_bound_is_one() -> None:
    block = quotas_block(sites()[:5])
    for row in block.rows:
        bound, sleeping, parking, least = (cell.value or 0 for cell in row.cells)
        assert least <= parking <= sleeping <= bound + 1


def test_holders_can_be_left_out() -> None:
    alone = replace(ORPHANS, holders=tuple(each for each in HOLDERS if each.name == "google"))
    assert run_published_crawl(alone, RecoveryPolicy.EXHAUSTIVE).requests.keys() == {"google"}
