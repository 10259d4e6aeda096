"""TimeMaps: all mementos of a URL as link format (RFC 7089, section 5), JSON or CDXJ, page by page, one piece of text
after another.

A long one is told in pages, each a TimeMap that links to the ones before and after it; which page it is says the
moment it begins at, so that pages stay what they are while the archive grows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.memento.memento_addresses import MementoAddresses, TimeMapFormat
from webkeep.memento.memento_datetime import format_http_date
from webkeep.memento.memento_version import MementoVersion
from webkeep.memento.response_fields import LINK_FORMAT
from webkeep.memento.web_link import WebLink
from webkeep.model import Moment

TIMEMAP_MEDIA_TYPES = {
    TimeMapFormat.LINK: LINK_FORMAT,
    TimeMapFormat.JSON: "application/json",
    TimeMapFormat.CDXJ: "application/cdxj+ors",
}
"""What the forms are called; those of JSON and CDXJ are the ones that aggregators of TimeMaps use."""

MarkedVersion = tuple[MementoVersion, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TimeMapRange:
    """The versions of another page, from the first to the last."""

    first: MementoVersion
    last: MementoVersion


@dataclass(frozen=True, slots=True)
class TimeMapPage:
    """A TimeMap, or one page of it."""

    url: str
    form: TimeMapFormat
    first: MementoVersion
    """The first version on the page."""
    last: MementoVersion
    since: Moment | None = None
    """Where the page begins, as its address has it; None for the first."""
    previous: TimeMapRange | None = None
    """What the page before has; None where there is none."""
    next: TimeMapRange | None = None
    """What the page after has."""


def render_timemap(addresses: MementoAddresses, page: TimeMapPage, versions: Iterable[MementoVersion]) -> Iterator[str]:
    """The text of a page that lists these versions, given in order of time."""
    marked = _mark_ends(versions, page)
    if page.form is TimeMapFormat.LINK:
        return _render_link_format(addresses, page, marked)
    if page.form is TimeMapFormat.JSON:
        return _render_json(addresses, page, marked)
    return _render_cdxj(addresses, page, marked)


def _mark_ends(versions: Iterable[MementoVersion], page: TimeMapPage) -> Iterator[MarkedVersion]:
    """Each version once a second, and the first and the last of all told as such."""
    held: MementoVersion | None = None
    start: tuple[str, ...] = ("first",) if page.previous is None else ()
    for version in versions:
        if held is not None and (held.second, held.url) == (version.second, version.url):
            continue
        if held is not None:
            yield held, (*start, "memento")
            start = ()
        held = version
    if held is not None:
        end = ("last",) if page.next is None else ()
        yield held, (*start, *end, "memento")


def _render_link_format(
    addresses: MementoAddresses, page: TimeMapPage, marked: Iterator[MarkedVersion]
) -> Iterator[str]:
    yield str(WebLink(page.url, ("original",)))
    own = addresses.timemap_uri(page.url, page.form, page.since)
    yield f",\n{WebLink(own, ('self',), _range_attributes(page.first, page.last))}"
    yield f",\n{WebLink(addresses.timegate_uri(page.url), ('timegate',))}"
    for relation, other in (("prev", page.previous), ("next", page.next)):
        if other is not None:
            target = addresses.timemap_uri(page.url, page.form, other.first.moment)
            yield f",\n{WebLink(target, (relation, 'timemap'), _range_attributes(other.first, other.last))}"
    for version, relations in marked:
        target = addresses.memento_uri(version.url, version.moment)
        yield f',\n<{target}>; rel="{" ".join(relations)}"; datetime="{format_http_date(version.moment)}"'
    yield "\n"


def _range_attributes(first: MementoVersion, last: MementoVersion) -> tuple[tuple[str, str], ...]:
    """What a link to a TimeMap says of it: its form, and from when to when its mementos are."""
    return ("type", LINK_FORMAT), ("from", format_http_date(first.moment)), ("until", format_http_date(last.moment))


def _render_json(addresses: MementoAddresses, page: TimeMapPage, marked: Iterator[MarkedVersion]) -> Iterator[str]:
    head = {
        "original_uri": page.url,
        "self": addresses.timemap_uri(page.url, page.form, page.since),
        "timegate_uri": addresses.timegate_uri(page.url),
        "timemap_uri": _format_uris(addresses, page.url),
        "pages": _page_uris(addresses, page),
    }
    yield json.dumps(head)[:-1] + ', "mementos": {'
    for name, version in (("first", page.first), ("last", page.last)):
        yield f'"{name}": {json.dumps(_memento_item(addresses, version))}, '
    yield '"list": ['
    separator = "\n"
    for version, _ in marked:
        yield separator + json.dumps(_memento_item(addresses, version))
        separator = ",\n"
    yield "\n]}}\n"


def _render_cdxj(addresses: MementoAddresses, page: TimeMapPage, marked: Iterator[MarkedVersion]) -> Iterator[str]:
    yield '!context ["http://tools.ietf.org/html/rfc7089"]\n'
    yield f"!id {json.dumps({'uri': addresses.timemap_uri(page.url, page.form, page.since)})}\n"
    yield '!keys ["memento_datetime_YYYYMMDDhhmmss"]\n'
    yield f"!meta {json.dumps({'original_uri': page.url})}\n"
    yield f"!meta {json.dumps({'timegate_uri': addresses.timegate_uri(page.url)})}\n"
    yield f"!meta {json.dumps({'timemap_uri': _format_uris(addresses, page.url)})}\n"
    if pages := _page_uris(addresses, page):
        yield f"!meta {json.dumps({'pages': pages})}\n"
    for version, relations in marked:
        item = _memento_item(addresses, version)
        told = {"uri": item["uri"], "rel": " ".join(relations), "datetime": format_http_date(version.moment)}
        yield f"{version.moment.digits()} {json.dumps(told)}\n"


def _memento_item(addresses: MementoAddresses, version: MementoVersion) -> dict[str, str]:
    moment = Moment(version.second * 1_000_000)
    return {"datetime": moment.iso(), "uri": addresses.memento_uri(version.url, version.moment)}


def _format_uris(addresses: MementoAddresses, url: str) -> dict[str, str]:
    return {f"{form.value}_format": addresses.timemap_uri(url, form) for form in TimeMapFormat}


def _page_uris(addresses: MementoAddresses, page: TimeMapPage) -> dict[str, str]:
    around = (("prev", page.previous), ("next", page.next))
    return {name: addresses.timemap_uri(page.url, page.form, each.first.moment) for name, each in around if each}
