"""Versions (mementos): a URL as it was at a moment, and the first, previous, next and last ones around it."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.memento.memento_datetime import SECOND_MICROS
from webkeep.model import Moment


@dataclass(frozen=True, slots=True)
class MementoVersion:
    """One memento: which URL, in the spelling it was captured under, and when."""

    url: str
    moment: Moment

    @property
    def second(self) -> int:
        """Whole seconds since 1970: two versions within one have one URI-M between them."""
        return self.moment.micros // SECOND_MICROS


@dataclass(frozen=True, slots=True)
class MementoNeighbours:
    """A version among all of its URL; itself where it is the first or the last."""

    chosen: MementoVersion
    first: MementoVersion
    last: MementoVersion
    previous: MementoVersion | None = None
    next: MementoVersion | None = None
