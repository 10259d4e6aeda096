"""Sameness: many URLs of one shape that all give the same content, such as pages that say in a friendly way that they
are not there.

A shape is barred when nine in ten of the answers lately were content that its host had given for another URL, and
free again when that is no longer so: now and then a URL of a barred shape is let through to see.
"""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.frontier.lately import Lately
from webkeep.frontier.shape import shape_of
from webkeep.frontier.suspicion import Kind, Suspicion

_CONTENTS = 30_000
_SHAPES = 5000
_SHARE = 0.9
_PROBE_EVERY = 20


@dataclass(slots=True)
class _Evidence:
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
        return self.answers >= budget and self.same >= _SHARE * self.answers


class Sameness:
    """What the hosts gave lately, and the shapes of URLs that gave the same again and again."""

    def __init__(self) -> None:
        # By a hash, for what a URL gave may be a redirect to an endless address.
        self._contents: Lately[int, int] = Lately(_CONTENTS)
        self._evidence: Lately[str, _Evidence] = Lately(_SHAPES)

    def learn(self, url: str, number: int, host: str, content: str, budget: int) -> bool:
        """Take note of what a URL gave; the answer is whether another URL of its host gave the same."""
        key = hash((host, content))
        first = self._contents.get(key)
        if first is None:
            self._contents[key] = number
        is_same = first is not None and first != number
        # Fresh content matters only for shapes of which there is evidence.
        if is_same or self._evidence:
            self._weigh(url, is_same, budget)
        return is_same

    def _weigh(self, url: str, is_same: bool, budget: int) -> None:
        shape = shape_of(url)
        evidence = self._evidence.get(shape)
        if evidence is None and is_same:
            evidence = self._evidence[shape] = _Evidence()
        if evidence is not None:
            evidence.weigh(is_same, budget)

    def suspicion(self, url: str, budget: int) -> Suspicion | None:
        """Whether the shape of a URL is barred, and no probe is due."""
        if not self._evidence:
            return None
        shape = shape_of(url)
        evidence = self._evidence.get(shape)
        if evidence is None or not evidence.is_barred(budget):
            return None
        evidence.met += 1
        if evidence.met % _PROBE_EVERY == 0 and evidence.probes < budget:
            evidence.probes += 1
            return None
        return Suspicion(Kind.SAME_CONTENT, shape)
