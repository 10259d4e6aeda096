"""Noise: what of a page differs without its author having changed anything; how one rule masks it, and who made the
rule: it is known of the web, learned of a site, or set by hand.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from webkeep.change.detection.change_category import NoiseKind
from webkeep.document import BlockRole, PageBlock
from webkeep.url import LinearPattern

GAP = "…"
"""Stands in a masked value for what differs."""


class NoiseOrigin(enum.StrEnum):
    """How a rule came to be."""

    KNOWN = "known"
    """What pages everywhere call a date, a counter or an advertisement."""
    LEARNED = "learned"
    """It differed between fetches that were seconds apart."""
    BY_HAND = "set by hand"


class MaskedValue(NamedTuple):
    """A block of which nothing is left but what counts."""

    value: str
    """Empty where nothing of it counts."""
    kind: NoiseKind
    origin: NoiseOrigin


class NoiseRule(Protocol):
    """Says what of a block is noise."""

    def mask(self, block: PageBlock, previous: str) -> MaskedValue | None:
        """What is left of a block behind a text; None where the rule has nothing to say of it."""
        ...


@dataclass(frozen=True, slots=True)
class HandRule:
    """A rule that a person set; all that it names must hold."""

    kind: NoiseKind
    element: str = ""
    """An element around it, as in CSS: a tag, classes with a dot, an id with its sign, or several of them in one."""
    text: LinearPattern | None = None
    link: LinearPattern | None = None

    def mask(self, block: PageBlock, previous: str) -> MaskedValue | None:  # noqa: ARG002
        """Nothing is left of what it names."""
        if self.element and not any(_is_element(step, self.element) for step in block.place.split(" ")):
            return None
        if self.text is not None and (block.role is not BlockRole.TEXT or not self.text.search(block.value)):
            return None
        is_address = block.role in (BlockRole.LINK, BlockRole.PICTURE)
        if self.link is not None and (not is_address or not self.link.search(block.value)):
            return None
        return MaskedValue("", self.kind, NoiseOrigin.BY_HAND)


def _is_element(step: str, wanted: str) -> bool:
    """Whether an element of a place is one that a rule names."""
    have, want = _split_step(step), _split_step(wanted)
    return want[0] in ("", have[0]) and want[1] <= have[1]


def _split_step(step: str) -> tuple[str, frozenset[str]]:
    """The tag of an element, and its id and classes with their marks."""
    spaced = step.replace("#", " #").replace(".", " .")
    tag, *names = spaced.split(" ") if spaced else [""]
    return tag, frozenset(names)
