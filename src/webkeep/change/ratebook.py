"""The rates of a crawl's pages: the best known now for each, and where it came from.

A page that was looked at twice has a history. What a sitemap, a feed, an HTTP answer or a predictor says of it is a
hint, which counts until history outweighs it. Every pair of looks teaches two things more: how far hints of that kind
are off on that site, and what its pages are like on the whole, for those of which nothing else is known.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import exp, isfinite, isnan, log, nan
from typing import Protocol

from webkeep.change.hint import DAY, http_rate, sitemap_rate
from webkeep.change.looks import NONE, Looks
from webkeep.change.polling import Poll, weighed_rate
from webkeep.change.rate import Rate, RateSource
from webkeep.change.scale import Scale
from webkeep.change.url_rows import UrlRows
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

ONCE_A_MONTH = 1 / (30 * DAY)
COLDEST, HOTTEST = 1 / (100_000 * DAY), 1e3
"""Rates beyond these are taken to be these."""
LONGEST = 100 * 365 * DAY
"""Looks further apart than this are a clock's error."""
_MOST_SITES = 10_000
_OTHER_SITES = ""
_WEIGHTS = {
    RateSource.SITEMAP: 0.5,
    RateSource.FEED: 0.3,
    RateSource.HTTP: 0.3,
    RateSource.PREDICTION: 0.5,
    RateSource.SITE: 0.1,
    RateSource.DEFAULT: 0.1,
}
"""How many changes seen a hint is worth: little where pages of one kind differ by powers of ten."""
TRUST = (RateSource.SITEMAP, RateSource.FEED, RateSource.HTTP, RateSource.PREDICTION)
"""Hints in the order they are believed."""


class Foretelling(Protocol):
    """Whatever can tell a rate by a URL alone."""

    def url_rate(self, url: str) -> float:
        """The rate to expect, in changes a second."""
        ...


@dataclass(slots=True)
class _Site:
    """What is known of all pages of a site together."""

    scales: dict[RateSource, Scale] = field(default_factory=dict)
    logs: float = 0.0
    hints: int = 0

    def scale(self, source: RateSource) -> Scale:
        return self.scales.setdefault(source, Scale())

    def scaled(self, source: RateSource, rate: float) -> float:
        scale = self.scales.get(source)
        return rate if scale is None else rate * scale.factor


