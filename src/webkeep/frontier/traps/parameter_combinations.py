"""Faceted navigation: one page with so many query parameters that each choice of them is a URL of its own; from how
many choices on that looks like a trap.
"""

from __future__ import annotations

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.urls.lru_map import LruMap

_MAX_PAGES = 5000
"""Pages whose choices of parameters are remembered, in memory; the ones that were not met for longest are forgotten."""
_MIN_PARAMETERS = 4
"""A choice of fewer parameters is no combination that could go on without end."""
_MAX_CHOICES_PER_PAGE = 16
"""So many sets of parameters a page may have before further ones look suspicious."""


class ParameterCombinations:
    """For the pages met lately, which choices of parameters they were asked for with."""

    def __init__(self) -> None:
        self._choices: LruMap[str, set[int]] = LruMap(_MAX_PAGES)

    def suspicion(self, url: str) -> TrapSuspicion | None:
        """Whether a page is asked for with one more of very many choices of parameters."""
        if "&" not in url:
            return None
        path, _, query = url.partition("?")
        names = {each.partition("=")[0] for each in query.split("&")}
        choices = self._choices.get(path)
        if choices is None:
            choices = self._choices[path] = set()
        if len(choices) < _MAX_CHOICES_PER_PAGE:
            choices.add(hash(frozenset(names)))
            return None
        if len(names) < _MIN_PARAMETERS:
            return None
        return TrapSuspicion(TrapKind.COMBINATION, f"{path.partition('://')[2]}?*")
