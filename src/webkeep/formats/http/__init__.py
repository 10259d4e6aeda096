"""HTTP/1 heads and what their fields mean, joined ranges, forms, WebSocket frames as they are kept."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.http.byte_ranges import (
        ByteRange as ByteRange,
        ContentRange as ContentRange,
        RequestedRange as RequestedRange,
        UnsatisfiableRangeError as UnsatisfiableRangeError,
        format_unsatisfied_range as format_unsatisfied_range,
        parse_content_range as parse_content_range,
        parse_range as parse_range,
        parse_requested_range as parse_requested_range,
    )
    from webkeep.formats.http.field_values import (
        bare_media_type as bare_media_type,
        declared_charset as declared_charset,
        declared_length as declared_length,
        declared_media_type as declared_media_type,
        is_strong_etag as is_strong_etag,
        is_weak_etag as is_weak_etag,
        parse_http_date as parse_http_date,
        parse_length as parse_length,
        parse_retry_after as parse_retry_after,
    )
    from webkeep.formats.http.http1 import (
        MAX_HTTP_HEAD_BYTES as MAX_HTTP_HEAD_BYTES,
        ResponseHead as ResponseHead,
        head_length as head_length,
        is_response as is_response,
        parse_request as parse_request,
        parse_response as parse_response,
        split_request as split_request,
        split_response as split_response,
        take_head as take_head,
        take_response_head as take_response_head,
    )
    from webkeep.formats.http.range_assembly import JoinedPayload as JoinedPayload, join_ranges as join_ranges
    from webkeep.formats.http.recorded_frames import (
        COMPRESSED_FLAG as COMPRESSED_FLAG,
        FINAL_FLAG as FINAL_FLAG,
        FRAMES_TYPE as FRAMES_TYPE,
        RecordedFrame as RecordedFrame,
        parse_frame_line as parse_frame_line,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "byte_ranges": (
                "ByteRange",
                "ContentRange",
                "RequestedRange",
                "UnsatisfiableRangeError",
                "parse_content_range",
                "parse_range",
                "parse_requested_range",
                "format_unsatisfied_range",
            ),
            "field_values": (
                "bare_media_type",
                "declared_charset",
                "declared_length",
                "declared_media_type",
                "is_strong_etag",
                "is_weak_etag",
                "parse_http_date",
                "parse_length",
                "parse_retry_after",
            ),
            "http1": (
                "MAX_HTTP_HEAD_BYTES",
                "ResponseHead",
                "head_length",
                "is_response",
                "parse_request",
                "parse_response",
                "split_request",
                "split_response",
                "take_head",
                "take_response_head",
            ),
            "range_assembly": ("JoinedPayload", "join_ranges"),
            "recorded_frames": ("COMPRESSED_FLAG", "FINAL_FLAG", "FRAMES_TYPE", "RecordedFrame", "parse_frame_line"),
        },
    )
