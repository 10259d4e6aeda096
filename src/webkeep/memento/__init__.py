"""Memento (RFC 7089) and the language of CDX servers, as pure functions: addresses, links, TimeMaps, queries."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.memento.memento_addresses import (
        MementoAddress as MementoAddress,
        MementoAddresses as MementoAddresses,
        MementoForm as MementoForm,
        TimeMapAddress as TimeMapAddress,
        TimeMapFormat as TimeMapFormat,
        parse_archived_url as parse_archived_url,
        parse_memento_path as parse_memento_path,
        parse_timemap_path as parse_timemap_path,
    )
    from webkeep.memento.memento_datetime import (
        SECOND_MICROS as SECOND_MICROS,
        end_of_period as end_of_period,
        format_http_date as format_http_date,
        parse_accept_datetime as parse_accept_datetime,
        truncate_to_second as truncate_to_second,
    )
    from webkeep.memento.memento_version import MementoNeighbours as MementoNeighbours, MementoVersion as MementoVersion
    from webkeep.memento.response_fields import (
        DO_NOT_NEGOTIATE as DO_NOT_NEGOTIATE,
        direct_timegate_fields as direct_timegate_fields,
        memento_fields as memento_fields,
        missing_memento_fields as missing_memento_fields,
        redirecting_timegate_fields as redirecting_timegate_fields,
        timemap_fields as timemap_fields,
    )
    from webkeep.memento.timemap import (
        TIMEMAP_MEDIA_TYPES as TIMEMAP_MEDIA_TYPES,
        TimeMapPage as TimeMapPage,
        TimeMapRange as TimeMapRange,
        render_timemap as render_timemap,
    )
    from webkeep.memento.web_link import (
        WebLink as WebLink,
        escape_target as escape_target,
        format_link_field as format_link_field,
        parse_links as parse_links,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "memento_addresses": (
                "MementoAddress",
                "MementoAddresses",
                "MementoForm",
                "TimeMapAddress",
                "TimeMapFormat",
                "parse_archived_url",
                "parse_memento_path",
                "parse_timemap_path",
            ),
            "memento_datetime": (
                "SECOND_MICROS",
                "end_of_period",
                "format_http_date",
                "parse_accept_datetime",
                "truncate_to_second",
            ),
            "memento_version": ("MementoNeighbours", "MementoVersion"),
            "response_fields": (
                "DO_NOT_NEGOTIATE",
                "direct_timegate_fields",
                "memento_fields",
                "missing_memento_fields",
                "redirecting_timegate_fields",
                "timemap_fields",
            ),
            "timemap": ("TIMEMAP_MEDIA_TYPES", "TimeMapPage", "TimeMapRange", "render_timemap"),
            "web_link": ("WebLink", "escape_target", "format_link_field", "parse_links"),
        },
    )
