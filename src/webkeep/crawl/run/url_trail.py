"""How a capture came upon a URL: the way back to a seed, how its beginning was known where no page led there (sitemap,
robots.txt, an earlier capture), and in which construct of a page a link stands.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from webkeep.crawl.plan.capture_plan import MAX_SEEDS_KEPT
from webkeep.errors import StorageError
from webkeep.extract import MAX_READ_BYTES, extract_links, well_known_links
from webkeep.formats.site import parse_robots
from webkeep.model import STORED_OUTCOMES, Capture, CaptureKind, Fate, Headers, Observation
from webkeep.store.archive import UPDATES_FACT, Archive, capture_lineage
from webkeep.url import is_robots_url, resolve_url

_MAX_TRAIL_STEPS = 1000
"""Steps back to a seed that are shown; a longer way is a trap, and none is read to its end."""
_MAX_CONSTRUCTS = 3
"""Constructs of one page that are named; the rest are of the same kinds."""


def fate_trail(archive: Archive, capture: str, url: str) -> list[Fate]:
    """The fate of a URL in a capture, then of the one that led to it, and so on to a seed."""
    found: list[Fate] = []
    seen: set[str] = set()
    while url and url not in seen and len(found) < _MAX_TRAIL_STEPS:
        seen.add(url)
        fate = archive.catalog.log.fate(capture, url)
        if fate is None:
            break
        found.append(fate)
        url = fate.via
    return found


class UrlSource(enum.Enum):
    """How the first URL of a way came to be known."""

    SEED = enum.auto()
    EARLIER = enum.auto()
    """An earlier capture had it."""
    RULES = enum.auto()
    """It is the robots.txt of a host."""
    DECLARED = enum.auto()
    """A robots.txt names it as a sitemap."""
    USUAL = enum.auto()
    """Sites usually have it, and no page has to name it."""
    BROUGHT = enum.auto()
    """It came with an import, a recording or the like."""
    ONE_OF_MANY = enum.auto()
    """It was a seed, of more than are kept by name."""
    UNKNOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class UrlOrigin:
    """Where a way begins that no page led to."""

    source: UrlSource
    earlier: Capture | None = None
    """The capture that had it before."""


def url_origin_of(archive: Archive, capture: Capture, url: str) -> UrlOrigin:
    """How a capture came to know a URL that no page led it to."""
    if capture.kind != CaptureKind.CAPTURE:
        return UrlOrigin(UrlSource.BROUGHT)
    if url in capture.seeds:
        return UrlOrigin(UrlSource.SEED)
    if is_robots_url(url):
        return UrlOrigin(UrlSource.RULES)
    earlier = _capture_before(archive, capture, url)
    if earlier is not None:
        return UrlOrigin(UrlSource.EARLIER, earlier)
    if url in _declared_sitemaps(archive, capture, url):
        return UrlOrigin(UrlSource.DECLARED)
    if any(link.url == url for link in well_known_links(url)):
        return UrlOrigin(UrlSource.USUAL)
    return UrlOrigin(UrlSource.ONE_OF_MANY if len(capture.seeds) >= MAX_SEEDS_KEPT else UrlSource.UNKNOWN)


def _capture_before(archive: Archive, capture: Capture, url: str) -> Capture | None:
    """The last capture before another that stored a URL, among those whose pages that one asked for again."""
    stored = {each.capture for each in archive.history(url, resolve=False) if each.url == url}

    def had(earlier: Capture) -> bool:
        fate = archive.catalog.log.fate(earlier.id, url)
        return earlier.id in stored or (fate is not None and fate.outcome in STORED_OUTCOMES)

    return next(filter(had, _earlier_captures(archive, capture)), None)


def _earlier_captures(archive: Archive, capture: Capture) -> Iterable[Capture]:
    """The captures whose pages one asks for again, the last first: those it brings up to date, or all before it."""
    updated = capture.facts.get(UPDATES_FACT, "")
    if updated:
        return reversed(capture_lineage(archive, updated))
    captures = (
        each for each in archive.captures() if each.kind == CaptureKind.CAPTURE and each.started < capture.started
    )
    return sorted(captures, key=lambda each: each.started, reverse=True)


def _declared_sitemaps(archive: Archive, capture: Capture, url: str) -> Iterable[str]:
    """The sitemaps that the robots.txt of a URL's host names, as a capture stored it."""
    place = resolve_url(url, "/robots.txt") or ""
    rules = next((each for each in archive.history(place) if _is_of_capture(each, capture.id, place)), None)
    try:
        content = b"".join(archive.read(rules).content(MAX_READ_BYTES)) if rules is not None else b""
    except StorageError:  # taken down since, or damaged
        return ()
    return [resolve_url(place, each) or "" for each in parse_robots(content).sitemaps]


def link_constructs(archive: Archive, capture: str, page: str, url: str) -> list[str]:
    """In which constructs a stored page leads to a URL, such as `html a[href]`; none where it cannot be read again."""
    observation = next((each for each in archive.history(page) if _is_of_capture(each, capture, page)), None)
    if observation is None:
        return []
    try:
        stored = archive.read(observation)
    except StorageError:  # a revisit of what is not held any more
        return []
    content = b"".join(stored.content(MAX_READ_BYTES))
    headers = stored.head.headers if stored.head else Headers((("Content-Type", stored.media_type),))
    links = extract_links(page, headers, content, page=observation.via)
    named = (link.source for link in links if link.url.partition("#")[0] == url)
    return list(islice(dict.fromkeys(named), _MAX_CONSTRUCTS))


def _is_of_capture(observation: Observation, capture: str, page: str) -> bool:
    return observation.capture == capture and observation.url == page
