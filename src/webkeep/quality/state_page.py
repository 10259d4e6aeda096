"""The report on client-side states as an HTML page for people: one file, nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from webkeep.quality.charts import bars, curve, shares, summed
from webkeep.quality.markup import row, shown
from webkeep.quality.page_style import STYLE
from webkeep.quality.state_tables import Kinship, LevelRow, StateReport, StorageRow
from webkeep.quality.state_tree import state_tree
from webkeep.quality.walked import WalkedPage

MOST_TREES = 200
_MONTH_PAGES = 1_810_000_000
"""Pages of a month's crawl of the web, by which the paper extrapolates (Common Crawl, July 2015)."""
_OWN = """
svg.chart, svg.tree { border: 0 } .bar { fill: var(--once) } .axis { stroke: var(--line) }
.curve { stroke: var(--good); stroke-width: 2; fill: none } svg.tree path { stroke: var(--line) }
circle.root { fill: var(--once) } circle.fresh { fill: var(--good) } circle.same { fill: var(--soft) }
circle:hover { stroke: var(--ink); stroke-width: 3 } details.branch { margin-left: 1.2rem }
:target > summary { background: var(--band) }
ul.new { font-size: .8rem; margin: .2rem 0 .4rem; overflow-wrap: anywhere } summary { cursor: pointer }
"""


def gained(report: StateReport) -> str:
    """What running pages gained, in one line."""
    pages = report.deferred.pages + report.others.pages
    if not pages:
        return "No page was run in a browser"
    run = f"{pages:,} {'page was' if pages == 1 else 'pages were'} run in a browser"
    run += f" ({report.runs:,} runs)" if report.runs > pages else ""
    if not (report.deferred.pages or report.fresh):
        return f"{run}, and nothing more was loaded"
    if pages == 1:
        return f"{run}, and loads more once it is: {_found(report, pages)}"
    more = "loads more once it is" if report.deferred.pages == 1 else "load more once they are"
    return f"{run}, {report.deferred.pages:,} of them {more}: {_found(report, pages)}"


def _found(report: StateReport, pages: int) -> str:
    """What was found that way; by clicks and the like only where there were any."""
    urls = f"{report.fresh:,} {'URL' if report.fresh == 1 else 'URLs'} that nothing else led to"
    if report.views <= pages:
        return urls
    states = f"{report.descendants:,} {'state' if report.descendants == 1 else 'states'}"
    led_to = f", which led to {states}" if report.descendants else ""
    return f"{urls}, {report.clicks:,} of them only by scrolling, clicks and the like{led_to}"


def state_page(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[bytes]:
    """The page, piece by piece."""
    for piece in _pieces(report, pages, title):
        yield piece.encode("utf-8", "replace")


def _pieces(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown(title)}</title>\n<style>{STYLE}{_OWN}</style></head>\n<body>\n<h1>{shown(title)}</h1>\n"
        f'<p class="headline">{shown(gained(report))}.</p>\n'
    )
    yield from _kinship(report)
    yield from _events(report)
    yield from _growth(report.levels)
    yield from _coverage(report)
    yield from _overlap(report)
    yield from _storage(report)
    yield from _pictureless(pages)
    yield from _trees(pages)
    yield "</body></html>\n"


def _pictureless(pages: Sequence[WalkedPage]) -> Iterator[str]:
    """The views that a picture was wanted of and that have none, with the reason."""
    rows = [
        (shown(page.url), shown(view.caption), shown(view.no_picture))
        for page in pages
        for view in page.without_picture
    ]
    if rows:
        yield from _table("Views without a picture", ("page", "view", "why"), rows)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"<h2>{title}</h2>\n<div class=wide><table><thead>{row(*head, tag='th')}</thead><tbody>\n"
    for cells in rows:
        yield row(*cells)
    yield "</tbody></table></div>\n"


def _kinship(report: StateReport) -> Iterator[str]:
    both = (report.deferred, report.others)
    head = ("", "pages that load more", "deviation", "other pages", "deviation")
    spreads = (("depth", "depth"), ("breadth", "breadth"), ("descendants", "descendants"))
    rows = [(words, *(cell for kin in both for cell in _cells(kin, name))) for words, name in spreads]
    yield from _table("How many states pages have", head, rows)
    named = ("least", "most", "middle")
    rows = [(name, *(f"{getattr(kin.descendants, name):,.0f}" for kin in both)) for name in named]
    yield from _table("The range of descendants", ("", "pages that load more", "other pages"), rows)
    pages = ", ".join(f"{kin.pages:,} {words}" for kin, words in zip(both, ("load more", "do not"), strict=True))
    yield f"<p><small>Of the pages, {pages}.</small></p>\n"


def _cells(kin: Kinship, name: str) -> tuple[str, str]:
    spread = getattr(kin, name)
    return f"{spread.mean:,.2f}", f"{spread.deviation:,.2f}"


def _events(report: StateReport) -> Iterator[str]:
    head = ("event", "on pages that load more", "on other pages", "share of what interactions brought")
    rows = [
        (shown(each.event), f"{each.deferred:.1%}", f"{each.others:.1%}", f"{each.contribution:.1%}")
        for each in report.events
    ]
    yield from _table("Which events there are, and what they bring", head, rows)


