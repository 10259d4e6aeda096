"""How a capture came upon a URL: the way from a seed, and where on each page the link stands."""

from __future__ import annotations

from itertools import islice

from webkeep.extract import extract_links
from webkeep.extract.reading import MOST_READ
from webkeep.model import Fate, Headers, Observation
from webkeep.store.archive import Archive

_LONGEST = 1000
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


def sources_of(archive: Archive, capture: str, page: str, url: str) -> list[str]:
    """In which constructs a stored page leads to a URL, such as `html a[href]`; none where it cannot be read again."""
    observation = next((each for each in archive.history(page) if _is_meant(each, capture, page)), None)
    if observation is None:
        return []
    holding = archive.read(observation)
    content = b"".join(holding.content(MOST_READ))
    headers = holding.head.headers if holding.head else Headers((("Content-Type", holding.media_type),))
    links = extract_links(page, headers, content, page=observation.via)
    named = (link.source for link in links if link.url.partition("#")[0] == url)
    return list(islice(dict.fromkeys(named), _MOST_SOURCES))


def _is_meant(observation: Observation, capture: str, page: str) -> bool:
    return observation.capture == capture and observation.url == page
