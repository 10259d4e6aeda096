"""Choosing among many versions, judged by the truth."""

import pytest

from webkeep.lab.recovery.choice import (
    BEGIN,
    NEAREST,
    NEWEST,
    OURS,
    RULES,
    Case,
    Resource,
    archives_block,
    cases,
    choice_block,
    figures,
    means,
    regret,
)
from webkeep.lab.recovery.choice_crawl import crawled
from webkeep.model import Digest
from webkeep.recover.worth import Tier, Version, Wish

DAY = 86_400.0


def resource(changes: tuple[float, ...], days: tuple[float, ...]) -> Resource:
    """A resource that changed on some days and was captured on others."""
    made = Resource(changes, ())
    versions = []
    for number, day in enumerate(days):
        micros = BEGIN.plus(day * DAY).micros
        digest = Digest.of("sha1", [str(made.state(micros)).encode()])
        versions.append(Version(number, Tier.WHOLE, micros, digest=digest))
    return Resource(changes, tuple(versions))


CASE = Case(
    resource((), (10.0, 50.0)),
    {"style": resource((11.0,), (9.0, 12.0, 49.0, 51.0)), "picture": resource((), (10.0,))},
    Wish(at=BEGIN.plus(12 * DAY)),
)
"""A page whose style changed the day after the nearest capture of it, and which later fits its style for certain."""


@pytest.mark.parametrize(
    ("rule", "violations", "spread", "distance"), [(NEWEST, 0.0, 41, 38), (NEAREST, 0.5, 2, 2)], ids=[NEWEST, NEAREST]
)
def test_what_rules_come_to(rule: str, violations: float, spread: float, distance: float) -> None:
    told = figures(CASE, RULES[rule](CASE))
    assert (told["violations"], told["complete"]) == (violations, 1)
    assert (told["spread_days"], told["distance_days"]) == pytest.approx((spread, distance))


def test_ours_takes_parts_that_fit() -> None:
    assert figures(CASE, RULES[OURS](CASE))["violations"] == 0
    assert regret(CASE) == 0


def test_ours_is_lowest_at_equal_completeness() -> None:
    block = choice_block(60)
    for name in ("violations", "spread_days"):
        ours, newest, nearest = (block.value(rule, name) for rule in (OURS, NEWEST, NEAREST))
        assert ours < min(newest, nearest)
    assert len({block.value(rule, "complete") for rule in RULES}) == 1


def test_ours_is_lowest_however_many_archives_there_are() -> None:
    block = archives_block(20)
    for row in block.rows:
        ours, newest, nearest = (block.value(row.label, rule) for rule in (OURS, NEWEST, NEAREST))
        assert ours <= min(newest, nearest), row.label
    assert [line.name for line in block.lines] == list(RULES)


def test_the_crawl_brings_home_what_fits() -> None:
    made = list(cases(10, 3))
    by_crawl, nearest = means(made, crawled), means(made, RULES[NEAREST])
    assert by_crawl["complete"] == nearest["complete"]
    assert by_crawl["violations"] < nearest["violations"]
    assert by_crawl["spread_days"] < nearest["spread_days"]


def test_little_is_left_to_be_desired_on_small_cases() -> None:
    few = list(cases(40, years=0.5, archives=2, parts=3))
    assert all(regret(case) >= 0 for case in few)
    assert sum(map(regret, few)) <= len(few) // 10


def test_the_same_seed_gives_the_same_cases() -> None:
    assert list(cases(3, 5)) == list(cases(3, 5))
