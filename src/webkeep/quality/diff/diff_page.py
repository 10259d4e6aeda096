"""What changed on a site as an HTML page for people (`webkeep diff`): a list, and each changed page side by side; how
many changes, pages and lines are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from webkeep.presentation.pages import Markup, element, render_facts, render_table, stream_report
from webkeep.quality.diff.site_diff import ChangeKind, PageChange
from webkeep.quality.diff.text_lines import has_lines, read_text_lines
from webkeep.store.archive import Archive

MAX_CHANGES_LISTED = 5000
"""Changes in the list of one page, which a browser still shows; all are counted."""
MAX_PAGES_SHOWN = 200
"""Pages that are shown side by side, as far as a browser opens such a file quickly."""
_MAX_LINES_A_PAGE = 4000
"""Lines of either side that are compared: the time it takes grows with their square."""
_CONTEXT_LINES = 2
"""Unchanged lines around a change, by which a reader finds the place."""
_SAME_TEXT_WORDS = "What it shows as text is the same, as far as it is compared; its markup, or its bytes, are not."
_NO_TEXT_WORDS = "It is no text; its bytes are not the same."


def render_diff_page(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[bytes]:
    """The page, piece by piece; unchanged pages are counted."""
    return stream_report(title, _render_pieces(archive, title, changes))


def _render_pieces(archive: Archive, title: str, changes: Iterable[PageChange]) -> Iterator[object]:
    counts: Counter[ChangeKind] = Counter()
    edited: list[PageChange] = []
    yield element("h1", title)
    yield element("h2", "Pages")
    yield from render_table(("what", "page", ""), _list_changes(changes, counts, edited), class_="list addresses")
    yield element("h2", "In all")
    yield render_facts((kind.value, f"{counts[kind]:,}") for kind in ChangeKind)
    for number, change in enumerate(edited, 1):
        yield element("h2", change.url, id=f"change-{number}")
        yield from _render_side_by_side(archive, change)


def _list_changes(
    changes: Iterable[PageChange], counts: Counter[ChangeKind], edited: list[PageChange]
) -> Iterator[tuple[object, ...]]:
    """The rows of what is listed; all are counted, and those to be shown side by side are gathered."""
    for change in changes:
        counts[change.kind] += 1
        if change.kind is ChangeKind.UNCHANGED:
            continue
        how = "" if change.verdict is None else change.verdict.describe()
        name: object = change.url
        if change.kind is ChangeKind.CHANGED and len(edited) < MAX_PAGES_SHOWN:
            edited.append(change)
            name = element("a", change.url, href=f"#change-{len(edited)}")
        if counts.total() - counts[ChangeKind.UNCHANGED] <= MAX_CHANGES_LISTED:
            yield change.kind.value, name, f"→ {change.target}" if change.target else how


def _render_side_by_side(archive: Archive, change: PageChange) -> Iterator[Markup]:
    old, new = (read_text_lines(archive, each)[:_MAX_LINES_A_PAGE] for each in (change.before, change.after))
    if old == new:
        yield element("p", _SAME_TEXT_WORDS if has_lines(change.after) else _NO_TEXT_WORDS)
        return
    yield from render_table((), _side_rows(old, new), class_="sides")


def _side_rows(old: list[str], new: list[str]) -> Iterator[Markup]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT_LINES):
        for name, first, last, start, end in group:
            yield from _render_rows(name, old[first:last], new[start:end])


def _render_rows(name: str, old: list[str], new: list[str]) -> Iterator[Markup]:
    for place in range(max(len(old), len(new))):
        left = old[place] if place < len(old) else ""
        right = new[place] if place < len(new) else ""
        gone, come = (None, "again") if name == "equal" else ("gone" if left else None, "come" if right else None)
        yield element("tr", element("td", left, class_=gone), element("td", right, class_=come))
