"""Index and catalog: the SQLite caches of what the WARC files hold, and the rows that go into them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.index.archive_log import Tombstone as Tombstone
    from webkeep.store.index.cache_database import SqlRow as SqlRow, as_integer as as_integer
    from webkeep.store.index.cdxj_lines import cdx_line as cdx_line, cdx_lines as cdx_lines
    from webkeep.store.index.observations import CaptureTotals as CaptureTotals
    from webkeep.store.index.payloads import StoredPayload as StoredPayload
    from webkeep.store.index.record_facts import (
        REVISIT_TYPE as REVISIT_TYPE,
        RecordFacts as RecordFacts,
        content_digest_of as content_digest_of,
    )
    from webkeep.store.index.url_index import IndexEntry as IndexEntry, IndexRange as IndexRange, UrlIndex as UrlIndex
    from webkeep.store.index.url_versions import (
        UrlVersions as UrlVersions,
        filter_shown as filter_shown,
        read_request_method as read_request_method,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "cache_database": ("SqlRow", "as_integer"),
            "cdxj_lines": ("cdx_line", "cdx_lines"),
            "archive_log": ("Tombstone",),
            "observations": ("CaptureTotals",),
            "payloads": ("StoredPayload",),
            "record_facts": ("REVISIT_TYPE", "RecordFacts", "content_digest_of"),
            "url_index": ("IndexEntry", "IndexRange", "UrlIndex"),
            "url_versions": ("UrlVersions", "filter_shown", "read_request_method"),
        },
    )
