"""Single records read by their place, WARC files scanned, revisits resolved, digests checked."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.store.reading.page_fingerprints import fingerprint_content as fingerprint_content
    from webkeep.store.reading.record_scan import (
        ScannedRecord as ScannedRecord,
        open_records as open_records,
        scan_records as scan_records,
    )
    from webkeep.store.reading.revisit_resolution import (
        is_not_modified_revisit as is_not_modified_revisit,
        refers_to_capture as refers_to_capture,
    )
    from webkeep.store.reading.stored_response import (
        MAX_SMALL_RECORD_BYTES as MAX_SMALL_RECORD_BYTES,
        RECORD_BOMB as RECORD_BOMB,
        StoredResponse as StoredResponse,
        WarcFiles as WarcFiles,
        read_small_record as read_small_record,
        read_stored_response as read_stored_response,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "page_fingerprints": ("fingerprint_content",),
            "record_scan": ("ScannedRecord", "open_records", "scan_records"),
            "revisit_resolution": ("is_not_modified_revisit", "refers_to_capture"),
            "stored_response": (
                "MAX_SMALL_RECORD_BYTES",
                "RECORD_BOMB",
                "StoredResponse",
                "WarcFiles",
                "read_small_record",
                "read_stored_response",
            ),
        },
    )
