"""Scenarios in which the product itself recovers: spellings, misbehaving repositories, a name that changed hands."""

import pytest

from webkeep.lab.recovery.scenarios.dead_site import build_dead_site, dead_site_block, recovered_share
from webkeep.lab.recovery.scenarios.domain_takeover import takeover_block
from webkeep.lab.recovery.scenarios.loopback_archives import run_over_loopback
from webkeep.lab.recovery.scenarios.product_recovery import run_product
from webkeep.lab.recovery.scenarios.size_estimation import size_estimation_block
from webkeep.lab.recovery.scenarios.unreliable_archives import unreliable_block
from webkeep.lab.recovery.scenarios.url_quirks import quirks_block
from webkeep.lab.recovery.simulation.lost_site import draw_lost_sites
from webkeep.lab.results import ResultAgreement, count_agreements


def test_whatever_repositories_make_of_urls_everything_comes_back_once() -> None:
    block = quirks_block()
    for row in block.rows:
        assert [cell.value for cell in row.cells] == [1, 0], row.label


def test_requests_that_fail_are_made_again() -> None:
    block = unreliable_block([site for site in draw_lost_sites(12) if site.size < 300][:2])
    assert block.value("none", "recovered_of_held") == 1
    assert block.value("every tenth request fails", "recovered_of_held") > 0.98
    # Only copies that nobody else has are lost for good.
    assert block.value("every twentieth copy is absent", "recovered_of_held") > 0.9


def test_a_dead_site_comes_back_from_listings() -> None:
    assert recovered_share() == 1
    block = dead_site_block()
    assert count_agreements([block])[ResultAgreement.DIFFERS] == 0
    assert block.value("webkeep", "recovered") == len(build_dead_site().held_anywhere) == 2244


def test_sizes_are_estimated_best_by_kind() -> None:
    block = size_estimation_block(list(draw_lost_sites(30)))
    off = [abs(block.value(row.label, "ratio") - 1) for row in block.rows]
    assert off == sorted(off, reverse=True)
    assert off[-1] < 0.1


def test_servers_on_loopback_give_what_memory_gives() -> None:
    site = next(site for site in draw_lost_sites(20) if site.size < 150)
    over_loopback, in_memory = run_over_loopback(site), run_product(site)
    assert over_loopback.recovered_of_held == in_memory.recovered_of_held == 1
    assert over_loopback.requests <= in_memory.requests + 3


def test_pages_of_a_new_owner_are_kept_out_by_a_period() -> None:
    block = takeover_block(30)
    newest, suspicious, bounded = (block.value(row.label, "strange") for row in block.rows)
    assert bounded == 0
    assert suspicious == 0 < newest
    assert block.value("until the name changed hands", "recovered") == pytest.approx(1)
