"""The registry: which reader finds the links of which kind of resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.extract.base import Base
from webkeep.extract.css import style_references
from webkeep.extract.dash import dash_references
from webkeep.extract.feed import feed_references
from webkeep.extract.headers import header_references, link_field_references
from webkeep.extract.html import html_references
from webkeep.extract.html_fragment import is_fragment, references_in_page
from webkeep.extract.joining import links_from
from webkeep.extract.json import (
    JSON_FEED,
    LINKED_DATA,
    MANIFEST,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.kind import Kind, kind_of
from webkeep.extract.link import Heard, Link, Reference
from webkeep.extract.markdown import markdown_references
from webkeep.extract.playlist import listed_references, playlist_references
from webkeep.extract.programs import class_references, flash_references, pdf_references
from webkeep.extract.resource import BytesReader, Resource, TextReader
from webkeep.extract.script import script_references
from webkeep.extract.scripting import Scripting
from webkeep.extract.sitemap import looks_like_list, robots_references, sitemap_references
from webkeep.extract.text import text_references
from webkeep.extract.unpacking import is_packed, unpacked
from webkeep.extract.xml import root_name, xml_references
from webkeep.formats.content_type import charset, media_type
from webkeep.model import Headers

MOST_READ = 64 * 1024 * 1024
"""How many bytes of a resource are searched."""


def extract_links(
    url: str,
    headers: Headers,
    content: bytes,
    *,
    content_type: str | None = None,
    page: str = "",
    kind: Kind | None = None,
    heard: Heard | None = None,
    scripting: Scripting | None = None,
) -> Iterator[Link]:
    """The links of a response: those of its fields, then those of its content, which has no coding left on it.

    `content_type` overrules what the fields say. `page` is the page that called for the resource: scripts mean
    their strings relative to it, and so may pieces of HTML. `kind` is what the content is, where that was found out
    before. `heard` is what other pages of the same site told lately. `scripting` is told what of a page would run in a
    browser. Each link comes once, as it is found; whoever has enough may stop asking.
    """
    named = media_type(headers) if content_type is None else content_type
    resource = Resource(url, content[:MOST_READ], named, charset(headers), page, heard, scripting)
    if in_fields := list(header_references(headers)):
        yield from links_from(in_fields, Base(url))
    yield from content_links(resource, kind)


def content_links(resource: Resource, kind: Kind | None = None) -> Iterator[Link]:
    """The links of a resource's content, which is of that kind if one is given."""
    kind = kind or kind_of(resource.media_type, resource.content, resource.url)
    if kind is Kind.PACKED:
        resource = _unpacked(resource)
        kind = kind_of(resource.media_type, resource.content, resource.url)
    if (bytes_reader := _BYTES_READERS.get(kind)) is not None:
        yield from links_from(bytes_reader(resource), Base(resource.url))
    elif (text_reader := _TEXT_READERS.get(kind)) is not None:
        text, charset_found = resource.read()
        yield from links_from(text_reader(text, resource), Base(resource.url, charset_found))


def _unpacked(resource: Resource) -> Resource:
    """What a packed file holds; its type says only that it is packed."""
    content = unpacked(resource.content)
    name = resource.url.partition("?")[0].removesuffix(".gz")
    return Resource(name, b"" if is_packed(content) else content, "", resource.charset, resource.page)


def _html(text: str, resource: Resource) -> Iterator[Reference]:
    references = html_references(text, heard=resource.heard, scripting=resource.scripting)
    return references_in_page(references, resource.page) if resource.page and is_fragment(text) else references


def _xml(text: str, resource: Resource) -> Iterator[Reference]:
    reader = XML_READERS.get(root_name(text), xml_references)
    yield from reader(text, resource)
    if reader is not xml_references:
        # Feeds and sitemaps, too, may name a style sheet to be shown with.
        yield from (found for found in xml_references(text[:4096], resource) if found.source == "xml-stylesheet")


def _text(text: str, resource: Resource) -> Iterator[Reference]:
    return sitemap_references(text, resource) if looks_like_list(text) else text_references(text)


XML_READERS: Mapping[str, TextReader] = {
    "urlset": sitemap_references,
    "sitemapindex": sitemap_references,
    "rss": feed_references,
    "feed": feed_references,
    "rdf": feed_references,
    "opml": feed_references,
    "mpd": dash_references,
}
"""The formats of XML that have readers of their own, by the names of their roots."""
_TEXT_READERS: Mapping[Kind, TextReader] = {
    Kind.HTML: _html,
    Kind.XML: _xml,
    Kind.CSS: lambda text, _: style_references(text),
    Kind.SCRIPT: lambda text, resource: script_references(text, page=resource.page, fragments=html_references),
    Kind.JSON: lambda text, _: json_references(text),
    Kind.MANIFEST: lambda text, _: member_references(text, MANIFEST, "manifest"),
    Kind.JSON_FEED: lambda text, _: member_references(text, JSON_FEED, "json feed"),
    Kind.LINKED_DATA: lambda text, _: member_references(text, LINKED_DATA, "json-ld"),
    Kind.IMPORT_MAP: lambda text, _: import_map_references(text),
    Kind.SPECULATION: lambda text, _: speculation_references(text),
    Kind.PLAYLIST: playlist_references,
    Kind.PLAYLIST_ENTRIES: listed_references,
    Kind.LINK_SET: lambda text, _: link_field_references(text),
    Kind.MARKDOWN: lambda text, resource: markdown_references(text, resource.page),
    Kind.TEXT: _text,
}
_BYTES_READERS: Mapping[Kind, BytesReader] = {
    Kind.ROBOTS: robots_references,
    Kind.JAVA_CLASS: class_references,
    Kind.FLASH: flash_references,
    Kind.PDF: pdf_references,
}
