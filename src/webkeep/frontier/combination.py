"""Combinations: one page with so many parameters that each choice of them is a URL of its own."""

from __future__ import annotations

from webkeep.frontier.lately import Lately
from webkeep.frontier.suspicion import Kind, Suspicion

_REMEMBERED = 5000
_FEWEST_NAMES = 4
_MOST_CHOICES = 16


class Combinations:
    """For the pages met lately, which choices of parameters they were asked for with."""

    def __init__(self) -> None:
        self._choices: Lately[str, set[int]] = Lately(_REMEMBERED)

    def suspicion(self, url: str) -> Suspicion | None:
        """Whether a page is asked for with one more of very many choices of parameters."""
        if "&" not in url:
            return None
        path, _, query = url.partition("?")
        names = {each.partition("=")[0] for each in query.split("&")}
        choices = self._choices.get(path)
        if choices is None:
            choices = self._choices[path] = set()
        if len(choices) < _MOST_CHOICES:
            choices.add(hash(frozenset(names)))
            return None
        if len(names) < _FEWEST_NAMES:
            return None
        return Suspicion(Kind.COMBINATION, f"{path.partition('://')[2]}?*")
