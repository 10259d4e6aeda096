"""Scenario quirks: repositories that spell URLs their own way: one host only, no final slash, any case, invented pages;
what comes back, and what comes back twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.recovery.scenarios.product_recovery import recover_site
from webkeep.lab.recovery.simulation.repository_holdings import LOST_AT
from webkeep.lab.recovery.simulation.simulated_repository import DAY_SECONDS, RepositoryFaults, SimulatedRepository
from webkeep.lab.recovery.simulation.site_content import draw_words
from webkeep.lab.recovery.simulation.stored_versions import ShelfVersion, VersionShelf
from webkeep.lab.results.result_table import ResultColumn, ResultTable, build_row
from webkeep.recover import RecoveryPolicy
from webkeep.recover.repositories import RepositoryTraits, UrlSpelling, VersionDepth
from webkeep.url import surt

QUIRKS_SITE = "http://www.quirks.example/"
_BARE_SITE = "http://quirks.example/"
_SECTIONS = ("news", "people", "papers", "pictures")
_PAGES_A_SECTION = 8
"""Enough for a rule on upper and lower case to be seen."""
COLUMNS = (
    ResultColumn("recovered", "recovered"),
    ResultColumn("twice", "pages recovered twice"),
)
_QUIRKS: dict[str, tuple[UrlSpelling, RepositoryFaults, str]] = {
    "none": (UrlSpelling(), RepositoryFaults(), QUIRKS_SITE),
    "one host only": (UrlSpelling(either_www=False), RepositoryFaults(), _BARE_SITE),
    "no final slash": (UrlSpelling(keeps_slash=False), RepositoryFaults(), QUIRKS_SITE),
    "any case": (UrlSpelling(either_case=True), RepositoryFaults(), QUIRKS_SITE),
    "invented index pages": (UrlSpelling(), RepositoryFaults(invents_index=True), QUIRKS_SITE),
}
_NOTE = (
    "Each repository holds the whole site; links lead to `www.`, with final slashes, and to some index pages by name."
)


def quirks_block() -> ResultTable:
    """What comes back from a repository with each quirk, and from all of them together."""
    rows = []
    for name, quirk in _QUIRKS.items():
        rows.append(
            build_row(name, COLUMNS, _quirk_figures([_build_repository("one", *quirk)], RecoveryPolicy.SPARING))
        )
        if name == "one host only":
            rows.append(
                build_row(
                    f"{name}, naive", COLUMNS, _quirk_figures([_build_repository("one", *quirk)], RecoveryPolicy.NAIVE)
                )
            )
    together = [_build_repository(f"r{place}", *quirk) for place, quirk in enumerate(_QUIRKS.values())]
    rows.append(build_row("all together", COLUMNS, _quirk_figures(together, RecoveryPolicy.SPARING)))
    return ResultTable("quirks", "Repositories with spellings of their own", "quirk", COLUMNS, tuple(rows), (_NOTE,))


def _build_repository(name: str, spelling: UrlSpelling, faults: RepositoryFaults, origin: str) -> SimulatedRepository:
    traits = RepositoryTraits(name, depth=VersionDepth.FLAT, spelling=spelling)
    return SimulatedRepository(traits, VersionShelf(_site_versions(origin)), LOST_AT, faults)


def _quirk_figures(holders: Sequence[SimulatedRepository], policy: RecoveryPolicy) -> dict[str, float]:
    run = recover_site(QUIRKS_SITE, holders, policy)
    keys = [surt(url) for url in run.kept]
    wanted = {surt(stored.url) for stored in _site_versions(QUIRKS_SITE)}
    return {
        "recovered": len(wanted & set(keys)) / len(wanted),
        "twice": (len(keys) - len(set(keys))) / len(wanted),
    }


def _site_versions(origin: str) -> list[ShelfVersion]:
    """A root, sections that are directories, and pages in them, some in capital letters."""
    moment = LOST_AT.plus(-DAY_SECONDS)
    texts = {"": "".join(f'<a href="/{name}/">{name}</a>' for name in _SECTIONS)}
    for place, name in enumerate(_SECTIONS):
        pages = [f"{name}/{'Page' if number % 2 else 'page'}{number}.html" for number in range(_PAGES_A_SECTION)]
        up = '<a href="index.html">top</a>' if place % 2 else ""
        texts[f"{name}/"] = up + "".join(f'<a href="/{page}">{page}</a>' for page in pages)
        texts |= {page: f'<p>{draw_words(page)}</p><a href="/{name}/">up</a>' for page in pages}
    return [
        ShelfVersion(origin + path, moment, f"<title>{path} page</title>{text}".encode())
        for path, text in texts.items()
    ]
