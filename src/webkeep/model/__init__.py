"""The values that cross rooms."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.model.body import CHUNK_BYTES as CHUNK_BYTES, Body as Body, BytesBody as BytesBody
    from webkeep.model.capture import Capture as Capture, CaptureKind as CaptureKind
    from webkeep.model.digest import Digest as Digest, Hasher as Hasher, new_hasher as new_hasher
    from webkeep.model.exchange import Exchange as Exchange
    from webkeep.model.fate import STORED_OUTCOMES as STORED_OUTCOMES, Fate as Fate, UrlOutcome as UrlOutcome
    from webkeep.model.finding import Finding as Finding
    from webkeep.model.headers import Headers as Headers, parse_plain_head as parse_plain_head
    from webkeep.model.moment import (
        Clock as Clock,
        Moment as Moment,
        MomentLike as MomentLike,
        parse_moment as parse_moment,
        read_moment as read_moment,
    )
    from webkeep.model.observation import Observation as Observation, RecordPlace as RecordPlace, VisitKind as VisitKind
    from webkeep.model.period import parse_period_end as parse_period_end
    from webkeep.model.record_type import (
        CONTENT_TYPES as CONTENT_TYPES,
        PAYLOAD_TYPES as PAYLOAD_TYPES,
        RESPONSE_TYPES as RESPONSE_TYPES,
        RecordType as RecordType,
    )
    from webkeep.model.sitemap import (
        ChangeFrequency as ChangeFrequency,
        SitemapEntry as SitemapEntry,
        SitemapMedia as SitemapMedia,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "body": ("Body", "BytesBody", "CHUNK_BYTES"),
            "capture": ("Capture", "CaptureKind"),
            "digest": ("Digest", "Hasher", "new_hasher"),
            "exchange": ("Exchange",),
            "fate": ("Fate", "STORED_OUTCOMES", "UrlOutcome"),
            "finding": ("Finding",),
            "headers": ("Headers", "parse_plain_head"),
            "moment": ("Clock", "Moment", "MomentLike", "parse_moment", "read_moment"),
            "observation": ("Observation", "RecordPlace", "VisitKind"),
            "period": ("parse_period_end",),
            "record_type": ("CONTENT_TYPES", "PAYLOAD_TYPES", "RESPONSE_TYPES", "RecordType"),
            "sitemap": ("ChangeFrequency", "SitemapEntry", "SitemapMedia"),
        },
    )
