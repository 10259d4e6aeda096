"""What changed on a site as an HTML page for people: a list, and each changed page side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from webkeep.quality.held_lines import has_lines, held_lines
from webkeep.quality.markup import row, shown
from webkeep.quality.page_style import STYLE
from webkeep.quality.site_changes import Kind, PageChange
from webkeep.store.archive import Archive

MOST_LISTED = 5000
MOST_SHOWN = 200
_MOST_LINES = 4000
_AROUND = 2
_SAME_TEXT = "What it shows as text is the same, as far as it is compared; its markup, or its bytes, are not."
_NO_TEXT = "It is no text; its bytes are not the same."
_SIDES = """
h1, h2, .sides td, .pages td { overflow-wrap: anywhere } .pages { font-size: .85rem }
.sides { table-layout: fixed; font-size: .85rem } .sides td { width: 50% }
@media (max-width: 40rem) { .pages td, .pages th { display: inline; border: 0; padding: 0 .4rem 0 0 }
  .pages tr { display: block; padding: .3rem 0; border-bottom: 1px solid var(--line) }
  .sides tr { display: block } .sides td { display: block; width: auto; padding: .15rem .4rem; border: 0 }
  .sides td:empty, .sides td.again { display: none } }
.gone { background: color-mix(in srgb, var(--bad) 14%, transparent) }
.come { background: color-mix(in srgb, var(--good) 14%, transparent) }
"""


def change_page(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[bytes]:
    """The page, piece by piece; unchanged pages are counted."""
    for piece in _pieces(archive, title, changes):
        yield piece.encode("utf-8")


def _pieces(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[str]:
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown(title)}</title>\n<style>{STYLE}{_SIDES}</style></head>\n<body>\n<h1>{shown(title)}</h1>\n"
    )
    counts: Counter[Kind] = Counter()
    edited: list[PageChange] = []
    yield "<h2>Pages</h2><table class=pages>\n" + row("what", "page", "", tag="th")
    for change in changes:
        counts[change.kind] += 1
        if change.kind is Kind.UNCHANGED:
            continue
        name = shown(change.url)
        if change.kind is Kind.CHANGED and len(edited) < MOST_SHOWN:
            edited.append(change)
            name = f'<a href="#change-{len(edited)}">{name}</a>'
        if counts.total() - counts[Kind.UNCHANGED] <= MOST_LISTED:
            yield row(change.kind.value, name, shown(f"→ {change.target}" if change.target else ""))
    yield "</table>\n<h2>In all</h2><dl>"
    yield "".join(f"<dt>{kind.value}</dt><dd>{counts[kind]:,}</dd>" for kind in Kind) + "</dl>\n"
    for number, change in enumerate(edited, 1):
        yield f'<h2 id="change-{number}">{shown(change.url)}</h2>\n'
        yield from _side_by_side(archive, change)
    yield "</body></html>\n"


def _side_by_side(archive: Archive, change: PageChange) -> Iterator[str]:
    old, new = (held_lines(archive, each)[:_MOST_LINES] for each in (change.before, change.after))
    if old == new:
        yield f"<p>{_SAME_TEXT if has_lines(change.after) else _NO_TEXT}</p>\n"
        return
    yield '<table class="sides">\n'
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        for name, first, last, start, end in group:
            yield from _rows(name, old[first:last], new[start:end])
    yield "</table>\n"


def _rows(name: str, old: list[str], new: list[str]) -> Iterator[str]:
    for place in range(max(len(old), len(new))):
        left = shown(old[place]) if place < len(old) else ""
        right = shown(new[place]) if place < len(new) else ""
        gone, come = ("", " class=again") if name == "equal" else (_marked("gone", left), _marked("come", right))
        yield f"<tr><td{gone}>{left}</td><td{come}>{right}</td></tr>\n"


def _marked(name: str, text: str) -> str:
    return f" class={name}" if text else ""
