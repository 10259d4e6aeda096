"""Links of sitemaps, be they XML, plain lines or packed: pages, further sitemaps, images, videos and alternates; and of
robots.txt files, the sitemaps they declare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.document import sniff_text
from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.documents.gzip_content import gunzip
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.formats.site import is_text_sitemap, is_xml_sitemap, parse_robots, read_text_sitemap, read_xml_sitemap
from webkeep.model import SitemapEntry

_SNIFFED_CHARS = 4096
"""Where the root element stands, behind declarations and comments."""


def read_sitemap(content: bytes, charset: str = "") -> Iterator[SitemapEntry]:
    """The entries of a sitemap in any of its forms, packed or not; none where it is no sitemap."""
    text = sniff_text(gunzip(content), charset).text
    return parse_entries(text)


def parse_entries(text: str) -> Iterator[SitemapEntry]:
    """The entries of a sitemap's text."""
    start = text[:_SNIFFED_CHARS]
    if is_xml_sitemap(start):
        return read_xml_sitemap(text)
    return read_text_sitemap(text) if is_url_list(text) else iter(())


def is_url_list(text: str) -> bool:
    """Whether a text is a sitemap of plain lines, by its first ones."""
    start = text[:_SNIFFED_CHARS]
    whole = len(text) <= _SNIFFED_CHARS
    return is_text_sitemap(start if whole else start[: start.rfind("\n") + 1])


def sitemap_references(text: str, _resource: DecodedContent) -> Iterator[LinkReference]:
    """The pages, further sitemaps, pictures and films of a sitemap."""
    return entry_references(parse_entries(text))


def entry_references(entries: Iterable[SitemapEntry]) -> Iterator[LinkReference]:
    """What the entries of a sitemap refer to."""
    for entry in entries:
        yield LinkReference(entry.url, LinkRole.NAVIGATE, "sitemap index" if entry.is_sitemap else "sitemap loc")
        for media in entry.media:
            role = LinkRole.NAVIGATE if "player" in media.element else LinkRole.EMBED
            yield LinkReference(media.url, role, f"sitemap {media.element[:40]}")
        for alternate in entry.alternates:
            yield LinkReference(alternate, LinkRole.NAVIGATE, "sitemap xhtml:link")


def robots_references(resource: DecodedContent) -> Iterator[LinkReference]:
    """The sitemaps that a robots.txt file declares."""
    for address in parse_robots(resource.content).sitemaps:
        yield LinkReference(address, LinkRole.NAVIGATE, "robots Sitemap")
