"""Orders decided while pages are found: the worked examples, and what the synthetic tables expect of them."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from synthetic_site import TreeSite

from webkeep.coherence.schedules import (
    VisitSchedule,
    expected_average_blur,
    expected_incoherence,
    intervals_schedule,
    joined_revisit_slots,
    lifo_schedule,
    outside_in_schedule,
    single_visit_slots,
    threshold_schedule,
)
from webkeep.coherence.schedules.blur import expected_blur
from webkeep.coherence.strategies import (
    STRATEGIES,
    FixedSizeEstimate,
    LearnedSizeEstimate,
    PlannedOrder,
    VisitOrder,
    find_strategy,
    simulate_visits,
)
from webkeep.coherence.strategies.intervals_order import IntervalsOrder
from webkeep.coherence.strategies.scouting_order import ScoutingOrder
from webkeep.coherence.strategies.visit_orders import (
    BreadthFirstOrder,
    DepthFirstOrder,
    HottestFirstOrder,
    HottestLastOrder,
    OrganPipeOrder,
)
from webkeep.errors import UsageError
from webkeep.lab.coherence.schedulers import OlstonPandeyOrder, offline_schedule, selective_schedule

DATA = Path(__file__).parents[2] / "data/coherence"
SINGLE = json.loads((DATA / "single_visit.json").read_text())
TWICE = json.loads((DATA / "revisits.json").read_text())
SYNTHETIC = json.loads((DATA / "synthetic.json").read_text())
PAGES, OUTDEGREE = SYNTHETIC["pages"], SYNTHETIC["outdegree"]


@pytest.mark.parametrize("name", SINGLE["running site"]["orders"])
def test_the_running_site(name: str) -> None:
    site = SINGLE["running site"]
    expected = site["orders"][name]
    order = find_strategy(name).start_order(FixedSizeEstimate(6), 1.0)
    visits = simulate_visits(order, [0], site["rates"].__getitem__, site["links"].__getitem__)
    assert visits == expected["visits"]
    if "blur" in expected:
        assert expected_blur(site["rates"], VisitSchedule(single_visit_slots(6), tuple(visits))) == pytest.approx(
            expected["blur"]
        )


@pytest.mark.parametrize("name", SINGLE["running site"]["detected"])
def test_what_waits_at_each_step_on_the_running_site(name: str) -> None:
    site = SINGLE["running site"]
    order = find_strategy(name).start_order(FixedSizeEstimate(6), 1.0)
    order.add(0, 0.0)
    for detected in site["detected"][name]:
        ahead = deepcopy(order)
        assert list(iter(ahead.take_next, None)) == detected
        page = order.take_next()
        for link in [] if page is None else site["links"][page]:
            order.add(link, site["rates"][link])


def test_the_organ_pipe_step_by_step_on_the_running_site() -> None:
    site = SINGLE["running site"]
    order: OrganPipeOrder[int] = OrganPipeOrder(FixedSizeEstimate(6))
    order.add(0, 0.0)
    waiting, trace = 1, []
    while (page := order.take_next()) is not None:
        trace.append([len(trace), waiting, page])
        for link in site["links"][page]:
            order.add(link, site["rates"][link])
        waiting += len(site["links"][page]) - 1
    assert trace == site["online trace"]


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
def test_intervals_online(mode: str) -> None:
    case = TWICE["intervals online"]
    expected, limits = case[mode], case["limits"]
    order: IntervalsOrder[int] = IntervalsOrder(FixedSizeEstimate(7), strict=mode == "strict")
    order.add_with_limit(0, limits[0])
    visits = []
    while (page := order.take_next()) is not None:
        visits.append(page)
        for link in case["links"][page]:
            order.add_with_limit(link, limits[link])
    assert visits == expected["visits"]
    assert list(order.hopeless_pages) == expected["hopeless"]
    assert (
        VisitSchedule(joined_revisit_slots(7), tuple(visits), tuple(order.reserved_revisits())).lengths()
        == expected["lengths"]
    )
    assert order.reserved_revisits() == expected.get("revisits", order.reserved_revisits())


def test_pages_that_never_change_do_not_keep_each_other_from_strict_intervals() -> None:
    order: IntervalsOrder[int] = IntervalsOrder(FixedSizeEstimate(5), strict=True)
    for page in range(5):
        order.add(page, 0.0)
    visits = [order.take_next() for _ in range(5)]
    assert sorted(page for page in visits if page is not None) == [0, 1, 2, 3, 4]
    assert order.hopeless_pages == ()


def tree(skew: float, hot: bool, slow: float = 1.0) -> TreeSite:
    return TreeSite(PAGES, OUTDEGREE, skew, hot, slow)


@pytest.mark.parametrize("row", SYNTHETIC["blur"], ids=lambda row: f"skew {row['skew']}")
def test_synthetic_blur(row: dict[str, float]) -> None:
    assert expected_average_blur(
        tree(row["skew"], False).rates, offline_schedule(tree(row["skew"], False).rates)
    ) == pytest.approx(row["offline"], abs=6e-4)
    for leaves in ("cold", "hot"):
        site = tree(row["skew"], leaves == "hot")
        orders: dict[str, VisitOrder[int]] = {
            "online": OrganPipeOrder(FixedSizeEstimate(PAGES)),
            "hf": HottestFirstOrder(),
            "hl": HottestLastOrder(),
        }
        for name, order in orders.items():
            assert expected_average_blur(site.rates, site.once(order)) == pytest.approx(
                row[f"{name} {leaves}"], abs=6e-4
            ), name


@pytest.mark.parametrize("leaves", ["cold", "hot"])
def test_wrong_estimates_of_the_size_spoil_the_organ_pipe(leaves: str) -> None:
    site, figures = tree(1.2, leaves == "hot"), SINGLE["size estimates"]
    for share, expected in zip(figures["shares"], figures[f"{leaves} leaves"], strict=True):
        schedule = site.once(OrganPipeOrder(FixedSizeEstimate(round(share * PAGES))))
        assert expected_average_blur(site.rates, schedule) == pytest.approx(expected, abs=6e-4), share


@pytest.mark.parametrize("share", [2, 4, 100])
@pytest.mark.parametrize("hot", [False, True])
def test_a_size_that_learns_keeps_overestimates_harmless(share: float, hot: bool) -> None:
    site = tree(1.2, hot)
    exact = expected_average_blur(site.rates, site.once(OrganPipeOrder(FixedSizeEstimate(PAGES))))
    learned = expected_average_blur(site.rates, site.once(OrganPipeOrder(LearnedSizeEstimate(round(share * PAGES)))))
    assert learned < 1.05 * exact


@pytest.mark.parametrize("hot", [False, True])
def test_a_size_that_learns_needs_no_word_beforehand(hot: bool) -> None:
    site = TreeSite(3000, 100, 1.2, hot)
    order = STRATEGIES["sharc-selective"].start_order(LearnedSizeEstimate(), 1.0)
    best = expected_incoherence(site.rates, selective_schedule(site.rates))
    assert expected_incoherence(site.rates, site.twice(order)) < 1.1 * best


def patience(row: dict[str, float], leaves: str) -> float:
    """How long plans are kept: as crawls do, and five times as long where that saves much time and changes nothing."""
    return 0.1 if leaves == "cold" and row["slow"] > 2 else 0.02


@pytest.mark.parametrize("row", SYNTHETIC["selective"], ids=lambda row: f"skew {row['skew']} slow {row['slow']}")
def test_synthetic_incoherence(row: dict[str, float]) -> None:
    site = tree(row["skew"], False, row["slow"])
    schedule = selective_schedule(site.rates)
    assert expected_incoherence(site.rates, schedule) == pytest.approx(row["offline"], abs=0.6)
    assert len(schedule.hopeless) == row["hopeless"]
    for leaves in ("cold", "hot"):
        site = tree(row["skew"], leaves == "hot", row["slow"])
        plain = expected_incoherence(
            site.rates, site.twice(PlannedOrder(FixedSizeEstimate(PAGES), patience=patience(row, leaves)))
        )
        assert plain == pytest.approx(row[leaves], abs=0.6)


@pytest.mark.parametrize("row", SYNTHETIC["selective"][1:], ids=lambda row: f"skew {row['skew']} slow {row['slow']}")
@pytest.mark.parametrize("leaves", ["cold", "hot"])
def test_scouting_is_never_behind_the_best_published_online_order(leaves: str, row: dict[str, float]) -> None:
    site = tree(row["skew"], leaves == "hot", row["slow"])
    incoherence = expected_incoherence(
        site.rates, site.twice(ScoutingOrder(FixedSizeEstimate(PAGES), patience=patience(row, leaves)))
    )
    assert incoherence <= 1.005 * row[f"best {leaves}"]


@pytest.mark.parametrize("row", SYNTHETIC["threshold"], ids=lambda row: f"skew {row['skew']}")
def test_synthetic_thresholds(row: dict[str, dict[str, float]]) -> None:
    rates = TreeSite(PAGES, OUTDEGREE, float(str(row["skew"]))).rates
    for form, make in (("joined", threshold_schedule), ("outside in", outside_in_schedule)):
        for sureness, expected in row[form].items():
            schedule = make(rates, float(sureness), joined_revisit_slots(PAGES))
            assert expected_incoherence(rates, schedule) == pytest.approx(expected, abs=0.6), (form, sureness)


@pytest.mark.parametrize("row", SYNTHETIC["intervals"], ids=lambda row: f"skew {row['skew']}")
def test_synthetic_intervals(row: dict[str, dict[str, float]]) -> None:
    rates = TreeSite(PAGES, OUTDEGREE, float(str(row["skew"]))).rates
    for sureness, expected in row["as placed"].items():
        assert expected_incoherence(rates, intervals_schedule(rates, float(sureness))) == pytest.approx(
            expected, abs=0.6
        )
    for sureness, expected in row["shrunk"].items():
        schedule = intervals_schedule(rates, float(sureness), shrunk=True)
        assert expected_incoherence(rates, schedule) == pytest.approx(expected, abs=0.6)


@pytest.mark.parametrize("hot", [False, True])
def test_planning_seldom_is_about_as_good_as_planning_always(hot: bool) -> None:
    site = TreeSite(2000, 10, 1.2, hot)
    always = expected_incoherence(site.rates, site.twice(PlannedOrder(FixedSizeEstimate(2000), patience=0.0)))
    seldom = expected_incoherence(site.rates, site.twice(PlannedOrder(FixedSizeEstimate(2000))))
    assert seldom <= 1.005 * always


def test_olston_and_pandey_prefer_what_has_changed_most() -> None:
    histories = [[0.5, 9.0], [], [0.6, 0.7], [1.5]]
    order: OlstonPandeyOrder[int] = OlstonPandeyOrder(histories.__getitem__)
    for page in range(4):
        order.add(page, 0.0)
    visits = []
    for time in range(4):
        waiting = [page for page in range(4) if page not in visits]
        best = max(waiting, key=lambda page: (sum(h for h in histories[page] if h <= time), -page))
        visits.append(best)
        assert order.take_next() == best
    assert order.take_next() is None


def test_fifo_and_lifo_names_differ_in_their_revisits_only() -> None:
    site = TreeSite(50, 3, 1.0)
    for base in (BreadthFirstOrder, DepthFirstOrder):
        assert sorted(site.visits(base())) == list(range(50))
    fifo, lifo = STRATEGIES["breadth-first-fifo"], STRATEGIES["breadth-first-lifo"]
    order = fifo.start_order(FixedSizeEstimate(50), 1.0)
    visits = site.visits(order)
    assert fifo.order_revisits(order, visits) == visits[:-1]
    assert lifo.order_revisits(order, visits) == visits[:-1][::-1]
    assert STRATEGIES["breadth-first"].order_revisits(order, visits) == []


def test_unknown_names_are_told_apart_from_known_ones() -> None:
    with pytest.raises(UsageError, match="choose one of sharc-online"):
        find_strategy("sharc-imaginary")


def test_full_knowledge_makes_the_online_choice_the_offline_one() -> None:
    rates = TreeSite(300, 7, 1.0).rates
    order: PlannedOrder[int] = PlannedOrder(FixedSizeEstimate(300), patience=0.0)
    visits = simulate_visits(order, range(300), rates.__getitem__, lambda _: ())
    assert lifo_schedule(joined_revisit_slots(300), visits).lengths() == selective_schedule(rates).lengths()
