"""The change rates of a crawl's pages: the best known now for each, where it came from (history, sitemap, feed, HTTP,
prediction, site, default), and how much each kind of hint is worth.

A page that was looked at twice has a history. What a sitemap, a feed, an HTTP answer or a predictor says of it is a
hint, which counts until history outweighs it. Every pair of looks teaches two things more: how far hints of that kind
are off on that site, and what its pages are like on the whole, for those of which nothing else is known.
"""

from __future__ import annotations

import enum
from array import array
from dataclasses import dataclass, field
from math import exp, expm1, isfinite, isnan, log, nan, sqrt
from typing import Protocol

from webkeep.change.rates.poll_chains import NO_POLLS, PollChains
from webkeep.change.rates.rate_estimators import Poll, hinted_rate
from webkeep.change.rates.rate_hints import DAY_SECONDS, http_rate, sitemap_rate
from webkeep.change.rates.url_rows import UrlRows
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

# The rate of a page and where it came from.


class RateSource(enum.StrEnum):
    """Where a rate came from, the most trusted first."""

    HISTORY = "history"
    SITEMAP = "sitemap"
    FEED = "feed"
    HTTP = "http"
    PREDICTION = "prediction"
    SITE = "site"
    """What pages of the same site are like."""
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """How often a page changes, in changes a second."""

    per_second: float
    source: RateSource
    looks: int = 0
    """How many intervals of history stand behind it."""


# How far hints of one kind are off, learned from looks at the pages they were given for.

_MAX_LOG_FACTOR = log(1e7)
"""Hints may be off by ten million times either way, and no more."""
_MAX_EXPONENT = 700.0
"""Beyond this a change is certain, and exp would leave the range of numbers."""


@dataclass(slots=True)
class HintScale:
    """A factor for rates, moved by every look towards what was seen.

    A site whose every page is said to change always, and never does, is found out by some twenty looks.
    """

    _log: float = 0.0
    _weight: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether any look has said something."""
        return self._weight > 0

    @property
    def factor(self) -> float:
        """What rates are to be multiplied by."""
        return exp(self._log)

    def set_factor(self, factor: float) -> None:
        """Begin with another factor than one."""
        self._log = max(-_MAX_LOG_FACTOR, min(log(factor), _MAX_LOG_FACTOR))

    def learn(self, rate: float, length: float, changed: bool) -> None:
        """Learn from a look so long after another, at a page of which this rate was said."""
        expected = -expm1(-min(rate * self.factor * length, _MAX_EXPONENT))
        step = (changed - expected) / sqrt(1 + self._weight)
        self._log = max(-_MAX_LOG_FACTOR, min(self._log + step, _MAX_LOG_FACTOR))
        # A look that could hardly have shown a change, and did not, says next to nothing.
        self._weight += max(expected, float(changed))


DEFAULT_RATE = 1 / (30 * DAY_SECONDS)
"""Of a page nothing is known of: one change a month, in changes a second."""
MIN_RATE, MAX_RATE = 1 / (100_000 * DAY_SECONDS), 1e3
"""Rates beyond these are taken to be these."""
MAX_PAIR_SECONDS = 100 * 365 * DAY_SECONDS
"""Looks further apart than this are a clock's error."""
_MAX_SITES = 10_000
"""Hosts that are told apart; further ones are taken together, so that memory is bounded."""
_OTHER_SITES = ""
_HINT_WEIGHTS = {
    RateSource.SITEMAP: 0.5,
    RateSource.FEED: 0.3,
    RateSource.HTTP: 0.3,
    RateSource.PREDICTION: 0.5,
    RateSource.SITE: 0.1,
    RateSource.DEFAULT: 0.1,
}
"""How many changes seen a hint is worth: little where pages of one kind differ by powers of ten."""
HINT_ORDER = (RateSource.SITEMAP, RateSource.FEED, RateSource.HTTP, RateSource.PREDICTION)
"""Hints in the order they are believed."""


class UrlRatePredictor(Protocol):
    """Whatever can tell a rate by a URL alone."""

    def url_rate(self, url: str) -> float:
        """The rate to expect, in changes a second."""
        ...


@dataclass(slots=True)
class _SiteRates:
    """What is known of all pages of a site together."""

    scales: dict[RateSource, HintScale] = field(default_factory=dict)
    logs: float = 0.0
    hints: int = 0

    def scale_of(self, source: RateSource) -> HintScale:
        return self.scales.setdefault(source, HintScale())

    def scale_rate(self, source: RateSource, rate: float) -> float:
        scale = self.scales.get(source)
        return rate if scale is None else rate * scale.factor


