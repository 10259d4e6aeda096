"""Addresses that no site has on purpose: too long, too deep, or going in circles."""

from __future__ import annotations

import re

from webkeep.frontier.candidate import Role
from webkeep.frontier.shape import folder_shape, shape_of
from webkeep.frontier.suspicion import Kind, Suspicion

LONGEST_PAGE = 2083
LONGEST_EMBED = 16384
"""Services that make pictures and styles to order are told what to make in the address."""

_DEEPEST = 25
_FEWEST_SEGMENTS = 3
# One to four names, the first of them no number and longer than a letter (tiles of maps and days have `/0/0/0`, and
# `/11/11/11`), which follow themselves twice.
_CIRCLE = re.compile(r"/(?=[^/]*[^/0-9])(?=[^/]{2})((?:[^/]+/){1,4}?)(?:\1){2}")


def structural_suspicion(url: str, role: Role) -> Suspicion | None:
    """What is wrong with the address itself."""
    if len(url) > (LONGEST_EMBED if role is Role.EMBED else LONGEST_PAGE):
        return Suspicion(Kind.LONG, shape_of(url))
    slashes = url.count("/")
    if slashes < 2 + _FEWEST_SEGMENTS:
        return None
    path = url[url.find("/", url.find("://") + 3) :].partition("?")[0]
    if path.count("/") > _DEEPEST:
        return Suspicion(Kind.DEEP, folder_shape(url))
    circle = _CIRCLE.search(path if path.endswith("/") else path + "/")
    if circle is not None:
        host = url.partition("://")[2].partition("/")[0]
        return Suspicion(Kind.REPETITION, f"{host}{(path + '/')[: circle.end()]}*")
    return None
