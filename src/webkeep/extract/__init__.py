"""Links out of documents, each with its role, where it came from, and whether it is a guess.

Names are fetched when they are first asked for: who only passes links on loads none of what reads documents.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.document_kind import (
        DocumentKind as DocumentKind,
        detect_kind as detect_kind,
        is_opaque_type as is_opaque_type,
    )
    from webkeep.extract.header_links import (
        header_references as header_references,
        link_field_references as link_field_references,
    )
    from webkeep.extract.known_content import (
        MAX_READ_BYTES as MAX_READ_BYTES,
        read_known_content as read_known_content,
    )
    from webkeep.extract.link_extraction import (
        XML_READERS as XML_READERS,
        extract_content_links as extract_content_links,
        extract_links as extract_links,
    )
    from webkeep.extract.response_links import (
        LinkMemory as LinkMemory,
        is_plain_image as is_plain_image,
        read_links_for_page as read_links_for_page,
        read_new_links as read_new_links,
        read_response_content as read_response_content,
    )
    from webkeep.extract.robots_directives import (
        directives_of_metas as directives_of_metas,
        header_directives as header_directives,
        meta_directives as meta_directives,
    )
    from webkeep.extract.well_known import well_known_links as well_known_links
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "document_kind": ("DocumentKind", "detect_kind", "is_opaque_type"),
            "header_links": ("header_references", "link_field_references"),
            "known_content": ("MAX_READ_BYTES", "read_known_content"),
            "link_extraction": ("XML_READERS", "extract_content_links", "extract_links"),
            "response_links": (
                "LinkMemory",
                "is_plain_image",
                "read_links_for_page",
                "read_new_links",
                "read_response_content",
            ),
            "robots_directives": ("directives_of_metas", "header_directives", "meta_directives"),
            "well_known": ("well_known_links",),
        },
    )
