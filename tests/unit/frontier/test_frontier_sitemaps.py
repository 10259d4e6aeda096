"""Sitemaps without end: their nesting, number and bytes are bounded, and they count."""

from collections.abc import Callable

import pytest

from frontier_web import SEED, START, Page, Web, page, policy_for, web_of
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.formats.site import parse_robots
from webkeep.frontier import Frontier
from webkeep.frontier.admission.crawl_totals import MAX_SITEMAP_BYTES, MAX_SITEMAP_NESTING, MAX_SITEMAPS, CrawlTotals
from webkeep.frontier.hosts import RobotsFile
from webkeep.frontier.policy import CrawlPolicy
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import UrlOutcome
from webkeep.store.jobs.candidate_rows import pack_candidate, unpack_candidate

MAP = f"{SEED}sitemap.xml"
RULES = RobotsFile(parse_robots(b"Sitemap: /sitemap.xml"))
HOST = "site.example:80"


def child(url: str) -> Link:
    return Link(url, LinkRole.NAVIGATE, "sitemap index")


def fanning(width: int, size: int = 1000) -> Callable[[Candidate, int], Page]:
    """A site whose sitemaps are all indexes of further ones, and whose pages are linked from the first page."""

    def given(candidate: Candidate, _: int) -> Page:
        if candidate.url == SEED:
            return Page([page(f"{SEED}{number}") for number in range(100)])
        if "map" in candidate.url:
            return Page([child(f"{candidate.url}{letter}") for letter in "abcdefghij"[:width]], size=size)
        return Page()

    return given


def asked_maps(web: Web) -> list[str]:
    return [url for url in web.asked if "map" in url]


def run(policy: CrawlPolicy, width: int = 10) -> Web:
    return web_of(fanning(width), policy, robots=lambda host: RULES).run(most=20_000)


def test_indexes_of_indexes_end_after_two() -> None:
    web = run(policy_for())
    assert len(asked_maps(web)) == 1 + 10 + 100
    assert max(len(url) - len(MAP) for url in asked_maps(web)) == MAX_SITEMAP_NESTING
    assert web.outcome(f"{MAP}aaa") is UrlOutcome.TRAPPED
    assert web.reason(f"{MAP}aaa").startswith("sitemaps without end: ")
    (trap,) = web.frontier.trap_report()
    assert (trap.left_out, trap.shape) == (1000, f"the sitemaps of {HOST}")
    assert trap.advice == "name those that you want as seeds"


@pytest.mark.parametrize("values", [{"max_urls": 40}, {"max_urls_per_host": 40}], ids=["in all", "per host"])
def test_sitemaps_count_and_leave_room_for_pages(values: dict[str, int]) -> None:
    web = run(policy_for(**values))
    assert len(web.asked) == 40
    assert len(asked_maps(web)) == 4
    assert web.outcome(f"{MAP}j") is UrlOutcome.CUT
    assert web.reason(f"{MAP}j").startswith("sitemaps: more than one of 10 URLs (max-urls")


def test_few_urls_are_all_for_pages() -> None:
    assert asked_maps(run(policy_for(max_urls=9))) == []


def test_the_number_of_sitemaps_is_bounded() -> None:
    totals = CrawlTotals(sitemaps=MAX_SITEMAPS - 1)
    candidate = Candidate(0, MAP, HOST, UrlRole.SITEMAP)
    assert not totals.is_sitemap_excess(candidate)
    totals.count_dispatched(candidate)
    assert totals.is_sitemap_excess(candidate)
    totals.settle(candidate)
    assert (totals.sitemaps, totals.urls, totals.under_way) == (MAX_SITEMAPS, 1, 0)
    assert CrawlTotals.from_text(totals.to_text()).is_sitemap_excess(candidate)


def test_the_bytes_of_sitemaps_are_bounded_and_count() -> None:
    web = web_of(fanning(3, MAX_SITEMAP_BYTES // 2), policy_for(), robots=lambda host: RULES).run(room=1, most=20_000)
    assert len(asked_maps(web)) == 2
    assert web.frontier.totals.bytes > MAX_SITEMAP_BYTES


def test_nesting_outlasts_the_process() -> None:
    deep = Candidate(7, MAP, HOST, UrlRole.SITEMAP, 3, 1, nesting=2)
    assert unpack_candidate(7, MAP, HOST, 0, 3, pack_candidate(deep)) == deep
    part = Candidate(7, MAP, HOST, UrlRole.EMBED, 3, 1, 1, 2)
    assert unpack_candidate(7, MAP, HOST, 0, 3, pack_candidate(part)) == part
    frontier = Frontier(policy_for(), book := MemoryUrlStore())
    frontier.discover(Candidate(1, MAP, HOST, UrlRole.SITEMAP, nesting=1), [child(f"{MAP}a")], START)
    found = book.find(f"{MAP}a")
    assert found is not None
    assert found.nesting == 2
