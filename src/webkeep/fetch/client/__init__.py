"""The client: requests made by libcurl over pools of connections, every byte kept as it came."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.fetch.client.connection_survey import (
        OriginSurvey as OriginSurvey,
        SeenCertificate as SeenCertificate,
        survey_origin as survey_origin,
    )
    from webkeep.fetch.client.fetcher import Fetcher as Fetcher
    from webkeep.fetch.client.file_resource import child_urls as child_urls
    from webkeep.fetch.client.spool_sink import SpoolSink as SpoolSink
    from webkeep.fetch.client.tls_trust import tls_context as tls_context
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "connection_survey": ("OriginSurvey", "SeenCertificate", "survey_origin"),
            "fetcher": ("Fetcher",),
            "file_resource": ("child_urls",),
            "spool_sink": ("SpoolSink",),
            "tls_trust": ("tls_context",),
        },
    )
