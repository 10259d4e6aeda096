"""The header fields of RFC 7089: what mementos, TimeGates and TimeMaps say of themselves in Memento-Datetime, Vary,
Location and Link.
"""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.memento.memento_addresses import MementoAddresses
from webkeep.memento.memento_datetime import format_http_date
from webkeep.memento.memento_version import MementoNeighbours, MementoVersion
from webkeep.memento.web_link import WebLink, format_link_field

LINK_FORMAT = "application/link-format"
VARY_DATETIME = "accept-datetime"
DO_NOT_NEGOTIATE = ("Link", '<http://mementoweb.org/terms/donotnegotiate>; rel="type"')
"""Of what an archive puts beside what it holds: no datetime is negotiated for it (4.5.8)."""

Fields = list[tuple[str, str]]


def memento_fields(addresses: MementoAddresses, url: str, around: MementoNeighbours) -> Fields:
    """Of a memento (4.2.1, step 6): when it was, and the way to all others; whatever status it was captured with."""
    return [
        ("Memento-Datetime", format_http_date(around.chosen.moment)),
        ("Link", format_link_field([*_original_links(addresses, url), *memento_links(addresses, around)])),
    ]


def redirecting_timegate_fields(addresses: MementoAddresses, url: str, around: MementoNeighbours) -> Fields:
    """Of a TimeGate that redirects to the memento (4.2.1): it is none itself and has no `Memento-Datetime`."""
    return [
        ("Vary", VARY_DATETIME),
        ("Location", addresses.memento_uri(around.chosen.url, around.chosen.moment)),
        ("Link", format_link_field([*_original_links(addresses, url), *memento_links(addresses, around)])),
    ]


def direct_timegate_fields(addresses: MementoAddresses, url: str, around: MementoNeighbours) -> Fields:
    """Of a TimeGate that answers with the memento itself (4.2.2): it says what that is called."""
    return [
        ("Vary", VARY_DATETIME),
        ("Content-Location", addresses.memento_uri(around.chosen.url, around.chosen.moment)),
        *memento_fields(addresses, url, around),
    ]


def missing_memento_fields(addresses: MementoAddresses, url: str, is_timegate: bool) -> Fields:
    """Of an answer that there is no memento: still the way to what is known of the URL."""
    vary = [("Vary", VARY_DATETIME)] if is_timegate else []
    return [*vary, ("Link", format_link_field(_original_links(addresses, url)))]


def timemap_fields(addresses: MementoAddresses, url: str) -> Fields:
    """Of a TimeMap (5.1.2): a TimeMap of what it is, since an `original` of its own would say something else."""
    return [("Link", str(WebLink(addresses.timemap_uri(url), ("timemap",), (("anchor", url), ("type", LINK_FORMAT)))))]


def memento_links(addresses: MementoAddresses, around: MementoNeighbours) -> Iterator[WebLink]:
    """First, previous, chosen, next and last memento, each once with all that it is."""
    named = (
        ("first", around.first),
        ("prev", around.previous),
        ("", around.chosen),
        ("next", around.next),
        ("last", around.last),
    )
    relations: dict[tuple[str, int], list[str]] = {}
    versions: dict[tuple[str, int], MementoVersion] = {}
    for relation, version in named:
        if version is not None:
            key = (version.url, version.second)
            relations.setdefault(key, []).extend([relation] if relation else [])
            versions.setdefault(key, version)
    for key, version in versions.items():
        yield WebLink(
            addresses.memento_uri(version.url, version.moment),
            (*relations[key], "memento"),
            (("datetime", format_http_date(version.moment)),),
        )


def _original_links(addresses: MementoAddresses, url: str) -> Iterator[WebLink]:
    yield WebLink(url, ("original",))
    yield WebLink(addresses.timegate_uri(url), ("timegate",))
    yield WebLink(addresses.timemap_uri(url), ("timemap",), (("type", LINK_FORMAT),))
