"""What links are sought in: bytes with their address and what their server said of them (media type, charset), and the
page that called for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webkeep.document import DecodedText, PageContentSink, sniff_text
from webkeep.extract.inline.page_scripting import PageScripting
from webkeep.extract.links.link import LinkReference, ReportedLinks


@dataclass(frozen=True, slots=True)
class DecodedContent:
    """A response's content without any coding."""

    url: str
    content: bytes
    media_type: str = ""
    charset: str = ""
    """As declared by the server."""
    page: str = ""
    """The page that called for it, where that is known; scripts mean their strings relative to it,
    and pieces of HTML without a head may."""

    reported_links: ReportedLinks | None = None
    """What pages of the same site told before; it is passed over, and what is told is entered."""
    scripting: PageScripting | None = None
    """Takes in what of a page would run in a browser, where that is wanted."""
    page_content: PageContentSink | None = None
    """Takes in what a page is to its reader, where that is wanted."""

    def decode_text(self) -> DecodedText:
        """Its text, and the charset found."""
        return sniff_text(self.content, self.charset)


TextReader = Callable[[str, DecodedContent], Iterable[LinkReference]]
"""Finds the references in a resource's text."""

BytesReader = Callable[[DecodedContent], Iterable[LinkReference]]
"""Finds the references in a resource's bytes."""
