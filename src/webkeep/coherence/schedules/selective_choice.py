"""Which pages to give up so that the others stay coherent: the choice of SHARC-Selective, in nearly linear time.

Pages are taken from the hottest to the coldest. Each either keeps the shortest free length or is sacrificed to the
longest one, which moves everybody behind it one step shorter. With `s` pages sacrificed so far, page `m` is bound for
length `first + step * (top - m - s)`. What the others gain by one more sacrifice is a sum of terms that grow
by `exp(step * rate)` with every sacrifice. Pages of like rates are gathered in bands, and within a band that growth is
a short power series around the band's middle rate. A sacrifice then costs a look at each band instead of at each page.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import exp, expm1, factorial, inf
from operator import mul

_SERIES_DEGREE = 14
"""Terms of the series around the middle of an octave: the next would be below rounding."""
_NEGLIGIBLE_EXPONENT = 42.0
"""Terms below exp(-42) change no sum of interest."""
_TIE_SHARE = 1e-11
"""Differences below this share of the greatest gain are rounding, not reason: ties keep the page hopeful."""
_MIN_GROWTH = 2.0**-200
"""Changes in a step below which a page counts as never changing: the series' highest moments of anything smaller, some
hundred orders of magnitude below it, would underflow, and the sums be decided by what is missing there."""


def choose_hopeless(rates: Sequence[float], first: float, step: float) -> list[int]:
    """The pages to give up, hottest first, by their index in `rates`, which ascend.

    The free lengths are `first`, `first + step`, …; where the shortest is zero, the hottest page has it unasked.
    """
    given_up: list[int] = []
    page = len(rates) - 1 if first > 0 else len(rates) - 2
    if page < 0:
        return given_up
    if rates[0] * (first or step) >= 1:
        return _all_but_coldest(rates, page)
    gains = _SacrificeGains(rates, first, step)
    gain = peak = gains.total(page, 0)
    while page >= 0:
        count = len(given_up)
        if gains.cost(page, count) >= gain - _TIE_SHARE * peak:
            page -= 1
            gain = max(gain - gains.term(page, count), 0.0) if page >= 0 else 0.0
        else:
            given_up.append(page)
            page -= 1
            gain = gains.total(page, count + 1)
            peak = max(peak, gain)
    return given_up


def _all_but_coldest(rates: Sequence[float], hottest: int) -> list[int]:
    """The choice where no page is likely to last even the shortest length.

    There the coherence of a page falls faster with length the colder it is, so that exchanging two pages always gains
    if the hotter one goes to the longer length. The sums that would say so are too small for numbers.
    """
    return list(range(hottest, bisect_right(rates, rates[0]) - 1, -1))


def hottest_visit_price(rates: Sequence[float], first: float, step: float) -> float:
    """How much coherence is lost by visiting the hottest page now instead of last; below zero where that gains some."""
    hottest, offset = len(rates) - 1, first / step
    lost = exp(-rates[-1] * first) * -expm1(-rates[-1] * step * hottest)
    gained = sum(
        -expm1(-rate * step) * exp(-rate * step * (offset + hottest - page - 1)) for page, rate in enumerate(rates[:-1])
    )
    return lost - gained


class _SacrificeGains:
    """What all pages colder than one would gain if it went to the longest length."""

    def __init__(self, rates: Sequence[float], first: float, step: float) -> None:
        self._rates, self._step = rates, step
        self._top = len(rates) - 1
        self._offset = first / step
        self._growths = [growth if (growth := rate * step) > _MIN_GROWTH else 0.0 for rate in rates]
        self._bands, self._hot = _build_bands(self._growths, self._offset)

    def cost(self, page: int, count: int) -> float:
        """What the page itself would lose."""
        growth = self._growths[page]
        kept = self._offset + self._top - page - count
        return exp(-growth * kept) * -expm1(-growth * page)  # the longest length lies as many steps away

    def term(self, page: int, count: int) -> float:
        """What one page would gain."""
        growth = self._growths[page]
        return -expm1(-growth) * exp(-growth * (self._offset + self._top - page - count - 1))

    def total(self, page: int, count: int) -> float:
        """What all pages colder than this one would gain."""
        banded = sum(band.total(min(band.high, page), count) for band in self._bands if band.low < page)
        return banded + self._sum_directly(page, count)

    def _sum_directly(self, page: int, count: int) -> float:
        """The part of pages too hot for a series: they are so soon hopeless that few of them count."""
        total = 0.0
        for colder in range(page - 1, max(self._hot, page - 1 - int(_NEGLIGIBLE_EXPONENT)) - 1, -1):
            total += self.term(colder, count)
        return total


class _RateBand:
    """Pages `low` to `high` whose growths lie within one octave, and the moments of their terms around its middle."""

    def __init__(self, growths: Sequence[float], low: int, high: int, octave: tuple[float, float], last: float) -> None:
        self.low, self.high = low, high
        self._growths, self._last = growths, last
        self._middle = sum(octave) / 2
        self._window = 2 / (octave[1] - octave[0])
        self._reach = _NEGLIGIBLE_EXPONENT / octave[0] if octave[0] > 0 else inf
        self._moments = [0.0] * (_SERIES_DEGREE + 1)
        """Each divided by the factorial of its order, as the series has them; the highest order first."""
        self._held = (low, low)
        self._centre = -inf

    def total(self, high: int, count: int) -> float:
        """The terms of pages below `high`, with so many sacrificed; neither asks for more than an earlier call did."""
        if count > self._centre + self._window:
            self._centre = count + self._window
            self._recompute_moments(high)
        low, held = self._held
        if high < held:
            self._drop_pages(high, held)
            self._held = low, max(low, high)
        if high <= low:
            return 0.0
        behind = count - self._centre
        total = 0.0
        for moment in self._moments:
            total = total * behind + moment
        return max(total * exp(self._middle * behind), 0.0)

    def _recompute_moments(self, high: int) -> None:
        """Sum the moments anew around a count some way ahead."""
        far = self._last - self._centre - self._window - self._reach
        low = min(max(self.low, int(far)), high) if far > self.low else self.low
        weights = [self._weight(page) for page in range(low, high)]
        apart = [growth - self._middle for growth in self._growths[low:high]]
        for order in range(_SERIES_DEGREE + 1):
            self._moments[_SERIES_DEGREE - order] = sum(weights) / factorial(order)
            weights = list(map(mul, weights, apart))
        self._held = low, high

    def _drop_pages(self, low: int, high: int) -> None:
        for page in range(max(low, self._held[0]), high):
            weight, apart = self._weight(page), self._growths[page] - self._middle
            for order in range(_SERIES_DEGREE + 1):
                self._moments[_SERIES_DEGREE - order] -= weight
                weight *= apart / (order + 1)

    def _weight(self, page: int) -> float:
        growth = self._growths[page]
        return -expm1(-growth) * exp(-growth * (self._last - page - self._centre - 1))


def _build_bands(growths: Sequence[float], offset: float) -> tuple[list[_RateBand], int]:
    """Bands of an octave each up to a growth of one, all that is coldest in one band, and where the hotter begin."""
    last = offset + len(growths) - 1
    bands: list[_RateBand] = []
    low = bisect_right(growths, 0.0)
    hot = bisect_left(growths, 1.0)
    octave = (0.0, 1.0)
    while octave[1] * len(growths) > 1:
        octave = (0.0, octave[1] / 2)
    while low < hot:
        high = min(bisect_left(growths, octave[1], low), hot)
        if high > low:
            bands.append(_RateBand(growths, low, high, octave, last))
        low, octave = high, (octave[1], octave[1] * 2)
    return bands, hot
