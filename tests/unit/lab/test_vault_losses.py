import random
from dataclasses import replace
from functools import cache

import pytest

from webkeep.lab.recovery.scenarios.vault_losses import build_request, count_survived, list_settings, vault_losses_block
from webkeep.lab.results import ResultAgreement, ResultTable
from webkeep.vault.planning import propose_plan


@cache
def tried_plans() -> ResultTable:
    return vault_losses_block(losses=400)


def test_every_plan_survives_as_many_losses_as_the_planner_says() -> None:
    block = tried_plans()
    assert {row.cells[0].agreement for row in block.rows} == {ResultAgreement.AGREES}
    assert len(block.rows) == 31


def test_plans_that_count_on_no_losses_together_survive_fewer() -> None:
    rows = {row.label: row for row in tried_plans().rows}
    margins = [cell.value for row in rows.values() for cell in row.cells[4:5]]
    assert max(each for each in margins if each is not None) > 1.5
    together = rows["directories 0.3, 60% held, 1 segment"]
    assert together.cells[0].value is not None and together.cells[5].value is not None
    assert together.cells[0].value > 0.98 > together.cells[5].value


@pytest.mark.parametrize("needed_more", [5, 10])
def test_a_plan_that_needs_more_blocks_than_it_says_is_caught(needed_more: int) -> None:
    setting = list_settings()[2]
    request = build_request(setting)
    proposal = propose_plan(request, lambda text: text // 2)
    (layout,) = proposal.layouts
    greedy = replace(proposal, layouts=(replace(layout, needed=layout.needed + needed_more),))
    survived = [count_survived(request, each, 400, random.Random(1)) for each in (proposal, greedy)]
    assert survived[0] - survived[1] > 10
