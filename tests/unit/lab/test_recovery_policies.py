"""The published policies on simulated sites, the ceiling, and scenarios made with both."""

from dataclasses import replace
from functools import cache

import pytest

from webkeep.lab.recovery.ceiling import ceiling
from webkeep.lab.recovery.figure import Agreement, counted
from webkeep.lab.recovery.figure26 import POLICIES, crawl, listing_cost
from webkeep.lab.recovery.parameters import parameters
from webkeep.lab.recovery.policies import outcome, policies_block
from webkeep.lab.recovery.quotas import days_needed, quotas_block
from webkeep.lab.recovery.redesign import redesign_block
from webkeep.lab.recovery.since_loss import since_loss_block
from webkeep.lab.recovery.world import Kind, World, worlds
from webkeep.recover.plan import Policy

HOLDERS = parameters().holders


def small(held: dict[str, set[int]]) -> World:
    """A root that links to a page and a picture; the page links to another; two more pages are linked from nowhere."""
    kinds = (Kind.HTML, Kind.HTML, Kind.IMAGE, Kind.HTML, Kind.HTML, Kind.HTML)
    full = {holder.name: frozenset(held.get(holder.name, set())) for holder in HOLDERS}
    return World(0, kinds, 5, {0: (1, 2), 1: (3,)}, full, HOLDERS)


@cache
def sites() -> list[World]:
    return list(worlds(150))


EVERYWHERE = small({holder.name: {0, 1, 2, 3} for holder in HOLDERS})
ORPHANS = small({"ia": {0, 1, 2, 4, 5}, "google": {0, 3}})


def test_naive_asks_every_repository_for_every_url() -> None:
    lonely = crawl(small({"ia": {0}}), Policy.NAIVE)
    assert lonely.recovered == {0}
    # The root and its two links, of each; the archive takes one request more for what it has, one cache is asked twice.
    assert lonely.requests == {"ia": 2 + 1 + 1, "google": 3, "msn": 3, "yahoo": 6}


def test_a_picture_is_taken_from_the_first_that_has_it() -> None:
    told = crawl(EVERYWHERE, Policy.NAIVE)
    assert told.recovered == {0, 1, 2, 3}
    assert told.requests == {"ia": 8, "google": 3, "msn": 3, "yahoo": 6}
    assert told.givers[2].name == "ia"


def test_knowledgeable_asks_only_holders() -> None:
    told = crawl(ORPHANS, Policy.KNOWLEDGEABLE)
    assert told.recovered == {0, 1, 2, 3}
    assert told.requests == {"ia": 1 + 6, "google": 1 + 2, "msn": 1, "yahoo": 1}
    assert told.skipped == {4, 5}


def test_only_exhaustive_recovers_orphans() -> None:
    recovered = {policy: crawl(ORPHANS, policy).recovered for policy in POLICIES}
    assert recovered[Policy.EXHAUSTIVE] == {0, 1, 2, 3, 4, 5}
    assert recovered[Policy.NAIVE] == recovered[Policy.KNOWLEDGEABLE] == {0, 1, 2, 3}


def test_modified_dates_lose() -> None:
    told = crawl(EVERYWHERE, Policy.EXHAUSTIVE)
    assert "yahoo" not in told.given
    assert crawl(small({"yahoo": {0}, "ia": {0}}), Policy.NAIVE).givers[0].name == "yahoo"


def test_a_listing_is_read_page_by_page() -> None:
    google = next(each for each in HOLDERS if each.name == "google")
    assert [listing_cost(small({"google": set(range(count))}), google) for count in (0, 1, 10, 11)] == [1, 1, 1, 2]


def test_the_ceiling_needs_no_listing_where_links_lead_everywhere() -> None:
    told = ceiling(EVERYWHERE)
    assert (told.held, told.listed, told.requests) == (4, (), 4)
    assert told.efficiency == 1


def test_the_ceiling_pays_for_the_listing_that_tells_of_orphans() -> None:
    told = ceiling(ORPHANS)
    assert (told.held, told.listed, told.requests) == (6, ("ia",), 7)


@pytest.mark.parametrize("number", range(5))
def test_nobody_exceeds_the_ceiling(number: int) -> None:
    site = sites()[number]
    best = ceiling(site)
    assert best.held == len(site.anywhere)
    for policy in POLICIES:
        told = crawl(site, policy)
        assert told.efficiency <= best.efficiency
        made = outcome(site, told.recovered, told.cost)
        assert made.recovered_of_held == pytest.approx(len(told.recovered) / best.held)


def test_policies_come_out_as_published() -> None:
    block = policies_block(sites())
    assert counted([block])[Agreement.DIFFERS] == 0
    naive, knowledgeable, exhaustive = (block.value(policy, "efficiency") for policy in POLICIES)
    assert naive < knowledgeable < exhaustive
    naive, knowledgeable, exhaustive = (block.value(policy, "efficiency_without_added") for policy in POLICIES)
    assert naive < exhaustive < knowledgeable
    assert block.value("exhaustive", "recovered_of_held") == 1


def test_the_same_seed_gives_the_same_sites() -> None:
    assert list(worlds(2, 7)) == list(worlds(2, 7))
    assert list(worlds(2, 7)) != list(worlds(2, 8))


def test_caches_vanish_after_a_loss_and_archives_stay() -> None:
    block = since_loss_block(sites()[:40])
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
    told = days_needed(steps, {"a": 2, "b": 2})
    assert told == {"bound": 4, "sleeping": 3, "parking": 2, "least": 2}


def test_the_published_bound_is_one() -> None:
    block = quotas_block(sites()[:5])
    for row in block.rows:
        bound, sleeping, parking, least = (cell.value or 0 for cell in row.cells)
        assert least <= parking <= sleeping <= bound + 1


def test_holders_can_be_left_out() -> None:
    alone = replace(ORPHANS, holders=tuple(each for each in HOLDERS if each.name == "google"))
    assert crawl(alone, Policy.EXHAUSTIVE).requests.keys() == {"google"}