class RateBook:
    """Hears what there is to hear about pages and answers with their rates; nothing it hears can break it."""

    def __init__(
        self,
        delay: float = 1.0,
        default: float = ONCE_A_MONTH,
        foretelling: Foretelling | None = None,
        most: int = 4_000_000,
        trust: tuple[RateSource, ...] = TRUST,
        salt: int = 0,
    ) -> None:
        """`delay` is that between requests, in seconds; beyond `most` pages nothing is kept of single ones."""
        self._delay = max(delay, 1e-3) if isfinite(delay) else 1.0
        self._default = _bounded(default) or ONCE_A_MONTH
        self._foretelling, self._trust = foretelling, trust
        self._rows, self._looks = UrlRows(most, salt), Looks()
        self._hints = {source: array("f") for source in TRUST}
        self._newest = array("i")
        self._counts = array("I")
        self._sites: dict[str, _Site] = {}

    def __len__(self) -> int:
        """Of how many pages something was heard."""
        return len(self._rows)

    def heard_sitemap(self, url: str, changefreq: ChangeFrequency | None, lastmod: Moment | None, now: Moment) -> None:
        """A sitemap spoke of a page."""
        rate = sitemap_rate(SitemapEntry(url, lastmod, changefreq), now, self._delay)
        self._heard(url, RateSource.SITEMAP, rate)

    def heard_feed(self, url: str, updated: Moment | None, now: Moment) -> None:
        """A feed named a page, and when it was last changed."""
        self._heard(url, RateSource.FEED, sitemap_rate(SitemapEntry(url, updated), now, self._delay))

    def heard_answer(self, url: str, headers: Headers, moment: Moment) -> None:
        """A server answered a request for a page."""
        self._heard(url, RateSource.HTTP, http_rate(headers, moment, self._delay))

    def heard_prediction(self, url: str, per_second: float) -> None:
        """A predictor that knows more than the URL told a rate."""
        self._heard(url, RateSource.PREDICTION, per_second)

    def heard_pair(self, url: str, first: Moment, second: Moment, changed: bool) -> None:
        """A page was looked at twice, and had changed in between or not."""
        length = second.seconds_since(first)
        if not 0 < length <= LONGEST:
            return
        site = self._site(url)
        base = site.scale(RateSource.SITE)
        if not base.is_known and site.hints:
            base.start(exp(site.logs / site.hints) / self._default)
        base.saw(self._default, length, changed)
        row = self._row(url)
        if row < 0:
            return
        for source, rate in self._known_of(url, row).items():
            site.scale(source).saw(rate, length, changed)
        self._newest[row] = self._looks.add(self._newest[row], length, changed)
        self._counts[row] += 1

    def rate(self, url: str) -> Rate:
        """The best rate known now, and where it came from."""
        row, site = self._rows.find(url), self._site(url)
        hint = self._hinted(url, row, site)
        polls = self._polls(row)
        if not polls:
            return hint
        rate = weighed_rate(polls, hint.per_second, _WEIGHTS[hint.source])
        return Rate(_bounded(rate) or COLDEST, RateSource.HISTORY, self._counts[row])

    def _heard(self, url: str, source: RateSource, rate: float | None) -> None:
        said = None if rate is None else _bounded(rate)
        if said is None or (row := self._row(url)) < 0:
            return
        column, site = self._hints[source], self._site(url)
        if isnan(column[row]):
            site.hints += 1
        else:
            site.logs -= log(column[row])
        column[row] = said
        site.logs += log(column[row])

    def _hinted(self, url: str, row: int, site: _Site) -> Rate:
        known = self._known_of(url, row)
        for source in self._trust:
            if source in known:
                return Rate(_bounded(site.scaled(source, known[source])) or COLDEST, source)
        return self._usual(site)

    def _usual(self, site: _Site) -> Rate:
        """What a page is like of which only its site is known."""
        base = site.scales.get(RateSource.SITE)
        if base is not None and base.is_known:
            return Rate(_bounded(self._default * base.factor) or COLDEST, RateSource.SITE)
        if site.hints:
            return Rate(exp(site.logs / site.hints), RateSource.SITE)
        return Rate(self._default, RateSource.DEFAULT)

    def _known_of(self, url: str, row: int) -> dict[RateSource, float]:
        """What each source says of a page."""
        known = {}
        if row >= 0:
            known = {source: rate for source in TRUST if not isnan(rate := self._hints[source][row])}
        if self._foretelling is not None and RateSource.PREDICTION not in known:
            foretold = _bounded(self._foretelling.url_rate(url))
            if foretold is not None:
                known[RateSource.PREDICTION] = foretold
        return known

    def _polls(self, row: int) -> list[Poll]:
        return self._looks.of(self._newest[row]) if row >= 0 else []

    def _row(self, url: str) -> int:
        row = self._rows.give(url)
        if row == len(self._newest):
            self._newest.append(NONE)
            self._counts.append(0)
            for column in self._hints.values():
                column.append(nan)
        return row

    def _site(self, url: str) -> _Site:
        host = url.partition("://")[2].partition("/")[0]
        site = self._sites.get(host)
        if site is None:
            kept = host if len(self._sites) < _MOST_SITES else _OTHER_SITES
            site = self._sites.setdefault(kept, _Site())
        return site


def _bounded(rate: float) -> float | None:
    """The rate, no hotter and no colder than can be; None where it is no rate."""
    return None if isnan(rate) or rate < 0 else min(max(rate, COLDEST), HOTTEST)
