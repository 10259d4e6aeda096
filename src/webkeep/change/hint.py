"""What sitemaps and HTTP fields say about how often a page changes, as rates per second.

Hints are never proof. A page known to be unchanged for some time overrules what is said about its future.
"""

from __future__ import annotations

import enum
import re
from math import log, sqrt

from webkeep.formats.http_date import read_date
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

SURENESS = 0.95
"""How likely a page is to stay the same for the period that is named."""
DAY = 86400.0
_PERIODS = [3600.0, DAY, 7 * DAY, 30 * DAY, 365 * DAY]
_NAMES = [
    ChangeFrequency.HOURLY,
    ChangeFrequency.DAILY,
    ChangeFrequency.WEEKLY,
    ChangeFrequency.MONTHLY,
    ChangeFrequency.YEARLY,
]
_MAX_AGE = re.compile(r"(?:^|[,\s])(?:s-)?max-?age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)


class Mean(enum.Enum):
    """Which middle of the rates that a word allows is taken."""

    ARITHMETIC = "arithmetic"
    GEOMETRIC = "geometric"


def frequency_rate(word: ChangeFrequency, delay: float, mean: Mean = Mean.ARITHMETIC) -> float:
    """The rate that a sitemap's word stands for, in the unit of the delay between requests (seconds here).

    The arithmetic mean is ruled by the shorter period, so that `hourly` at a delay of seconds is some thirty changes an
    hour; the geometric one is gentler.
    """
    factor = log(1 / SURENESS)
    if word is ChangeFrequency.ALWAYS:
        return 1 / delay
    if word is ChangeFrequency.NEVER:
        return factor / (2 * _PERIODS[-1])
    place = _NAMES.index(word)
    longer = _PERIODS[place]
    shorter = min(_PERIODS[place - 1], longer) if place else min(delay, longer)
    if mean is Mean.GEOMETRIC:
        return factor / sqrt(shorter * longer)
    return factor * (shorter + longer) / (2 * shorter * longer)


def sitemap_rate(entry: SitemapEntry, now: Moment, delay: float, mean: Mean = Mean.GEOMETRIC) -> float | None:
    """The rate that a sitemap entry lets expect; None where it says nothing."""
    age = _age(entry.lastmod, now, delay)
    if entry.changefreq is None:
        return None if age is None else 1 / age
    said = frequency_rate(entry.changefreq, delay, mean)
    return said if age is None else min(said, _ceiling(age))


def http_rate(headers: Headers, now: Moment, delay: float) -> float | None:
    """The rate that a response lets expect, by its last change or how long it may be kept; None if it is silent."""
    age = _age(_last_change(headers), now, delay)
    fresh = _freshness(headers, now)
    if fresh is None:
        return None if age is None else 1 / age
    said = log(1 / SURENESS) / max(fresh, delay)
    return said if age is None else min(max(said, 1 / age), _ceiling(age))


def _last_change(headers: Headers) -> Moment | None:
    """When a response says it was last changed; None where it was made at that very moment."""
    changed = read_date(headers.get("Last-Modified"))
    return None if changed is None or changed == read_date(headers.get("Date")) else changed


def _age(changed: Moment | None, now: Moment, delay: float) -> float | None:
    """How long ago the last change was; None where it is not known, or lies in the future."""
    if changed is None or changed > now:
        return None
    return max(now.seconds_since(changed), delay)


def _ceiling(age: float) -> float:
    """The highest rate at which a page would be unchanged for so long one time in twenty."""
    return -log(1 - SURENESS) / age


def _freshness(headers: Headers, now: Moment) -> float | None:
    """For how many seconds a response may be kept; None where it does not say, or says not at all."""
    if match := _MAX_AGE.search(headers.get("Cache-Control")):
        return float(match[1]) or None
    expires = read_date(headers.get("Expires"))
    if expires is None:
        return None
    sent = read_date(headers.get("Date")) or now
    return max(expires.seconds_since(sent), 0.0) or None
