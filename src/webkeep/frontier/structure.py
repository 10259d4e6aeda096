"""Addresses that no site has on purpose: too long, too deep, or going in circles."""

from __future__ import annotations

import re

from webkeep.frontier.candidate import Role
from webkeep.frontier.shape import beginning_shape, folder_shape
from webkeep.frontier.suspicion import Kind, Suspicion

LONGEST_PAGE = 2083
LONGEST_EMBED = 16384
"""Services that make pictures and styles to order are told what to make in the address."""

_DEEPEST = 25
_FEWEST_SEGMENTS = 3
# One to four names, the first of them no number and longer than a letter (tiles of maps and days have `/0/0/0`, and
# `/11/11/11`), which follow themselves twice.
_CIRCLE = re.compile(r"/(?=[^/]*[^/0-9])(?=[^/]{2})((?:[^/]+/){1,4}?)(?:\1){2}")
_FEWEST_SHUFFLED = 9
_DISTINCT = 1 / 3


def structural_suspicion(url: str, role: Role) -> Suspicion | None:
    """What is wrong with the address itself."""
    if len(url) > (LONGEST_EMBED if role is Role.EMBED else LONGEST_PAGE):
        return Suspicion(Kind.LONG, beginning_shape(url))
    slashes = url.count("/")
    if slashes < 2 + _FEWEST_SEGMENTS:
        return None
    path = url[url.find("/", url.find("://") + 3) :].partition("?")[0]
    if path.count("/") > _DEEPEST:
        return Suspicion(Kind.DEEP, folder_shape(url))
    circle = _CIRCLE.search(path if path.endswith("/") else path + "/")
    end = circle.end() if circle is not None else _shuffle_end(path)
    if end:
        host = url.partition("://")[2].partition("/")[0]
        return Suspicion(Kind.REPETITION, f"{host}{(path + '/')[:end]}*")
    return None


def _shuffle_end(path: str) -> int:
    """Where a path of few names in ever new orders, as `/a/b/b/a/a/b/a/a/b/`, comes to a name again; 0 for others."""
    names = [name for name in path.split("/") if name and not name.isdecimal()]
    if len(names) < _FEWEST_SHUFFLED or len(set(names)) > _DISTINCT * len(names):
        return 0
    again = next(place for place, name in enumerate(names) if name in names[:place])
    return path.find(f"/{names[again]}/", path.find(f"/{names[again]}/") + 1) + len(names[again]) + 2
