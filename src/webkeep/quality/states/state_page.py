"""The report on client-side states as an HTML page for people: one file, nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from webkeep.quality.report_html import STYLE_SHEET, escape_visible, render_row
from webkeep.quality.states.charts import cumulative_distribution, cumulative_sums, render_bar_chart, render_curve_chart
from webkeep.quality.states.state_report import LevelRow, StateReport, StateTreeShape, StorageRow
from webkeep.quality.states.state_tree import render_state_tree
from webkeep.quality.states.walked_pages import WalkedPage

MAX_TREES = 200
"""Pages whose tree of states is drawn: those with most views."""
_MONTH_PAGES = 1_810_000_000
"""Pages of a month's crawl of the web, by which the paper extrapolates (Common Crawl, July 2015)."""
_STYLE_SHEET = """
svg.chart, svg.tree { border: 0 } .bar { fill: var(--once) } .axis { stroke: var(--line) }
.curve { stroke: var(--good); stroke-width: 2; fill: none } svg.tree path { stroke: var(--line) }
circle.root { fill: var(--once) } circle.fresh { fill: var(--good) } circle.same { fill: var(--soft) }
circle:hover { stroke: var(--ink); stroke-width: 3 } details.branch { margin-left: 1.2rem }
:target > summary { background: var(--band) }
ul.new { font-size: .8rem; margin: .2rem 0 .4rem; overflow-wrap: anywhere } summary { cursor: pointer }
"""


def describe_gain(report: StateReport) -> str:
    """What running pages gained, in one line."""
    pages = report.deferred.pages + report.others.pages
    if not pages:
        return "No page was run in a browser"
    run = f"{pages:,} {'page was' if pages == 1 else 'pages were'} run in a browser"
    run += f" ({report.runs:,} runs)" if report.runs > pages else ""
    if not (report.deferred.pages or report.fresh):
        return f"{run}, and nothing more was loaded"
    if pages == 1:
        return f"{run}, and loads more once it is: {_found_words(report, pages)}"
    more = "loads more once it is" if report.deferred.pages == 1 else "load more once they are"
    return f"{run}, {report.deferred.pages:,} of them {more}: {_found_words(report, pages)}"


def _found_words(report: StateReport, pages: int) -> str:
    """What was found that way; by clicks and the like only where there were any."""
    urls = f"{report.fresh:,} {'URL' if report.fresh == 1 else 'URLs'} that nothing else led to"
    if report.views <= pages:
        return urls
    states = f"{report.descendants:,} {'state' if report.descendants == 1 else 'states'}"
    led_to = f", which led to {states}" if report.descendants else ""
    return f"{urls}, {report.clicks:,} of them only by scrolling, clicks and the like{led_to}"


def render_state_page(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[bytes]:
    """The page, piece by piece."""
    for piece in _render_pieces(report, pages, title):
        yield piece.encode("utf-8", "replace")


def _render_pieces(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_visible(title)}</title>\n<style>{STYLE_SHEET}{_STYLE_SHEET}</style></head>\n<body>\n<h1>{escape_visible(title)}</h1>\n"
        f'<p class="headline">{escape_visible(describe_gain(report))}.</p>\n'
    )
    yield from _render_tree_shapes(report)
    yield from _render_events(report)
    yield from _render_growth(report.levels)
    yield from _render_coverage(report)
    yield from _render_overlap(report)
    yield from _render_storage(report)
    yield from _render_missing_pictures(pages)
    yield from _render_trees(pages)
    yield "</body></html>\n"


def _render_missing_pictures(pages: Sequence[WalkedPage]) -> Iterator[str]:
    """The views that a picture was wanted of and that have none, with the reason."""
    rows = [
        (escape_visible(page.url), escape_visible(view.caption), escape_visible(view.no_picture))
        for page in pages
        for view in page.without_picture
    ]
    if rows:
        yield from _render_table("Views without a picture", ("page", "view", "why"), rows)


def _render_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"<h2>{title}</h2>\n<div class=wide><table><thead>{render_row(*head, tag='th')}</thead><tbody>\n"
    for cells in rows:
        yield render_row(*cells)
    yield "</tbody></table></div>\n"


def _render_tree_shapes(report: StateReport) -> Iterator[str]:
    both = (report.deferred, report.others)
    head = ("", "pages that load more", "deviation", "other pages", "deviation")
    spreads = (("depth", "depth"), ("breadth", "breadth"), ("descendants", "descendants"))
    rows = [(words, *(cell for kin in both for cell in _tree_shape_cells(kin, name))) for words, name in spreads]
    yield from _render_table("How many states pages have", head, rows)
    named = ("least", "most", "middle")
    rows = [(name, *(f"{getattr(kin.descendants, name):,.0f}" for kin in both)) for name in named]
    yield from _render_table("The range of descendants", ("", "pages that load more", "other pages"), rows)
    pages = ", ".join(f"{kin.pages:,} {words}" for kin, words in zip(both, ("load more", "do not"), strict=True))
    yield f"<p><small>Of the pages, {pages}.</small></p>\n"


def _tree_shape_cells(kin: StateTreeShape, name: str) -> tuple[str, str]:
    spread = getattr(kin, name)
    return f"{spread.mean:,.2f}", f"{spread.deviation:,.2f}"


