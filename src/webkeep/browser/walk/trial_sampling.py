"""Where the next interaction is worth most: first some of every kind, then the kinds that brought something; when
enough of a kind were tried, and which results stand for others alike.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence

from webkeep.browser.resource_identity import url_shape
from webkeep.browser.walk.gestures import GRID_PREFIX
from webkeep.browser.walk.interaction_candidates import InteractionCandidate
from webkeep.browser.walk.view_graph import TrialResult

FIRST_TRIALS = 2
"""How many of each kind are tried before any kind is tried further."""
_MIN_SAMPLED_TRIALS, _SAMPLED_ENDS, _SAMPLE_INTERVAL_TRIALS = 12, 3, 10
"""Of more results alike than this, some at both ends and every so-many-th between them stand for all."""
_MIN_GRID_TRIALS = 6
"""Trials of a grid before it can be judged by them; with fewer one that showed nothing says nothing."""
_MAX_UNSEEN_SHARE = 0.1
"""Points of a grid are tried until the chance of something new falls below this."""


class InteractionYields:
    """What the kinds of interactions have brought so far; kinds are told apart by their likes."""

    def __init__(self) -> None:
        self._tried: Counter[str] = Counter()
        self._effects: Counter[str] = Counter()
        self._gains: Counter[str] = Counter()
        self._kinds: defaultdict[str, Counter[Hashable]] = defaultdict(Counter)
        self._repeated: Counter[str] = Counter()
        self._repeats_pay: set[str] = set()

    def note_trial(self, likes: str, effect: bool, gain: int, outcome: Hashable) -> None:
        """One was tried: whether it did anything, how many new requests it brought, and what it came to."""
        self._tried[likes] += 1
        self._effects[likes] += effect
        self._gains[likes] += gain
        if likes.startswith(GRID_PREFIX):
            self._kinds[likes][outcome] += 1

    def note_repeat(self, likes: str, paid: bool) -> None:
        """One was done twice, and that brought something or not."""
        if paid:
            self._repeats_pay.add(likes)

    def may_repeat(self, likes: str) -> bool:
        """Whether doing it twice may bring something: for one of each kind, and for all if that did."""
        self._repeated[likes] += 1
        return likes in self._repeats_pay or self._repeated[likes] == 1

    def is_exhausted(self, candidate: InteractionCandidate) -> bool:
        """Whether enough of its kind were tried to let it be."""
        likes = candidate.group_key
        if likes.startswith(GRID_PREFIX):
            return self._tried[likes] >= _MIN_GRID_TRIALS and unseen_share(self._kinds[likes]) < _MAX_UNSEEN_SHARE
        return candidate.is_sampled and self._tried[likes] >= FIRST_TRIALS and not self._effects[likes]

    def select_promising(self, candidates: Sequence[InteractionCandidate]) -> list[InteractionCandidate]:
        """Those whose likes brought something, or of which none was tried."""
        return [each for each in candidates if self._gains[each.group_key] or not self._tried[each.group_key]]

    def estimate_unseen(self) -> float:
        """How many outcomes more points on overlays would show, in all."""
        return sum(chao_unseen(counts) for counts in self._kinds.values())

    def split_first(
        self, candidates: Sequence[InteractionCandidate]
    ) -> tuple[list[InteractionCandidate], list[InteractionCandidate]]:
        """The first of each kind, and the others with the kinds that brought most in front."""
        first: list[InteractionCandidate] = []
        rest: list[InteractionCandidate] = []
        taken: Counter[str] = Counter(self._tried)
        for each in candidates:
            taken[each.group_key] += 1
            (first if taken[each.group_key] <= FIRST_TRIALS else rest).append(each)
        return sorted(first, key=lambda each: each.is_sampled), rest

    def rank_by_yield(self, candidates: Sequence[InteractionCandidate]) -> list[InteractionCandidate]:
        """Those most likely to bring something first."""
        return sorted(candidates, key=lambda each: -self._gains[each.group_key] / max(1, self._tried[each.group_key]))


def unseen_share(counts: Counter[Hashable]) -> float:
    """The chance that the next outcome is one not seen yet (Good and Turing)."""
    total = sum(counts.values())
    return sum(1 for count in counts.values() if count == 1) / total if total else 1.0


def chao_unseen(counts: Counter[Hashable]) -> float:
    """How many kinds of outcomes were not seen, at least (Chao's estimate from those seen once and twice)."""
    once = sum(1 for count in counts.values() if count == 1)
    twice = sum(1 for count in counts.values() if count == 2)
    return once * once / (2 * twice) if twice else once * (once - 1) / 2


def choose_samples(
    findings: Sequence[TrialResult], is_final: Callable[[TrialResult], bool]
) -> tuple[list[TrialResult], list[TrialResult]]:
    """Those to run again, and those that so many others are like that some of these can stand for them.

    They share their code and looks, wrote to the same elements and asked for URLs of the same shape, and lead nowhere
    from where more could be done.
    """
    kinds: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, finding in enumerate(findings):
        if finding.signature and is_final(finding):
            kinds[_result_shape(finding)].append(place)
    spared = {
        place
        for places in kinds.values()
        if len(places) > _MIN_SAMPLED_TRIALS
        for number, place in enumerate(places[_SAMPLED_ENDS:-_SAMPLED_ENDS])
        if number % _SAMPLE_INTERVAL_TRIALS
    }
    chosen = [finding for place, finding in enumerate(findings) if place not in spared]
    return chosen, [finding for place, finding in enumerate(findings) if place in spared]


def _result_shape(finding: TrialResult) -> Hashable:
    written = frozenset(re.sub("[0-9]+", "0", name) for name in finding.written)
    return finding.candidate.group_key, written, frozenset(url_shape(url) for url in finding.asked)
