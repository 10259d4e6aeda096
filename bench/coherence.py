"""What planning costs: how long strategies take to order large sites, and what planning seldom loses.

    .venv/bin/python -m bench.coherence [--quick]

Times are processor times: planning waits for nothing, and other programs on the machine should not count. Sites are
the synthetic trees of the laboratory with cold leaves, on which plans are made most often.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Callable

from bench.measuring import result, say
from webkeep.coherence.schedules import expected_incoherence, joined_revisit_slots, lifo_schedule
from webkeep.coherence.strategies import FixedSizeEstimate, PlannedOrder, SizeEstimate, VisitOrder, simulate_visits
from webkeep.coherence.strategies.scouting_order import ScoutingOrder
from webkeep.coherence.strategies.visit_orders import OrganPipeOrder
from webkeep.lab.coherence.schedulers import offline_schedule, revisits_schedule, selective_schedule
from webkeep.lab.coherence.tree_site import TreeSite
from webkeep.lab.demo import LeafRates

MILLION, HUNDRED_THOUSAND = 1_000_000, 100_000
BARS = {
    "offline_1m_s": 5.0,
    "online_1m_s": 5.0,
    "revisits_1m_s": 5.0,
    "selective_offline_100k_s": 10.0,
    "selective_online_100k_s": 60.0,
    "selective_online_1m_s": 60.0,
    "amortised_loss": 0.005,
}
OUTDEGREES = (400, 10)
LOSS = ((10_000, 400), (30_000, 400), (4_000, 10))
QUICK_LOSS = ((10_000, 400), (1_000, 10))
"""Sites, by pages and outdegree, that are planned both ways."""
Task = Callable[[TreeSite], float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes between, and smaller sites to plan both ways")
    args = parser.parse_args()
    cost = {name: _by_size(name, task, sizes, args.quick) for name, (task, sizes) in TASKS.items()}
    online = [cost[f"{name}, outdegree {each}"] for name in ("selective online", "scouting") for each in OUTDEGREES]
    measured: dict[str, float] = {
        "offline_1m_s": cost["offline"][MILLION],
        "online_1m_s": cost["online"][MILLION],
        "revisits_1m_s": cost["revisits"][MILLION],
        "selective_offline_100k_s": cost["selective offline"][HUNDRED_THOUSAND],
        "selective_online_100k_s": max(seconds[HUNDRED_THOUSAND] for seconds in online),
        "selective_online_1m_s": max(seconds[MILLION] for seconds in online),
        "amortised_loss": _loss(QUICK_LOSS if args.quick else LOSS),
    }
    within = {name: measured[name] <= bar for name, bar in BARS.items()}
    result({**measured, "cost": cost, "bars": BARS, "within": within})


def _by_size(name: str, task: Task, sizes: tuple[int, ...], quick: bool) -> dict[int, float]:
    """The seconds for sites of these sizes; a quick run has the two largest."""
    seconds: dict[int, float] = {}
    for pages in sizes[-2:] if quick else sizes:
        gc.collect()
        seconds[pages] = round(task(TreeSite(pages)), 3)
        say(f"{name}, {pages:,} pages: {seconds[pages]:.2f} s, {1e6 * seconds[pages] / pages:.1f} µs a page")
    return seconds


def _offline(site: TreeSite) -> float:
    rates = _mixed(site)
    return _timed(lambda: offline_schedule(rates))


def _revisits(site: TreeSite) -> float:
    rates = _mixed(site)
    return _timed(lambda: revisits_schedule(rates))


def _selective(site: TreeSite) -> float:
    rates = _mixed(site)
    return _timed(lambda: selective_schedule(rates))


def _mixed(site: TreeSite) -> list[float]:
    """The rates in no order, because to sort what is in order costs nothing."""
    rates = site.rates
    random.Random(1).shuffle(rates)
    return rates


def _online(site: TreeSite) -> float:
    return _walked(site, OrganPipeOrder(FixedSizeEstimate(site.pages)))


def _planned(order: Callable[[SizeEstimate], VisitOrder[int]], outdegree: int) -> Task:
    def task(site: TreeSite) -> float:
        narrower = TreeSite(site.pages, site.leaves, outdegree=outdegree)
        return _walked(narrower, order(FixedSizeEstimate(site.pages)))

    return task


def _walked(site: TreeSite, order: VisitOrder[int]) -> float:
    rates = site.rates
    return _timed(lambda: simulate_visits(order, [0], rates.__getitem__, site.links))


def _timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


TASKS: dict[str, tuple[Task, tuple[int, ...]]] = {
    "offline": (_offline, (62_500, 250_000, MILLION)),
    "online": (_online, (62_500, 250_000, MILLION)),
    "revisits": (_revisits, (62_500, 250_000, MILLION)),
    "selective offline": (_selective, (12_500, 25_000, 50_000, HUNDRED_THOUSAND)),
    **{
        f"{name}, outdegree {each}": (_planned(order, each), (12_500, 25_000, 50_000, HUNDRED_THOUSAND, MILLION))
        for name, order in (("selective online", PlannedOrder), ("scouting", ScoutingOrder))
        for each in OUTDEGREES
    },
}


def _loss(sites: tuple[tuple[int, int], ...]) -> float:
    """The greatest share of incoherent pages that is lost by planning seldom, on wide trees and narrow ones."""
    worst = 0.0
    for pages, outdegree in sites:
        for leaves in LeafRates:
            site = TreeSite(pages, leaves, outdegree=outdegree)
            for order in (PlannedOrder, ScoutingOrder):
                full, seldom = (
                    _incoherence(site, order(FixedSizeEstimate(pages), patience=share)) for share in (0.0, 0.02)
                )
                loss = seldom / full - 1
                say(f"{order.__name__}, {pages:,} pages, outdegree {outdegree}, {leaves.value} leaves: {loss:+.3%}")
                worst = max(worst, loss)
    return round(worst, 5)


def _incoherence(site: TreeSite, order: VisitOrder[int]) -> float:
    visits = simulate_visits(order, [0], site.rate, site.links)
    return expected_incoherence(site.rates, lifo_schedule(joined_revisit_slots(site.pages), visits))


if __name__ == "__main__":
    main()
