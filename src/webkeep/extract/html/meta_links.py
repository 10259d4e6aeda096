"""Links of `meta` elements: refreshes, social cards (og:image, twitter:image), tiles and citations; which names stand
for what is embedded, and which for pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import is_absolute_address
from webkeep.extract.links.refresh import refresh_span

_EMBEDDED_NAMES = re.compile(
    r"(?:og|vk):(?:image|video|audio)(?::(?:secure_)?url)?|twitter:(?:image\d?(?::src)?|player:stream)"
    r"|msapplication-(?:tileimage|config|(?:square|wide)\d+x\d+logo)|(?:sailthru\.image|parsely-image)[.\w-]*"
    r"|thumbnail(?:url)?|image(?:_src)?|logo|contenturl|photo|screenshot|primaryimageofpage"
)
_PAGE_NAMES = re.compile(
    r"og:(?:url|see_also)|twitter:(?:url|player)|al:web:url|msapplication-starturl|parsely-link|identifier-url"
    r"|citation_\w*url|article:(?:author|publisher)|url|sameas|embedurl|mainentityofpage|canonical|dc\.(?:relation|source)"
)
_TASK = re.compile(r"(action-uri|icon-uri)\s*=\s*([^;\s]+)", re.IGNORECASE)


def meta_references(attributes: Mapping[str, str]) -> Iterator[LinkReference]:
    """The references in the content of one `meta` element."""
    content = attributes.get("content", "")
    if not content:
        return
    if attributes.get("http-equiv", "").strip().lower() == "refresh":
        yield from _refresh_references(content)
        return
    for kind in ("property", "name", "itemprop"):
        name = attributes.get(kind, "").strip().lower()[:80]
        if name:
            yield from _named_references(name, content, f"html meta[{kind}]")
            return


def _refresh_references(content: str) -> Iterator[LinkReference]:
    stretch = refresh_span(content)
    if stretch is not None:
        start, end = stretch
        yield LinkReference(content[start:end], LinkRole.NAVIGATE, "html meta[refresh]", False, "content", start, end)


def _named_references(name: str, content: str, source: str) -> Iterator[LinkReference]:
    if content.strip().lower() == "none":
        return
    if name == "msapplication-task":
        for match in _TASK.finditer(content):
            role = LinkRole.EMBED if match[1].lower() == "icon-uri" else LinkRole.NAVIGATE
            yield LinkReference(match[2], role, source, False, "content", match.start(2), match.end(2))
    elif _EMBEDDED_NAMES.fullmatch(name):
        yield LinkReference(content, LinkRole.EMBED, source, False, "content")
    elif _PAGE_NAMES.fullmatch(name):
        yield LinkReference(content, LinkRole.NAVIGATE, source, False, "content")
    elif is_absolute_address(content.strip()):
        yield LinkReference(content, LinkRole.NAVIGATE, source, True, "content")
