"""Changes of pages as lines for people and events for programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from webkeep.cli.measure import counted
from webkeep.cli.output import Output
from webkeep.quality.site_changes import Kind, PageChange, text_difference
from webkeep.store.archive import Archive

_SIGNS = {
    Kind.ADDED: "+",
    Kind.CHANGED: "*",
    Kind.REMOVED: "-",
    Kind.MOVED: ">",
    Kind.UNKNOWN: "?",
    Kind.UNCHANGED: "=",
}
_MOST_LINES = 20
_AROUND = 3
_LONGEST = 160


def change_counts(counts: Mapping[str, int]) -> str:
    """How many URLs were compared, and what became of them, by the names of the kinds."""
    told = [f"{count:,} {kind}" for kind, count in counts.items() if count]
    return (
        f"{counted(sum(counts.values()), 'URL')} compared: {', '.join(told)}"
        if told
        else "nothing was there to compare"
    )


class ChangeLines:
    """Tells changes one by one; unchanged pages are only counted."""

    def __init__(self, archive: Archive, out: Output, in_full: bool, whole: bool = False) -> None:
        """`whole` tells all lines of a change, and some around it."""
        self._archive = archive
        self._out = out
        self._in_full = in_full
        self._most, self._around = (sys.maxsize, _AROUND) if whole else (_MOST_LINES, 0)

    def tell(self, change: PageChange) -> None:
        """Tell what became of a page, where that is wanted."""
        if change.kind is Kind.UNCHANGED or not self._in_full:
            return
        difference = text_difference(self._archive, change, self._around) if change.kind is Kind.CHANGED else []
        self._out.event("change", url=change.url, kind=change.kind.value, target=change.target, text=difference)
        self._out.line(f"{_SIGNS[change.kind]} {change.url}{f' → {change.target}' if change.target else ''}")
        for line in difference[: self._most]:
            self._out.line(f"    {line[0]} {line[1:_LONGEST]}")
        if len(difference) > self._most:
            more = f"{len(difference) - self._most:,} lines more"
            self._out.line(f"    … {more}; webkeep diff {self._archive.path} {change.url} shows them all")
