"""How far hints of one kind are off, learned from looks at the pages they were given for."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log, sqrt

_WIDEST = log(1e7)
_SATURATED = 700.0


@dataclass(slots=True)
class Scale:
    """A factor for rates, moved by every look towards what was seen.

    A site whose every page is said to change always, and never does, is found out by some twenty looks.
    """

    _log: float = 0.0
    _weight: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether any look has said something."""
        return self._weight > 0

    @property
    def factor(self) -> float:
        """What rates are to be multiplied by."""
        return exp(self._log)

    def start(self, factor: float) -> None:
        """Begin with another factor than one."""
        self._log = max(-_WIDEST, min(log(factor), _WIDEST))

    def saw(self, rate: float, length: float, changed: bool) -> None:
        """Learn from a look so long after another, at a page of which this rate was said."""
        expected = -expm1(-min(rate * self.factor * length, _SATURATED))
        step = (changed - expected) / sqrt(1 + self._weight)
        self._log = max(-_WIDEST, min(self._log + step, _WIDEST))
        # A look that could hardly have shown a change, and did not, says next to nothing.
        self._weight += max(expected, float(changed))
