"""Sprites and masks, which browsers load from no file: how masks of style sheets are found, and how parts of other SVG
files are put into a page, with ids of their own and without scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.inline import style_references
from webkeep.extract.links import LinkBase

# Masks and shapes: pictures that browsers load for style sheets as strictly as data, and so from no file.

_MASK_SIGNS = (b"mask", b"shape-outside")
_MASK_DECLARATION = re.compile(r"\b(?:mask(?:-[a-z-]{1,20})?|shape-outside)\s*+:([^;}]*+)", re.IGNORECASE)


def may_have_masks(content: bytes) -> bool:
    """Whether a style sheet or page may have any."""
    return b"url(" in content and any(sign in content for sign in _MASK_SIGNS)


def mask_urls(text: str, url: str) -> frozenset[str]:
    """The URLs of pictures that a style sheet, or a page, at a URL uses as masks."""
    base = LinkBase(url)
    found = (each.text for match in _MASK_DECLARATION.finditer(text) for each in style_references(match[1]))
    return frozenset(joined.partition("#")[0] for each in found if (joined := base.join(each)) is not None)


SPRITE_SOURCES = frozenset({"html use[href]", "html use[xlink:href]"})
"""The sources of links to parts of SVG files."""

_BEFORE_SVG = re.compile(r"\A.*?(?=<svg[\s>])", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"""(\sid\s*=\s*["'])([^"']*)(?=["'])""")
_OWN_REFERENCE = re.compile(r"""((?:href\s*=\s*["']|url\(\s*["']?)#)([^"')\s]+)""")
_SIZE_ATTRIBUTES = re.compile(r"""\s(?:width|height|style|class)\s*=\s*(?:"[^"]*"|'[^']*')""")
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script\s*>|/>", re.IGNORECASE)
_HIDDEN = ' width="0" height="0" style="position:absolute" aria-hidden="true"'


class SvgSprites:
    """The SVG files of which a page uses parts, each with a number by which its names are told from all others."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._numbers.items())

    def reference(self, url: str, name: str) -> str:
        """The reference to a part of a file, now that it is in the page."""
        number = self._numbers.setdefault(url, len(self._numbers) + 1)
        return f"#{_sprite_id(number, name)}"


def inline_sprite(svg: str, number: int) -> str:
    """An SVG file as part of a page: not shown, with names of its own, in ASCII."""
    text = _without_scripts(_BEFORE_SVG.sub("", svg))
    end = text.find(">")
    if not text or end < 0:
        return ""
    tag = _SIZE_ATTRIBUTES.sub("", text[:end])
    is_empty = tag.endswith("/")
    text = f"{tag.rstrip('/')}{_HIDDEN}{'/' if is_empty else ''}{text[end:]}"
    text = _ID.sub(lambda match: match[1] + _sprite_id(number, match[2]), text)
    text = _OWN_REFERENCE.sub(lambda match: match[1] + _sprite_id(number, match[2]), text)
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _without_scripts(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (begin := _SCRIPT.search(text, at)) is not None:
        kept.append(text[at : begin.start()])
        end = _SCRIPT_END.search(text, begin.end())
        at = len(text) if end is None else end.end()
    return "".join((*kept, text[at:]))


def _sprite_id(number: int, name: str) -> str:
    return f"webkeep{number}-{name}"
