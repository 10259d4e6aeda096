"""Looking around at a site before it is captured: robots.txt and sitemaps, asked for as politely as by a capture,
into an archive that is thrown away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from webkeep.api.captures import CaptureSummary, run_capture
from webkeep.api.work_listener import WorkListener
from webkeep.crawl.plan import BrowserMode, CapturePlan, policy_from_plan
from webkeep.crawl.run import CaptureObserver
from webkeep.extract.documents import read_sitemap
from webkeep.formats.site import parse_robots
from webkeep.formats.status import is_error, is_redirection
from webkeep.frontier.policy import ROBOTS_AGENT, ScopeJudge
from webkeep.model import Observation, SitemapEntry, UrlOutcome
from webkeep.quality.report import (
    BrowserNeed,
    PageOutlook,
    RobotsAnswer,
    RobotsOutlook,
    ScopeLimits,
    SitemapOutlook,
)
from webkeep.store.archive import Archive
from webkeep.store.views import read_unstored_fates
from webkeep.url import normalize_url, resolve_url, split_url
from webkeep.url.scope import ScopeExtent

_MAX_SITEMAPS = 20
"""Files that are read: a site with more has so many pages that nobody waits for the count."""
_MAX_ENTRIES = 200_000
"""URLs that are counted."""
_MAX_SITEMAP_BYTES = 20_000_000
"""Of one file, packed or not: 50 MB are allowed, and few have a tenth."""
_MAX_REDIRECTS = 5
"""Of robots.txt or a sitemap that moved: more is a loop."""


def look_around(
    plan: CapturePlan, path: Path, observer: CaptureObserver, listener: WorkListener
) -> tuple[RobotsOutlook, SitemapOutlook]:
    """What robots.txt and sitemaps of the first seed's site say."""
    seed = plan.seeds[0]
    parts = split_url(seed)
    origin = f"{parts.scheme}://{seed.partition('://')[2].partition('/')[0].rpartition('@')[2]}"
    first = f"{origin}/sitemap.xml"
    _fetch(plan, [first], path, observer, listener)
    with Archive(path) as archive:
        robots, named = _read_robots(archive, origin, seed)
        asked = list(dict.fromkeys([*named, first]))[:_MAX_SITEMAPS]
    further = [each for each in asked if each != first]
    if further:
        _fetch(plan, further, path, observer, listener)
    with Archive(path) as archive:
        nested = [each for url in asked for each in _nested_sitemaps(archive, url)]
    rest = [each for each in dict.fromkeys(nested) if each not in asked]
    taken = rest[: max(0, _MAX_SITEMAPS - len(asked))]
    if taken:
        _fetch(plan, taken, path, observer, listener)
    with Archive(path) as archive:
        found = _count_sitemaps(archive, [*asked, *taken], policy_from_plan(plan).scope)
    return robots, replace(found, is_whole=found.is_whole and len(taken) == len(rest) and len(named) <= len(asked))


def _fetch(
    plan: CapturePlan, urls: list[str], path: Path, observer: CaptureObserver, listener: WorkListener
) -> CaptureSummary:
    alone = replace(
        plan,
        seeds=tuple(urls),
        scope=ScopeExtent.PAGE,
        rules=(),
        sitemaps=False,
        browser=BrowserMode.OFF,
        screenshots=False,
        portraits=False,
        max_urls=len(urls) + _MAX_REDIRECTS,
        max_size=_MAX_SITEMAP_BYTES,
    )
    return run_capture(alone, path, observer, listener, new=True)


def _read_robots(archive: Archive, origin: str, seed: str) -> tuple[RobotsOutlook, list[str]]:
    """What the file says of the seed, and the sitemaps that it names."""
    seen = _follow(archive, f"{origin}/robots.txt")
    if seen is None:
        return RobotsOutlook(RobotsAnswer.UNREACHABLE), []
    if is_error(seen.status):
        return RobotsOutlook(RobotsAnswer.NONE), []
    file = parse_robots(archive.read(seen).read())
    rules = file.rules_for(ROBOTS_AGENT)
    target = "/" + seed.partition("://")[2].partition("/")[2].partition("#")[0]
    rule = rules.deciding_rule(target)
    answer = RobotsAnswer.ALLOWED if rules.allows(target) else RobotsAnswer.REFUSED
    named = [url for url in map(normalize_url, file.sitemaps) if url and url.startswith(("http://", "https://"))]
    return RobotsOutlook(answer, "" if rule is None else str(rule), rules.delay), named


