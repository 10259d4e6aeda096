"""Which captures go by sites, and into which courses they fall."""

import pytest

from webkeep.cluster.courses.site_courses import SiteCourse, course_plan, goes_by_sites, split_by_sites
from webkeep.crawl.plan import parse_plan
from webkeep.url.scope import ScopeExtent

SEEDS = [
    "https://example.org/",
    "https://www.example.org/news/",
    "https://example.org/atlas/maps",
    "http://127.0.0.1/a",
]


@pytest.mark.parametrize(
    ("more", "by_sites"),
    [
        ({"browser": "off"}, False),
        ({}, True),
        ({"browser": "always"}, True),
        ({"browser": "off", "for": "evidence"}, True),
    ],
)
def test_pages_that_are_run_or_visited_again_go_by_sites(more: dict[str, object], by_sites: bool) -> None:
    assert goes_by_sites(parse_plan({"seeds": SEEDS, **more})) is by_sites


def test_each_site_is_one_course() -> None:
    plan = parse_plan({"seeds": [*SEEDS, SEEDS[0]]})
    courses = split_by_sites(plan)
    assert [(each.number, each.site, each.seeds, each.left_out) for each in courses] == [
        (1, "example.org", tuple(SEEDS[:3]), ()),
        (2, "127.0.0.1", (SEEDS[3],), ()),
    ]
    assert SiteCourse.from_text(1, "example.org", courses[0].to_text()) == courses[0]


def test_directories_that_seeds_name_have_courses_of_their_own() -> None:
    values = {"seeds": SEEDS, "for": "evidence", "subsites": "directories", "scope": "host", "exclude": ["*.pdf"]}
    plan = parse_plan(values)
    whole, news, atlas, other = split_by_sites(plan)
    assert (whole.site, whole.seeds, whole.left_out) == (
        "example.org",
        (SEEDS[0],),
        ("https://example.org/atlas/",),
    )
    assert (news.site, news.left_out) == ("https://www.example.org/news/", ())
    assert other.site == "127.0.0.1"
    mine = course_plan(plan, whole, "capture", "postgresql://db/one")
    assert mine.rules == ("-*.pdf", "-https://example.org/atlas/*")
    assert mine.scope is ScopeExtent.HOST
    assert (mine.job, mine.share_hosts) == ("capture/1", "postgresql://db/one")
    assert course_plan(plan, atlas, "capture", "").scope is ScopeExtent.PREFIX
    assert course_plan(plan, atlas, "capture", "").rules == ("-*.pdf",)
