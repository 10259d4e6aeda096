"""How a capture came upon a URL: the way from a seed, and where on each page the link stands."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from webkeep.crawl.plan import MOST_SEEDS
from webkeep.errors import StorageError
from webkeep.extract import extract_links, well_known_links
from webkeep.extract.reading import MOST_READ
from webkeep.formats.robots import read_robots
from webkeep.model import Capture, Fate, Headers, Observation, Outcome
from webkeep.store.archive import Archive
from webkeep.store.lineage import UPDATES_FACT, lineage
from webkeep.url import resolve
from webkeep.url.places import is_robots_file

_LONGEST = 1000
_KEPT = frozenset({Outcome.STORED, Outcome.DUPLICATE})
_MOST_SOURCES = 3


def trail(archive: Archive, capture: str, url: str) -> list[Fate]:
    """The fate of a URL in a capture, then of the one that led to it, and so on to a seed."""
    found: list[Fate] = []
    seen: set[str] = set()
    while url and url not in seen and len(found) < _LONGEST:
        seen.add(url)
        fate = archive.catalog.ledger.fate(capture, url)
        if fate is None:
            break
        found.append(fate)
        url = fate.via
    return found


class Source(enum.Enum):
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
class Origin:
    """Where a way begins that no page led to."""

    source: Source
    earlier: Capture | None = None
    """The capture that had it before."""


def origin_of(archive: Archive, capture: Capture, url: str) -> Origin:
    """How a capture came to know a URL that no page led it to."""
    if capture.kind != "capture":
        return Origin(Source.BROUGHT)
    if url in capture.seeds:
        return Origin(Source.SEED)
    if is_robots_file(url):
        return Origin(Source.RULES)
    earlier = _capture_before(archive, capture, url)
    if earlier is not None:
        return Origin(Source.EARLIER, earlier)
    if url in _declared_sitemaps(archive, capture, url):
        return Origin(Source.DECLARED)
    if any(link.url == url for link in well_known_links(url)):
        return Origin(Source.USUAL)
    return Origin(Source.ONE_OF_MANY if len(capture.seeds) >= MOST_SEEDS else Source.UNKNOWN)


def _capture_before(archive: Archive, capture: Capture, url: str) -> Capture | None:
    """The last capture before another that stored a URL, among those whose pages that one asked for again."""
    stored = {each.capture for each in archive.history(url, resolve=False) if each.url == url}

    def had(earlier: Capture) -> bool:
        fate = archive.catalog.ledger.fate(earlier.id, url)
        return earlier.id in stored or (fate is not None and fate.outcome in _KEPT)

    return next(filter(had, _asked_again(archive, capture)), None)


def _asked_again(archive: Archive, capture: Capture) -> Iterable[Capture]:
    """The captures whose pages one asks for again, the last first: those it brings up to date, or all before it."""
    updated = capture.facts.get(UPDATES_FACT, "")
    if updated:
        return reversed(lineage(archive, updated))
    captures = (each for each in archive.captures() if each.kind == "capture" and each.started < capture.started)
    return sorted(captures, key=lambda each: each.started, reverse=True)


def _declared_sitemaps(archive: Archive, capture: Capture, url: str) -> Iterable[str]:
    """The sitemaps that the robots.txt of a URL's host names, as a capture stored it."""
    place = resolve(url, "/robots.txt") or ""
    rules = next((each for each in archive.history(place) if _is_meant(each, capture.id, place)), None)
    try:
        content = b"".join(archive.read(rules).content(MOST_READ)) if rules is not None else b""
    except StorageError:  # taken down since, or damaged
        return ()
    return [resolve(place, each) or "" for each in read_robots(content).sitemaps]


def sources_of(archive: Archive, capture: str, page: str, url: str) -> list[str]:
    """In which constructs a stored page leads to a URL, such as `html a[href]`; none where it cannot be read again."""
    observation = next((each for each in archive.history(page) if _is_meant(each, capture, page)), None)
    if observation is None:
        return []
    try:
        holding = archive.read(observation)
    except StorageError:  # a revisit of what is not held any more
        return []
    content = b"".join(holding.content(MOST_READ))
    headers = holding.head.headers if holding.head else Headers((("Content-Type", holding.media_type),))
    links = extract_links(page, headers, content, page=observation.via)
    named = (link.source for link in links if link.url.partition("#")[0] == url)
    return list(islice(dict.fromkeys(named), _MOST_SOURCES))


def _is_meant(observation: Observation, capture: str, page: str) -> bool:
    return observation.capture == capture and observation.url == page
