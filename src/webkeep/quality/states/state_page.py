"""The report on client-side states as an HTML page for people: its headline, tables and figures, how many trees are
drawn, and what is extrapolated to a month's crawl of the web.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from webkeep.presentation import format_count, format_share, format_size
from webkeep.presentation.drawings import PlotLine, render_bar_chart, render_figure, render_line_plot, series_style
from webkeep.presentation.pages import Markup, element, render_table, stream_report
from webkeep.quality.states.distributions import cumulative_distribution, cumulative_sums
from webkeep.quality.states.state_report import LevelRow, StateReport, StateTreeShape, StorageRow
from webkeep.quality.states.state_tree import render_state_tree
from webkeep.quality.states.walked_pages import WalkedPage

MAX_TREES = 200
"""Pages whose tree of states is drawn: those with most views."""
_MONTH_PAGES = 1_810_000_000
"""Pages of a month's crawl of the web, by which the paper extrapolates (Common Crawl, July 2015)."""
_MAX_TYPES = 20
"""Media types that are drawn, those with most resources."""


def describe_gain(report: StateReport) -> str:
    """What running pages gained, in one line."""
    pages = report.deferred.pages + report.others.pages
    if not pages:
        return "No page was run in a browser"
    run = f"{format_count(pages, 'page was', 'pages were')} run in a browser"
    run += f" ({format_count(report.runs, 'run')})" if report.runs > pages else ""
    if not (report.deferred.pages or report.fresh):
        return f"{run}, and nothing more was loaded"
    if pages == 1:
        return f"{run}, and loads more once it is: {_found_words(report, pages)}"
    more = "loads more once it is" if report.deferred.pages == 1 else "load more once they are"
    return f"{run}, {report.deferred.pages:,} of them {more}: {_found_words(report, pages)}"


def _found_words(report: StateReport, pages: int) -> str:
    """What was found that way; by clicks and the like only where there were any."""
    urls = f"{format_count(report.fresh, 'URL')} that nothing else led to"
    if report.views <= pages:
        return urls
    states = format_count(report.descendants, "state")
    led_to = f", which led to {states}" if report.descendants else ""
    return f"{urls}, {report.clicks:,} of them only by scrolling, clicks and the like{led_to}"


