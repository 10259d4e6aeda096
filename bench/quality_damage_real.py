"""Damage against pictures on pages by other hands: those of the packages of `bench.real_walks`, with some of their
parts removed.

Half of the packages, by a digest of their names, are what weights may be tuned on; the other half judges, and nobody
chose its pages or looked at them. A page that two pictures show otherwise though nothing was removed moves by itself,
and one with fewer than two parts has nothing to be told apart: both are left out, by rule.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Sequence
from dataclasses import replace

from bench.measuring import result, say
from bench.quality_damage import Case, make_cases, open_tab, rank_correlation
from bench.real_site import PackageProxy, RealPage, install_real_pages
from webkeep.model import Headers
from webkeep.quality.damage import (
    DAMAGE_WEIGHTS,
    DamageWeights,
    HeldPart,
    PagePart,
    PageStructure,
    measure_damage,
    read_page_structure,
)

_CASES_A_PAGE = 9
_MAX_OWN_CHANGE = 0.02
"""What a page may lose between two pictures of all of it."""


def is_tuned_on(package: str) -> bool:
    """Whether weights may be tuned on a package."""
    return zlib.crc32(package.encode()) % 2 == 0


class RealPages:
    """The pages, and their damage."""

    def __init__(self) -> None:
        self.pages = {each.url: each for each in install_real_pages()}
        self.proxy = PackageProxy(list(self.pages.values()))
        self._structures: dict[str, PageStructure] = {}

    def structure(self, url: str) -> PageStructure:
        """The parts of a page, by its markup."""
        if url not in self._structures:
            found = self.proxy.find(url)
            assert found is not None
            headers = Headers((("Content-Type", found.media_type),))
            self._structures[url] = read_page_structure(url, headers, found.body)
        return self._structures[url]

    def parts_of(self, url: str) -> list[str]:
        """The addresses that a page and its style sheets ask for, and that are there."""
        asked: dict[str, None] = {}

        def note(part: PagePart) -> HeldPart | None:
            asked.update(dict.fromkeys(each for each in part.urls if self.proxy.find(each) is not None))
            return self._held(part, frozenset())

        measure_damage(self.structure(url), note)
        return sorted(asked)

    def damage_of(self, case: Case, weights: DamageWeights = DAMAGE_WEIGHTS) -> tuple[float, float]:
        """The damage figure, and the share of missing parts."""
        told = measure_damage(self.structure(case.page), lambda part: self._held(part, case.removed), weights)
        return told.damage, told.missing_share

    def _held(self, part: PagePart, removed: frozenset[str]) -> HeldPart | None:
        for url in part.urls:
            found = None if url in removed else self.proxy.find(url)
            if found is not None:
                return HeldPart(Headers((("Content-Type", found.media_type),)), found.body)
        # What is not there with nothing removed is no loss of the case.
        return None if removed.intersection(part.urls) else HeldPart(Headers(()), b"")

    def measure(self, pages: Sequence[RealPage], a_page: int) -> list[Case]:
        """All cases with what their pictures lost."""
        measured: list[Case] = []
        way = f"--proxy-server={self.proxy.url.rstrip('/')}"
        with open_tab(way, "--proxy-bypass-list=<-loopback>", "--force-prefers-reduced-motion") as tab:
            for page in pages:
                parts = self.parts_of(page.url)
                whole = tab.take_picture(page.url) if len(parts) > 1 else ""
                if not whole or tab.compare(whole, tab.take_picture(page.url)) > _MAX_OWN_CHANGE:
                    say(f"{page.name}: left out")
                    continue
                for case in make_cases(page.url, a_page, parts):
                    self.proxy.removed = set(case.removed)
                    measured.append(replace(case, lost=tab.compare(whole, tab.take_picture(page.url))))
                    self.proxy.removed = set()
        return measured


def measure_real_damage(quick: bool) -> dict[str, object]:
    """The rank correlations on the half of the packages that nothing is tuned on."""
    real = RealPages()
    pages = [each for each in real.pages.values() if not is_tuned_on(each.package)]
    with real.proxy:
        cases = real.measure(pages[:6] if quick else pages, 4 if quick else _CASES_A_PAGE)
    figures, lost = [real.damage_of(case) for case in cases], [case.lost for case in cases]
    own, count = (rank_correlation([each[at] for each in figures], lost) for at in (0, 1))
    say(f"damage of {len(cases)} cases of others' pages: {own:.3f}; by the share of missing parts {count:.3f}")
    return {
        "damage_others_cases": len(cases),
        "damage_others_pages": len({case.page for case in cases}),
        "damage_others_correlation": round(own, 3),
        "damage_others_correlation_by_count": round(count, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pages and cases")
    args = parser.parse_args()
    result(measure_real_damage(args.quick))


if __name__ == "__main__":
    main()
