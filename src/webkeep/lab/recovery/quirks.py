"""Scenario: repositories that spell URLs their own way: one host only, no final slash, any case, invented pages."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.recovery.figure import Block, Column, row
from webkeep.lab.recovery.holdings import LOST_AT
from webkeep.lab.recovery.product import recover
from webkeep.lab.recovery.shelf import Shelf, Stored
from webkeep.lab.recovery.simulated import DAY, SimulatedRepository, Whims
from webkeep.lab.recovery.site_content import words
from webkeep.recover.plan import Policy
from webkeep.recover.repository_traits import Depth, Spelling, Traits
from webkeep.url import surt

SITE = "http://www.quirks.example/"
_BARE = "http://quirks.example/"
_SECTIONS = ("news", "people", "papers", "pictures")
_PAGES = 8
COLUMNS = (
    Column("recovered", "recovered"),
    Column("twice", "pages recovered twice"),
)
_QUIRKS: dict[str, tuple[Spelling, Whims, str]] = {
    "none": (Spelling(), Whims(), SITE),
    "one host only": (Spelling(either_www=False), Whims(), _BARE),
    "no final slash": (Spelling(keeps_slash=False), Whims(), SITE),
    "any case": (Spelling(either_case=True), Whims(), SITE),
    "invented index pages": (Spelling(), Whims(invents_index=True), SITE),
}
_NOTE = (
    "Each repository holds the whole site; links lead to `www.`, with final slashes, and to some index pages by name."
)


def quirks_block() -> Block:
    """What comes back from a repository with each quirk, and from all of them together."""
    rows = []
    for name, quirk in _QUIRKS.items():
        rows.append(row(name, COLUMNS, _figures([_repository("one", *quirk)], Policy.SPARING)))
        if name == "one host only":
            rows.append(row(f"{name}, naive", COLUMNS, _figures([_repository("one", *quirk)], Policy.NAIVE)))
    together = [_repository(f"r{place}", *quirk) for place, quirk in enumerate(_QUIRKS.values())]
    rows.append(row("all together", COLUMNS, _figures(together, Policy.SPARING)))
    return Block("quirks", "Repositories with spellings of their own", "quirk", COLUMNS, tuple(rows), (_NOTE,))


def _repository(name: str, spelling: Spelling, whims: Whims, origin: str) -> SimulatedRepository:
    traits = Traits(name, depth=Depth.FLAT, spelling=spelling)
    return SimulatedRepository(traits, Shelf(_site(origin)), LOST_AT, whims)


def _figures(holders: Sequence[SimulatedRepository], policy: Policy) -> dict[str, float]:
    run = recover(SITE, holders, policy)
    keys = [surt(url) for url in run.kept]
    wanted = {surt(stored.url) for stored in _site(SITE)}
    return {
        "recovered": len(wanted & set(keys)) / len(wanted),
        "twice": (len(keys) - len(set(keys))) / len(wanted),
    }


def _site(origin: str) -> list[Stored]:
    """A root, sections that are directories, and pages in them, some in capital letters."""
    moment = LOST_AT.plus(-DAY)
    texts = {"": "".join(f'<a href="/{name}/">{name}</a>' for name in _SECTIONS)}
    for place, name in enumerate(_SECTIONS):
        pages = [f"{name}/{'Page' if number % 2 else 'page'}{number}.html" for number in range(_PAGES)]
        up = '<a href="index.html">top</a>' if place % 2 else ""
        texts[f"{name}/"] = up + "".join(f'<a href="/{page}">{page}</a>' for page in pages)
        texts |= {page: f'<p>{words(page)}</p><a href="/{name}/">up</a>' for page in pages}
    return [Stored(origin + path, moment, f"<title>{path} page</title>{text}".encode()) for path, text in texts.items()]
