"""Scenarios in which the product itself recovers: spellings, misbehaving repositories, a name that changed hands."""

import pytest

from webkeep.lab.recovery.dead_site import dead_site, dead_site_block, dead_site_share
from webkeep.lab.recovery.estimating import estimating_block
from webkeep.lab.recovery.figure import Agreement, counted
from webkeep.lab.recovery.product import product_outcome
from webkeep.lab.recovery.quirks import quirks_block
from webkeep.lab.recovery.served import served_outcome
from webkeep.lab.recovery.takeover import takeover_block
from webkeep.lab.recovery.unreliable import unreliable_block
from webkeep.lab.recovery.world import worlds


def test_whatever_repositories_make_of_urls_everything_comes_back_once() -> None:
    block = quirks_block()
    for row in block.rows:
        assert [cell.value for cell in row.cells] == [1, 0], row.label


def test_requests_that_fail_are_made_again() -> None:
    block = unreliable_block([site for site in worlds(12) if site.size < 300][:2])
    assert block.value("none", "recovered_of_held") == 1
    assert block.value("every tenth request fails", "recovered_of_held") > 0.98
    # Only copies that nobody else has are lost for good.
    assert block.value("every twentieth copy is absent", "recovered_of_held") > 0.9


def test_a_dead_site_comes_back_from_listings() -> None:
    assert dead_site_share() == 1
    block = dead_site_block()
    assert counted([block])[Agreement.DIFFERS] == 0
    assert block.value("webkeep", "recovered") == len(dead_site().anywhere) == 2244


def test_sizes_are_estimated_best_by_kind() -> None:
    block = estimating_block(list(worlds(30)))
    off = [abs(block.value(row.label, "ratio") - 1) for row in block.rows]
    assert off == sorted(off, reverse=True)
    assert off[-1] < 0.1


def test_servers_on_loopback_give_what_memory_gives() -> None:
    site = next(site for site in worlds(20) if site.size < 150)
    over_loopback, in_memory = served_outcome(site), product_outcome(site)
    assert over_loopback.recovered_of_held == in_memory.recovered_of_held == 1
    assert over_loopback.requests <= in_memory.requests + 3


def test_pages_of_a_new_owner_are_kept_out_by_a_period() -> None:
    block = takeover_block(30)
    newest, suspicious, bounded = (block.value(row.label, "strange") for row in block.rows)
    assert bounded == 0
    assert suspicious == 0 < newest
    assert block.value("until the name changed hands", "recovered") == pytest.approx(1)
