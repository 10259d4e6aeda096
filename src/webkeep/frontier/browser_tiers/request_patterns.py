"""Foretelling: what pages of one kind ask for once they are run, by patterns of URLs made of values on the page,
learned from samples of them.

Many scripts make addresses of something that stands on the page: `/comments?thread=17` out of an attribute. Where the
same address with the value of the same place in it was asked for by several samples, and by none that had the value and
did not ask, it can be told for the other pages without running them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache

from webkeep.document import PageValue, TemplateHook

_MIN_CONFIRMATIONS = 2
"""So many pages with different values must have asked for it."""
_MAX_PATTERNS = 2000
"""Patterns that one group of pages may have; more are not learned."""
_MAX_PATTERNS_PER_URL = 12
"""Ways in which one address can be made of values that are tried, longest values first."""

UrlPattern = tuple[str, str, str]
"""What stands before the value in an address, the place of the value, and what stands behind it."""


@dataclass(slots=True)
class _PatternEvidence:
    """How a pattern has held."""

    values: set[str] = field(default_factory=set)
    hooks: frozenset[TemplateHook] = frozenset()
    """What all pages have on which it held."""


@dataclass(slots=True)
class RequestPatterns:
    """The patterns of one group of pages."""

    _patterns: dict[UrlPattern, _PatternEvidence] = field(default_factory=dict)
    _refuted: set[UrlPattern] = field(default_factory=set)

    @property
    def has_confirmed(self) -> bool:
        """Whether anything can be told."""
        return any(len(learned.values) >= _MIN_CONFIRMATIONS for learned in self._patterns.values())

    def learn(
        self, values: Iterable[PageValue], hooks: frozenset[TemplateHook], fresh: Iterable[str], asked: AbstractSet[str]
    ) -> None:
        """Learn from a page that was run: what it asked for that was not known before, and all that it asked for."""
        held = list(values)
        for pattern, url, _ in list(self._fill_patterns(held, hooks)):
            if url not in asked:
                self._refuted.add(pattern)
                self._patterns.pop(pattern, None)  # another value of the page may have refuted it
        for url in fresh:
            for pattern, value in list(_patterns_in(url, held))[:_MAX_PATTERNS_PER_URL]:
                self._confirm(pattern, value, hooks)

    def predict_requests(self, values: Iterable[PageValue], hooks: frozenset[TemplateHook]) -> set[str]:
        """What a page with these values will ask for, as far as that is known."""
        return {
            url
            for _, url, learned in self._fill_patterns(list(values), hooks)
            if len(learned.values) >= _MIN_CONFIRMATIONS
        }

    def _fill_patterns(
        self, values: list[PageValue], hooks: frozenset[TemplateHook]
    ) -> Iterator[tuple[UrlPattern, str, _PatternEvidence]]:
        by_place: dict[str, list[str]] = {}
        for place, value in values:
            by_place.setdefault(place, []).append(value)
        for pattern, learned in list(self._patterns.items()):
            before, place, behind = pattern
            if learned.hooks <= hooks:
                for value in by_place.get(place, ()):
                    if pattern in self._patterns:
                        yield pattern, f"{before}{value}{behind}", learned

    def _confirm(self, pattern: UrlPattern, value: str, hooks: frozenset[TemplateHook]) -> None:
        if pattern in self._refuted or (pattern not in self._patterns and len(self._patterns) >= _MAX_PATTERNS):
            return
        learned = self._patterns.setdefault(pattern, _PatternEvidence(hooks=hooks))
        learned.values.add(value)
        learned.hooks &= hooks


def _patterns_in(url: str, values: Iterable[PageValue]) -> Iterator[tuple[UrlPattern, str]]:
    """The ways in which an address can be made of a value; longer values first, as they say more."""
    for place, value in sorted(set(values), key=lambda each: (-len(each[1]), each[0])):
        match = _word_pattern(value).search(url) if value in url else None
        if match is not None and url.find("/", 8) < match.start():
            yield (url[: match.start()], place, url[match.end() :]), value


@lru_cache(4096)
def _word_pattern(value: str) -> re.Pattern[str]:
    """The value as a word of its own."""
    return re.compile(rf"(?<![0-9A-Za-z]){re.escape(value)}(?![0-9A-Za-z])")
