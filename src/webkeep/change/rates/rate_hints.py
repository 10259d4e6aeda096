"""What sitemaps (changefreq, lastmod) and HTTP fields (Last-Modified, Expires, Cache-Control max-age) say about how
often a page changes, as rates per second.

Hints are never proof. A page known to be unchanged for some time overrules what is said about its future.
"""

from __future__ import annotations

import enum
import re
from math import log, sqrt

from webkeep.formats.http import parse_http_date
from webkeep.model import ChangeFrequency, Headers, Moment, SitemapEntry

UNCHANGED_PROBABILITY = 0.95
"""How likely a page is to stay the same for the period that is named."""
DAY_SECONDS = 86400.0
_PERIOD_SECONDS = [3600.0, DAY_SECONDS, 7 * DAY_SECONDS, 30 * DAY_SECONDS, 365 * DAY_SECONDS]
_PERIOD_NAMES = [
    ChangeFrequency.HOURLY,
    ChangeFrequency.DAILY,
    ChangeFrequency.WEEKLY,
    ChangeFrequency.MONTHLY,
    ChangeFrequency.YEARLY,
]
_MAX_AGE = re.compile(r"(?:^|[,\s])(?:s-)?max-?age\s*=\s*\"?(\d{1,12})", re.IGNORECASE)


class RateMean(enum.Enum):
    """Which middle of the rates that a word allows is taken."""

    ARITHMETIC = "arithmetic"
    GEOMETRIC = "geometric"


def frequency_rate(word: ChangeFrequency, delay: float, mean: RateMean = RateMean.ARITHMETIC) -> float:
    """The rate that a sitemap's word stands for, in the unit of the delay between requests (seconds here).

    The arithmetic mean is ruled by the shorter period, so that `hourly` at a delay of seconds is some thirty changes an
    hour; the geometric one is gentler.
    """
    factor = log(1 / UNCHANGED_PROBABILITY)
    if word is ChangeFrequency.ALWAYS:
        return 1 / delay
    if word is ChangeFrequency.NEVER:
        return factor / (2 * _PERIOD_SECONDS[-1])
    place = _PERIOD_NAMES.index(word)
    longer = _PERIOD_SECONDS[place]
    shorter = min(_PERIOD_SECONDS[place - 1], longer) if place else min(delay, longer)
    if mean is RateMean.GEOMETRIC:
        return factor / sqrt(shorter * longer)
    return factor * (shorter + longer) / (2 * shorter * longer)


def sitemap_rate(entry: SitemapEntry, now: Moment, delay: float, mean: RateMean = RateMean.GEOMETRIC) -> float | None:
    """The rate that a sitemap entry lets expect; None where it says nothing."""
    age = _seconds_unchanged(entry.lastmod, now, delay)
    if entry.changefreq is None:
        return None if age is None else 1 / age
    said = frequency_rate(entry.changefreq, delay, mean)
    return said if age is None else min(said, _highest_rate(age))


def http_rate(headers: Headers, now: Moment, delay: float) -> float | None:
    """The rate that a response lets expect, by its last change or how long it may be kept; None if it is silent."""
    age = _seconds_unchanged(_last_change(headers), now, delay)
    fresh = _fresh_seconds(headers, now)
    if fresh is None:
        return None if age is None else 1 / age
    said = log(1 / UNCHANGED_PROBABILITY) / max(fresh, delay)
    return said if age is None else min(max(said, 1 / age), _highest_rate(age))


def _last_change(headers: Headers) -> Moment | None:
    """When a response says it was last changed; None where it was made at that very moment."""
    changed = parse_http_date(headers.get("Last-Modified"))
    return None if changed is None or changed == parse_http_date(headers.get("Date")) else changed


def _seconds_unchanged(changed: Moment | None, now: Moment, delay: float) -> float | None:
    """How long ago the last change was; None where it is not known, or lies in the future."""
    if changed is None or changed > now:
        return None
    return max(now.seconds_since(changed), delay)


def _highest_rate(age: float) -> float:
    """The highest rate at which a page would be unchanged for so long one time in twenty."""
    return -log(1 - UNCHANGED_PROBABILITY) / age


def _fresh_seconds(headers: Headers, now: Moment) -> float | None:
    """For how many seconds a response may be kept; None where it does not say, or says not at all."""
    if match := _MAX_AGE.search(headers.get("Cache-Control")):
        return float(match[1]) or None
    expires = parse_http_date(headers.get("Expires"))
    if expires is None:
        return None
    sent = parse_http_date(headers.get("Date")) or now
    return max(expires.seconds_since(sent), 0.0) or None
