"""Sprites: parts of other SVG files that a page uses; browsers load none from files, so they are put into the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

USES = frozenset({"html use[href]", "html use[xlink:href]"})
"""The sources of links to parts of SVG files."""

_BEFORE = re.compile(r"\A.*?(?=<svg[\s>])", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"""(\sid\s*=\s*["'])([^"']*)(?=["'])""")
_OWN = re.compile(r"""((?:href\s*=\s*["']|url\(\s*["']?)#)([^"')\s]+)""")
_SIZE = re.compile(r"""\s(?:width|height|style|class)\s*=\s*(?:"[^"]*"|'[^']*')""")
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script\s*>|/>", re.IGNORECASE)
_HIDDEN = ' width="0" height="0" style="position:absolute" aria-hidden="true"'


class Sprites:
    """The SVG files of which a page uses parts, each with a number by which its names are told from all others."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._numbers.items())

    def use(self, url: str, name: str) -> str:
        """The reference to a part of a file, now that it is in the page."""
        number = self._numbers.setdefault(url, len(self._numbers) + 1)
        return f"#{_name(number, name)}"


def inlined(svg: str, number: int) -> str:
    """An SVG file as part of a page: not shown, with names of its own, in ASCII."""
    text = _without_scripts(_BEFORE.sub("", svg))
    end = text.find(">")
    if not text or end < 0:
        return ""
    tag = _SIZE.sub("", text[:end])
    is_empty = tag.endswith("/")
    text = f"{tag.rstrip('/')}{_HIDDEN}{'/' if is_empty else ''}{text[end:]}"
    text = _ID.sub(lambda match: match[1] + _name(number, match[2]), text)
    text = _OWN.sub(lambda match: match[1] + _name(number, match[2]), text)
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _without_scripts(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (begin := _SCRIPT.search(text, at)) is not None:
        kept.append(text[at : begin.start()])
        end = _SCRIPT_END.search(text, begin.end())
        at = len(text) if end is None else end.end()
    return "".join((*kept, text[at:]))


def _name(number: int, name: str) -> str:
    return f"webkeep{number}-{name}"
