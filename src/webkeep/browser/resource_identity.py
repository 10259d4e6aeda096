"""Which requests are for one resource: URLs without fragments, session ids and the numbers that defeat caches; and by
which shape of a URL polling is known.

Pages are not asked for their resource timing. It is filled by the same loads that the debugging protocol tells of, and
lacks the document, sockets, workers and whatever a page clears from it or its buffer has no room for. In 194 looks at
22 test pages, after the load and after each interaction, it never had a request that the protocol had not told.
"""

from __future__ import annotations

import re

from webkeep.browser.walk_model import PageRequest
from webkeep.url.canonical import LASTING_IDENTITY

_CACHE_BUSTER = re.compile(
    r"(?:_|t|ts|cb|cachebuster|cachebust|nocache|rnd|rand|random|timestamp|v?time)="
    r"(?:1[0-9]{9}(?:[0-9]{3})?|0?\.[0-9]{6,}|[0-9]{13,})",
    re.IGNORECASE,
).fullmatch
"""A parameter with the name and the value of a clock or a die; a number of another kind may be a page of something."""


def resource_url(url: str) -> str:
    """The URL that stands for the resource, as the paper trims them before comparing."""
    text = LASTING_IDENTITY(url)
    path, mark, query = text.partition("?")
    if not mark:
        return text
    kept = [each for each in query.split("&") if not _CACHE_BUSTER(each)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def resources_from(requested: frozenset[PageRequest], referred: frozenset[str]) -> frozenset[str]:
    """R of a view: what its path asked for and what its DOM refers to; what was sent along tells requests apart."""
    return frozenset({_request_key(each) for each in requested} | {resource_url(url) for url in referred})


def _request_key(each: PageRequest) -> str:
    return f"{resource_url(each.url)} {each.method} {each.body}" if each.body else resource_url(each.url)


def url_shape(url: str) -> str:
    """A URL with everything in it that counts or dates left open, to know polling by."""
    path, _, query = resource_url(url).partition("?")
    names = sorted(each.partition("=")[0] for each in query.split("&") if each)
    return f"{re.sub('[0-9]+', '0', path)}?{'&'.join(names)}"
