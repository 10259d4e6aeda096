"""Recipes for canonicalization: canonical forms of URLs are made of small named steps, which are switched on and off
and always run in one order.

A recipe is a set of steps. Each step works on one part of a URL, and the steps of a part run in the order in which
they are defined in their module, however the recipe names them: so any combination of steps is idempotent, and
steps are switched on and off without thought for their order.

Parts are text with its own delimiter (`http://host`, `/path`, `?query`, `#fragment`, or nothing), and a URL is
their concatenation. Recipes expect what `normalize_url` and `resolve_url` give, and leave alone what they cannot read.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

_SPLIT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL).match
_MAX_CACHED_SITES = 4096
"""Millions of URLs share few sites."""
_MAX_CACHED_SITE_CHARS = 300
"""Longer sites are not remembered: no host's name is longer than 253 characters."""
_ranks = itertools.count()


class UrlPart(enum.Enum):
    """The parts of a URL that steps work on."""

    SITE = "scheme, userinfo, host and port"
    PATH = "path"
    QUERY = "query"
    FRAGMENT = "fragment"


_PART_ORDER = {part: place for place, part in enumerate(UrlPart)}


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """One named change to one part of a URL."""

    name: str
    part: UrlPart
    meaning: str
    apply: Callable[[str], str]
    rank: int

    def __repr__(self) -> str:
        return self.name


def step(part: UrlPart) -> Callable[[Callable[[str], str]], RecipeStep]:
    """Make a step of a function on the text of one part; it runs after the steps of that part defined before it."""

    def make_step(function: Callable[[str], str]) -> RecipeStep:
        return RecipeStep(function.__name__, part, function.__doc__ or "", function, next(_ranks))

    return make_step


class Recipe:
    """A canonical form: call it with a URL."""

    __slots__ = ("_fragment", "_path", "_query", "_site", "_site_cached", "steps")

    def __init__(self, steps: Iterable[RecipeStep]) -> None:
        self.steps = tuple(sorted(set(steps), key=lambda each: (_PART_ORDER[each.part], each.rank)))
        self._path, self._query, self._fragment = (
            self._functions_for(part) for part in (UrlPart.PATH, UrlPart.QUERY, UrlPart.FRAGMENT)
        )
        self._site = _chain(self._functions_for(UrlPart.SITE))
        # Millions of URLs share few sites.
        self._site_cached = lru_cache(_MAX_CACHED_SITES)(self._site)

    def _functions_for(self, part: UrlPart) -> tuple[Callable[[str], str], ...]:
        return tuple(each.apply for each in self.steps if each.part is part)

    def __call__(self, url: str) -> str:
        """The canonical form of the URL."""
        match = _SPLIT(url)
        if match is None:
            return self._without_site(url)
        site, path, query, fragment = match.groups("")
        site = self._site_cached(site) if len(site) <= _MAX_CACHED_SITE_CHARS else self._site(site)
        for apply in self._path:
            path = apply(path)
        if query:
            for apply in self._query:
                query = apply(query)
        if fragment:
            for apply in self._fragment:
                fragment = apply(fragment)
        return f"{site}{path}{query}{fragment}"

    def _without_site(self, url: str) -> str:
        head, hash_sign, tail = url.partition("#")
        return head + _chain(self._fragment)(hash_sign + tail) if hash_sign else url

    def with_(self, *steps: RecipeStep) -> Recipe:
        """The recipe with these steps switched on."""
        return Recipe((*self.steps, *steps))

    def without(self, *steps: RecipeStep) -> Recipe:
        """The recipe with these steps switched off."""
        return Recipe(set(self.steps) - set(steps))

    def __contains__(self, step: RecipeStep) -> bool:
        return step in self.steps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __repr__(self) -> str:
        return f"recipe({', '.join(each.name for each in self.steps)})"


def recipe(*steps: RecipeStep) -> Recipe:
    """The recipe of these steps."""
    return Recipe(steps)


def _chain(functions: tuple[Callable[[str], str], ...]) -> Callable[[str], str]:
    def apply_step(text: str) -> str:
        for function in functions:
            text = function(text)
        return text

    return apply_step
