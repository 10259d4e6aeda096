"""Memento (RFC 7089) and the language of CDX servers, as pure functions: addresses, links, TimeMaps, queries."""

from webkeep.memento.addresses import (
    Addresses,
    MementoAddress,
    TimeMapAddress,
    TimeMapFormat,
    View,
    read_memento_path,
    read_timemap_path,
    read_url,
)
from webkeep.memento.answer_fields import (
    APART,
    absent_fields,
    direct_fields,
    memento_fields,
    redirecting_fields,
    timemap_fields,
)
from webkeep.memento.http_moment import http_date, read_accept_datetime, to_the_second
from webkeep.memento.timemap import Page, Stretch, timemap_text
from webkeep.memento.version import Neighbours, Version
from webkeep.memento.web_link import WebLink, link_field, read_links

__all__ = [
    "APART",
    "Addresses",
    "MementoAddress",
    "Neighbours",
    "Page",
    "Stretch",
    "TimeMapAddress",
    "TimeMapFormat",
    "Version",
    "View",
    "WebLink",
    "absent_fields",
    "direct_fields",
    "http_date",
    "link_field",
    "memento_fields",
    "read_accept_datetime",
    "read_links",
    "read_memento_path",
    "read_timemap_path",
    "read_url",
    "redirecting_fields",
    "timemap_fields",
    "timemap_text",
    "to_the_second",
]
