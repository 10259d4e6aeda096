"""The parts of a page, as its banner tells them: which embedded URLs are looked up and how many, the words for how they
fit in time, and the JSON of `/parts/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from webkeep.coherence.time_travel import TemporalFit
from webkeep.extract import extract_links
from webkeep.extract.links import LinkRole
from webkeep.model import Headers
from webkeep.presentation import format_count, format_duration
from webkeep.replay.choice import FittedEmbed, Memento, MementoLookup, MementoQuery, fit_to_page

_MAX_EMBEDS = 300
"""Parts of a page that are looked up for its banner; each costs a look-up in the index."""
_MAX_PAGE_BYTES = 4 << 20
"""So much of a page is read for what it embeds, while somebody waits for it."""
_FIT_WORDS = {
    TemporalFit.COHERENT: "fit",
    TemporalFit.POSSIBLY_COHERENT: "may fit",
    TemporalFit.PROBABLY_VIOLATIVE: "may not fit",
    TemporalFit.VIOLATIVE: "do not fit",
}


@dataclass(frozen=True, slots=True)
class PageEmbeds:
    """What a page is put together from."""

    page: Memento
    held: tuple[FittedEmbed, ...]
    missing: int

    @property
    def spread(self) -> float:
        """Seconds from the earliest part to the latest, the page among them."""
        moments = [self.page.entry.moment.micros, *(part.memento.entry.moment.micros for part in self.held)]
        return (max(moments) - min(moments)) / 1_000_000

    @property
    def fits(self) -> Counter[TemporalFit]:
        """How many parts there are of each class."""
        return Counter(part.fit for part in self.held)


def find_page_embeds(lookup: MementoLookup, page: Memento) -> PageEmbeds:
    """The parts that a page names itself; what scripts and style sheets load is not among them."""
    held: list[FittedEmbed] = []
    missing = 0
    for url in islice(_embedded_urls(page), _MAX_EMBEDS):
        query = MementoQuery(url, page.entry.moment)
        nearest = lookup.nearest(query)
        if nearest is None:
            missing += 1
        else:
            held.append(fit_to_page(lookup, query, page, nearest))
    return PageEmbeds(page, tuple(held), missing)


def describe_page_embeds(parts: PageEmbeds) -> str:
    """What a banner says of them."""
    if not parts.held and not parts.missing:
        return ""
    told = (
        [f"{format_count(len(parts.held), 'part')} within {format_duration(max(parts.spread, 1))}"]
        if parts.held
        else []
    )
    told += [f"{count:,} {_FIT_WORDS[fit]}" for fit, count in parts.fits.items() if fit is not TemporalFit.COHERENT]
    told += [f"{parts.missing:,} missing"] if parts.missing else []
    return ", ".join(told)


def page_embeds_facts(parts: PageEmbeds) -> dict[str, object]:
    """What programs are told of them."""
    return {
        "words": describe_page_embeds(parts),
        "spread_seconds": parts.spread,
        "missing": parts.missing,
        "fits": {str(fit): count for fit, count in parts.fits.items()},
        "parts": [
            {
                "url": part.memento.entry.url,
                "moment": part.memento.entry.moment.iso(),
                "fit": str(part.fit),
                "ground": part.ground,
            }
            for part in parts.held
        ],
    }


def _embedded_urls(page: Memento) -> Iterator[str]:
    stored = page.read()
    headers = stored.head.headers if stored.head else Headers()
    content = b"".join(stored.content(_MAX_PAGE_BYTES))
    seen: set[str] = set()
    for link in extract_links(page.entry.url, headers, content):
        if link.role is LinkRole.EMBED and not link.guess and link.url not in seen:
            seen.add(link.url)
            if link.url.startswith(("http://", "https://")):
                yield link.url
