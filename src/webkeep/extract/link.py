"""Links: where a document leads, and what it needs in order to show."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Role(enum.StrEnum):
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
    role: Role
    source: str
    """Where it came from, as in `html a[href]`, `css url()`, `script string`."""
    guess: bool = False
    """Whether it only looks like a link: to be tried after the certain ones, and sparingly."""


class Reference(NamedTuple):
    """A link as it stands in a document, before it is joined with the address of anything."""

    text: str
    role: Role
    source: str
    guess: bool = False
    attribute: str = ""
    """The attribute it stands in; empty where that is the text of an element or of the whole document."""
    start: int = -1
    end: int = -1
    """The stretch of the attribute or text that spells it; -1 where that is all of it, or not one stretch."""
    base: str = ""
    """What it is relative to, itself relative to the document; empty where that is the document's own base."""

    def guessed(self) -> Reference:
        """The same as a guess."""
        return self if self.guess else self._replace(guess=True)


new_tuple = tuple.__new__
"""Makes a Link or Reference of its fields in half the time that its own constructor takes; for hot loops."""
