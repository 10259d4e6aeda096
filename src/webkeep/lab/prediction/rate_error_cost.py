"""What it costs to plan with rates that are not the true ones: incoherent pages and blur, by where rates came from;
which sources and strategies are compared, and how many pages learners know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev

from webkeep.change.prediction import TrainingPage, train_predictor
from webkeep.change.rates import ObservationPair, RateTable, pair_observations
from webkeep.coherence.schedules import (
    VisitSchedule,
    expected_average_blur,
    expected_incoherence,
    joined_revisit_slots,
    lifo_schedule,
    single_visit_slots,
)
from webkeep.coherence.strategies import FixedSizeEstimate, find_strategy, simulate_visits
from webkeep.lab.coherence.schedulers.offline import offline_schedule
from webkeep.lab.coherence.schedulers.selective import selective_schedule
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.demo.sitemaps import changefreq_word
from webkeep.lab.prediction.accuracy import LEARNERS
from webkeep.lab.prediction.generated_archive import AFTER_LAST_CAPTURE, draw_observations, read_training_pages
from webkeep.lab.prediction.generated_sites import LabPage, SiteModel, children_by_page, generate_site
from webkeep.model import ChangeFrequency

_DAY_SECONDS = 86400.0
_TRAINING_INTERVAL_PAGES = 10
"""Every so many pages, one is known to the learners, as in the published experiments."""
TRUE_RATES, HISTORY_RATES, SITEMAP_RATES, CORRECTED_RATES, UNIFORM_RATES = (
    "true",
    "history",
    "sitemap",
    "sitemap and looks",
    "uniform",
)
PREDICTED_RATES = tuple(name for name in LEARNERS if name != "majority")
RATE_SOURCES = (TRUE_RATES, HISTORY_RATES, SITEMAP_RATES, CORRECTED_RATES, *PREDICTED_RATES, UNIFORM_RATES)
"""Where rates come from: the truth, earlier captures, a sitemap, the same with looks at a tenth of its pages, a learner
that knows this tenth, and nowhere."""
COHERENCE_STRATEGIES = ("selective-offline", "sharc-selective", "scouting", "hottest-last-lifo")
BLUR_STRATEGIES = ("sharc-offline", "sharc-online")


@dataclass(frozen=True, slots=True)
class RateErrorCost:
    """What a strategy made of a site with rates from one source."""

    site: str
    pages: int
    source: str
    incoherent: Mapping[str, float]
    """The share of pages to be incoherent, by strategy."""
    blur: Mapping[str, float]
    """The average blur of a page, by strategy."""
    saved: tuple[float, float] = (0.0, 0.0)
    """The share of pages that the first strategy saves against uniform rates, and the standard error of that."""

    @property
    def facts(self) -> dict[str, object]:
        """All figures by name."""
        return {
            "site": self.site,
            "pages": self.pages,
            "source": self.source,
            "incoherent": {name: round(share, 4) for name, share in self.incoherent.items()},
            "blur": {name: round(changes, 4) for name, changes in self.blur.items()},
            "saved": [round(share, 5) for share in self.saved],
        }


def measure_costs(manner: SiteModel, pages: int, seed: int, slow_down: float = 1.0) -> Iterator[RateErrorCost]:
    """A generated site captured with rates of each source; a capture takes as long as the whole history before it.

    Schedules are judged by the true rates, in closed form.
    """
    site = generate_site(manner, pages, seed)
    delay = slow_down * manner.captures * manner.interval * _DAY_SECONDS / (2 * len(site) - 1)
    true = [page.rate / _DAY_SECONDS for page in site]
    links = children_by_page(site)
    for source, rates in _rates_by_source(manner, site, delay, seed):
        plans = {name: _build_schedule(name, rates, links, delay) for name in (*COHERENCE_STRATEGIES, *BLUR_STRATEGIES)}
        incoherent = {name: expected_incoherence(true, plans[name]) / len(site) for name in COHERENCE_STRATEGIES}
        yield RateErrorCost(
            manner.name,
            len(site),
            source,
            incoherent,
            {name: expected_average_blur(true, plans[name]) for name in BLUR_STRATEGIES},
        )


def _build_schedule(name: str, rates: Sequence[float], links: Sequence[Sequence[int]], delay: float) -> VisitSchedule:
    if name == "selective-offline":
        return selective_schedule(rates, delay)
    if name == "sharc-offline":
        return offline_schedule(rates, delay)
    order = find_strategy(name).start_order(FixedSizeEstimate(len(rates)), delay)
    visits = simulate_visits(order, [0], rates.__getitem__, links.__getitem__)
    if name in BLUR_STRATEGIES:
        return VisitSchedule(single_visit_slots(len(rates), delay), tuple(visits))
    return lifo_schedule(joined_revisit_slots(len(rates), delay), visits)


def _rates_by_source(
    manner: SiteModel, site: Sequence[LabPage], delay: float, seed: int
) -> Iterator[tuple[str, list[float]]]:
    """Rates a second from every source, each through the rate table that a crawl keeps."""
    yield TRUE_RATES, [page.rate / _DAY_SECONDS for page in site]
    looks = list(pair_observations(draw_observations(manner, site, seed)))
    yield HISTORY_RATES, _read_rates(site, _add_pairs(RateTable(delay), looks))
    yield SITEMAP_RATES, _read_rates(site, _read_sitemap(site, delay))
    sample = _sample_training(read_training_pages(manner, site, seed), seed)
    shown = {lesson.url for lesson in sample}
    some = (look for look in looks if look.url in shown)
    yield CORRECTED_RATES, _read_rates(site, _add_pairs(_read_sitemap(site, delay), some))
    for name in PREDICTED_RATES:
        foretelling = train_predictor(sample, LEARNERS[name], horizon=len(site) * delay)
        yield name, _read_rates(site, RateTable(delay, predictor=foretelling))
    yield UNIFORM_RATES, _read_rates(site, RateTable(delay))


def _read_rates(site: Sequence[LabPage], rate_table: RateTable) -> list[float]:
    return [rate_table.rate(page.url).per_second for page in site]


def _add_pairs(rate_table: RateTable, looks: Iterable[ObservationPair]) -> RateTable:
    for look in looks:
        rate_table.add_pair(*look)
    return rate_table


def _read_sitemap(site: Sequence[LabPage], delay: float) -> RateTable:
    """A rate table that read a sitemap with the word nearest to each page's rate."""
    rate_table = RateTable(delay)
    for page in site:
        rate_table.add_sitemap_hint(
            page.url, ChangeFrequency(changefreq_word(page.rate / _DAY_SECONDS)), None, AFTER_LAST_CAPTURE
        )
    return rate_table


def _sample_training(known: Sequence[TrainingPage], seed: int) -> list[TrainingPage]:
    chance = SeededRandom("sample", seed)
    return chance.sample(known, max(len(known) // _TRAINING_INTERVAL_PAGES, 2))


def average_costs(made: Sequence[RateErrorCost], uniform: Sequence[RateErrorCost]) -> RateErrorCost:
    """The means over several sites of one manner, with rates from one source, held against those of uniform rates."""
    first = made[0]
    saved = [
        other.incoherent[COHERENCE_STRATEGIES[0]] - cost.incoherent[COHERENCE_STRATEGIES[0]]
        for cost, other in zip(made, uniform, strict=True)
    ]
    return RateErrorCost(
        first.site,
        first.pages,
        first.source,
        {name: sum(cost.incoherent[name] for cost in made) / len(made) for name in first.incoherent},
        {name: sum(cost.blur[name] for cost in made) / len(made) for name in first.blur},
        (sum(saved) / len(saved), stdev(saved) / sqrt(len(saved)) if len(saved) > 1 else 0.0),
    )
