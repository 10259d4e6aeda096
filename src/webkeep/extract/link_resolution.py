"""From references to links: joined with their base URL, once each (deduplicated), and looked into where they are
documents themselves (data: and javascript: addresses).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from webkeep.extract.html.compound_elements import BASE_SOURCE
from webkeep.extract.html.html_links import html_references
from webkeep.extract.inline.css_links import style_references
from webkeep.extract.inline.script_links import script_references
from webkeep.extract.links.link import Link, LinkReference, LinkRole, new_tuple
from webkeep.extract.links.link_base import LinkBase

MAX_REMEMBERED_LINKS = 100_000
"""A page with more links may name one twice."""

_SeenAddresses = dict[bool, tuple[set[str], set[str]]]
"""Addresses by whether they are embedded and whether they are guesses."""

_DATA_URL = re.compile(r"data:([\w.+/-]*)((?:;[^,;]{0,100}){0,8}),", re.IGNORECASE)
_MAX_DATA_URL_CHARS = 1024 * 1024
"""Longer ones are pictures, fonts and films, in which no links are looked for."""
_MAX_NESTING = 3
"""Documents within `data:` and `javascript:` addresses within one another; none needs more, and each costs a parse."""


def resolve_references(references: Iterable[LinkReference], base: LinkBase) -> Iterator[Link]:
    """The links that references make, each pair of address and role once (a guess and a certain link are two)."""
    seen: _SeenAddresses = {embedded: (set(), set()) for embedded in (False, True)}
    return _resolve_all(references, base, seen, 0)


def _resolve_all(
    references: Iterable[LinkReference], base: LinkBase, seen: _SeenAddresses, depth: int
) -> Iterator[Link]:
    based = False
    moved, moved_by = base, ""
    embed, join = LinkRole.EMBED, base.join
    for found in references:
        text, role, source, guess, _, _, _, relative_to = found
        if source is BASE_SOURCE:
            base, based = (base, True) if based else (base.rebase(text), True)
            join = base.join
            continue
        if text[:1] == "#" and not based:
            continue
        if relative_to:
            if relative_to != moved_by:
                moved, moved_by = base.rebase(relative_to), relative_to
            url = moved.join(text)
        else:
            url = join(text)
        if url is None:
            yield from _nested_links(found, base, seen, depth)
            continue
        alike = seen[role is embed][guess]
        if url not in alike:
            if len(alike) >= MAX_REMEMBERED_LINKS:
                alike.clear()
            alike.add(url)
            yield new_tuple(Link, (url, role, source, guess))


def _nested_links(found: LinkReference, base: LinkBase, seen: _SeenAddresses, depth: int) -> Iterator[Link]:
    """The links within an address that is itself a script or a document."""
    text = found.text.strip()
    if depth >= _MAX_NESTING or text[:5].lower() not in ("javas", "data:"):
        return
    scheme, _, rest = text.partition(":")
    if scheme.lower() == "javascript":
        script = unquote_to_bytes(_utf8_bytes(rest)).decode("utf-8", "replace")
        references = script_references(script, fragments=_fragment_references)
        yield from _resolve_all(references, base, seen, depth + 1)
    elif scheme.lower() == "data":
        yield from _resolve_all(_data_references(text), LinkBase(""), seen, depth + 1)


def _data_references(text: str) -> Iterator[LinkReference]:
    match = _DATA_URL.match(text)
    reader = _DATA_READERS.get(match[1].lower()) if match and len(text) <= _MAX_DATA_URL_CHARS else None
    if match is None or reader is None:
        return
    content = unquote_to_bytes(_utf8_bytes(text[match.end() :]))
    if match[2].lower().endswith(";base64"):
        content = _decode_base64(content)
    yield from reader(content.decode("utf-8", "replace"))


def _utf8_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _decode_base64(content: bytes) -> bytes:
    try:
        return binascii.a2b_base64(content)
    except binascii.Error:
        return b""


def _fragment_references(markup: str) -> Iterator[LinkReference]:
    return (found for found in html_references(markup, 1) if found.source is not BASE_SOURCE)


_DATA_READERS: dict[str, Callable[[str], Iterator[LinkReference]]] = {
    "text/html": _fragment_references,
    "image/svg+xml": _fragment_references,
    "text/css": style_references,
    "text/javascript": script_references,
    "application/javascript": script_references,
}
