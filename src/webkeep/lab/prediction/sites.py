"""Generated sites to learn from, each in the likeness of one the literature used.

Where a page stands, what kind it is and how deep it lies say much about its rate, never all: sections, their parts and
single pages have chances of their own, and most pages never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt

from webkeep.change import PageFacts
from webkeep.lab.demo.chance import Chance

HTML, PDF, PICTURE = "text/html", "application/pdf", "image/jpeg"


@dataclass(frozen=True, slots=True)
class Section:
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
class Manner:
    """What a site is like."""

    name: str
    host: str
    likeness: str
    sections: tuple[Section, ...]
    captures: int
    interval: float
    """Days between two captures."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page with what is true of it."""

    url: str
    media_type: str
    parent: int
    rate: float
    """Changes a day."""
    facts: PageFacts


INSTITUTE = Manner(
    "institute",
    "institute.example",
    "MPII: nearly all pages never change; daily captures",
    (
        Section("~", 0.45, 0.997, 0.05, parts=12, lean=1.0),
        Section("publications", 0.32, 0.999, 0.02, parts=5, lean=1.0, kinds=(PDF, PDF, HTML)),
        Section("departments", 0.20, 0.985, 0.1, parts=5, lean=1.0),
        Section("news", 0.03, 0.70, 0.5, parts=2, lean=1.0),
    ),
    captures=120,
    interval=1.0,
)
DIRECTORY = Manner(
    "directory",
    "directory.example",
    "DMOZ: topics, seven in ten pages never change, single pages hard to tell; weekly captures",
    tuple(
        Section(name, 1 / 7, still, rate, parts=8, spread=1.2, lean=1.5)
        for name, still, rate in (
            ("Arts", 0.78, 0.02), ("Business", 0.86, 0.015), ("Computers", 0.70, 0.04), ("Games", 0.74, 0.03),
            ("Health", 0.88, 0.01), ("News", 0.50, 0.15), ("Science", 0.92, 0.01),
        )
    ),
    captures=40,
    interval=7.0,
)  # fmt: skip
MINISTRY = Manner(
    "ministry",
    "ministry.example",
    "MOD, DFID: half of the pages never change, sections differ much; weekly captures",
    (
        Section("news", 0.20, 0.05, 0.30, parts=4, queries=True),
        Section("forces", 0.30, 0.35, 0.05, parts=10),
        Section("publications", 0.25, 0.93, 0.01, kinds=(PDF, HTML)),
        Section("careers", 0.15, 0.20, 0.12, parts=5),
        Section("pictures", 0.10, 0.97, 0.01, parts=3, kinds=(PICTURE,)),
    ),
    captures=60,
    interval=7.0,
)
MANNERS = (INSTITUTE, DIRECTORY, MINISTRY)


def generated(manner: Manner, pages: int, seed: int) -> list[Page]:
    """A site of about so many pages, as a tree: the front page, an index of every section and part, pages below."""
    chance = Chance("prediction", manner.name, seed)
    site = _Growing(manner, chance)
    for section in manner.sections:
        site.add(section, max(section.parts + 2, round(pages * section.share)))
    return site.pages()


class _Growing:
    """A site while it grows: indexes are finished last, as they change whenever they have something to list."""

    def __init__(self, manner: Manner, chance: Chance) -> None:
        self._manner, self._chance = manner, chance
        self._drafts: list[tuple[str, str, int, float]] = [(f"https://{manner.host}/", HTML, 0, 0.0)]

    def add(self, section: Section, pages: int) -> None:
        """Let a section grow."""
        head = self._indexed(0, f"{section.name}/" if section.name != "~" else "people/")
        parts = [self._part(section, head, number) for number in range(section.parts)]
        tempers = [_scattered(self._chance, section.spread) for _ in parts]
        stills = [_leaning(section.still, _scattered(self._chance, section.lean)) for _ in parts]
        for number in range(pages - section.parts - 1):
            place = self._chance.integer(0, section.parts - 1)
            kind = self._chance.pick(section.kinds)
            rate = section.rate * tempers[place] * _scattered(self._chance, section.spread)
            if self._chance.uniform() < stills[place]:
                rate = 0.0
            url = self._drafts[parts[place]][0] + _name(section, kind, number)
            self._drafts.append((url, kind, parts[place], rate))

    def pages(self) -> list[Page]:
        """The finished site."""
        rates = self._rates()
        children = [0] * len(self._drafts)
        for _, _, parent, _ in self._drafts[1:]:
            children[parent] += 1
        return [
            Page(url, kind, parent, rates[number], self._facts(kind, children[number], rates[number]))
            for number, (url, kind, parent, _) in enumerate(self._drafts)
        ]

    def _indexed(self, parent: int, name: str) -> int:
        self._drafts.append((self._drafts[parent][0] + name, HTML, parent, 0.0))
        return len(self._drafts) - 1

    def _part(self, section: Section, head: int, number: int) -> int:
        if section.name == "~":
            self._drafts.append((f"{self._drafts[0][0]}~member{number}/", HTML, head, 0.0))
            return len(self._drafts) - 1
        return self._indexed(head, f"part-{number}/")

    def _rates(self) -> list[float]:
        """Indexes change as often as the pages they list, though not every change of those shows."""
        rates = [rate for _, _, _, rate in self._drafts]
        for number in range(len(self._drafts) - 1, 0, -1):
            rates[self._drafts[number][2]] += 0.1 * rates[number]
        return rates

    def _facts(self, kind: str, children: int, rate: float) -> PageFacts:
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


def _name(section: Section, kind: str, number: int) -> str:
    if section.queries:
        return f"show?id={number}"
    return f"{section.name.strip('~')[:4] or 'note'}_{number}" + {PDF: ".pdf", PICTURE: ".jpg"}.get(kind, ".html")


def _scattered(chance: Chance, spread: float) -> float:
    """A factor about one, normal as a logarithm: the sum of four draws is normal enough."""
    sway = sum(chance.uniform(-1, 1) for _ in range(4)) * sqrt(3 / 4)
    return exp(spread * sway)


def _leaning(share: float, factor: float) -> float:
    """The share whose odds are so many times as good."""
    return factor * share / (factor * share + 1 - share)


def children_of(pages: Sequence[Page]) -> list[list[int]]:
    """The pages that each page leads to."""
    below: list[list[int]] = [[] for _ in pages]
    for number, page in enumerate(pages[1:], 1):
        below[page.parent].append(number)
    return below
