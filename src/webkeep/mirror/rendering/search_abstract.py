"""Abstracts: what a copy's search knows of a page, its title and how its text begins; how much of a page is read for
that, and how long a title may be.
"""

from __future__ import annotations

from webkeep.document import read_page_title, read_visible_words
from webkeep.mirror.rendering.build_result import PageAbstract

_FIRST_READ_BYTES = 4 * 1024
"""Most pages show enough text in their first bytes; only others are read further."""
_MAX_READ_BYTES = 256 * 1024
"""Of a page whose first piece had too little text."""
_MAX_TITLE_CHARS = 200
"""A line of the list of hits."""


def build_abstract(name: str, content: bytes, charset: str, room: int) -> PageAbstract:
    """The abstract of a page, with no more text than there is room for."""
    title = read_page_title(content, charset)[:_MAX_TITLE_CHARS]
    text = ""
    # Most pages say enough in their first bytes, and to read all of them would take longer than to write the copy.
    for size in (_FIRST_READ_BYTES, _MAX_READ_BYTES):
        if room and len(text) < room and (not text or len(content) > _FIRST_READ_BYTES):
            text = read_visible_words(content[:size], charset)[:room]
    return PageAbstract(name, title, text.removeprefix(title).lstrip())
