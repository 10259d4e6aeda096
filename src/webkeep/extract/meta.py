"""Links of `meta` elements: refreshes, social cards, tiles, citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from webkeep.extract.guess import is_absolute
from webkeep.extract.link import Reference, Role
from webkeep.extract.refresh import refresh_stretch

_EMBEDDED = re.compile(
    r"(?:og|vk):(?:image|video|audio)(?::(?:secure_)?url)?|twitter:(?:image\d?(?::src)?|player:stream)"
    r"|msapplication-(?:tileimage|config|(?:square|wide)\d+x\d+logo)|(?:sailthru\.image|parsely-image)[.\w-]*"
    r"|thumbnail(?:url)?|image(?:_src)?|logo|contenturl|photo|screenshot|primaryimageofpage"
)
_VISITED = re.compile(
    r"og:(?:url|see_also)|twitter:(?:url|player)|al:web:url|msapplication-starturl|parsely-link|identifier-url"
    r"|citation_\w*url|article:(?:author|publisher)|url|sameas|embedurl|mainentityofpage|canonical|dc\.(?:relation|source)"
)
_TASK = re.compile(r"(action-uri|icon-uri)\s*=\s*([^;\s]+)", re.IGNORECASE)


def meta_references(attributes: Mapping[str, str]) -> Iterator[Reference]:
    """The references in the content of one `meta` element."""
    content = attributes.get("content", "")
    if not content:
        return
    if attributes.get("http-equiv", "").strip().lower() == "refresh":
        yield from _refresh(content)
        return
    for kind in ("property", "name", "itemprop"):
        name = attributes.get(kind, "").strip().lower()[:80]
        if name:
            yield from _named(name, content, f"html meta[{kind}]")
            return


def _refresh(content: str) -> Iterator[Reference]:
    stretch = refresh_stretch(content)
    if stretch is not None:
        start, end = stretch
        yield Reference(content[start:end], Role.NAVIGATE, "html meta[refresh]", False, "content", start, end)


def _named(name: str, content: str, source: str) -> Iterator[Reference]:
    if content.strip().lower() == "none":
        return
    if name == "msapplication-task":
        for match in _TASK.finditer(content):
            role = Role.EMBED if match[1].lower() == "icon-uri" else Role.NAVIGATE
            yield Reference(match[2], role, source, False, "content", match.start(2), match.end(2))
    elif _EMBEDDED.fullmatch(name):
        yield Reference(content, Role.EMBED, source, False, "content")
    elif _VISITED.fullmatch(name):
        yield Reference(content, Role.NAVIGATE, source, False, "content")
    elif is_absolute(content.strip()):
        yield Reference(content, Role.NAVIGATE, source, True, "content")
