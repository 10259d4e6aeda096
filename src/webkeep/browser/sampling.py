"""Where the next interaction is worth most: first some of every kind, then the kinds that brought something."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence

from webkeep.browser.book import Finding
from webkeep.browser.gestures import GRID
from webkeep.browser.interactions import Candidate
from webkeep.browser.resources import shape_of

FIRST = 2
"""How many of each kind are tried before any kind is tried further."""
_MANY, _ENDS, _EVERY = 12, 3, 10
_GRID_FIRST = 6
_UNSEEN_SHARE = 0.1


class Yields:
    """What the kinds of interactions have brought so far; kinds are told apart by their likes."""

    def __init__(self) -> None:
        self._tried: Counter[str] = Counter()
        self._effects: Counter[str] = Counter()
        self._gains: Counter[str] = Counter()
        self._kinds: defaultdict[str, Counter[Hashable]] = defaultdict(Counter)
        self._repeated: Counter[str] = Counter()
        self._repeats_pay: set[str] = set()

    def note(self, likes: str, effect: bool, gain: int, outcome: Hashable) -> None:
        """One was tried: whether it did anything, how many new requests it brought, and what it came to."""
        self._tried[likes] += 1
        self._effects[likes] += effect
        self._gains[likes] += gain
        if likes.startswith(GRID):
            self._kinds[likes][outcome] += 1

    def note_repeat(self, likes: str, paid: bool) -> None:
        """One was done twice, and that brought something or not."""
        if paid:
            self._repeats_pay.add(likes)

    def takes_repeat(self, likes: str) -> bool:
        """Whether doing it twice may bring something: for one of each kind, and for all if that did."""
        self._repeated[likes] += 1
        return likes in self._repeats_pay or self._repeated[likes] == 1

    def is_spent(self, candidate: Candidate) -> bool:
        """Whether enough of its kind were tried to let it be."""
        likes = candidate.likes
        if likes.startswith(GRID):
            return self._tried[likes] >= _GRID_FIRST and unseen_share(self._kinds[likes]) < _UNSEEN_SHARE
        return candidate.is_sampled and self._tried[likes] >= FIRST and not self._effects[likes]

    def promising(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those whose likes brought something, or of which none was tried."""
        return [each for each in candidates if self._gains[each.likes] or not self._tried[each.likes]]

    def unseen(self) -> float:
        """How many outcomes more points on overlays would show, in all."""
        return sum(chao(counts) for counts in self._kinds.values())

    def order(self, candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """The first of each kind, and the others with the kinds that brought most in front."""
        first: list[Candidate] = []
        rest: list[Candidate] = []
        taken: Counter[str] = Counter(self._tried)
        for each in candidates:
            taken[each.likes] += 1
            (first if taken[each.likes] <= FIRST else rest).append(each)
        return sorted(first, key=lambda each: each.is_sampled), rest

    def rank(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Those most likely to bring something first."""
        return sorted(candidates, key=lambda each: -self._gains[each.likes] / max(1, self._tried[each.likes]))


def unseen_share(counts: Counter[Hashable]) -> float:
    """The chance that the next outcome is one not seen yet (Good and Turing)."""
    total = sum(counts.values())
    return sum(1 for count in counts.values() if count == 1) / total if total else 1.0


def chao(counts: Counter[Hashable]) -> float:
    """How many kinds of outcomes were not seen, at least (Chao's estimate from those seen once and twice)."""
    once = sum(1 for count in counts.values() if count == 1)
    twice = sum(1 for count in counts.values() if count == 2)
    return once * once / (2 * twice) if twice else once * (once - 1) / 2


def samples(findings: Sequence[Finding], is_final: Callable[[Finding], bool]) -> tuple[list[Finding], list[Finding]]:
    """Those to run again, and those that so many others are like that some of these can stand for them.

    They share their code and looks, wrote to the same elements and asked for URLs of the same shape, and lead nowhere
    from where more could be done.
    """
    kinds: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, finding in enumerate(findings):
        if finding.signature and is_final(finding):
            kinds[_shape(finding)].append(place)
    spared = {
        place
        for places in kinds.values()
        if len(places) > _MANY
        for number, place in enumerate(places[_ENDS:-_ENDS])
        if number % _EVERY
    }
    chosen = [finding for place, finding in enumerate(findings) if place not in spared]
    return chosen, [finding for place, finding in enumerate(findings) if place in spared]


def _shape(finding: Finding) -> Hashable:
    written = frozenset(re.sub("[0-9]+", "0", name) for name in finding.written)
    return finding.candidate.likes, written, frozenset(shape_of(url) for url in finding.asked)
