"""Duplicate-URL rules: a site that had two names for a page had them by a rule, as `/~bar/` and `/people/bar/`; how
many pairs of pages make a rule, and how many may contradict it.

Pairs of pages that show the same bytes by the lists are told apart by what stands between a common beginning and a
common end. What recurs with several pairs is a rule, if hardly any pair that it makes shows different bytes. Rules are
asked only where a page leads to something that nobody holds: it may be held by its other name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from webkeep.recover.state.recovery_store import RecoveryStore
from webkeep.recover.state.same_content import count_same_content, same_content_groups

_MIN_RULE_PAIRS = 3
"""How many pairs make a rule: two can be chance."""
_MAX_WRONG_SHARE = 0.05
"""The share of the pairs made by a rule that may show different bytes, as the same page does at different times."""
_MAX_RULES_TRIED = 40
"""The commonest; each is held against all pages."""
_MAX_RULE_CHARS = 60
"""Longer differences are of two pages, not of two names of one."""


class UrlAliasRule(NamedTuple):
    """A part of URLs that the site also wrote in another way."""

    old: str
    new: str

    def apply(self, key: str) -> str:
        """The other name of a URL, or "" where the rule says nothing of it."""
        return key.replace(self.old, self.new) if self.old in key else ""


def learn_alias_rules(
    groups: Iterable[Sequence[str]], tried: Callable[[UrlAliasRule], tuple[int, int]]
) -> list[UrlAliasRule]:
    """The rules by which groups of URLs show the same.

    `tried` says of how many pairs made by a rule the bytes are the same, and of how many they are not.
    """
    support: Counter[UrlAliasRule] = Counter()
    for group in groups:
        support.update({rule for one, other in permutations(group, 2) for rule in candidate_rules(one, other)})
    likely = [rule for rule, count in support.most_common(_MAX_RULES_TRIED) if count >= _MIN_RULE_PAIRS]
    return [rule for rule in likely if _is_reliable(*tried(rule))]


def _is_reliable(same: int, different: int) -> bool:
    return same >= _MIN_RULE_PAIRS and different <= _MAX_WRONG_SHARE * same


def candidate_rules(one: str, other: str) -> Iterator[UrlAliasRule]:
    """The ways to see one URL as another one renamed: what differs, and that up to the next marks on either side."""
    start = _common_prefix_length(one, other)
    end = _common_prefix_length(one[start:][::-1], other[start:][::-1])
    differing = one[start : len(one) - end], other[start : len(other) - end]
    if (differing[0] + differing[1]).isdigit():
        return  # numbered pages that happen to look alike
    shared = one[len(one) - end :]
    for before in {"", one[_last_mark_before(one, start) : start]}:
        for after in {"", shared[: _after_first_mark(shared)]}:
            old, new = (before + each + after for each in differing)
            if old and new and len(old) <= _MAX_RULE_CHARS and len(new) <= _MAX_RULE_CHARS:
                yield UrlAliasRule(old, new)


def _common_prefix_length(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (here, there) in enumerate(pairs) if here != there), min(len(one), len(other)))


def _last_mark_before(text: str, place: int) -> int:
    """Where the last mark before a place stands."""
    return next((at for at in range(place - 1, -1, -1) if not text[at].isalnum()), 0)


def _after_first_mark(text: str) -> int:
    """Behind the first mark of a text."""
    return next((at + 1 for at, char in enumerate(text) if not char.isalnum()), len(text))


def find_alias_rules(store: RecoveryStore) -> list[UrlAliasRule]:
    """The rules by which the site had two names for its pages."""
    return learn_alias_rules(same_content_groups(store), lambda rule: count_same_content(store, rule.old, rule.new))
