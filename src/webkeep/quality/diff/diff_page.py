"""What changed on a site as an HTML page for people: a list, and each changed page side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from webkeep.quality.diff.site_diff import ChangeKind, PageChange
from webkeep.quality.diff.text_lines import has_lines, read_text_lines
from webkeep.quality.report_html import STYLE_SHEET, escape_visible, render_row
from webkeep.store.archive import Archive

MAX_CHANGES_LISTED = 5000
"""Changes in the list of one page; all are counted."""
MAX_PAGES_SHOWN = 200
"""Pages that are shown side by side, as far as a browser opens such a file quickly."""
_MAX_LINES_A_PAGE = 4000
"""Lines of either side that are compared."""
_CONTEXT_LINES = 2
"""Unchanged lines around a change."""
_SAME_TEXT_WORDS = "What it shows as text is the same, as far as it is compared; its markup, or its bytes, are not."
_NO_TEXT_WORDS = "It is no text; its bytes are not the same."
_STYLE_SHEET = """
h1, h2, .sides td, .pages td { overflow-wrap: anywhere } .pages { font-size: .85rem }
.sides { table-layout: fixed; font-size: .85rem } .sides td { width: 50% }
@media (max-width: 40rem) { .pages td, .pages th { display: inline; border: 0; padding: 0 .4rem 0 0 }
  .pages tr { display: block; padding: .3rem 0; border-bottom: 1px solid var(--line) }
  .sides tr { display: block } .sides td { display: block; width: auto; padding: .15rem .4rem; border: 0 }
  .sides td:empty, .sides td.again { display: none } }
.gone { background: color-mix(in srgb, var(--bad) 14%, transparent) }
.come { background: color-mix(in srgb, var(--good) 14%, transparent) }
"""


def render_diff_page(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[bytes]:
    """The page, piece by piece; unchanged pages are counted."""
    for piece in _render_pieces(archive, title, changes):
        yield piece.encode("utf-8")


def _render_pieces(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_visible(title)}</title>\n<style>{STYLE_SHEET}{_STYLE_SHEET}</style></head>\n<body>\n<h1>{escape_visible(title)}</h1>\n"
    )
    counts: Counter[ChangeKind] = Counter()
    edited: list[PageChange] = []
    yield "<h2>Pages</h2><table class=pages>\n" + render_row("what", "page", "", tag="th")
    for change in changes:
        counts[change.kind] += 1
        if change.kind is ChangeKind.UNCHANGED:
            continue
        name = escape_visible(change.url)
        if change.kind is ChangeKind.CHANGED and len(edited) < MAX_PAGES_SHOWN:
            edited.append(change)
            name = f'<a href="#change-{len(edited)}">{name}</a>'
        if counts.total() - counts[ChangeKind.UNCHANGED] <= MAX_CHANGES_LISTED:
            yield render_row(change.kind.value, name, escape_visible(f"→ {change.target}" if change.target else ""))
    yield "</table>\n<h2>In all</h2><dl>"
    yield "".join(f"<dt>{kind.value}</dt><dd>{counts[kind]:,}</dd>" for kind in ChangeKind) + "</dl>\n"
    for number, change in enumerate(edited, 1):
        yield f'<h2 id="change-{number}">{escape_visible(change.url)}</h2>\n'
        yield from _render_side_by_side(archive, change)
    yield "</body></html>\n"


def _render_side_by_side(archive: Archive, change: PageChange) -> Iterator[str]:
    old, new = (read_text_lines(archive, each)[:_MAX_LINES_A_PAGE] for each in (change.before, change.after))
    if old == new:
        yield f"<p>{_SAME_TEXT_WORDS if has_lines(change.after) else _NO_TEXT_WORDS}</p>\n"
        return
    yield '<table class="sides">\n'
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT_LINES):
        for name, first, last, start, end in group:
            yield from _render_rows(name, old[first:last], new[start:end])
    yield "</table>\n"


def _render_rows(name: str, old: list[str], new: list[str]) -> Iterator[str]:
    for place in range(max(len(old), len(new))):
        left = escape_visible(old[place]) if place < len(old) else ""
        right = escape_visible(new[place]) if place < len(new) else ""
        gone, come = (
            ("", " class=again") if name == "equal" else (_render_line("gone", left), _render_line("come", right))
        )
        yield f"<tr><td{gone}>{left}</td><td{come}>{right}</td></tr>\n"


def _render_line(name: str, text: str) -> str:
    return f" class={name}" if text else ""
