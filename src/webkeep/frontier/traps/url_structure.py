"""Addresses that no site has on purpose: too long, nested too deep, or with a path that goes in circles."""

from __future__ import annotations

import re

from webkeep.frontier.traps.suspicion import TrapKind, TrapSuspicion
from webkeep.frontier.traps.url_shape import folder_shape, prefix_shape
from webkeep.frontier.urls.candidate import UrlRole

MAX_PAGE_URL_CHARS = 2083
"""As long as Internet Explorer took: no site has longer addresses for its pages on purpose."""
MAX_EMBED_URL_CHARS = 16384
"""Services that make pictures and styles to order are told what to make in the address."""

_MAX_PATH_DEPTH = 25
"""No site has folders nested deeper on purpose."""
_MIN_SEGMENTS = 3
"""Shorter paths cannot go in circles."""
# One to four names, the first of them no number and longer than a letter (tiles of maps and days have `/0/0/0`, and
# `/11/11/11`), which follow themselves twice.
_REPEATED_NAMES = re.compile(r"/(?=[^/]*[^/0-9])(?=[^/]{2})((?:[^/]+/){1,4}?)(?:\1){2}")
_MIN_SHUFFLED_NAMES = 9
"""Paths of fewer names are not looked through for names in ever new orders."""
_MAX_DISTINCT_SHARE = 1 / 3
"""Where no more than this share of its names are different, a path repeats itself."""


def structural_suspicion(url: str, role: UrlRole) -> TrapSuspicion | None:
    """What is wrong with the address itself."""
    if len(url) > (MAX_EMBED_URL_CHARS if role is UrlRole.EMBED else MAX_PAGE_URL_CHARS):
        return TrapSuspicion(TrapKind.LONG, prefix_shape(url))
    slashes = url.count("/")
    if slashes < 2 + _MIN_SEGMENTS:
        return None
    path = url[url.find("/", url.find("://") + 3) :].partition("?")[0]
    if path.count("/") > _MAX_PATH_DEPTH:
        return TrapSuspicion(TrapKind.DEEP, folder_shape(url))
    circle = _REPEATED_NAMES.search(path if path.endswith("/") else path + "/")
    end = circle.end() if circle is not None else _shuffle_end(path)
    if end:
        host = url.partition("://")[2].partition("/")[0]
        return TrapSuspicion(TrapKind.REPETITION, f"{host}{(path + '/')[:end]}*")
    return None


def _shuffle_end(path: str) -> int:
    """Where a path of few names in ever new orders, as `/a/b/b/a/a/b/a/a/b/`, comes to a name again; 0 for others."""
    names = [name for name in path.split("/") if name and not name.isdecimal()]
    if len(names) < _MIN_SHUFFLED_NAMES or len(set(names)) > _MAX_DISTINCT_SHARE * len(names):
        return 0
    again = next(place for place, name in enumerate(names) if name in names[:place])
    return path.find(f"/{names[again]}/", path.find(f"/{names[again]}/") + 1) + len(names[again]) + 2
