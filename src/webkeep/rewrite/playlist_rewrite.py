"""Playlists (HLS, M3U, PLS) with their links renamed, by what was found in them: whole lines, values of entries and
quoted attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webkeep.extract.links import LinkReference
from webkeep.rewrite.link_escaping import escape_plain_address
from webkeep.rewrite.link_renaming import ReferenceRenamer
from webkeep.rewrite.text_edits import TextEdit

_LINE = re.compile(r"[^\r\n]+")
_QUOTED = re.compile(r'"([^"]+)"')
_ENTRY = re.compile(r"\s*+(?:File|Ref)\d{1,6}\s*+=\s*+", re.IGNORECASE)


def playlist_edits(text: str, references: Iterable[LinkReference], renamer: ReferenceRenamer) -> Iterator[TextEdit]:
    """What changes in an M3U or PLS playlist: whole lines, values of entries, quoted attributes."""
    found = {each.text: each for each in references}
    for line in _LINE.finditer(text):
        for words, begin in _address_places(line):
            reference = found.get(words)
            new = renamer.rename_reference(reference) if reference is not None else None
            if new is not None:
                yield TextEdit(begin, begin + len(words), escape_plain_address(new))


def _address_places(line: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The texts of a line that could be addresses, and where they begin."""
    words, begin = line[0], line.start()
    if words.startswith("#"):
        yield from ((match[1], begin + match.start(1)) for match in _QUOTED.finditer(words))
        return
    entry = _ENTRY.match(words)
    at = entry.end() if entry else len(words) - len(words.lstrip())
    yield words[at:].strip(), begin + at
