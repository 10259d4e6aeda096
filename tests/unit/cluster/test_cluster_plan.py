"""Plans as they lie in the database, and those that no cluster carries out."""

import pytest

from webkeep.cluster.cluster_plan import check_cluster_plan, plan_from_text, plan_text, shares_hosts
from webkeep.crawl.plan import CapturePlan, parse_plan
from webkeep.errors import UsageError

PLAN = {
    "seeds": ["https://example.org/", "https://other.example/"],
    "browser": "off",
    "include": ["*.pdf"],
    "robots": ["obey", "https://example.org/open/=ignore"],
    "max_rate": "1MB",
    "max_urls": 500,
    "depth": 3,
    "hosts": {"slow.example": {"delay": 5, "robots": "ignore", "include": ["*"]}},
}


def test_a_plan_comes_out_of_the_database_as_it_went_in() -> None:
    plan = parse_plan(PLAN)
    check_cluster_plan(plan)
    assert plan_from_text(plan_text(plan)) == plan


def test_all_seeds_are_in_it() -> None:
    plan = CapturePlan(tuple(f"https://example.org/{number}" for number in range(5000)))
    assert plan_from_text(plan_text(plan)).seeds == plan.seeds


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"auth": ["example.org=me:pass"]}, "--credentials"),
        ({"headers": ["Cookie: a=b"]}, "--headers"),
        ({"redact": True}, "--redact"),
        ({"hosts": {"a.example": {"headers": ["Authorization: b"]}}}, "--hosts"),
    ],
)
def test_what_no_cluster_carries_out_is_told(more: dict[str, object], word: str) -> None:
    with pytest.raises(UsageError, match=word) as told:
        check_cluster_plan(parse_plan({**PLAN, **more}))
    assert "pass" not in str(told.value)


def test_nothing_secret_is_written() -> None:
    plan = parse_plan({**PLAN, "auth": ["example.org=me:hidden"], "headers": ["Cookie: a=hidden"]})
    assert "hidden" not in plan_text(plan)


def test_workers_take_turns_with_other_captures_by_their_own_database_alone() -> None:
    address = "postgresql://crawl@db.example/crawl"
    plan = parse_plan({**PLAN, "share_hosts": address})
    check_cluster_plan(plan, address)
    text = plan_text(plan)
    assert shares_hosts(text) and not shares_hosts(plan_text(parse_plan(PLAN)))
    assert "db.example" not in text, "an address may be another one on each machine"
    assert plan_from_text(text) == parse_plan(PLAN)
    for other in ("postgresql://crawl@other.example/crawl", ""):
        with pytest.raises(UsageError, match="--share-hosts"):
            check_cluster_plan(plan, other)
