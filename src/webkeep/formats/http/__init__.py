"""HTTP/1 heads and what their fields mean, joined ranges, forms, WebSocket frames as they are kept."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.http.field_values import (
        bare_media_type as bare_media_type,
        declared_charset as declared_charset,
        declared_media_type as declared_media_type,
        parse_http_date as parse_http_date,
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
    from webkeep.formats.http.status_line import status_of as status_of
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "field_values": ("bare_media_type", "declared_charset", "declared_media_type", "parse_http_date"),
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
            "status_line": ("status_of",),
        },
    )
