"""The values that a page holds, each with the place where it stands: attributes, JSON data, literals of inline scripts
and parts of its URL, of which a script could make an address.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator

from turbohtml import Element, parse

from webkeep.document.charset import sniff_text
from webkeep.document.html_parts import MAX_TREE_CHARS

PageValue = tuple[str, str]
"""A place, such as `div.comments@data-thread`, and what stands there."""

_MAX_VALUE_CHARS = 120
"""A longer value is text, and no part of an address."""
_MAX_VALUES = 2000
"""Of one page; further ones are not looked at, for each is tried in many addresses."""
_MAX_DATA_DEPTH = 6
"""How far into the data of a page values are looked for."""
_LITERALS = re.compile(r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\b([0-9]+)\b""")
_MAX_LITERALS = 50
"""Of one script; further ones are not looked at: a script with more is a program, not the data of a page."""
_TOKEN = re.compile(r"[0-9A-Za-z]+")
_DATA_TYPES = frozenset({"application/json", "application/ld+json"})


def read_page_values(content: bytes, url: str, charset: str = "") -> list[PageValue]:
    """The values of a page and of its address, as many as are worth a look."""
    found: list[PageValue] = []
    for value in _read_all(content, url, charset):
        if 0 < len(value[1]) <= _MAX_VALUE_CHARS:
            found.append(value)
            if len(found) >= _MAX_VALUES:
                break
    return found


def _read_all(content: bytes, url: str, charset: str) -> Iterator[PageValue]:
    yield from _url_values(url)
    document = parse(sniff_text(content, charset).text[:MAX_TREE_CHARS], positions=False)
    for element in document.iter_elements():
        if element.tag == "script" and "src" not in element.attrs:
            yield from _script_values(element)
        else:
            yield from _element_values(element)


def _url_values(url: str) -> Iterator[PageValue]:
    path, _, query = url.partition("#")[0].partition("?")
    for place, segment in enumerate(path.split("/")[3:]):
        yield (f"url {place}", segment)
        for number, token in enumerate(_TOKEN.findall(segment)):
            yield (f"url {place}.{number}", token)
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        yield (f"url ?{name}", value)


def _element_values(element: Element) -> Iterator[PageValue]:
    classes = element.attrs.get("class")
    first = classes[0] if isinstance(classes, list) and classes else ""
    place = f"{element.tag}.{first}" if first else element.tag
    for name, value in element.attrs.items():
        if name not in ("class", "style", "href", "src", "srcset"):
            yield (f"{place}@{name}", " ".join(value) if isinstance(value, list) else str(value))


def _script_values(element: Element) -> Iterator[PageValue]:
    text = element.text
    if str(element.attrs.get("type", "")).lower() in _DATA_TYPES:
        try:
            yield from _data_values(json.loads(text), "data", 0)
        except (ValueError, RecursionError):
            return
    else:
        # The same program with other literals has the same name.
        name = f"script {zlib.crc32(_LITERALS.sub('', text).encode('utf-8', 'surrogatepass')):08x}"
        for number, match in zip(range(_MAX_LITERALS), _LITERALS.finditer(text), strict=False):
            yield (f"{name} {number}", next(filter(None, match.groups()), ""))


def _data_values(values: object, path: str, depth: int) -> Iterator[PageValue]:
    if isinstance(values, dict) and depth < _MAX_DATA_DEPTH:
        for key, value in values.items():
            yield from _data_values(value, f"{path}.{key}", depth + 1)
    elif isinstance(values, list) and depth < _MAX_DATA_DEPTH:
        for value in values[:20]:
            yield from _data_values(value, f"{path}[]", depth + 1)
    elif isinstance(values, str | int) and not isinstance(values, bool):
        yield (path, str(values))
