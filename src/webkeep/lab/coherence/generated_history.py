"""Generated histories with the size and stillness of sites that were studied, for the tables of real sites: which sites
those are, and how URLs, sections and rates are drawn.

The sites themselves cannot be had any more. Their numbers of pages and of pages that ever changed are kept exactly;
rates follow the section of a site and chance, so that there is something about them to be learned from a URL.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from webkeep.lab.coherence.poisson_process import draw_changes
from webkeep.lab.coherence.site_history import SiteHistory

_SECTIONS = ("news", "press", "about", "jobs", "archive", "output", "images", "people", "policy", "events")
_FILE_ENDINGS = (".html", ".html", ".html", ".pdf", ".png")
_HISTORY_SECONDS = 3.0 * 365 * 86_400
"""Three years, over which the changes of a generated page are drawn."""


@dataclass(frozen=True, slots=True)
class StudiedSite:
    """A site that was studied: how many pages it had, how many of them changed, and how often those did."""

    name: str
    pages: int
    changing: int
    changes: float
    """How many changes a changing page had in the whole time, about."""


GENERATED_NOTE = (
    "Generated sites with as many pages, and as many that change, as the real ones had; the published figures are of "
    "the real ones, so that only the order of strategies can be compared."
)
"""What to know of tables of generated sites."""

STUDIED_SITES = (StudiedSite("DFID", 2_186, 1_131, 14.0), StudiedSite("MOD", 10_047, 5_988, 11.0))
"""Two of the seven sites; the others are as large as a hundred thousand pages."""


def generate_history(site: StudiedSite, seed: int = 0) -> SiteHistory:
    """A history of such a site."""
    chance = random.Random(f"{site.name}/{seed}")
    urls = _generate_urls(site, chance)
    heats = {section: chance.lognormvariate(0.0, 1.2) for section in _SECTIONS}
    weights = [
        heats[url.split("/")[3]] * chance.lognormvariate(0.0, 0.6) if url.count("/") > 3 else 9.0 for url in urls
    ]
    hottest = sorted(range(len(urls)), key=lambda page: -weights[page])[: site.changing]
    scale = site.changes * len(hottest) / sum(weights[page] for page in hottest) / _HISTORY_SECONDS
    rates = [0.0] * len(urls)
    for page in hottest:
        rates[page] = weights[page] * scale
    histories = tuple(_draw_changes(rate, f"{site.name}/{seed}/{page}") for page, rate in enumerate(rates))
    return SiteHistory(site.name, tuple(urls), histories, _HISTORY_SECONDS)


def _draw_changes(rate: float, seed: str) -> tuple[float, ...]:
    """The changes of a page; one that is to change does so once at least."""
    if rate == 0:
        return ()
    happened = tuple(draw_changes(rate, seed, _HISTORY_SECONDS))
    return happened or (random.Random(seed).random() * _HISTORY_SECONDS,)


def _generate_urls(site: StudiedSite, chance: random.Random) -> list[str]:
    """A front page, sections, folders in them, and pages in all of these."""
    host = f"https://{site.name.lower()}.example/"
    folders = [f"{host}{section}/" for section in _SECTIONS]
    folders += [f"{chance.choice(folders[:10])}{number}/" for number in range(site.pages // 60)]
    urls = [host, *folders]
    while len(urls) < site.pages:
        urls.append(f"{chance.choice(folders)}{len(urls)}{chance.choice(_FILE_ENDINGS)}")
    return urls[: site.pages]
