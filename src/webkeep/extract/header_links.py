"""Links of HTTP fields: which fields of a response hold addresses (Location, Link, Refresh, SourceMap,
Speculation-Rules and others), and whether these are embedded or navigated to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_relation import relation_role
from webkeep.extract.links.refresh import refresh_span
from webkeep.model import Headers

_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
_ADDRESS_FIELDS = {
    "location": (_N, False), "content-location": (_N, False), "uri": (_N, False), "sourcemap": (_E, False),
    "x-sourcemap": (_E, False), "x-pingback": (_N, True), "x-redirect-to": (_N, True),
}  # fmt: skip
_QUOTED_LIST_FIELDS = {"speculation-rules": _E}
_LINK = re.compile(
    r"<([^>]{0,8192}+)>((?:\s*+;\s*+[^\s=;,<>]{1,100}+(?:\s*+=\s*+(?:\"(?:[^\"\\]|\\.)*+\"?|[^\s;,\"]*+))?+)*+)"
)
_PARAMETER = re.compile(r";\s*+([^\s=;,]{1,100}+)\s*+=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"?|([^\s;,\"]*+))")
_QUOTED = re.compile(r'"([^"]{1,8192})"')
_BRACKETED = re.compile(r"\s*<([^>]+)>\s*")


def header_references(headers: Headers) -> Iterator[LinkReference]:
    """What the fields of a response refer to."""
    for name, value in headers:
        key = name.lower()
        if key in _ADDRESS_FIELDS:
            role, guess = _ADDRESS_FIELDS[key]
            # The address in a URI field stands in angle brackets.
            bracketed = _BRACKETED.match(value)
            yield LinkReference(bracketed[1] if bracketed else value, role, f"http {name.title()}", guess)
        elif key == "refresh" and (stretch := refresh_span(value)) is not None:
            yield LinkReference(value[slice(*stretch)], _N, "http Refresh")
        elif key == "link":
            yield from link_field_references(value)
        elif key in _QUOTED_LIST_FIELDS:
            for match in _QUOTED.finditer(value):
                yield LinkReference(match[1], _QUOTED_LIST_FIELDS[key], f"http {name.title()}")


def link_field_references(value: str) -> Iterator[LinkReference]:
    """What a Link field refers to, each with the role of its relation."""
    for match in _LINK.finditer(value):
        parameters: dict[str, str] = {}
        for name, quoted, bare in _PARAMETER.findall(match[2]):
            parameters.setdefault(name.lower(), quoted or bare)
        meaning = relation_role(parameters.get("rel", ""), parameters.get("as", ""))
        if meaning is not None:
            role, guess = meaning
            rel = " ".join(parameters.get("rel", "").lower().split())[:40]
            yield LinkReference(match[1], role, f"http Link[{rel}]", guess)
