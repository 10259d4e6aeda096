"""Abstracts: what a copy's search knows of a page, its title and how its text begins."""

from __future__ import annotations

from webkeep.document import page_title
from webkeep.document.visible import visible_words
from webkeep.mirror.findings import Abstract

_BEGINNING = 4 * 1024
_LONGEST_READ = 256 * 1024
_LONGEST_TITLE = 200


def abstract(name: str, content: bytes, charset: str, room: int) -> Abstract:
    """The abstract of a page, with no more text than there is room for."""
    title = page_title(content, charset)[:_LONGEST_TITLE]
    text = ""
    # Most pages say enough in their first bytes, and to read all of them would take longer than to write the copy.
    for size in (_BEGINNING, _LONGEST_READ):
        if room and len(text) < room and (not text or len(content) > _BEGINNING):
            text = visible_words(content[:size], charset)[:room]
    return Abstract(name, title, text.removeprefix(title).lstrip())
