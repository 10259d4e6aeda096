"""From references to links: joined with their base, once each, and looked into where they are documents themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from webkeep.extract.base import Base
from webkeep.extract.css import style_references
from webkeep.extract.elements import BASE
from webkeep.extract.html import html_references
from webkeep.extract.link import Link, Reference, new_tuple
from webkeep.extract.script import script_references

MOST_REMEMBERED = 100_000
"""A page with more links may name one twice."""

_DATA_URL = re.compile(r"data:([\w.+/-]*)((?:;[^,;]{0,100}){0,8}),", re.IGNORECASE)
_LONGEST_DATA = 1024 * 1024
_DEEPEST = 3


def links_from(references: Iterable[Reference], base: Base, depth: int = 0) -> Iterator[Link]:
    """The links that references make, each pair of address and role once (a guess and a certain link are two)."""
    seen: set[tuple[object, ...]] = set()
    based = False
    for found in references:
        text, role, source, guess, _, _, _, relative_to = found
        if source is BASE:
            base, based = (base, True) if based else (base.moved(text), True)
            continue
        if text[:1] == "#" and not based:
            continue
        url = (base.moved(relative_to) if relative_to else base).join(text)
        if url is None:
            yield from _within(found, base, depth)
            continue
        key = (url, role, guess)
        if key not in seen:
            if len(seen) >= MOST_REMEMBERED:
                seen.clear()
            seen.add(key)
            yield new_tuple(Link, (url, role, source, guess))


def _within(found: Reference, base: Base, depth: int) -> Iterator[Link]:
    """The links within an address that is itself a script or a document."""
    text = found.text.strip()
    if depth >= _DEEPEST or text[:5].lower() not in ("javas", "data:"):
        return
    scheme, _, rest = text.partition(":")
    if scheme.lower() == "javascript":
        script = unquote_to_bytes(rest).decode("utf-8", "replace")
        references: Iterator[Reference] = script_references(script, fragments=_fragments)
        yield from links_from((each._replace(attribute=found.attribute) for each in references), base, depth + 1)
    elif scheme.lower() == "data":
        yield from links_from(_data_references(text), Base(""), depth + 1)


def _data_references(text: str) -> Iterator[Reference]:
    match = _DATA_URL.match(text)
    reader = _DATA_READERS.get(match[1].lower()) if match and len(text) <= _LONGEST_DATA else None
    if match is None or reader is None:
        return
    content = unquote_to_bytes(text[match.end() :])
    if match[2].lower().endswith(";base64"):
        content = _unbased(content)
    yield from reader(content.decode("utf-8", "replace"))


def _unbased(content: bytes) -> bytes:
    import binascii

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