def _growth(levels: Sequence[LevelRow]) -> Iterator[str]:
    first = levels[0] if levels else LevelRow("", 0.0, 0, 0, 0.0)
    head = ("", "seconds", "URLs", "times the time", "times the URLs", "new URLs a second")
    rows = [
        (
            each.name,
            f"{each.seconds:,.1f}",
            f"{each.urls:,}",
            f"{each.seconds / first.seconds:,.2f}" if first.seconds else "",
            f"{each.urls / first.urls:,.2f}" if first.urls else "",
            f"{each.new_a_second:,.2f}" if each.new_a_second else "",
        )
        for each in levels
    ]
    yield from _table("What each level costs and adds", head, rows)
    yield "<figure>"
    yield from bars("URLs known after each level", [(each.name, each.urls, f"{each.urls:,}") for each in levels])
    yield "<figcaption>URLs known after each level.</figcaption></figure>\n"


def _coverage(report: StateReport) -> Iterator[str]:
    if report.coverage_from:
        yield f"<h2>What {shown(report.coverage_from)} does not hold</h2>\n<figure>"
        missing = [
            (each.name, each.missing or 0.0, f"{each.missing:.1%}")
            for each in report.levels
            if each.missing is not None
        ]
        yield from bars("Share of new resources that are missing there", missing)
        unknown = (
            f" It did not say of {report.coverage_unknown:,}; they are left out." if report.coverage_unknown else ""
        )
        yield f"<figcaption>The share of what each level adds that is missing there.{unknown}</figcaption></figure>\n"
    yield "<h2>What interactions bring, by type</h2>\n<figure>"
    yield from bars(
        "Resources by type", [(name, count, f"{count:,}") for name, count in list(report.types.items())[:20]]
    )
    yield "</figure>\n<figure>"
    yield from curve("Sizes of images", shares(report.image_sizes), "bytes of an image", "share of images no larger")
    yield "</figure>\n"


def _overlap(report: StateReport) -> Iterator[str]:
    rows = [(shown(url), f"{count:,}") for url, count in report.overlap]
    yield from _table("Resources that most views need", ("resource", "views"), rows)
    yield f"<p><small>These are {report.overlap_share:.1%} of all that views beyond the load need.</small></p>\n"
    yield "<figure>"
    ranks = [(float(place), float(count)) for place, count in enumerate(report.ranked, 1)]
    yield from curve("Occurrence of resources", ranks, "resources by rank", "views they occur in")
    yield "<figcaption>In how many views resources occur, the most frequent first.</figcaption></figure>\n<figure>"
    yield from curve("Contribution of pages", summed(report.contributions), "share of pages", "share of resources")
    yield "<figcaption>Which share of resources the pages with most of them bring.</figcaption></figure>\n"


def _storage(report: StateReport) -> Iterator[str]:
    mean = report.note_bytes / (report.descendants + report.deferred.pages + report.others.pages or 1)
    both = (report.storage_others, report.storage_deferred)
    rows: list[tuple[str, ...]] = [
        ("notes, for each state", _bytes(mean), ""),
        ("notes, in all", _bytes(report.note_bytes), ""),
        ("pages", *(f"{each.pages:,}" for each in both)),
        ("mean resource", *(_bytes(each.resource_bytes) for each in both)),
        ("resources of a page", *(f"{each.resources_each:,.1f}" for each in both)),
    ]
    rows += [
        (f"resources of s{level}", *(_bytes(each.by_level.get(level, 0)) for each in both))
        for level in sorted({level for each in both for level in each.by_level})
    ]
    rows += [("in all", *(_bytes(each.total) for each in both)), ("each page", *(_bytes(each.each) for each in both))]
    yield from _table("What it takes to store", ("", "other pages", "pages that load more"), rows)
    yield _extrapolated(report.storage_deferred)


def _extrapolated(storage: StorageRow) -> str:
    if not storage.pages:
        return ""
    more = sum(size for level, size in storage.by_level.items() if level) + storage.note_bytes
    whole = more / storage.pages * _MONTH_PAGES
    return (
        f"<p><small>What is beyond the load takes {_bytes(more / storage.pages)} for each such page; for the "
        f"{_MONTH_PAGES:,} pages of a month's crawl of the web that would be {_bytes(whole)}.</small></p>\n"
    )


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:,.1f} {unit}" if unit != "B" else f"{count:,.0f} B"
        count /= 1000
    return f"{count:,.1f} PB"


def _trees(pages: Sequence[WalkedPage]) -> Iterator[str]:
    largest = sorted(pages, key=lambda page: (-len(page.views), page.url))[:MOST_TREES]
    yield "<h2>The states of each page</h2>\n"
    yield "<p><small>Green: needs what no view before it did. Grey: needs the same as another.</small></p>\n"
    for number, page in enumerate(largest):
        yield f"<details><summary>{shown(page.url)} <small>{len(page.views):,} views</small></summary>\n"
        yield from state_tree(page, f"p{number}")
        yield "</details>\n"
    if len(pages) > len(largest):
        yield f"<p><small>The {len(largest):,} pages with the most views of {len(pages):,} are shown.</small></p>\n"
