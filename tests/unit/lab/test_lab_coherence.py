"""The laboratory's sites, crawls and tables: what they are made of, and what they are held against."""

from collections.abc import Iterator
from itertools import islice, pairwise

import pytest

from webkeep.coherence.strategies import STRATEGIES, CaptureStrategy, FixedSizeEstimate, SizeEstimate, VisitOrder
from webkeep.coherence.strategies.visit_orders import BreadthFirstOrder, DepthFirstOrder
from webkeep.errors import UsageError
from webkeep.lab.coherence import (
    TABLE_NUMBERS,
    CoherenceExtent,
    build_blocks,
    build_duels,
    build_simulated_blocks,
    compare_with_frontier,
    count_verdicts,
)
from webkeep.lab.coherence.coherence_table import CrawlFigure, TableSubject, build_table
from webkeep.lab.coherence.frontier_crawl import FrontierCrawl, is_same_crawl
from webkeep.lab.coherence.poisson_process import draw_changes
from webkeep.lab.coherence.reference_figures import (
    DIFFERENCE_REASONS,
    KNOWN_DIFFERENCES,
    ExpectedFigure,
    recomputed_blur,
    recomputed_incoherence,
)
from webkeep.lab.coherence.site_crawler import SiteCrawler
from webkeep.lab.coherence.tree_site import ShuffledSite, TreeSite
from webkeep.lab.demo import LeafRates
from webkeep.lab.results import (
    ResultAgreement,
    ResultCell,
    ResultColumn,
    ResultRow,
    ResultTable,
    count_agreements,
    count_near_published,
)

QUICK = CoherenceExtent(quick=True)


def test_rates_fall_by_rank_from_the_root_or_rise_to_the_leaves() -> None:
    cold, hot = TreeSite(5, LeafRates.COLD, 1.0, 2.0), TreeSite(5, LeafRates.HOT, 1.0, 2.0)
    assert cold.rates == pytest.approx([2, 1, 2 / 3, 1 / 2, 2 / 5])
    assert hot.rates == cold.rates[::-1]


def test_every_page_but_the_root_has_one_parent() -> None:
    site = TreeSite(50, outdegree=7)
    assert list(site.links(0)) == [1, 2, 3, 4, 5, 6, 7]
    assert sorted(link for page in range(50) for link in site.links(page)) == list(range(1, 50))


def test_links_are_mixed_anew_for_each_seed_and_stay_so() -> None:
    site = TreeSite(50, outdegree=20)
    one, again, other = ShuffledSite(site, 1), ShuffledSite(site, 1), ShuffledSite(site, 2)
    assert list(one.links(0)) == list(again.links(0)) == list(one.links(0))
    assert list(one.links(0)) != list(other.links(0))
    assert sorted(one.links(0)) == list(site.links(0))


@pytest.mark.parametrize("wrong", [{"pages": 0}, {"outdegree": 0}, {"slow": 0.0}])
def test_sites_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="above zero"):
        TreeSite(**wrong)


def test_changes_of_chance_are_as_many_as_the_rate_says() -> None:
    assert list(draw_changes(0.0, "still")) == []
    moments = list(islice(draw_changes(4.0, "busy"), 4000))
    assert all(before < after for before, after in pairwise(moments))
    assert moments[-1] == pytest.approx(1000, rel=0.06)
    assert list(draw_changes(4.0, "busy", horizon=10.0)) == [moment for moment in moments if moment <= 10]


def test_every_strategy_makes_its_requests_through_the_frontier() -> None:
    likeness = compare_with_frontier(pages=60, outdegree=6)
    assert likeness.different == ()
    assert likeness.crawls == 2 * len(STRATEGIES)


def test_an_order_that_the_frontier_does_not_keep_would_be_seen() -> None:
    orders: Iterator[VisitOrder[int]] = iter([BreadthFirstOrder(), DepthFirstOrder()])

    def start(_size: SizeEstimate, _delay: float) -> VisitOrder[int]:
        return next(orders)

    assert not is_same_crawl(
        CaptureStrategy("fickle", "another order each time", start), ShuffledSite(TreeSite(30, outdegree=3), 1)
    )


def test_moments_of_requests_follow_from_politeness() -> None:
    site = ShuffledSite(TreeSite(5, outdegree=2), 0)
    requests = FrontierCrawl(STRATEGIES["hottest-last-lifo"], FixedSizeEstimate(5), site.rate, site.links).run()
    assert [moment for _, moment in (*requests.visits, *requests.revisits)] == [float(slot) for slot in range(9)]
    assert [page for page, _ in requests.revisits] == [page for page, _ in requests.visits][-2::-1]


def test_crawls_through_the_frontier_fill_the_same_cells() -> None:
    site = ShuffledSite(TreeSite(80, outdegree=9), 2)
    for name in ("sharc-selective", "scouting", "depth-first-lifo", "sharc-online", "olston-pandey"):
        assert SiteCrawler(site).schedule(name) == SiteCrawler(site, through_frontier=True).schedule(name), name


