"""Web links as HTTP carries them (RFC 8288): written into `Link` fields and TimeMaps (application/link-format), and
read out of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_UNSAFE = re.compile(r"[\x00-\x20\"<>\\^`{|}\x7f-\U0010ffff]")
_TARGET = re.compile(r"[\s,]*<([^>]*)>")
_PARAMETER = re.compile(r'\s*;\s*([^\s=;,"<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"<>]*)))?')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class WebLink:
    """A target, what it is to the one who links, and what else is said of it."""

    target: str
    relations: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str:
        """The first value of an attribute, "" where there is none."""
        return next((value for key, value in self.attributes if key == name), "")

    def __str__(self) -> str:
        said = "".join(f'; {name}="{_quote_value(value)}"' for name, value in self.attributes)
        return f'<{escape_target(self.target)}>; rel="{" ".join(self.relations)}"{said}'


def format_link_field(links: Iterable[WebLink]) -> str:
    """The value of a `Link` field."""
    return ", ".join(map(str, links))


def escape_target(target: str) -> str:
    """The target with everything escaped that could end it, its field or its line."""
    return _UNSAFE.sub(_percent_escape, target)


def parse_links(text: str) -> Iterator[WebLink]:
    """The links of a `Link` field or a link-format document; where it cannot be read any further, it ends."""
    at = 0
    while target := _TARGET.match(text, at):
        at = target.end()
        relations: tuple[str, ...] = ()
        attributes: list[tuple[str, str]] = []
        while parameter := _PARAMETER.match(text, at):
            at = parameter.end()
            name, quoted, bare = parameter.groups()
            value = _ESCAPED.sub(r"\1", quoted) if quoted is not None else bare or ""
            if name.lower() != "rel":
                attributes.append((name.lower(), value))
            elif not relations:  # RFC 8288: only the first counts
                relations = tuple(value.lower().split())
        yield WebLink(target[1], relations, tuple(attributes))


def _percent_escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _quote_value(value: str) -> str:
    if value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return value
    return "".join(char for char in value if " " <= char < "\x7f").replace("\\", "\\\\").replace('"', '\\"')
