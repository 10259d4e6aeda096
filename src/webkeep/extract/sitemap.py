"""Links of sitemaps and of robots.txt files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.document import read_text
from webkeep.extract.link import Reference, Role
from webkeep.extract.resource import Resource
from webkeep.extract.unpacking import unpacked
from webkeep.formats.robots import read_robots
from webkeep.formats.sitemap import is_text_sitemap, is_xml_sitemap, sitemap_entries, text_entries
from webkeep.model import SitemapEntry

_LOOKED_AT = 4096


def read_sitemap(content: bytes, charset: str = "") -> Iterator[SitemapEntry]:
    """The entries of a sitemap in any of its forms, packed or not; none where it is no sitemap."""
    text = read_text(unpacked(content), charset).text
    return entries_in(text)


def entries_in(text: str) -> Iterator[SitemapEntry]:
    """The entries of a sitemap's text."""
    start = text[:_LOOKED_AT]
    if is_xml_sitemap(start):
        return sitemap_entries(text)
    return text_entries(text) if looks_like_list(text) else iter(())


def looks_like_list(text: str) -> bool:
    """Whether a text is a sitemap of plain lines, by its first ones."""
    start = text[:_LOOKED_AT]
    whole = len(text) <= _LOOKED_AT
    return is_text_sitemap(start if whole else start[: start.rfind("\n") + 1])


def sitemap_references(text: str, _resource: Resource) -> Iterator[Reference]:
    """The pages, further sitemaps, pictures and films of a sitemap."""
    return entry_references(entries_in(text))


def entry_references(entries: Iterable[SitemapEntry]) -> Iterator[Reference]:
    """What the entries of a sitemap refer to."""
    for entry in entries:
        yield Reference(entry.url, Role.NAVIGATE, "sitemap index" if entry.is_sitemap else "sitemap loc")
        for media in entry.media:
            role = Role.NAVIGATE if "player" in media.element else Role.EMBED
            yield Reference(media.url, role, f"sitemap {media.element[:40]}")
        for alternate in entry.alternates:
            yield Reference(alternate, Role.NAVIGATE, "sitemap xhtml:link")


def robots_references(resource: Resource) -> Iterator[Reference]:
    """The sitemaps that a robots.txt file declares."""
    for address in read_robots(resource.content).sitemaps:
        yield Reference(address, Role.NAVIGATE, "robots Sitemap")