def _follow(archive: Archive, url: str) -> Observation | None:
    """What was seen of a URL, or of where it leads."""
    seen = archive.lookup(url)
    for _ in range(_MAX_REDIRECTS):
        if seen is None or not is_redirection(seen.status):
            return seen
        head = archive.read(seen).head
        target = resolve_url(seen.url, head.headers.get("location")) if head is not None else None
        seen = archive.lookup(target) if target else None
    return None


def _nested_sitemaps(archive: Archive, url: str) -> Iterator[str]:
    for entry in islice(_read_entries(archive, url), _MAX_ENTRIES):
        nested = normalize_url(entry.url) if entry.is_sitemap else None
        if nested is not None:
            yield nested


def _read_entries(archive: Archive, url: str) -> Iterator[SitemapEntry]:
    seen = _follow(archive, url)
    if seen is not None and not is_error(seen.status):
        yield from read_sitemap(b"".join(archive.read(seen).content(_MAX_SITEMAP_BYTES)))


def _count_sitemaps(archive: Archive, urls: Iterable[str], scope: ScopeJudge) -> SitemapOutlook:
    files, found, is_whole = 0, set[int](), True
    for url in urls:
        count = 0
        for entry in _read_entries(archive, url):
            count += 1
            page = None if entry.is_sitemap else normalize_url(entry.url)
            if page is not None and len(found) < _MAX_ENTRIES and scope.judge(page).is_allowed:
                found.add(hash(page))
        files += count > 0
        seen = _follow(archive, url)
        is_whole = is_whole and (seen is None or seen.size < _MAX_SITEMAP_BYTES)
    return SitemapOutlook(files, len(found), is_whole and len(found) < _MAX_ENTRIES)


def outline_page(archive: Archive, plan: CapturePlan, done: CaptureSummary) -> PageOutlook | None:
    """What the page is made of that a capture of it alone brought; None where it gave no answer."""
    seen = _follow(archive, plan.seeds[0])
    if seen is None or is_error(seen.status):
        return None
    others = [
        each
        for each in archive.observations(done.capture)
        if each.url != seen.url and not each.url.endswith("/robots.txt") and each.status
    ]
    scope = policy_from_plan(plan).scope
    fates = read_unstored_fates(archive, done.capture)
    links = sum(fate.outcome is UrlOutcome.OUT_OF_SCOPE and scope.judge(fate.url).is_allowed for fate in fates)
    delay, reason = _delay_of(done, seen.url)
    need, seconds = _browser_need(done)
    return PageOutlook(seen.size, len(others), sum(each.size for each in others), links, need, seconds, delay, reason)


def _delay_of(done: CaptureSummary, url: str) -> tuple[float, str]:
    """How long the host of a page was left in peace, and why."""
    host = split_url(url).host
    for name, ledger in done.hosts.items():
        if name.rpartition(":")[0] == host and ledger.get("delays"):
            _, seconds, reason = ledger["delays"][-1]
            return float(seconds), str(reason)
    return 0.0, ""


def _browser_need(done: CaptureSummary) -> tuple[BrowserNeed, float]:
    browsed = done.browsed
    if browsed is None or browsed.trouble or browsed.failures or browsed.left:
        return BrowserNeed.UNKNOWN, 0.0
    if browsed.pages and browsed.resources:
        return BrowserNeed.NEEDED, round(browsed.seconds / browsed.pages, 2)
    return BrowserNeed.NOT_NEEDED, 0.0


def limits_of(plan: CapturePlan) -> ScopeLimits:
    """How far a plan goes."""
    return ScopeLimits(plan.scope is ScopeExtent.PAGE, plan.depth, plan.max_urls)
