"""What a page asks of robots for itself (noindex, nofollow, noarchive): X-Robots-Tag fields and `meta` robots elements,
as facts and not as links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.document import read_html_parts, sniff_text
from webkeep.model import Headers

_AGENT = re.compile(r"\s*([A-Za-z][\w.*-]{0,60})\s*:\s*(.*)", re.DOTALL)
_VALUED_DIRECTIVES = frozenset(("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"))
_META_NAME = re.compile(r"robots|[\w-]{1,40}bot(?:-[\w-]{1,20})?|webkeep|slurp|teoma")
_META = re.compile(rb"<meta[^>]{0,400}(?:robots|bot|webkeep|slurp|teoma)", re.IGNORECASE)
_META_SCAN_BYTES = 256 * 1024
"""How far into a page `meta` elements for robots are looked for."""


@dataclass(frozen=True, slots=True)
class RobotsDirective:
    """One directive, such as `nofollow`, and whom it is addressed to."""

    name: str
    value: str = ""
    agent: str = "*"


def header_directives(headers: Headers) -> list[RobotsDirective]:
    """The directives in the X-Robots-Tag fields of a response."""
    if "x-robots-tag" not in headers:
        return []
    return [each for value in headers.all("x-robots-tag") for each in _parse_header(value)]


def meta_directives(content: bytes, charset: str = "") -> list[RobotsDirective]:
    """The directives in the `meta` elements of an HTML page; `charset` is what the server declared."""
    start = content[:_META_SCAN_BYTES]
    if b"\0" not in start[:64] and _META.search(start) is None:
        return []
    parts = read_html_parts(sniff_text(start, charset).text)
    said = [{key: value for key, value in part[1] if isinstance(value, str)} for part in parts if part[0] == "meta"]
    return directives_of_metas((each.get("name", ""), each.get("content", "")) for each in said)


def directives_of_metas(metas: Iterable[tuple[str, str]]) -> list[RobotsDirective]:
    """The directives in `meta` elements, by their names and contents."""
    found: list[RobotsDirective] = []
    for name, content in metas:
        agent = name.strip().lower()
        if _META_NAME.fullmatch(agent):
            found += _parse_list(content, "*" if agent == "robots" else agent)
    return found


def _parse_header(value: str) -> list[RobotsDirective]:
    match = _AGENT.match(value)
    if match is None or match[1].lower() in _VALUED_DIRECTIVES:
        return _parse_list(value, "*")
    return _parse_list(match[2], match[1].lower())


def _parse_list(value: str, agent: str) -> list[RobotsDirective]:
    found = []
    for item in value[:8192].split(","):
        name, _, argument = (part.strip() for part in item.partition(":"))
        if name:
            found.append(RobotsDirective(name.lower(), argument, agent))
    return found
