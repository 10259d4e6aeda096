"""Choosing among many versions, judged by the truth."""

import pytest

from webkeep.lab.recovery.scenarios.version_choice import (
    CHOICE_RULES,
    FIRST_MOMENT,
    NEAREST_RULE,
    NEWEST_RULE,
    OUR_RULE,
    ChoiceCase,
    LabResource,
    archives_block,
    choice_block,
    choice_figures,
    count_regret,
    draw_cases,
    mean_figures,
)
from webkeep.lab.recovery.scenarios.version_choice_crawl import choose_by_crawl
from webkeep.model import Digest
from webkeep.recover.judging import AvailableVersion, VersionPreference, VersionTier

DAY = 86_400.0


def resource(changes: tuple[float, ...], days: tuple[float, ...]) -> LabResource:
    """A resource that changed on some days and was captured on others."""
    made = LabResource(changes, ())
    versions = []
    for number, day in enumerate(days):
        micros = FIRST_MOMENT.plus(day * DAY).micros
        digest = Digest.from_chunks("sha1", [str(made.state_at(micros)).encode()])
        versions.append(AvailableVersion(number, VersionTier.WHOLE, micros, digest=digest))
    return LabResource(changes, tuple(versions))


CASE = ChoiceCase(
    resource((), (10.0, 50.0)),
    {"style": resource((11.0,), (9.0, 12.0, 49.0, 51.0)), "picture": resource((), (10.0,))},
    VersionPreference(at=FIRST_MOMENT.plus(12 * DAY)),
)
"""A page whose style changed the day after the nearest capture of it, and which later fits its style for certain."""


@pytest.mark.parametrize(
    ("rule", "violations", "spread", "distance"),
    [(NEWEST_RULE, 0.0, 41, 38), (NEAREST_RULE, 0.5, 2, 2)],
    ids=[NEWEST_RULE, NEAREST_RULE],
)
def test_what_rules_come_to(rule: str, violations: float, spread: float, distance: float) -> None:
    told = choice_figures(CASE, CHOICE_RULES[rule](CASE))
    assert (told["violations"], told["complete"]) == (violations, 1)
    assert (told["spread_days"], told["distance_days"]) == pytest.approx((spread, distance))


def test_ours_takes_parts_that_fit() -> None:
    assert choice_figures(CASE, CHOICE_RULES[OUR_RULE](CASE))["violations"] == 0
    assert count_regret(CASE) == 0


def test_ours_is_lowest_at_equal_completeness() -> None:
    block = choice_block(60)
    for name in ("violations", "spread_days"):
        ours, newest, nearest = (block.value(rule, name) for rule in (OUR_RULE, NEWEST_RULE, NEAREST_RULE))
        assert ours < min(newest, nearest)
    assert len({block.value(rule, "complete") for rule in CHOICE_RULES}) == 1


def test_ours_is_lowest_however_many_archives_there_are() -> None:
    block = archives_block(20)
    for row in block.rows:
        ours, newest, nearest = (block.value(row.label, rule) for rule in (OUR_RULE, NEWEST_RULE, NEAREST_RULE))
        assert ours <= min(newest, nearest), row.label
    assert [line.name for line in block.lines] == list(CHOICE_RULES)


def test_the_crawl_brings_home_what_fits() -> None:
    made = list(draw_cases(10, 3))
    by_crawl, nearest = mean_figures(made, choose_by_crawl), mean_figures(made, CHOICE_RULES[NEAREST_RULE])
    assert by_crawl["complete"] == nearest["complete"]
    assert by_crawl["violations"] < nearest["violations"]
    assert by_crawl["spread_days"] < nearest["spread_days"]


def test_little_is_left_to_be_desired_on_small_cases() -> None:
    few = list(draw_cases(40, years=0.5, archives=2, parts=3))
    assert all(count_regret(case) >= 0 for case in few)
    assert sum(map(count_regret, few)) <= len(few) // 10


def test_the_same_seed_gives_the_same_cases() -> None:
    assert list(draw_cases(3, 5)) == list(draw_cases(3, 5))