def expected(value: float, tolerance: float = 0.5, is_mean: bool = False) -> ExpectedFigure:
    return ExpectedFigure(value, tolerance, is_mean)


def test_cells_are_held_against_figures() -> None:
    assert CrawlFigure(10.4).beside(expected(10)).agreement is ResultAgreement.AGREES
    assert CrawlFigure(10.6).beside(expected(10)).agreement is ResultAgreement.DIFFERS
    assert CrawlFigure(10.6).beside(expected(10), reason="ties").agreement is ResultAgreement.EXPLAINED
    assert CrawlFigure(10.6).beside().agreement is ResultAgreement.UNTOLD
    assert CrawlFigure(10.6).beside(published=99).agreement is ResultAgreement.UNTOLD
    assert CrawlFigure(None).beside(expected(10)).agreement is ResultAgreement.UNTOLD


def test_means_over_orders_of_links_may_scatter_and_others_may_not() -> None:
    near, far = CrawlFigure(13.0, spread=2.0, samples=5), CrawlFigure(15.0, spread=2.0, samples=5)
    assert near.beside(expected(10, is_mean=True)).agreement is ResultAgreement.AGREES
    assert far.beside(expected(10, is_mean=True)).agreement is ResultAgreement.DIFFERS
    assert near.beside(expected(10)).agreement is ResultAgreement.DIFFERS


def test_published_counts_are_near_within_three_deviations() -> None:
    cells = (
        CrawlFigure(100, deviation=5).beside(published=114),
        CrawlFigure(100, deviation=5).beside(published=116),
        CrawlFigure(1.0).beside(published=9.0),
    )
    assert count_near_published([block_of(*cells)]) == (1, 2)


def block_of(*cells: ResultCell, names: tuple[str, ...] = ("a", "b", "c")) -> ResultTable:
    columns = tuple(ResultColumn(name, name) for name in names[: len(cells)])
    return build_table(
        TableSubject("5.9", "By size, cold leaves", "pages", "pages"), columns, (ResultRow("10", cells, 10.0),)
    )


def test_scouting_is_compared_with_the_best_that_needs_no_knowledge() -> None:
    names = ("selective-offline", "sharc-selective", "scouting", "hottest-last-lifo")
    wins, loses, level = (
        build_duels([block_of(*map(ResultCell, (90, 100, ours, 120)), names=names)])[0] for ours in (99, 101, 100.4)
    )
    assert (wins.best, wins.published, wins.knowing_all) == ("sharc-selective", 100, 90)
    assert [duel.verdict for duel in (wins, loses, level)] == ["wins", "loses", "level"]
    assert loses.difference == pytest.approx(0.01)
    assert count_verdicts([wins, loses, level]) == {"wins": 1, "level": 1, "loses": 1}
    assert build_duels([block_of(ResultCell(1.0))]) == []


def test_figures_belong_to_the_very_site() -> None:
    assert recomputed_incoherence(TreeSite(), "sharc-selective") == expected(3030, 0.6)
    assert recomputed_incoherence(TreeSite(outdegree=10), "sharc-selective") is None
    assert recomputed_incoherence(TreeSite(9_999), "sharc-selective") is None
    blur = recomputed_blur(TreeSite(slow=3.0), "sharc-offline")
    assert blur is not None
    assert blur.value == pytest.approx(3 * 1.222)


@pytest.mark.parametrize("table", ["5.9", "5.10"])
def test_tables_agree_with_what_was_recomputed(table: str) -> None:
    told: list[str] = []
    (block,) = build_blocks(table, QUICK, told.append)
    counts = count_agreements([block])
    assert (counts[ResultAgreement.AGREES], counts[ResultAgreement.UNTOLD]) == (11, 1)
    assert [row.label for row in block.rows] == ["10000"]
    assert told == [f"table {table}, {block.title.split()[-2]} leaves, pages 10000"]


def test_simulated_crawls_come_to_what_the_model_expects() -> None:
    simulated = build_simulated_blocks(pages=300, outdegree=20)
    assert [len(block.rows) for block in simulated] == [2, 2]
    assert count_agreements(simulated)[ResultAgreement.AGREES] == sum(
        len(row.cells) for block in simulated for row in block.rows
    )
    cells = simulated[1].rows[0].cells
    tolerances = [cell.tolerance / cell.reference for cell in cells if cell.tolerance and cell.reference]
    assert max(tolerances) < 0.06
    assert build_duels(simulated) == []


def test_known_differences_have_their_reasons_and_their_cells() -> None:
    for (table, _row, _column), reason in KNOWN_DIFFERENCES.items():
        assert table in TABLE_NUMBERS
        assert DIFFERENCE_REASONS[reason]


def test_a_table_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match=r"choose one of 4\.4"):
        build_blocks("9.9", QUICK)
