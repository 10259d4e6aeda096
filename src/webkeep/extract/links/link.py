"""Links: where a document leads (navigate) and what it needs in order to show (embed), with their source, place and
whether they are guesses (speculative).
"""

from __future__ import annotations

import enum
from typing import NamedTuple

WHOLE_VALUE, NO_PLACE = -1, -2
"""Places that are no stretch: all of an attribute's value, and none that could be given."""


class LinkRole(enum.StrEnum):
    """What a link is for."""

    EMBED = "embed"
    """The page needs it in order to show or to work."""
    NAVIGATE = "navigate"
    """A reader may go there."""


# Pages have dozens of links each: a named tuple is made in a quarter of the time of a frozen dataclass.
class Link(NamedTuple):
    """A link of a document."""

    url: str
    """Absolute, as a browser spells it, with its fragment."""
    role: LinkRole
    source: str
    """Where it came from, as in `html a[href]`, `css url()`, `script string`."""
    guess: bool = False
    """Whether it only looks like a link: to be tried after the certain ones, and sparingly."""


class LinkReference(NamedTuple):
    """A link as it stands in a document, before it is joined with the address of anything."""

    text: str
    role: LinkRole
    source: str
    guess: bool = False
    attribute: str = ""
    """The attribute it stands in; empty where that is the text of an element or of the whole document."""
    start: int = WHOLE_VALUE
    end: int = WHOLE_VALUE
    """The stretch of the attribute or text that spells it; `WHOLE_VALUE` for all of an attribute, `NO_PLACE` where it
    is spelled in no such stretch."""
    base: str = ""
    """What it is relative to, itself relative to the document; empty where that is the document's own base."""

    def without_place(self) -> LinkReference:
        """The same without a place, as the reference of a document within the document."""
        return self._replace(attribute="", start=NO_PLACE, end=NO_PLACE)

    def as_guess(self) -> LinkReference:
        """The same as a guess."""
        return self if self.guess else self._replace(guess=True)


class ReportedLinks:
    """Addresses from the root of one site that were told before, by their source, and need not be told again.

    They are known by hashes, and new ones count only from `commit` on: whoever gave up half-way has told nothing.
    """

    __slots__ = ("fresh", "known")

    def __init__(self) -> None:
        self.known: dict[str, set[int]] = {}
        self.fresh: list[tuple[str, int]] = []

    def __len__(self) -> int:
        return sum(map(len, self.known.values()))

    def commit(self) -> None:
        """What was told is known from now on."""
        for source, key in self.fresh:
            self.known.setdefault(source, set()).add(key)
        self.fresh.clear()


new_tuple = tuple.__new__
"""Makes a Link or Reference of its fields in half the time that its own constructor takes; for hot loops."""
