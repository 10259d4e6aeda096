"""Foretelling: what pages of one kind ask for once they are run, learned from samples of them.

Many scripts make addresses of something that stands on the page: `/comments?thread=17` out of an attribute. Where the
same address with the value of the same place in it was asked for by several samples, and by none that had the value and
did not ask, it can be told for the other pages without running them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from webkeep.document.template import Hook
from webkeep.document.values import Value

_CONFIRMED = 2
"""So many pages with different values must have asked for it."""
_MOST_PATTERNS = 2000
_MOST_FOR_ONE = 12

Pattern = tuple[str, str, str]
"""What stands before the value in an address, the place of the value, and what stands behind it."""


@dataclass(slots=True)
class _Learned:
    """How a pattern has held."""

    values: set[str] = field(default_factory=set)
    hooks: frozenset[Hook] = frozenset()
    """What all pages have on which it held."""


@dataclass(slots=True)
class Foretelling:
    """The patterns of one group of pages."""

    _patterns: dict[Pattern, _Learned] = field(default_factory=dict)
    _refuted: set[Pattern] = field(default_factory=set)

    @property
    def is_of_use(self) -> bool:
        """Whether anything can be told."""
        return any(len(learned.values) >= _CONFIRMED for learned in self._patterns.values())

    def learn(
        self, values: Iterable[Value], hooks: frozenset[Hook], fresh: Iterable[str], asked: AbstractSet[str]
    ) -> None:
        """Learn from a page that was run: what it asked for that was not known before, and all that it asked for."""
        held = list(values)
        for pattern, url, _ in list(self._made(held, hooks)):
            if url not in asked:
                self._refuted.add(pattern)
                del self._patterns[pattern]
        for url in fresh:
            for pattern, value in list(_patterns_in(url, held))[:_MOST_FOR_ONE]:
                self._confirm(pattern, value, hooks)

    def told(self, values: Iterable[Value], hooks: frozenset[Hook]) -> set[str]:
        """What a page with these values will ask for, as far as that is known."""
        return {url for _, url, learned in self._made(list(values), hooks) if len(learned.values) >= _CONFIRMED}

    def _made(self, values: list[Value], hooks: frozenset[Hook]) -> Iterator[tuple[Pattern, str, _Learned]]:
        by_place: dict[str, list[str]] = {}
        for place, value in values:
            by_place.setdefault(place, []).append(value)
        for pattern, learned in list(self._patterns.items()):
            before, place, behind = pattern
            if learned.hooks <= hooks:
                for value in by_place.get(place, ()):
                    if pattern in self._patterns:
                        yield pattern, f"{before}{value}{behind}", learned

    def _confirm(self, pattern: Pattern, value: str, hooks: frozenset[Hook]) -> None:
        if pattern in self._refuted or (pattern not in self._patterns and len(self._patterns) >= _MOST_PATTERNS):
            return
        learned = self._patterns.setdefault(pattern, _Learned(hooks=hooks))
        learned.values.add(value)
        learned.hooks &= hooks


def _patterns_in(url: str, values: Iterable[Value]) -> Iterator[tuple[Pattern, str]]:
    """The ways in which an address can be made of a value; longer values first, as they say more."""
    for place, value in sorted(set(values), key=lambda each: (-len(each[1]), each[0])):
        match = _bounded(value).search(url) if value in url else None
        if match is not None and url.find("/", 8) < match.start():
            yield (url[: match.start()], place, url[match.end() :]), value


@lru_cache(4096)
def _bounded(value: str) -> re.Pattern[str]:
    """The value as a word of its own."""
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(value)}(?![0-9A-Za-z])")
