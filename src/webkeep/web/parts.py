"""The parts of a page: which versions of what it embeds are shown with it, and how far apart they are in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from webkeep.coherence.fitting import Fit
from webkeep.extract import Role, extract_links
from webkeep.model import Headers
from webkeep.replay.choosing import Part, fitting
from webkeep.replay.collection import Found, Wish
from webkeep.replay.looking import Looker
from webkeep.web.numbers import counted, span

_MOST = 300
_LARGEST = 4 << 20
_WORDS = {
    Fit.COHERENT: "fit",
    Fit.POSSIBLY_COHERENT: "may fit",
    Fit.PROBABLY_VIOLATIVE: "may not fit",
    Fit.VIOLATIVE: "do not fit",
}


@dataclass(frozen=True, slots=True)
class Parts:
    """What a page is put together from."""

    page: Found
    held: tuple[Part, ...]
    missing: int

    @property
    def spread(self) -> float:
        """Seconds from the earliest part to the latest, the page among them."""
        moments = [self.page.entry.moment.micros, *(part.found.entry.moment.micros for part in self.held)]
        return (max(moments) - min(moments)) / 1_000_000

    @property
    def fits(self) -> Counter[Fit]:
        """How many parts there are of each class."""
        return Counter(part.fit for part in self.held)


def parts_of(looker: Looker, page: Found) -> Parts:
    """The parts that a page names itself; what scripts and style sheets load is not among them."""
    held: list[Part] = []
    missing = 0
    for url in islice(_embedded(page), _MOST):
        wish = Wish(url, page.entry.moment)
        nearest = looker.nearest(wish)
        if nearest is None:
            missing += 1
        else:
            held.append(fitting(looker, wish, page, nearest))
    return Parts(page, tuple(held), missing)


def parts_words(parts: Parts) -> str:
    """What a banner says of them."""
    if not parts.held and not parts.missing:
        return ""
    told = [f"{counted(len(parts.held), 'part')} within {span(parts.spread)}"] if parts.held else []
    told += [f"{count:,} {_WORDS[fit]}" for fit, count in parts.fits.items() if fit is not Fit.COHERENT]
    told += [f"{parts.missing:,} missing"] if parts.missing else []
    return ", ".join(told)


def parts_facts(parts: Parts) -> dict[str, object]:
    """What programs are told of them."""
    return {
        "words": parts_words(parts),
        "spread_seconds": parts.spread,
        "missing": parts.missing,
        "fits": {str(fit): count for fit, count in parts.fits.items()},
        "parts": [
            {
                "url": part.found.entry.url,
                "moment": part.found.entry.moment.iso(),
                "fit": str(part.fit),
                "ground": part.ground,
            }
            for part in parts.held
        ],
    }


def _embedded(page: Found) -> Iterator[str]:
    holding = page.read()
    headers = holding.head.headers if holding.head else Headers()
    content = b"".join(holding.content(_LARGEST))
    seen: set[str] = set()
    for link in extract_links(page.entry.url, headers, content):
        if link.role is Role.EMBED and not link.guess and link.url not in seen:
            seen.add(link.url)
            if link.url.startswith(("http://", "https://")):
                yield link.url
