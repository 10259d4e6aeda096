"""Generated histories with the size and stillness of sites that were studied, for the tables of real sites.

The sites themselves cannot be had any more. Their numbers of pages and of pages that ever changed are kept exactly;
rates follow the section of a site and chance, so that there is something about them to be learned from a URL.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from webkeep.lab.coherence.history import SiteHistory
from webkeep.lab.coherence.poisson import changes

_SECTIONS = ("news", "press", "about", "jobs", "archive", "output", "images", "people", "policy", "events")
_KINDS = (".html", ".html", ".html", ".pdf", ".png")
_YEARS = 3.0 * 365 * 86_400


@dataclass(frozen=True, slots=True)
class Studied:
    """A site that was studied: how many pages it had, how many of them changed, and how often those did."""

    name: str
    pages: int
    changing: int
    changes: float
    """How many changes a changing page had in the whole time, about."""


NOTE = (
    "Generated sites with as many pages, and as many that change, as the real ones had; the published figures are of "
    "the real ones, so that only the order of strategies can be compared."
)
"""What to know of tables of generated sites."""

STUDIED = (Studied("DFID", 2_186, 1_131, 14.0), Studied("MOD", 10_047, 5_988, 11.0))
"""Two of the seven sites; the others are as large as a hundred thousand pages."""


def generated(site: Studied, seed: int = 0) -> SiteHistory:
    """A history of such a site."""
    chance = random.Random(f"{site.name}/{seed}")
    urls = _urls(site, chance)
    heats = {section: chance.lognormvariate(0.0, 1.2) for section in _SECTIONS}
    weights = [
        heats[url.split("/")[3]] * chance.lognormvariate(0.0, 0.6) if url.count("/") > 3 else 9.0 for url in urls
    ]
    hottest = sorted(range(len(urls)), key=lambda page: -weights[page])[: site.changing]
    scale = site.changes * len(hottest) / sum(weights[page] for page in hottest) / _YEARS
    rates = [0.0] * len(urls)
    for page in hottest:
        rates[page] = weights[page] * scale
    histories = tuple(_history(rate, f"{site.name}/{seed}/{page}") for page, rate in enumerate(rates))
    return SiteHistory(site.name, tuple(urls), histories, _YEARS)


def _history(rate: float, seed: str) -> tuple[float, ...]:
    """The changes of a page; one that is to change does so once at least."""
    if rate == 0:
        return ()
    happened = tuple(changes(rate, seed, _YEARS))
    return happened or (random.Random(seed).random() * _YEARS,)


def _urls(site: Studied, chance: random.Random) -> list[str]:
    """A front page, sections, folders in them, and pages in all of these."""
    host = f"https://{site.name.lower()}.example/"
    folders = [f"{host}{section}/" for section in _SECTIONS]
    folders += [f"{chance.choice(folders[:10])}{number}/" for number in range(site.pages // 60)]
    urls = [host, *folders]
    while len(urls) < site.pages:
        urls.append(f"{chance.choice(folders)}{len(urls)}{chance.choice(_KINDS)}")
    return urls[: site.pages]
