"""Links of whole documents that are no pages: XML, feeds, sitemaps, playlists, presentations, Markdown, binaries."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.documents.decoded_content import DecodedContent as DecodedContent, TextReader as TextReader
    from webkeep.extract.documents.feed_items import read_feed_items as read_feed_items
    from webkeep.extract.documents.gzip_content import MAX_UNPACKED_BYTES as MAX_UNPACKED_BYTES, gunzip as gunzip
    from webkeep.extract.documents.playlist_links import (
        playlist_references as playlist_references,
        pls_references as pls_references,
    )
    from webkeep.extract.documents.sitemap_links import parse_entries as parse_entries, read_sitemap as read_sitemap
    from webkeep.extract.documents.xml_links import (
        root_element_name as root_element_name,
        xml_references as xml_references,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "decoded_content": ("DecodedContent", "TextReader"),
            "feed_items": ("read_feed_items",),
            "gzip_content": ("MAX_UNPACKED_BYTES", "gunzip"),
            "playlist_links": ("playlist_references", "pls_references"),
            "sitemap_links": ("parse_entries", "read_sitemap"),
            "xml_links": ("root_element_name", "xml_references"),
        },
    )
