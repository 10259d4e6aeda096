"""What style sheets ask for themselves: pictures, fonts, further sheets; about how large pictures are, which files are
one font, and which of it a page has any use for.

The files of one `@font-face` are one part: a browser takes one of them. A picture is for the elements that its
selectors name; on a page that has none of these, or where they wait for a pointer, nothing is missing without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from webkeep.document import MAX_TREE_CHARS, decode_text, find_css_references
from webkeep.extract import extract_links
from webkeep.extract.links import LinkRole
from webkeep.formats.http import declared_charset
from webkeep.model import Headers
from webkeep.quality.damage.page_parts import PagePart, PartKind, bare_url, link_kind
from webkeep.url import resolve_url

_DECLARATION_CHARS = 400
"""Around a picture of a style sheet, within which its declaration stands."""
_RULE_CHARS = 3000
"""Before a reference, within which its rule begins."""
_MAX_SELECTORS = 200
"""Of one picture: one that more rules want is for everything."""
_MARK_PIXELS, _ONCE_PIXELS, _TILED_PIXELS = (150.0, 150.0), (600.0, 150.0), (1000.0, 500.0)
"""Pixels of pictures that style sheets put there: marks before words, a banner, and what fills its background."""
_SELECTED_NAME = re.compile(r"[.#][A-Za-z_-][\w-]*")
_WAITING_STATE = re.compile(r":(?:hover|active|focus|checked|target|visited)")
_FONT_FACE = "@font-face"


@dataclass(slots=True)
class _StyleUse:
    """What a style sheet wants an address for."""

    area: tuple[float, float]
    selectors: dict[str, None] = field(default_factory=dict)
    font: int = -1
    """Where the `@font-face` begins that it is a file of; minus one where it is of none."""


def read_style_parts(url: str, headers: Headers, content: bytes) -> Iterator[PagePart]:
    """What a style sheet asks for itself."""
    uses = _read_uses(url, decode_text(content, declared_charset(headers))[:MAX_TREE_CHARS])
    fonts: dict[int, list[str]] = {}
    for link in extract_links(url, headers, content):
        if link.role is not LinkRole.EMBED or link.guess or not link.url.startswith(("http://", "https://")):
            continue
        address = bare_url(link.url)
        use = uses.get(address)
        if use is not None and use.font >= 0:
            fonts.setdefault(use.font, []).append(address)
        elif use is None or (kind := link_kind(link)) is not PartKind.BACKGROUND:
            yield PagePart(link_kind(link), (address,), parent=url)
        else:
            yield PagePart(kind, (address,), *use.area, parent=url, selectors=tuple(use.selectors))
    yield from (PagePart(PartKind.FONT, tuple(dict.fromkeys(files)), parent=url) for files in fonts.values())


def hide_unused(part: PagePart, names: Collection[str]) -> PagePart:
    """A part of a style sheet as it is on a page with elements of these names: nothing to see where none is for it."""
    if not part.selectors or any(_may_select(each, names) for each in part.selectors):
        return part
    return replace(part, kind=PartKind.HIDDEN)


def _may_select(selector: str, names: Collection[str]) -> bool:
    return not _WAITING_STATE.search(selector) and all(name in names for name in _SELECTED_NAME.findall(selector))


def _read_uses(url: str, text: str) -> dict[str, _StyleUse]:
    """What each address of a style sheet is wanted for."""
    uses: dict[str, _StyleUse] = {}
    for reference in find_css_references(text):
        address = resolve_url(url, reference.text)
        if address is None:
            continue
        before = re.split(r"[;{}]", text[max(reference.start - _DECLARATION_CHARS, 0) : reference.start])[-1]
        after = re.split(r"[;}]", text[reference.end : reference.end + _DECLARATION_CHARS])[0]
        use = uses.setdefault(bare_url(address), _StyleUse(_background_area(before, after)))
        start, selectors = _enclosing_rule(text, reference.start)
        if selectors.lower().endswith(_FONT_FACE):
            use.font = start
        elif len(use.selectors) < _MAX_SELECTORS:
            use.selectors.update(dict.fromkeys(filter(None, map(str.strip, selectors.split(",")))))
    return uses


def _background_area(before: str, after: str) -> tuple[float, float]:
    """About how large a picture is on a page, by the declaration that it stands in."""
    is_small = before.strip().lower().startswith(("content", "list-style", "cursor"))
    return _MARK_PIXELS if is_small else _ONCE_PIXELS if "no-repeat" in before + after else _TILED_PIXELS


def _enclosing_rule(text: str, place: int) -> tuple[int, str]:
    """Where the rule around a place begins, and its selectors; "" where they cannot be found nearby."""
    opening = text.rfind("{", max(place - _RULE_CHARS, 0), place)
    if opening < 0:
        return -1, ""
    nearby = text[max(opening - _RULE_CHARS, 0) : opening]
    return opening, re.split(r"[{};]|\*/", nearby)[-1].strip()
