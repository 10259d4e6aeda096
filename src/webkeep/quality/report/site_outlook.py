"""What a capture would mean before it is begun: what robots.txt and sitemaps say, and an estimate of pages, time and
space from one page that was looked at.

An estimate has a least and a most; None is what nobody can know from there, such as how many pages links lead to where
no sitemap lists them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LEAST_SECONDS_PER_URL = 0.05
"""Where no delay is kept: no server answers faster for long."""


class RobotsAnswer(enum.StrEnum):
    """What robots.txt says of a page."""

    NONE = "none"
    """There is none: all may be asked for."""
    ALLOWED = "allowed"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


class BrowserNeed(enum.StrEnum):
    """Whether a page has to be run in a browser."""

    NEEDED = "needed"
    """Its scripts ask for what nothing else leads to."""
    NOT_NEEDED = "not needed"
    UNKNOWN = "unknown"
    """No browser ran, or the page gave no answer."""


@dataclass(frozen=True, slots=True)
class RobotsOutlook:
    """What robots.txt says."""

    answer: RobotsAnswer
    rule: str = ""
    """The one that decides on the page."""
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class SitemapOutlook:
    """What sitemaps list."""

    files: int = 0
    """Files that were read."""
    urls: int = 0
    """URLs in them that are in scope."""
    is_whole: bool = False
    """Whether all of them were read, to their ends."""


@dataclass(frozen=True, slots=True)
class PageOutlook:
    """What one page is made of."""

    bytes: int
    parts: int
    """URLs beside its own that it asks for."""
    part_bytes: int
    links: int
    """Links within the scope."""
    browser: BrowserNeed
    browser_seconds: float = 0.0
    delay: float = 0.0
    """Seconds that its host was left in peace."""
    delay_reason: str = ""


@dataclass(frozen=True, slots=True)
class EstimateRange:
    """A number that is not known, between two that are; None has no bound."""

    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class CaptureEstimate:
    """What a capture would take."""

    pages: EstimateRange
    seconds: EstimateRange
    bytes: EstimateRange


@dataclass(frozen=True, slots=True)
class ScopeLimits:
    """What a plan says of how far a capture goes."""

    is_page_alone: bool
    depth: int | None = None
    max_urls: int | None = None


@dataclass(frozen=True, slots=True)
class SiteOutlook:
    """What a capture would mean; None is what is not known."""

    robots: RobotsOutlook
    sitemap: SitemapOutlook
    page: PageOutlook | None = None
    estimate: CaptureEstimate | None = None


def estimate_capture(page: PageOutlook, sitemap: SitemapOutlook, limits: ScopeLimits) -> CaptureEstimate:
    """What a capture would take, if all pages were like the one that was looked at."""
    pages = _count_pages(page, sitemap, limits)
    per_url = max(page.delay, _LEAST_SECONDS_PER_URL)
    run = page.browser_seconds if page.browser is BrowserNeed.NEEDED else 0.0
    least_urls = pages.least + page.parts
    seconds = EstimateRange(
        round(least_urls * per_url + run),
        None if pages.most is None else round(pages.most * ((1 + page.parts) * per_url + run)),
    )
    size = EstimateRange(
        pages.least * page.bytes + page.part_bytes,
        None if pages.most is None else pages.most * (page.bytes + page.part_bytes),
    )
    return CaptureEstimate(pages, seconds, size)


def _count_pages(page: PageOutlook, sitemap: SitemapOutlook, limits: ScopeLimits) -> EstimateRange:
    if limits.is_page_alone or limits.depth == 0:
        return EstimateRange(1, 1)
    least = max(sitemap.urls, 1 + page.links)
    most = max(least, sitemap.urls) if sitemap.is_whole and sitemap.urls else None
    if limits.depth == 1:
        most = least
    if limits.max_urls is not None:
        least = min(least, limits.max_urls)
        most = limits.max_urls if most is None else min(most, limits.max_urls)
    return EstimateRange(least, most)


def parse_outlook(values: Mapping[str, Any]) -> SiteOutlook:
    """The outlook as `webkeep check --site` told it."""
    robots, sitemap = values["robots"], values["sitemap"]
    page, estimate = values.get("page"), values.get("estimate")
    ranges = {} if estimate is None else {name: EstimateRange(**each) for name, each in estimate.items()}
    return SiteOutlook(
        RobotsOutlook(**{**robots, "answer": RobotsAnswer(robots["answer"])}),
        SitemapOutlook(**sitemap),
        None if page is None else PageOutlook(**{**page, "browser": BrowserNeed(page["browser"])}),
        CaptureEstimate(**ranges) if ranges else None,
    )
