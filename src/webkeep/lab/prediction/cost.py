"""What it costs to plan with rates that are not the true ones: incoherent pages and blur, by where rates came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev

from webkeep.change import Lesson, Pair, RateBook, pairs, trained
from webkeep.coherence import (
    FixedSize,
    Schedule,
    average_blur,
    expected_incoherence,
    joined,
    offline,
    pyramid,
    selective,
    single,
    strategy_named,
    walk,
)
from webkeep.lab.demo.chance import Chance
from webkeep.lab.demo.sitemaps import frequency
from webkeep.lab.prediction.accuracy import LEARNERS
from webkeep.lab.prediction.archived import END, observations, taught
from webkeep.lab.prediction.sites import Manner, Page, children_of, generated
from webkeep.model import ChangeFrequency

_DAY = 86400.0
_TAUGHT = 10
"""Every so many pages, one is known to the learners, as in the published experiments."""
TRUE, HISTORY, SITEMAP, CORRECTED, UNIFORM = "true", "history", "sitemap", "sitemap and looks", "uniform"
PREDICTED = tuple(name for name in LEARNERS if name != "majority")
SOURCES = (TRUE, HISTORY, SITEMAP, CORRECTED, *PREDICTED, UNIFORM)
"""Where rates come from: the truth, earlier captures, a sitemap, the same with looks at a tenth of its pages, a learner
that knows this tenth, and nowhere."""
COHERENT = ("selective-offline", "sharc-selective", "scouting", "hottest-last-lifo")
BLURRED = ("sharc-offline", "sharc-online")


@dataclass(frozen=True, slots=True)
class Cost:
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


def costs(manner: Manner, pages: int, seed: int, slow_down: float = 1.0) -> Iterator[Cost]:
    """A generated site captured with rates of each source; a capture takes as long as the whole history before it.

    Schedules are judged by the true rates, in closed form.
    """
    site = generated(manner, pages, seed)
    delay = slow_down * manner.captures * manner.interval * _DAY / (2 * len(site) - 1)
    true = [page.rate / _DAY for page in site]
    links = children_of(site)
    for source, rates in _sources(manner, site, delay, seed):
        plans = {name: _plan(name, rates, links, delay) for name in (*COHERENT, *BLURRED)}
        incoherent = {name: expected_incoherence(true, plans[name]) / len(site) for name in COHERENT}
        yield Cost(
            manner.name, len(site), source, incoherent, {name: average_blur(true, plans[name]) for name in BLURRED}
        )


def _plan(name: str, rates: Sequence[float], links: Sequence[Sequence[int]], delay: float) -> Schedule:
    if name == "selective-offline":
        return selective(rates, delay)
    if name == "sharc-offline":
        return offline(rates, delay)
    order = strategy_named(name).start(FixedSize(len(rates)), delay)
    visits = walk(order, [0], rates.__getitem__, links.__getitem__)
    if name in BLURRED:
        return Schedule(single(len(rates), delay), tuple(visits))
    return pyramid(joined(len(rates), delay), visits)


def _sources(manner: Manner, site: Sequence[Page], delay: float, seed: int) -> Iterator[tuple[str, list[float]]]:
    """Rates a second from every source, each through the book that a crawl keeps."""
    yield TRUE, [page.rate / _DAY for page in site]
    looks = list(pairs(observations(manner, site, seed)))
    yield HISTORY, _told(site, _having_heard(RateBook(delay), looks))
    yield SITEMAP, _told(site, _having_read(site, delay))
    sample = _sample(taught(manner, site, seed), seed)
    shown = {lesson.url for lesson in sample}
    some = (look for look in looks if look.url in shown)
    yield CORRECTED, _told(site, _having_heard(_having_read(site, delay), some))
    for name in PREDICTED:
        foretelling = trained(sample, LEARNERS[name], horizon=len(site) * delay)
        yield name, _told(site, RateBook(delay, foretelling=foretelling))
    yield UNIFORM, _told(site, RateBook(delay))


def _told(site: Sequence[Page], book: RateBook) -> list[float]:
    return [book.rate(page.url).per_second for page in site]


def _having_heard(book: RateBook, looks: Iterable[Pair]) -> RateBook:
    for look in looks:
        book.heard_pair(*look)
    return book


def _having_read(site: Sequence[Page], delay: float) -> RateBook:
    """A book that read a sitemap with the word nearest to each page's rate."""
    book = RateBook(delay)
    for page in site:
        book.heard_sitemap(page.url, ChangeFrequency(frequency(page.rate / _DAY)), None, END)
    return book


def _sample(known: Sequence[Lesson], seed: int) -> list[Lesson]:
    chance = Chance("sample", seed)
    return chance.some(known, max(len(known) // _TAUGHT, 2))


def averaged(made: Sequence[Cost], uniform: Sequence[Cost]) -> Cost:
    """The means over several sites of one manner, with rates from one source, held against those of uniform rates."""
    first = made[0]
    saved = [
        other.incoherent[COHERENT[0]] - cost.incoherent[COHERENT[0]] for cost, other in zip(made, uniform, strict=True)
    ]
    return Cost(
        first.site,
        first.pages,
        first.source,
        {name: sum(cost.incoherent[name] for cost in made) / len(made) for name in first.incoherent},
        {name: sum(cost.blur[name] for cost in made) / len(made) for name in first.blur},
        (sum(saved) / len(saved), stdev(saved) / sqrt(len(saved)) if len(saved) > 1 else 0.0),
    )
