"""The values that a page holds, each with the place where it stands: what a script could make an address of."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator

from turbohtml import Element, parse

from webkeep.document.markup import TREE_LIMIT
from webkeep.document.reading import read_text

Value = tuple[str, str]
"""A place, such as `div.comments@data-thread`, and what stands there."""

_LONGEST = 120
_MOST = 2000
_DEEPEST = 6
_LITERALS = re.compile(r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|\b([0-9]+)\b""")
_MOST_LITERALS = 50
_TOKEN = re.compile(r"[0-9A-Za-z]+")
_DATA = frozenset({"application/json", "application/ld+json"})


def page_values(content: bytes, url: str, charset: str = "") -> list[Value]:
    """The values of a page and of its address, as many as are worth a look."""
    found: list[Value] = []
    for value in _all(content, url, charset):
        if 0 < len(value[1]) <= _LONGEST:
            found.append(value)
            if len(found) >= _MOST:
                break
    return found


def _all(content: bytes, url: str, charset: str) -> Iterator[Value]:
    yield from _of_address(url)
    document = parse(read_text(content, charset).text[:TREE_LIMIT], positions=False)
    for element in document.iter_elements():
        if element.tag == "script" and "src" not in element.attrs:
            yield from _of_script(element)
        else:
            yield from _of_element(element)


def _of_address(url: str) -> Iterator[Value]:
    path, _, query = url.partition("#")[0].partition("?")
    for place, segment in enumerate(path.split("/")[3:]):
        yield (f"url {place}", segment)
        for number, token in enumerate(_TOKEN.findall(segment)):
            yield (f"url {place}.{number}", token)
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        yield (f"url ?{name}", value)


def _of_element(element: Element) -> Iterator[Value]:
    classes = element.attrs.get("class")
    first = classes[0] if isinstance(classes, list) and classes else ""
    place = f"{element.tag}.{first}" if first else element.tag
    for name, value in element.attrs.items():
        if name not in ("class", "style", "href", "src", "srcset"):
            yield (f"{place}@{name}", " ".join(value) if isinstance(value, list) else str(value))


def _of_script(element: Element) -> Iterator[Value]:
    text = element.text
    if str(element.attrs.get("type", "")).lower() in _DATA:
        try:
            yield from _leaves(json.loads(text), "data", 0)
        except (ValueError, RecursionError):
            return
    else:
        # The same program with other literals has the same name.
        name = f"script {zlib.crc32(_LITERALS.sub('', text).encode('utf-8', 'surrogatepass')):08x}"
        for number, match in zip(range(_MOST_LITERALS), _LITERALS.finditer(text), strict=False):
            yield (f"{name} {number}", next(filter(None, match.groups()), ""))


def _leaves(values: object, path: str, depth: int) -> Iterator[Value]:
    if isinstance(values, dict) and depth < _DEEPEST:
        for key, value in values.items():
            yield from _leaves(value, f"{path}.{key}", depth + 1)
    elif isinstance(values, list) and depth < _DEEPEST:
        for value in values[:20]:
            yield from _leaves(value, f"{path}[]", depth + 1)
    elif isinstance(values, str | int) and not isinstance(values, bool):
        yield (path, str(values))
