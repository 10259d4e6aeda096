"""TimeMaps: all mementos of a URL as link format (RFC 7089, section 5), JSON or CDXJ, one piece of text after another.

A long one is told in pages, each a TimeMap that links to the ones before and after it; which page it is says the
moment it begins at, so that pages stay what they are while the archive grows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webkeep.memento.addresses import Addresses, TimeMapFormat
from webkeep.memento.answer_fields import LINK_FORMAT
from webkeep.memento.http_moment import http_date
from webkeep.memento.version import Version
from webkeep.memento.web_link import WebLink
from webkeep.model import Moment

MEDIA_TYPES = {
    TimeMapFormat.LINK: LINK_FORMAT,
    TimeMapFormat.JSON: "application/json",
    TimeMapFormat.CDXJ: "application/cdxj+ors",
}
"""What the forms are called; those of JSON and CDXJ are the ones that aggregators of TimeMaps use."""

Marked = tuple[Version, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """The versions of another page, from the first to the last."""

    first: Version
    last: Version


@dataclass(frozen=True, slots=True)
class Page:
    """A TimeMap, or one page of it."""

    url: str
    form: TimeMapFormat
    first: Version
    """The first version on the page."""
    last: Version
    since: Moment | None = None
    """Where the page begins, as its address has it; None for the first."""
    previous: Stretch | None = None
    """What the page before has; None where there is none."""
    next: Stretch | None = None
    """What the page after has."""


def timemap_text(addresses: Addresses, page: Page, versions: Iterable[Version]) -> Iterator[str]:
    """The text of a page that lists these versions, given in order of time."""
    marked = _marked(versions, page)
    if page.form is TimeMapFormat.LINK:
        return _link_format(addresses, page, marked)
    if page.form is TimeMapFormat.JSON:
        return _json(addresses, page, marked)
    return _cdxj(addresses, page, marked)


def _marked(versions: Iterable[Version], page: Page) -> Iterator[Marked]:
    """Each version once a second, and the first and the last of all told as such."""
    held: Version | None = None
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


def _link_format(addresses: Addresses, page: Page, marked: Iterator[Marked]) -> Iterator[str]:
    yield str(WebLink(page.url, ("original",)))
    own = addresses.timemap(page.url, page.form, page.since)
    yield f",\n{WebLink(own, ('self',), _covering(page.first, page.last))}"
    yield f",\n{WebLink(addresses.timegate(page.url), ('timegate',))}"
    for relation, other in (("prev", page.previous), ("next", page.next)):
        if other is not None:
            target = addresses.timemap(page.url, page.form, other.first.moment)
            yield f",\n{WebLink(target, (relation, 'timemap'), _covering(other.first, other.last))}"
    for version, relations in marked:
        target = addresses.memento(version.url, version.moment)
        yield f',\n<{target}>; rel="{" ".join(relations)}"; datetime="{http_date(version.moment)}"'
    yield "\n"


def _covering(first: Version, last: Version) -> tuple[tuple[str, str], ...]:
    """What a link to a TimeMap says of it: its form, and from when to when its mementos are."""
    return ("type", LINK_FORMAT), ("from", http_date(first.moment)), ("until", http_date(last.moment))


def _json(addresses: Addresses, page: Page, marked: Iterator[Marked]) -> Iterator[str]:
    head = {
        "original_uri": page.url,
        "self": addresses.timemap(page.url, page.form, page.since),
        "timegate_uri": addresses.timegate(page.url),
        "timemap_uri": _forms(addresses, page.url),
        "pages": _pages(addresses, page),
    }
    yield json.dumps(head)[:-1] + ', "mementos": {'
    for name, version in (("first", page.first), ("last", page.last)):
        yield f'"{name}": {json.dumps(_item(addresses, version))}, '
    yield '"list": ['
    separator = "\n"
    for version, _ in marked:
        yield separator + json.dumps(_item(addresses, version))
        separator = ",\n"
    yield "\n]}}\n"


def _cdxj(addresses: Addresses, page: Page, marked: Iterator[Marked]) -> Iterator[str]:
    yield '!context ["http://tools.ietf.org/html/rfc7089"]\n'
    yield f"!id {json.dumps({'uri': addresses.timemap(page.url, page.form, page.since)})}\n"
    yield '!keys ["memento_datetime_YYYYMMDDhhmmss"]\n'
    yield f"!meta {json.dumps({'original_uri': page.url})}\n"
    yield f"!meta {json.dumps({'timegate_uri': addresses.timegate(page.url)})}\n"
    yield f"!meta {json.dumps({'timemap_uri': _forms(addresses, page.url)})}\n"
    if pages := _pages(addresses, page):
        yield f"!meta {json.dumps({'pages': pages})}\n"
    for version, relations in marked:
        item = _item(addresses, version)
        told = {"uri": item["uri"], "rel": " ".join(relations), "datetime": http_date(version.moment)}
        yield f"{version.moment.digits()} {json.dumps(told)}\n"


def _item(addresses: Addresses, version: Version) -> dict[str, str]:
    moment = Moment(version.second * 1_000_000)
    return {"datetime": moment.iso(), "uri": addresses.memento(version.url, version.moment)}


def _forms(addresses: Addresses, url: str) -> dict[str, str]:
    return {f"{form.value}_format": addresses.timemap(url, form) for form in TimeMapFormat}


def _pages(addresses: Addresses, page: Page) -> dict[str, str]:
    around = (("prev", page.previous), ("next", page.next))
    return {name: addresses.timemap(page.url, page.form, each.first.moment) for name, each in around if each}
