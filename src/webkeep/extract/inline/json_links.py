"""Links of JSON: strings that look like links, and the members that mean links in formats that say so: web app
manifests, JSON Feed, JSON-LD, import maps and speculation rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from webkeep.extract.links.link import NO_PLACE, LinkReference, LinkRole
from webkeep.extract.links.link_guess import guess_role, is_absolute_address
from webkeep.formats import read_json

MAX_PARSED_CHARS = 8 * 1024 * 1024
"""Longer texts are only searched for strings, not read as JSON."""

_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
# A string that is not closed on its line is consumed as well, or each quote in it would be tried again.
_STRING = re.compile(r'"((?:[^"\\\n]++|\\.)*+)(?:"(\s{0,8}+:)?+|\\?)')
_LINKABLE = re.compile(r"[./]")
_SOURCE_MAP = re.compile(r'"mappings"\s{0,8}:')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/])|.)')

MANIFEST_MEMBERS: Mapping[str, LinkRole] = {"src": _E, "start_url": _N, "url": _N, "action": _N}
"""Members of a web application manifest."""

JSON_FEED_MEMBERS: Mapping[str, LinkRole] = {
    "home_page_url": _N, "feed_url": _N, "next_url": _N, "url": _N, "external_url": _N,
    "image": _E, "banner_image": _E, "icon": _E, "favicon": _E, "avatar": _E,
}  # fmt: skip
"""Members of a JSON Feed."""

LINKED_DATA_MEMBERS: Mapping[str, LinkRole] = {
    "url": _N, "@id": _N, "sameAs": _N, "mainEntityOfPage": _N, "item": _N, "embedUrl": _N, "target": _N,
    "discussionUrl": _N, "installUrl": _N, "downloadUrl": _N, "significantLink": _N, "relatedLink": _N, "license": _N,
    "image": _E, "logo": _E, "thumbnailUrl": _E, "contentUrl": _E, "photo": _E, "thumbnail": _E, "screenshot": _E,
    "primaryImageOfPage": _E,
}  # fmt: skip
"""Members of JSON-LD with the vocabulary of schema.org."""


def json_references(text: str, source: str = "json string") -> Iterator[LinkReference]:
    """Strings of any JSON that look like links, as guesses; names of members only where they are whole addresses."""
    if _SOURCE_MAP.search(text, 0, 4096) or '"sourcesContent"' in text[:4096]:
        return  # a source map names the files a script was made from, which are on no server
    for match in _STRING.finditer(text):
        if _LINKABLE.search(text, match.start(1), match.end(1)) is None:
            continue
        value = _unescape(match[1])
        role = guess_role(value, trusted=False)
        if role is not None and (match[2] is None or is_absolute_address(value)):
            yield LinkReference(value, role, source, True, "", match.start(1), match.end(1))


def member_references(text: str, members: Mapping[str, LinkRole], source: str) -> Iterator[LinkReference]:
    """The strings under these members wherever they stand; also within lists, and as the `url` of an object."""
    pending: list[tuple[LinkRole | None, Any]] = [(None, parse_json(text))]
    while pending:
        role, value = pending.pop()
        if isinstance(value, dict):
            pending += [
                (role if role and name == "url" else members.get(name), inner)
                for name, inner in reversed(list(value.items()))
            ]
        elif isinstance(value, list):
            pending += [(role, inner) for inner in reversed(value)]
        elif isinstance(value, str) and role is not None and value and not value.startswith(("#", "_:")):
            yield LinkReference(value, role, source, start=NO_PLACE, end=NO_PLACE)


def import_map_references(text: str) -> Iterator[LinkReference]:
    """The modules an import map names; addresses that end in a slash are beginnings of addresses."""
    found = parse_json(text)
    maps = [found] if isinstance(found, dict) else []
    for each in maps:
        scopes = each.get("scopes")
        blocks = [each.get("imports"), *(scopes.values() if isinstance(scopes, dict) else ())]
        names = [name for block in blocks if isinstance(block, dict) for name in block.values()]
        integrity = each.get("integrity")
        names += integrity if isinstance(integrity, dict) else ()
        for name in names:
            if isinstance(name, str) and name and not name.endswith("/"):
                yield LinkReference(name, LinkRole.EMBED, "html importmap", start=NO_PLACE, end=NO_PLACE)


def speculation_references(text: str) -> Iterator[LinkReference]:
    """The pages that speculation rules would fetch ahead of time."""
    found = parse_json(text)
    for rules in found.values() if isinstance(found, dict) else ():
        for rule in rules if isinstance(rules, list) else ():
            urls = rule.get("urls") if isinstance(rule, dict) else None
            for url in urls if isinstance(urls, list) else ():
                if isinstance(url, str):
                    yield LinkReference(url, LinkRole.NAVIGATE, "html speculationrules", start=NO_PLACE, end=NO_PLACE)


def parse_json(text: str) -> Any:
    """The value of a text of bounded length; None where it is not JSON."""
    if len(text) > MAX_PARSED_CHARS:
        return None
    return read_json(text)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_escape_value, text) if "\\" in text else text


def _escape_value(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return match[2] or " "
