"""Generated sites to learn from, each in the likeness of one the literature used: their sections, how many pages never
change, and how often the others do; and the sitemap of a news site.

Where a page stands, what kind it is and how deep it lies say much about its rate, never all: sections, their parts and
single pages have chances of their own, and most pages never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

from webkeep.change.prediction import Features, PageFacts, sitemap_features
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.model import ChangeFrequency

# A generated sitemap of a news site, whose publishing system words its entries by rule: place, kind and age.

_SECTIONS = ("world", "politics", "economy", "culture", "science", "sport")
_AGE_WORDS = (
    (3.0, ChangeFrequency.DAILY), (30.0, ChangeFrequency.WEEKLY), (365.0, ChangeFrequency.MONTHLY),
    (1500.0, ChangeFrequency.YEARLY),
)  # fmt: skip
_SLIP_SHARE = 0.01
"""The share of entries that an editor worded otherwise."""
_MAX_AGE_DAYS = 3000.0
"""The age of the oldest article; most are far younger."""


@dataclass(frozen=True, slots=True)
class SitemapSample:
    """An entry with what a predictor may see of it, and its word."""

    page: Features
    word: ChangeFrequency


def draw_entries(entries: int, seed: int) -> list[SitemapSample]:
    """The entries of such a sitemap."""
    chance = SeededRandom("sitemap", seed)
    found = [SitemapSample(sitemap_features("https://news.example/", "text/html"), ChangeFrequency.ALWAYS)]
    for section in _SECTIONS:
        features = sitemap_features(f"https://news.example/{section}/", "text/html")
        found.append(SitemapSample(features, ChangeFrequency.HOURLY))
    return found + [_draw_article(chance, number) for number in range(entries - len(found))]


def _draw_article(chance: SeededRandom, number: int) -> SitemapSample:
    age = _MAX_AGE_DAYS * chance.uniform() ** 4
    kind = "video/mp4" if chance.uniform() < 0.1 else "text/html"
    url = f"https://news.example/{chance.pick(_SECTIONS)}/2020/{number}"
    word = chance.pick(tuple(ChangeFrequency)) if chance.uniform() < _SLIP_SHARE else _word_by_rule(kind, age)
    return SitemapSample(sitemap_features(url, kind, age), word)


def _word_by_rule(kind: str, age: float) -> ChangeFrequency:
    if kind != "text/html":
        return ChangeFrequency.NEVER
    return next((word for oldest, word in _AGE_WORDS if age < oldest), ChangeFrequency.NEVER)


HTML, PDF, PICTURE = "text/html", "application/pdf", "image/jpeg"


@dataclass(frozen=True, slots=True)
class SiteSection:
    """A part of a site below one directory."""

    name: str
    share: float
    """Of the pages of the site."""
    still: float
    """The share of its pages that never change."""
    rate: float
    """Changes a day of a typical page that does change."""
    parts: int = 8
    """Directories below it, each with a temper of its own."""
    spread: float = 0.6
    """How far parts, and again pages, scatter about the typical rate, as a logarithm."""
    lean: float = 2.5
    """How far parts differ in how many of their pages never change, as the logarithm of odds."""
    kinds: tuple[str, ...] = (HTML,)
    queries: bool = False
    """Whether pages are asked for with a question mark."""


@dataclass(frozen=True, slots=True)
class SiteModel:
    """What a site is like."""

    name: str
    host: str
    likeness: str
    sections: tuple[SiteSection, ...]
    captures: int
    interval: float
    """Days between two captures."""


@dataclass(frozen=True, slots=True)
class LabPage:
    """A page with what is true of it."""

    url: str
    media_type: str
    parent: int
    rate: float
    """Changes a day."""
    facts: PageFacts


INSTITUTE = SiteModel(
    "institute",
    "institute.example",
    "MPII: nearly all pages never change; daily captures",
    (
        SiteSection("~", 0.45, 0.997, 0.05, parts=12, lean=1.0),
        SiteSection("publications", 0.32, 0.999, 0.02, parts=5, lean=1.0, kinds=(PDF, PDF, HTML)),
        SiteSection("departments", 0.20, 0.985, 0.1, parts=5, lean=1.0),
        SiteSection("news", 0.03, 0.70, 0.5, parts=2, lean=1.0),
    ),
    captures=120,
    interval=1.0,
)
DIRECTORY = SiteModel(
    "directory",
    "directory.example",
    "DMOZ: topics, seven in ten pages never change, single pages hard to tell; weekly captures",
    tuple(
        SiteSection(name, 1 / 7, still, rate, parts=8, spread=1.2, lean=1.5)
        for name, still, rate in (
            ("Arts", 0.78, 0.02), ("Business", 0.86, 0.015), ("Computers", 0.70, 0.04), ("Games", 0.74, 0.03),
            ("Health", 0.88, 0.01), ("News", 0.50, 0.15), ("Science", 0.92, 0.01),
        )
    ),
    captures=40,
    interval=7.0,
)  # fmt: skip
MINISTRY = SiteModel(
    "ministry",
    "ministry.example",
    "MOD, DFID: half of the pages never change, sections differ much; weekly captures",
    (
        SiteSection("news", 0.20, 0.05, 0.30, parts=4, queries=True),
        SiteSection("forces", 0.30, 0.35, 0.05, parts=10),
        SiteSection("publications", 0.25, 0.93, 0.01, kinds=(PDF, HTML)),
        SiteSection("careers", 0.15, 0.20, 0.12, parts=5),
        SiteSection("pictures", 0.10, 0.97, 0.01, parts=3, kinds=(PICTURE,)),
    ),
    captures=60,
    interval=7.0,
)
SITE_MODELS = (INSTITUTE, DIRECTORY, MINISTRY)


def generate_site(manner: SiteModel, pages: int, seed: int) -> list[LabPage]:
    """A site of about so many pages, as a tree: the front page, an index of every section and part, pages below."""
    chance = SeededRandom("prediction", manner.name, seed)
    site = _SiteGenerator(manner, chance)
    for section in manner.sections:
        site.add_section(section, max(section.parts + 2, round(pages * section.share)))
    return site.build_pages()


class _SiteGenerator:
    """A site while it grows: indexes are finished last, as they change whenever they have something to list."""

    def __init__(self, manner: SiteModel, chance: SeededRandom) -> None:
        self._manner, self._chance = manner, chance
        self._drafts: list[tuple[str, str, int, float]] = [(f"https://{manner.host}/", HTML, 0, 0.0)]

    def add_section(self, section: SiteSection, pages: int) -> None:
        """Let a section grow."""
        head = self._add_index(0, f"{section.name}/" if section.name != "~" else "people/")
        parts = [self._add_part(section, head, number) for number in range(section.parts)]
        tempers = [_draw_factor(self._chance, section.spread) for _ in parts]
        stills = [_scale_odds(section.still, _draw_factor(self._chance, section.lean)) for _ in parts]
        for number in range(pages - section.parts - 1):
            place = self._chance.integer(0, section.parts - 1)
            kind = self._chance.pick(section.kinds)
            rate = section.rate * tempers[place] * _draw_factor(self._chance, section.spread)
            if self._chance.uniform() < stills[place]:
                rate = 0.0
            url = self._drafts[parts[place]][0] + _page_name(section, kind, number)
            self._drafts.append((url, kind, parts[place], rate))

    def build_pages(self) -> list[LabPage]:
        """The finished site."""
        rates = self._index_rates()
        children = [0] * len(self._drafts)
        for _, _, parent, _ in self._drafts[1:]:
            children[parent] += 1
        return [
            LabPage(url, kind, parent, rates[number], self._draw_facts(kind, children[number], rates[number]))
            for number, (url, kind, parent, _) in enumerate(self._drafts)
        ]

    def _add_index(self, parent: int, name: str) -> int:
        self._drafts.append((self._drafts[parent][0] + name, HTML, parent, 0.0))
        return len(self._drafts) - 1

    def _add_part(self, section: SiteSection, head: int, number: int) -> int:
        if section.name == "~":
            self._drafts.append((f"{self._drafts[0][0]}~member{number}/", HTML, head, 0.0))
            return len(self._drafts) - 1
        return self._add_index(head, f"part-{number}/")

    def _index_rates(self) -> list[float]:
        """Indexes change as often as the pages they list, though not every change of those shows."""
        rates = [rate for _, _, _, rate in self._drafts]
        for number in range(len(self._drafts) - 1, 0, -1):
            rates[self._drafts[number][2]] += 0.1 * rates[number]
        return rates

    def _draw_facts(self, kind: str, children: int, rate: float) -> PageFacts:
        """What the page looks like: living pages have more links and pictures, with much chance in it."""
        if kind != HTML:
            return PageFacts(0.0, size=self._chance.integer(20_000, 900_000), links_in=self._chance.integer(1, 3))
        liveliness = 1 + min(rate, 2.0)
        return PageFacts(
            0.0,
            images=round(liveliness * self._chance.integer(0, 6)),
            tables=self._chance.integer(0, 3),
            links_out=children + round(liveliness * self._chance.integer(3, 20)),
            links_in=1 + round(liveliness * self._chance.integer(0, 8)),
            size=round(liveliness * self._chance.integer(2_000, 30_000)),
        )


def _page_name(section: SiteSection, kind: str, number: int) -> str:
    if section.queries:
        return f"show?id={number}"
    return f"{section.name.strip('~')[:4] or 'note'}_{number}" + {PDF: ".pdf", PICTURE: ".jpg"}.get(kind, ".html")


def _draw_factor(chance: SeededRandom, spread: float) -> float:
    """A factor about one, normal as a logarithm: the sum of four draws is normal enough."""
    sway = sum(chance.uniform(-1, 1) for _ in range(4)) * sqrt(3 / 4)
    return exp(spread * sway)


def _scale_odds(share: float, factor: float) -> float:
    """The share whose odds are so many times as good."""
    return factor * share / (factor * share + 1 - share)


def children_by_page(pages: Sequence[LabPage]) -> list[list[int]]:
    """The pages that each page leads to."""
    below: list[list[int]] = [[] for _ in pages]
    for number, page in enumerate(pages[1:], 1):
        below[page.parent].append(number)
    return below
