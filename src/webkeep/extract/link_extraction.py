"""The registry of link extractors: which reader finds the links of which kind of resource (HTML, CSS, JavaScript, PDF
and others), and how much of a resource is searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from webkeep.document import PageContentSink, read_html_parts
from webkeep.extract.document_kind import DocumentKind, detect_kind
from webkeep.extract.documents.binary_links import flash_references, java_class_references, pdf_references
from webkeep.extract.documents.dash_links import dash_references
from webkeep.extract.documents.decoded_content import BytesReader, DecodedContent, TextReader
from webkeep.extract.documents.feed_links import feed_references
from webkeep.extract.documents.gzip_content import gunzip, is_gzip
from webkeep.extract.documents.markdown_links import markdown_references
from webkeep.extract.documents.playlist_links import playlist_references, pls_references
from webkeep.extract.documents.sitemap_links import is_url_list, robots_references, sitemap_references
from webkeep.extract.documents.xml_links import root_element_name, xml_references
from webkeep.extract.header_links import header_references, link_field_references
from webkeep.extract.html.html_fragment import is_fragment, references_in_page
from webkeep.extract.html.html_links import html_references
from webkeep.extract.inline.css_links import style_references
from webkeep.extract.inline.json_links import (
    JSON_FEED_MEMBERS,
    LINKED_DATA_MEMBERS,
    MANIFEST_MEMBERS,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.inline.page_scripting import PageScripting
from webkeep.extract.inline.script_links import script_references
from webkeep.extract.inline.text_links import text_references
from webkeep.extract.known_content import MAX_READ_BYTES
from webkeep.extract.link_resolution import resolve_references
from webkeep.extract.links.link import Link, LinkReference, ReportedLinks
from webkeep.extract.links.link_base import LinkBase
from webkeep.formats.http import declared_charset, declared_media_type
from webkeep.model import Headers


def extract_links(
    url: str,
    headers: Headers,
    content: bytes,
    *,
    content_type: str | None = None,
    page: str = "",
    kind: DocumentKind | None = None,
    reported: ReportedLinks | None = None,
    scripting: PageScripting | None = None,
    page_content: PageContentSink | None = None,
) -> Iterator[Link]:
    """The links of a response: those of its fields, then those of its content, which has no coding left on it.

    `content_type` overrules what the fields say. `page` is the page that called for the resource: scripts mean
    their strings relative to it, and so may pieces of HTML. `kind` is what the content is, where that was found out
    before. `reported` is what other pages of the same site told lately. `scripting` is told what of a page would run in
    a browser, and `page_content` what it is to its reader, when all links of it are read. Each link comes once, as it
    is found; whoever has enough may stop asking.
    """
    named = declared_media_type(headers) if content_type is None else content_type
    resource = DecodedContent(
        url, content[:MAX_READ_BYTES], named, declared_charset(headers), page, reported, scripting, page_content
    )
    if in_fields := list(header_references(headers)):
        yield from resolve_references(in_fields, LinkBase(url))
    yield from extract_content_links(resource, kind)


def extract_content_links(resource: DecodedContent, kind: DocumentKind | None = None) -> Iterator[Link]:
    """The links of a resource's content, which is of that kind if one is given."""
    kind = kind or detect_kind(resource.media_type, resource.content, resource.url)
    if kind is DocumentKind.PACKED:
        resource = _unpack_gzip(resource)
        kind = detect_kind(resource.media_type, resource.content, resource.url)
    if (bytes_reader := _BYTES_READERS.get(kind)) is not None:
        yield from resolve_references(bytes_reader(resource), LinkBase(resource.url))
    elif (text_reader := _TEXT_READERS.get(kind)) is not None:
        text, charset_found = resource.decode_text()
        yield from resolve_references(text_reader(text, resource), LinkBase(resource.url, charset_found))


def _unpack_gzip(resource: DecodedContent) -> DecodedContent:
    """What a packed file holds; its type says only that it is packed."""
    content = gunzip(resource.content)
    name = resource.url.partition("?")[0].removesuffix(".gz")
    return DecodedContent(name, b"" if is_gzip(content) else content, "", resource.charset, resource.page)


def _read_html(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    sink = resource.page_content
    parts = read_html_parts if sink is None else partial(read_html_parts, on_tree=sink.take_tree)
    references = html_references(text, parts=parts, reported=resource.reported_links, scripting=resource.scripting)
    return references_in_page(references, resource.page) if resource.page and is_fragment(text) else references


def _read_xml(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    reader = XML_READERS.get(root_element_name(text), xml_references)
    yield from reader(text, resource)
    if reader is not xml_references:
        # Feeds and sitemaps, too, may name a style sheet to be shown with.
        yield from (found for found in xml_references(text[:4096], resource) if found.source == "xml-stylesheet")


def _read_text(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    return sitemap_references(text, resource) if is_url_list(text) else text_references(text)


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
_TEXT_READERS: Mapping[DocumentKind, TextReader] = {
    DocumentKind.HTML: _read_html,
    DocumentKind.XML: _read_xml,
    DocumentKind.CSS: lambda text, _: style_references(text),
    DocumentKind.SCRIPT: lambda text, resource: script_references(text, page=resource.page, fragments=html_references),
    DocumentKind.JSON: lambda text, _: json_references(text),
    DocumentKind.MANIFEST: lambda text, _: member_references(text, MANIFEST_MEMBERS, "manifest"),
    DocumentKind.JSON_FEED: lambda text, _: member_references(text, JSON_FEED_MEMBERS, "json feed"),
    DocumentKind.LINKED_DATA: lambda text, _: member_references(text, LINKED_DATA_MEMBERS, "json-ld"),
    DocumentKind.IMPORT_MAP: lambda text, _: import_map_references(text),
    DocumentKind.SPECULATION: lambda text, _: speculation_references(text),
    DocumentKind.PLAYLIST: playlist_references,
    DocumentKind.PLAYLIST_ENTRIES: pls_references,
    DocumentKind.LINK_SET: lambda text, _: link_field_references(text),
    DocumentKind.MARKDOWN: lambda text, resource: markdown_references(text, resource.page),
    DocumentKind.TEXT: _read_text,
}
_BYTES_READERS: Mapping[DocumentKind, BytesReader] = {
    DocumentKind.ROBOTS: robots_references,
    DocumentKind.JAVA_CLASS: java_class_references,
    DocumentKind.FLASH: flash_references,
    DocumentKind.PDF: pdf_references,
}