def _render_events(report: StateReport) -> Iterator[str]:
    head = ("event", "on pages that load more", "on other pages", "share of what interactions brought")
    rows = [
        (escape_visible(each.event), f"{each.deferred:.1%}", f"{each.others:.1%}", f"{each.contribution:.1%}")
        for each in report.events
    ]
    yield from _render_table("Which events there are, and what they bring", head, rows)


def _render_growth(levels: Sequence[LevelRow]) -> Iterator[str]:
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
    yield from _render_table("What each level costs and adds", head, rows)
    yield "<figure>"
    yield from render_bar_chart(
        "URLs known after each level", [(each.name, each.urls, f"{each.urls:,}") for each in levels]
    )
    yield "<figcaption>URLs known after each level.</figcaption></figure>\n"


def _render_coverage(report: StateReport) -> Iterator[str]:
    if report.coverage_from:
        yield f"<h2>What {escape_visible(report.coverage_from)} does not hold</h2>\n<figure>"
        missing = [
            (each.name, each.missing or 0.0, f"{each.missing:.1%}")
            for each in report.levels
            if each.missing is not None
        ]
        yield from render_bar_chart("Share of new resources that are missing there", missing)
        unknown = (
            f" It did not say of {report.coverage_unknown:,}; they are left out." if report.coverage_unknown else ""
        )
        yield f"<figcaption>The share of what each level adds that is missing there.{unknown}</figcaption></figure>\n"
    yield "<h2>What interactions bring, by type</h2>\n<figure>"
    yield from render_bar_chart(
        "Resources by type", [(name, count, f"{count:,}") for name, count in list(report.types.items())[:20]]
    )
    yield "</figure>\n<figure>"
    yield from render_curve_chart(
        "Sizes of images", cumulative_distribution(report.image_sizes), "bytes of an image", "share of images no larger"
    )
    yield "</figure>\n"


def _render_overlap(report: StateReport) -> Iterator[str]:
    rows = [(escape_visible(url), f"{count:,}") for url, count in report.overlap]
    yield from _render_table("Resources that most views need", ("resource", "views"), rows)
    yield f"<p><small>These are {report.overlap_share:.1%} of all that views beyond the load need.</small></p>\n"
    yield "<figure>"
    ranks = [(float(place), float(count)) for place, count in enumerate(report.ranked, 1)]
    yield from render_curve_chart("Occurrence of resources", ranks, "resources by rank", "views they occur in")
    yield "<figcaption>In how many views resources occur, the most frequent first.</figcaption></figure>\n<figure>"
    yield from render_curve_chart(
        "Contribution of pages", cumulative_sums(report.contributions), "share of pages", "share of resources"
    )
    yield "<figcaption>Which share of resources the pages with most of them bring.</figcaption></figure>\n"


def _render_storage(report: StateReport) -> Iterator[str]:
    mean = report.note_bytes / (report.descendants + report.deferred.pages + report.others.pages or 1)
    both = (report.storage_others, report.storage_deferred)
    rows: list[tuple[str, ...]] = [
        ("notes, for each state", _format_bytes(mean), ""),
        ("notes, in all", _format_bytes(report.note_bytes), ""),
        ("pages", *(f"{each.pages:,}" for each in both)),
        ("mean resource", *(_format_bytes(each.resource_bytes) for each in both)),
        ("resources of a page", *(f"{each.resources_each:,.1f}" for each in both)),
    ]
    rows += [
        (f"resources of s{level}", *(_format_bytes(each.by_level.get(level, 0)) for each in both))
        for level in sorted({level for each in both for level in each.by_level})
    ]
    rows += [
        ("in all", *(_format_bytes(each.total_bytes) for each in both)),
        ("each page", *(_format_bytes(each.bytes_a_page) for each in both)),
    ]
    yield from _render_table("What it takes to store", ("", "other pages", "pages that load more"), rows)
    yield _extrapolate_storage(report.storage_deferred)


def _extrapolate_storage(storage: StorageRow) -> str:
    if not storage.pages:
        return ""
    more = sum(size for level, size in storage.by_level.items() if level) + storage.note_bytes
    whole = more / storage.pages * _MONTH_PAGES
    return (
        f"<p><small>What is beyond the load takes {_format_bytes(more / storage.pages)} for each such page; for the "
        f"{_MONTH_PAGES:,} pages of a month's crawl of the web that would be {_format_bytes(whole)}.</small></p>\n"
    )


def _format_bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:,.1f} {unit}" if unit != "B" else f"{count:,.0f} B"
        count /= 1000
    return f"{count:,.1f} PB"


def _render_trees(pages: Sequence[WalkedPage]) -> Iterator[str]:
    largest = sorted(pages, key=lambda page: (-len(page.views), page.url))[:MAX_TREES]
    yield "<h2>The states of each page</h2>\n"
    yield "<p><small>Green: needs what no view before it did. Grey: needs the same as another.</small></p>\n"
    for number, page in enumerate(largest):
        yield f"<details><summary>{escape_visible(page.url)} <small>{len(page.views):,} views</small></summary>\n"
        yield from render_state_tree(page, f"p{number}")
        yield "</details>\n"
    if len(pages) > len(largest):
        yield f"<p><small>The {len(largest):,} pages with the most views of {len(pages):,} are shown.</small></p>\n"
