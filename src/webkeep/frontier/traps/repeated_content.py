"""Sameness, such as soft 404s: many URLs of one shape that all give the same content, or content that differs in
nothing that is seen, or redirect. Decides when a shape is barred, and how often one of it is let through as a probe.

A shape is barred when nine in ten of the answers lately were content that its host had given for another URL, and
free again when that is no longer so: now and then a URL of a barred shape is let through to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import shape_of
from webkeep.frontier.urls.lru_map import LruMap

_MAX_CONTENTS = 30_000
"""Contents remembered, with the URL that gave each first."""
_MAX_SHAPES = 5000
"""Shapes of URLs of which it is remembered how often they gave the same."""
_BARRED_SHARE = 0.9
"""A shape is barred from this share of repeated content on."""
_URLS_PER_PROBE = 20
"""Of so many URLs of a barred shape one is let through, to see whether it is still so."""


@dataclass(slots=True)
class _ShapeEvidence:
    answers: float = 0
    same: float = 0
    met: int = 0
    """How many URLs came up while it was barred."""
    probes: int = 0

    def weigh(self, is_same: bool, budget: int) -> None:
        self.answers += 1
        self.same += is_same
        if self.answers >= 2 * budget:
            self.answers, self.same = self.answers / 2, self.same / 2

    def is_barred(self, budget: int) -> bool:
        return self.answers >= budget and self.same >= _BARRED_SHARE * self.answers


class RepeatedContent:
    """What the hosts gave lately, and the shapes of URLs that gave the same again and again."""

    def __init__(self) -> None:
        # By a hash, for what a URL gave may be a redirect to an endless address.
        self._contents: LruMap[int, int] = LruMap(_MAX_CONTENTS)
        self._evidence: LruMap[str, _ShapeEvidence] = LruMap(_MAX_SHAPES)

    def learn(self, url: str, number: int, host: str, contents: Sequence[str | bytes], budget: int) -> bool:
        """Take note of what a URL gave, by all that it may be known by; the answer is whether another URL of its host
        gave the same.
        """
        is_same = False
        for content in contents:
            key = hash((host, content))
            first = self._contents.get(key)
            if first is None:
                self._contents[key] = number
            is_same = is_same or (first is not None and first != number)
        # Fresh content matters only for shapes of which there is evidence.
        if is_same or self._evidence:
            self._weigh(url, is_same, budget)
        return is_same

    def _weigh(self, url: str, is_same: bool, budget: int) -> None:
        shape = shape_of(url)
        evidence = self._evidence.get(shape)
        if evidence is None and is_same:
            evidence = self._evidence[shape] = _ShapeEvidence()
        if evidence is not None:
            evidence.weigh(is_same, budget)

    def suspicion(self, url: str, budget: int) -> TrapSuspicion | None:
        """Whether the shape of a URL is barred, and no probe is due."""
        if not self._evidence:
            return None
        shape = shape_of(url)
        evidence = self._evidence.get(shape)
        if evidence is None or not evidence.is_barred(budget):
            return None
        evidence.met += 1
        if evidence.met % _URLS_PER_PROBE == 0 and evidence.probes < budget:
            evidence.probes += 1
            return None
        return TrapSuspicion(TrapKind.SAME_CONTENT, shape)
