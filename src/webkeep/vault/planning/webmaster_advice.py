"""What a webmaster can do so that more of a site comes back: the published advice, applied to the pages of this site.

It was found by measuring 300 sites: those whose pages other sites link to, that need few clicks to be reached, and
whose addresses are stable came back best. Each piece of advice here names the pages it is about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webkeep.presentation import format_count, format_share, format_size
from webkeep.vault.planning.coverage_estimate import CoverageEstimate, directory_of
from webkeep.vault.planning.plan_proposal import PlanProposal, PlanRequest

MAX_NEAR_HOPS = 3
"""Clicks from the start page: crawlers go further on few sites, and people hardly ever."""
MAX_NEAR_DEPTH = 3
"""Directories in an address: of pages further down 52 % came back, of others 61 %."""
_LOW_COVERAGE_SHARE = 0.3
"""A directory of which archives have less is worth asking for."""
_MIN_TOLD_PAGES = 3
"""Fewer pages of a directory say nothing of it."""


@dataclass(frozen=True, slots=True)
class PageTraits:
    """What of a page decides how well it is archived."""

    path: str
    hops: int | None
    """Clicks from the start page; None where no link leads to it."""
    may_be_archived: bool = True
    """Whether it does not forbid that itself (`noarchive`)."""

    @property
    def has_query(self) -> bool:
        """Whether its address has parameters."""
        return "?" in self.path


@dataclass(frozen=True, slots=True)
class WebmasterAdvice:
    """One thing to do, and for which pages."""

    code: str
    text: str
    pages: tuple[str, ...] = ()


def advise_webmaster(
    traits: Sequence[PageTraits], request: PlanRequest, proposal: PlanProposal, coverage: CoverageEstimate
) -> list[WebmasterAdvice]:
    """Everything that is to be said of this site, what matters most first."""
    return [
        *_advise_on_goal(request, proposal),
        *_advise_on_links(traits),
        *_advise_on_addresses(traits),
        *_advise_on_refusals(traits),
        *_advise_on_archives(coverage),
        *_advise_on_room(request, proposal),
        *_GENERAL_ADVICE,
    ]


def _advise_on_goal(request: PlanRequest, proposal: PlanProposal) -> Iterator[WebmasterAdvice]:
    if not proposal.is_reached:
        yield WebmasterAdvice(
            "not-reached",
            f"{format_share(request.wanted)} cannot be reached with these pages{_ways_on(request, proposal)}",
        )


def _ways_on(request: PlanRequest, proposal: PlanProposal) -> str:
    """What would help: not the size of blocks, where any single one suffices already."""
    if any(each.needed > 1 for each in proposal.plan.segments):
        return ": let pages grow more, add pages, protect less, or have more of the pages archived"
    correlation = request.model.directory_correlation
    if correlation:
        return (
            f", though one block of each segment suffices: directories may be missed as a whole (correlation "
            f"{correlation:.2f}). Have another archive hold the pages, have pages of more directories carry blocks, or "
            "say by --correlation that it is less"
        )
    return ", though one block of each segment suffices: add pages, or have more of them archived"


def _advise_on_links(traits: Sequence[PageTraits]) -> Iterator[WebmasterAdvice]:
    orphans = tuple(page.path for page in traits if page.hops is None)
    if orphans:
        yield WebmasterAdvice(
            "orphans",
            f"No link leads to {format_count(len(orphans), 'page')}: link to each, or no archive will find what it "
            "carries",
            orphans,
        )
    far = tuple(page.path for page in traits if page.hops is not None and page.hops > MAX_NEAR_HOPS)
    if far:
        yield WebmasterAdvice(
            "far",
            f"{format_count(len(far), 'page is', 'pages are')} more than {MAX_NEAR_HOPS} clicks from the start page: "
            "list such on a page that is nearer, as a site map",
            far,
        )


def _advise_on_addresses(traits: Sequence[PageTraits]) -> Iterator[WebmasterAdvice]:
    queried = tuple(page.path for page in traits if page.has_query)
    if queried:
        yield WebmasterAdvice(
            "queries",
            f"{format_count(len(queried), 'address has', 'addresses have')} parameters: give pages plain addresses "
            "that stay what they are; of those with parameters 11% came back, of others 73%",
            queried,
        )
    deep = tuple(page.path for page in traits if page.path.partition("?")[0].count("/") > MAX_NEAR_DEPTH + 1)
    if deep:
        yield WebmasterAdvice(
            "deep",
            f"{format_count(len(deep), 'page is', 'pages are')} more than {MAX_NEAR_DEPTH} directories down: of such "
            "52% came back, of others 61%",
            deep,
        )


def _advise_on_refusals(traits: Sequence[PageTraits]) -> Iterator[WebmasterAdvice]:
    refusing = tuple(page.path for page in traits if not page.may_be_archived)
    if refusing:
        yield WebmasterAdvice(
            "noarchive",
            f"{format_count(len(refusing), 'page forbids', 'pages forbid')} archiving (noarchive): what is in such "
            "pages is lost; take the rule out",
            refusing,
        )


def _advise_on_archives(coverage: CoverageEstimate) -> Iterator[WebmasterAdvice]:
    if len(coverage.model.archives) == 1:
        yield WebmasterAdvice(
            "one-archive",
            "All hangs on one archive: have the pages captured by a second one, of your own with webkeep capture or on "
            "request elsewhere",
        )
    sizes = Counter(directory_of(page.url) for page in coverage.odds)
    sums = dict.fromkeys(sizes, 0.0)
    for page in coverage.odds:
        sums[directory_of(page.url)] += page.chance
    poor = tuple(
        each
        for each, size in sizes.items()
        if coverage.held and size >= _MIN_TOLD_PAGES and sums[each] / size < _LOW_COVERAGE_SHARE
    )
    if poor:
        yield WebmasterAdvice(
            "uncovered",
            f"Of {format_count(len(poor), 'directory', 'directories')} archives have next to nothing: ask them to "
            "capture it, and check that robots.txt lets them",
            poor,
        )


def _advise_on_room(request: PlanRequest, proposal: PlanProposal) -> Iterator[WebmasterAdvice]:
    used = {page for segment in proposal.plan.segments for page in segment.pages}
    full = tuple(page.path for at, page in enumerate(request.pages) if at not in used)
    if full:
        yield WebmasterAdvice(
            "full",
            f"{format_count(len(full), 'page carries', 'pages carry')} nothing, as a block does not fit below "
            f"{format_size(request.max_page_bytes)}: make them smaller, or allow larger pages",
            full,
        )


_GENERAL_ADVICE = (
    WebmasterAdvice(
        "importance",
        "Have other sites link to yours and publish a sitemap with dates: what is linked from elsewhere is captured "
        "first and most often",
    ),
    WebmasterAdvice(
        "soon",
        "After a loss, recover at once: caches of search engines drop pages on the day they find them gone, and those "
        "of well-known sites first; archives keep them",
    ),
    WebmasterAdvice(
        "refresh",
        "After blocks have moved, archives need days to weeks to capture the pages again: webkeep vault health says "
        "when everything is held",
    ),
)