def render_state_page(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[bytes]:
    """The page, piece by piece."""
    return stream_report(title, _render_pieces(report, pages, title))


def _render_pieces(report: StateReport, pages: Sequence[WalkedPage], title: str) -> Iterator[object]:
    yield element("h1", title)
    yield element("p", f"{describe_gain(report)}.", class_="headline")
    yield from _render_tree_shapes(report)
    yield from _render_events(report)
    yield from _render_growth(report.levels)
    yield from _render_coverage(report)
    yield from _render_overlap(report)
    yield from _render_storage(report)
    yield from _render_missing_pictures(pages)
    yield from _render_trees(pages)


def _render_missing_pictures(pages: Sequence[WalkedPage]) -> Iterator[object]:
    """The views that a picture was wanted of and that have none, with the reason."""
    rows = [(page.url, view.caption, view.no_picture) for page in pages for view in page.without_picture]
    if rows:
        yield from _render_titled_table("Views without a picture", ("page", "view", "why"), rows)


def _render_titled_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[object]:
    yield element("h2", title)
    yield from render_table(head, rows)


def _render_note(text: str) -> Markup:
    return element("p", element("small", text))


def _render_tree_shapes(report: StateReport) -> Iterator[object]:
    both = (report.deferred, report.others)
    head = ("", "pages that load more", "standard deviation", "other pages", "standard deviation")
    spreads = ("depth", "breadth", "descendants")
    rows = [(name, *(cell for shape in both for cell in _tree_shape_cells(shape, name))) for name in spreads]
    yield from _render_titled_table("How many states pages have", head, rows)
    named = ("minimum", "maximum", "median")
    rows = [
        (name, *(f"{getattr(state_tree_shape.descendants, name):,.0f}" for state_tree_shape in both)) for name in named
    ]
    yield from _render_titled_table("The range of descendants", ("", "pages that load more", "other pages"), rows)
    pages = ", ".join(f"{kin.pages:,} {words}" for kin, words in zip(both, ("load more", "do not"), strict=True))
    yield _render_note(f"Of the pages, {pages}.")


def _tree_shape_cells(shape: StateTreeShape, name: str) -> tuple[str, str]:
    spread = getattr(shape, name)
    return f"{spread.mean:,.2f}", f"{spread.deviation:,.2f}"


def _render_events(report: StateReport) -> Iterator[object]:
    head = ("event", "on pages that load more", "on other pages", "share of what interactions brought")
    rows = [(each.event, *map(format_share, (each.deferred, each.others, each.contribution))) for each in report.events]
    yield from _render_titled_table("Which events there are, and what they bring", head, rows)


def _render_growth(levels: Sequence[LevelRow]) -> Iterator[object]:
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
    yield from _render_titled_table("What each level costs and adds", head, rows)
    known = render_bar_chart(
        "URLs known after each level", [(each.name, each.urls, f"{each.urls:,}") for each in levels]
    )
    yield render_figure(known, "URLs known after each level.", class_="full")


def _render_coverage(report: StateReport) -> Iterator[object]:
    if report.coverage_from:
        yield element("h2", f"What {report.coverage_from} does not hold")
        missing = [
            (each.name, each.missing, format_share(each.missing)) for each in report.levels if each.missing is not None
        ]
        unknown = (
            f" It did not say of {report.coverage_unknown:,}; they are left out." if report.coverage_unknown else ""
        )
        words = f"The share of what each level adds that is missing there.{unknown}"
        yield render_figure(render_bar_chart("Share of new resources that are missing there", missing), words,
                            class_="full")  # fmt: skip
    yield element("h2", "What interactions bring, by type")
    types = [(name, float(count), f"{count:,}") for name, count in list(report.types.items())[:_MAX_TYPES]]
    yield render_figure(render_bar_chart("Resources by type", types), class_="full")
    sizes = cumulative_distribution(report.image_sizes)
    yield _render_curve(sizes, "bytes of an image", "share of images no larger", "How large images are.")


def _render_curve(points: Sequence[tuple[float, float]], across: str, upward: str, caption: str) -> Markup | None:
    if len(points) < 2:
        return None
    plot = render_line_plot([PlotLine(upward, tuple(points), series_style(1))], across, upward)
    return render_figure(plot, f"{caption} Upward: {upward}.")


def _render_overlap(report: StateReport) -> Iterator[object]:
    rows = [(url, f"{count:,}") for url, count in report.overlap]
    yield from _render_titled_table("Resources that most views need", ("resource", "views"), rows)
    yield _render_note(f"These are {format_share(report.overlap_share)} of all that views beyond the load need.")
    ranks = [(float(place), float(count)) for place, count in enumerate(report.ranked, 1)]
    yield _render_curve(ranks, "resources by rank", "views they occur in",
                        "In how many views resources occur, the most frequent first.")  # fmt: skip
    yield _render_curve(cumulative_sums(report.contributions), "share of pages", "share of resources",
                        "Which share of resources the pages with most of them bring.")  # fmt: skip


def _render_storage(report: StateReport) -> Iterator[object]:
    mean = report.note_bytes / (report.descendants + report.deferred.pages + report.others.pages or 1)
    both = (report.storage_others, report.storage_deferred)
    rows: list[tuple[str, ...]] = [
        ("notes, for each state", format_size(mean), ""),
        ("notes, in all", format_size(report.note_bytes), ""),
        ("pages", *(f"{each.pages:,}" for each in both)),
        ("mean resource", *(format_size(each.resource_bytes) for each in both)),
        ("resources of a page", *(f"{each.resources_each:,.1f}" for each in both)),
    ]
    rows += [
        (f"resources of s{level}", *(format_size(each.by_level.get(level, 0)) for each in both))
        for level in sorted({level for each in both for level in each.by_level})
    ]
    rows += [
        ("in all", *(format_size(each.total_bytes) for each in both)),
        ("each page", *(format_size(each.bytes_a_page) for each in both)),
    ]
    yield from _render_titled_table("What it takes to store", ("", "other pages", "pages that load more"), rows)
    yield _extrapolate_storage(report.storage_deferred)


def _extrapolate_storage(storage: StorageRow) -> Markup | None:
    if not storage.pages:
        return None
    more = (sum(size for level, size in storage.by_level.items() if level) + storage.note_bytes) / storage.pages
    return _render_note(
        f"What is beyond the load takes {format_size(more)} for each such page; for the {_MONTH_PAGES:,} pages of a "
        f"month's crawl of the web that would be {format_size(more * _MONTH_PAGES)}."
    )


def _render_trees(pages: Sequence[WalkedPage]) -> Iterator[object]:
    largest = sorted(pages, key=lambda page: (-len(page.views), page.url))[:MAX_TREES]
    yield element("h2", "The states of each page")
    yield _render_note("Green: needs what no view before it did. Grey: needs the same as another.")
    for number, page in enumerate(largest):
        views = element("small", format_count(len(page.views), "view"))
        yield element("details", element("summary", f"{page.url} ", views), render_state_tree(page, f"p{number}"))
    if len(pages) > len(largest):
        yield _render_note(f"The {len(largest):,} pages with the most views of {len(pages):,} are shown.")
