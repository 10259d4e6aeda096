"""What links are sought in: bytes with their address and what their server said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webkeep.document import Reading, read_text
from webkeep.extract.link import Heard, Reference
from webkeep.extract.scripting import Scripting


@dataclass(frozen=True, slots=True)
class Resource:
    """A response's content without any coding."""

    url: str
    content: bytes
    media_type: str = ""
    charset: str = ""
    """As declared by the server."""
    page: str = ""
    """The page that called for it, where that is known; scripts mean their strings relative to it,
    and pieces of HTML without a head may."""

    heard: Heard | None = None
    """What pages of the same site told before; it is passed over, and what is told is entered."""
    scripting: Scripting | None = None
    """Takes in what of a page would run in a browser, where that is wanted."""

    def read(self) -> Reading:
        """Its text, and the charset found."""
        return read_text(self.content, self.charset)


TextReader = Callable[[str, Resource], Iterable[Reference]]
"""Finds the references in a resource's text."""

BytesReader = Callable[[Resource], Iterable[Reference]]
"""Finds the references in a resource's bytes."""
