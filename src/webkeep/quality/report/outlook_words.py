"""What a capture would mean, in words for people: a label and a line each; what is not known is said to be unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webkeep.presentation import format_count, format_duration, format_size
from webkeep.quality.report.site_outlook import (
    BrowserNeed,
    EstimateRange,
    PageOutlook,
    RobotsAnswer,
    RobotsOutlook,
    SitemapOutlook,
    SiteOutlook,
)

_DELAY_REASONS = {
    "default": "as nobody said otherwise",
    "plan": "as you say",
    "loopback": "since it is this machine",
}


def list_outlook(site: SiteOutlook) -> Iterator[tuple[str, str]]:
    """A label and a line about each thing that was looked at."""
    yield "robots.txt", _robots_words(site.robots)
    yield "Sitemaps", _sitemap_words(site.sitemap)
    if site.page is not None:
        yield "Browser", _browser_words(site.page)
        yield "Pace", _pace_words(site.page)
    if site.estimate is not None:
        yield "Pages", _range_words(site.estimate.pages, lambda count: f"{count:,}", "how many, nobody can know")
        yield "Time", _range_words(site.estimate.seconds, format_duration, "how long, nobody can know")
        yield "Space", _range_words(site.estimate.bytes, format_size, "how much, nobody can know")


def describe_outlook(site: SiteOutlook) -> list[str]:
    """The same as lines."""
    return [f"{label}: {words}" for label, words in list_outlook(site)]


def _robots_words(robots: RobotsOutlook) -> str:
    rule = f" by {robots.rule}" if robots.rule else ""
    told = {
        RobotsAnswer.NONE: "there is none; all may be asked for",
        RobotsAnswer.ALLOWED: f"allows the page{rule}",
        RobotsAnswer.REFUSED: f"asks to leave the page alone{rule}; it is not captured unless you say so",
        RobotsAnswer.UNREACHABLE: "could not be had; whether the page may be asked for is not known",
    }[robots.answer]
    delay = robots.crawl_delay
    return told if delay is None else f"{told}; it asks for {delay:g} s between two requests"


def _sitemap_words(sitemap: SitemapOutlook) -> str:
    if not sitemap.files:
        return "none was found"
    more = "" if sitemap.is_whole else " or more; not all of them were read"
    return f"{format_count(sitemap.urls, 'URL')} in scope in {format_count(sitemap.files, 'file')}{more}"


def _browser_words(page: PageOutlook) -> str:
    return {
        BrowserNeed.NEEDED: f"the page needs one: its scripts ask for more; about {page.browser_seconds:g} s each",
        BrowserNeed.NOT_NEEDED: "the page needs none",
        BrowserNeed.UNKNOWN: "whether the page needs one is not known, as none ran it",
    }[page.browser]


def _pace_words(page: PageOutlook) -> str:
    why = _DELAY_REASONS.get(page.delay_reason, page.delay_reason)
    reason = f", {why}" if why else ""
    pace = f"{page.delay:g} s between two requests" if page.delay else "no delay between requests"
    made = f"the page is {format_size(page.bytes)} and asks for {format_count(page.parts, 'part')}"
    return f"{pace}{reason}; {made} ({format_size(page.part_bytes)})"


def _range_words(number: EstimateRange, write: Callable[[int], str], unknown: str) -> str:
    if number.most is None:
        return f"at least {write(number.least)}; {unknown}"
    least, most = write(number.least), write(number.most)
    return f"about {least}" if least == most else f"about {least} to {most}"
