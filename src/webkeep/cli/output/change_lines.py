"""Changes of pages as lines for people and events for programs: the sign of each kind of change, and how many lines of
a difference are shown, how long, and with how much around them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from webkeep.change.detection import ChangeVerdict
from webkeep.cli.output.console import Output
from webkeep.presentation import format_count
from webkeep.quality.diff import ChangeKind, PageChange, diff_text
from webkeep.store.archive import Archive

_CHANGE_SIGNS = {
    ChangeKind.ADDED: "+",
    ChangeKind.CHANGED: "*",
    ChangeKind.INSIGNIFICANT: "~",
    ChangeKind.REMOVED: "-",
    ChangeKind.MOVED: ">",
    ChangeKind.UNKNOWN: "?",
    ChangeKind.UNCHANGED: "=",
}
_MAX_DIFF_LINES = 20
"""Lines of one page's difference in a list of many; `diff ARCHIVE URL` shows all."""
_CONTEXT_LINES = 3
"""Unchanged lines around a change, as in a unified diff."""
_MAX_LINE_CHARS = 160
"""Longer lines are cut: minified pages have one line of a megabyte."""


def describe_change_counts(counts: Mapping[ChangeKind, int]) -> str:
    """How many URLs were compared, and what became of them, by the names of the kinds."""
    told = [f"{count:,} {kind}" for kind, count in counts.items() if count]
    return (
        f"{format_count(sum(counts.values()), 'URL')} compared: {', '.join(told)}"
        if told
        else "nothing was there to compare"
    )


def verdict_facts(verdict: ChangeVerdict) -> dict[str, object]:
    """A verdict for programs."""
    return {
        "category": verdict.category.value,
        "evidence": verdict.evidence.value,
        "noise": [kind.value for kind in verdict.noise],
        "places": list(verdict.places),
        "resemblance": verdict.resemblance,
        "edited": verdict.edited,
        "links_added": verdict.links_added,
        "links_deleted": verdict.links_deleted,
    }


class ChangePrinter:
    """Tells changes one by one; unchanged pages are only counted."""

    def __init__(self, out: Output, in_full: bool, whole: bool = False) -> None:
        """`whole` tells all lines of a change, and some around it."""
        self._out = out
        self._in_full = in_full
        self._max_lines, self._context_lines = (sys.maxsize, _CONTEXT_LINES) if whole else (_MAX_DIFF_LINES, 0)

    def print_change(self, archive: Archive, change: PageChange) -> None:
        """Tell what became of a page of an open archive, where that is wanted."""
        if change.kind is ChangeKind.UNCHANGED or not self._in_full:
            return
        differs = change.kind in (ChangeKind.CHANGED, ChangeKind.INSIGNIFICANT)
        difference = diff_text(archive, change, self._context_lines) if differs else []
        verdict = change.verdict
        self._out.event(
            "change",
            url=change.url,
            kind=change.kind.value,
            target=change.target,
            text=difference,
            **({} if verdict is None else {"verdict": verdict_facts(verdict)}),
        )
        self._out.line(f"{_CHANGE_SIGNS[change.kind]} {change.url}{f' → {change.target}' if change.target else ''}")
        if verdict is not None:
            self._out.line(f"    {verdict.describe()}")
        if change.kind is ChangeKind.INSIGNIFICANT:
            return
        for line in difference[: self._max_lines]:
            self._out.line(f"    {line[0]} {line[1:_MAX_LINE_CHARS]}")
        if len(difference) > self._max_lines:
            more = f"{len(difference) - self._max_lines:,} lines more"
            self._out.line(f"    … {more}; webkeep diff {archive.path} {change.url} shows them all")
