"""From references to links: joined with their base, once each, and looked into where they are documents themselves."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from webkeep.extract.base import Base
from webkeep.extract.css import style_references
from webkeep.extract.elements import BASE
from webkeep.extract.html import html_references
from webkeep.extract.link import Link, Reference, Role, new_tuple
from webkeep.extract.script import script_references

MOST_REMEMBERED = 100_000
"""A page with more links may name one twice."""

_Seen = dict[bool, tuple[set[str], set[str]]]
"""Addresses by whether they are embedded and whether they are guesses."""

_DATA_URL = re.compile(r"data:([\w.+/-]*)((?:;[^,;]{0,100}){0,8}),", re.IGNORECASE)
_LONGEST_DATA = 1024 * 1024
_DEEPEST = 3


def links_from(references: Iterable[Reference], base: Base) -> Iterator[Link]:
    """The links that references make, each pair of address and role once (a guess and a certain link are two)."""
    seen: _Seen = {embedded: (set(), set()) for embedded in (False, True)}
    return _joined(references, base, seen, 0)


def _joined(references: Iterable[Reference], base: Base, seen: _Seen, depth: int) -> Iterator[Link]:
    based = False
    moved, moved_by = base, ""
    embed, join = Role.EMBED, base.join
    for found in references:
        text, role, source, guess, _, _, _, relative_to = found
        if source is BASE:
            base, based = (base, True) if based else (base.moved(text), True)
            join = base.join
            continue
        if text[:1] == "#" and not based:
            continue
        if relative_to:
            if relative_to != moved_by:
                moved, moved_by = base.moved(relative_to), relative_to
            url = moved.join(text)
        else:
            url = join(text)
        if url is None:
            yield from _within(found, base, seen, depth)
            continue
        alike = seen[role is embed][guess]
        if url not in alike:
            if len(alike) >= MOST_REMEMBERED:
                alike.clear()
            alike.add(url)
            yield new_tuple(Link, (url, role, source, guess))


def _within(found: Reference, base: Base, seen: _Seen, depth: int) -> Iterator[Link]:
    """The links within an address that is itself a script or a document."""
    text = found.text.strip()
    if depth >= _DEEPEST or text[:5].lower() not in ("javas", "data:"):
        return
    scheme, _, rest = text.partition(":")
    if scheme.lower() == "javascript":
        script = unquote_to_bytes(_encoded(rest)).decode("utf-8", "replace")
        references = script_references(script, fragments=_fragments)
        yield from _joined(references, base, seen, depth + 1)
    elif scheme.lower() == "data":
        yield from _joined(_data_references(text), Base(""), seen, depth + 1)


def _data_references(text: str) -> Iterator[Reference]:
    match = _DATA_URL.match(text)
    reader = _DATA_READERS.get(match[1].lower()) if match and len(text) <= _LONGEST_DATA else None
    if match is None or reader is None:
        return
    content = unquote_to_bytes(_encoded(text[match.end() :]))
    if match[2].lower().endswith(";base64"):
        content = _unbased(content)
    yield from reader(content.decode("utf-8", "replace"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _unbased(content: bytes) -> bytes:
    try:
        return binascii.a2b_base64(content)
    except binascii.Error:
        return b""


def _fragments(markup: str) -> Iterator[Reference]:
    return (found for found in html_references(markup, 1) if found.source is not BASE)


_DATA_READERS: dict[str, Callable[[str], Iterator[Reference]]] = {
    "text/html": _fragments,
    "image/svg+xml": _fragments,
    "text/css": style_references,
    "text/javascript": script_references,
    "application/javascript": script_references,
}