class RateTable:
    """Hears what there is to hear about pages and answers with their rates; nothing it hears can break it."""

    def __init__(
        self,
        delay: float = 1.0,
        default: float = DEFAULT_RATE,
        predictor: UrlRatePredictor | None = None,
        most: int = 4_000_000,
        trust: tuple[RateSource, ...] = HINT_ORDER,
        salt: int = 0,
    ) -> None:
        """`delay` is that between requests, in seconds; beyond `most` pages nothing is kept of single ones."""
        self._delay = max(delay, 1e-3) if isfinite(delay) else 1.0
        self._default = _bound_rate(default) or DEFAULT_RATE
        self._url_predictor, self._trust = predictor, trust
        self._rows, self._poll_chains = UrlRows(most, salt), PollChains()
        self._hints = {source: array("f") for source in HINT_ORDER}
        self._newest = array("i")
        self._counts = array("I")
        self._sites: dict[str, _SiteRates] = {}

    def __len__(self) -> int:
        """Of how many pages something was heard."""
        return len(self._rows)

    def add_sitemap_hint(
        self, url: str, changefreq: ChangeFrequency | None, lastmod: Moment | None, now: Moment
    ) -> None:
        """A sitemap spoke of a page."""
        rate = sitemap_rate(SitemapEntry(url, lastmod, changefreq), now, self._delay)
        self._add_hint(url, RateSource.SITEMAP, rate)

    def add_feed_hint(self, url: str, updated: Moment | None, now: Moment) -> None:
        """A feed named a page, and when it was last changed."""
        self._add_hint(url, RateSource.FEED, sitemap_rate(SitemapEntry(url, updated), now, self._delay))

    def add_response_hint(self, url: str, headers: Headers, moment: Moment) -> None:
        """A server answered a request for a page."""
        self._add_hint(url, RateSource.HTTP, http_rate(headers, moment, self._delay))

    def add_prediction(self, url: str, per_second: float) -> None:
        """A predictor that knows more than the URL told a rate."""
        self._add_hint(url, RateSource.PREDICTION, per_second)

    def add_pair(self, url: str, first: Moment, second: Moment, changed: bool) -> None:
        """A page was looked at twice, and had changed in between or not."""
        length = second.seconds_since(first)
        if not 0 < length <= MAX_PAIR_SECONDS:
            return
        site = self._site_of(url)
        base = site.scale_of(RateSource.SITE)
        if not base.is_known and site.hints:
            base.set_factor(exp(site.logs / site.hints) / self._default)
        base.learn(self._default, length, changed)
        row = self._row_of(url)
        if row < 0:
            return
        for source, rate in self._hints_of(url, row).items():
            site.scale_of(source).learn(rate, length, changed)
        self._newest[row] = self._poll_chains.add(self._newest[row], length, changed)
        self._counts[row] += 1

    def rate(self, url: str) -> ChangeRate:
        """The best rate known now, and where it came from."""
        row, site = self._rows.find_row(url), self._site_of(url)
        hint = self._hinted_rate(url, row, site)
        polls = self._polls_of(row)
        if not polls:
            return hint
        rate = hinted_rate(polls, hint.per_second, _HINT_WEIGHTS[hint.source])
        return ChangeRate(_bound_rate(rate) or MIN_RATE, RateSource.HISTORY, self._counts[row])

    def _add_hint(self, url: str, source: RateSource, rate: float | None) -> None:
        said = None if rate is None else _bound_rate(rate)
        if said is None or (row := self._row_of(url)) < 0:
            return
        column, site = self._hints[source], self._site_of(url)
        if isnan(column[row]):
            site.hints += 1
        else:
            site.logs -= log(column[row])
        column[row] = said
        site.logs += log(column[row])

    def _hinted_rate(self, url: str, row: int, site: _SiteRates) -> ChangeRate:
        known = self._hints_of(url, row)
        for source in self._trust:
            if source in known:
                return ChangeRate(_bound_rate(site.scale_rate(source, known[source])) or MIN_RATE, source)
        return self._site_rate(site)

    def _site_rate(self, site: _SiteRates) -> ChangeRate:
        """What a page is like of which only its site is known."""
        base = site.scales.get(RateSource.SITE)
        if base is not None and base.is_known:
            return ChangeRate(_bound_rate(self._default * base.factor) or MIN_RATE, RateSource.SITE)
        if site.hints:
            return ChangeRate(exp(site.logs / site.hints), RateSource.SITE)
        return ChangeRate(self._default, RateSource.DEFAULT)

    def _hints_of(self, url: str, row: int) -> dict[RateSource, float]:
        """What each source says of a page."""
        known = {}
        if row >= 0:
            known = {source: rate for source in HINT_ORDER if not isnan(rate := self._hints[source][row])}
        if self._url_predictor is not None and RateSource.PREDICTION not in known:
            foretold = _bound_rate(self._url_predictor.url_rate(url))
            if foretold is not None:
                known[RateSource.PREDICTION] = foretold
        return known

    def _polls_of(self, row: int) -> list[Poll]:
        return self._poll_chains.polls_of(self._newest[row]) if row >= 0 else []

    def _row_of(self, url: str) -> int:
        row = self._rows.find_or_add_row(url)
        if row == len(self._newest):
            self._newest.append(NO_POLLS)
            self._counts.append(0)
            for column in self._hints.values():
                column.append(nan)
        return row

    def _site_of(self, url: str) -> _SiteRates:
        host = url.partition("://")[2].partition("/")[0]
        site = self._sites.get(host)
        if site is None:
            kept = host if len(self._sites) < _MAX_SITES else _OTHER_SITES
            site = self._sites.setdefault(kept, _SiteRates())
        return site


def _bound_rate(rate: float) -> float | None:
    """The rate, no hotter and no colder than can be; None where it is no rate."""
    return None if isnan(rate) or rate < 0 else min(max(rate, MIN_RATE), MAX_RATE)
