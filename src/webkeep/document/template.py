"""What a page is made after, without its text: its structure, its scripts, and what scripts can find in it.

Two pages of one template that run the same scripts behave alike, unless a script finds something on one of them that it
does not find on the other. What it can find by name (ids, classes, attributes, elements, keys of data) are the hooks.
Values are told apart only where they are plain words: numbers and longer texts are content.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from turbohtml import Element, parse

from webkeep.document.markup import TREE_LIMIT
from webkeep.document.reading import read_text

_LITERAL = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\\]*`)|(\b[0-9][0-9a-fA-Fx.]*)|\s+""")
_WORD = re.compile(r"[A-Za-z_]{1,24}").fullmatch
_DIGITS = re.compile(r"[0-9]+")
_NAME_END = re.compile(r"[-_:]+(?=[^-_:]*$)")
_DATA = frozenset({"application/json", "application/ld+json", "importmap", "speculationrules"})
_SAID = frozenset({"type", "role", "rel", "method", "loading", "name", "property", "http-equiv"})
"""Attributes whose values scripts look at."""
_TEXTUAL = frozenset({"href", "src", "alt", "title", "content", "style", "srcset", "value", "action", "aria-label"})
"""Attributes whose values are content."""
_MOST_HOOKS = 4000
_DEEPEST = 6

Hook = tuple[str, str]
"""Where something stands that a script can find, and what it is; the second is empty where being there is all."""


@dataclass(frozen=True, slots=True)
class Template:
    """A page without its text."""

    structure: frozenset[int]
    """Each kind of element with the kind it stands in."""
    scripts: frozenset[str]
    """Addresses of scripts without their queries, and digests of those in the page without their literals."""
    hooks: frozenset[Hook] = frozenset()
    """Empty for a page that has no scripts."""


def template_of(content: bytes, charset: str = "") -> Template:
    """The template of a page; of a very long one that of its beginning."""
    document = parse(read_text(content, charset).text[:TREE_LIMIT], positions=False)
    structure: set[int] = set()
    scripts: set[str] = set()
    hooks: set[Hook] = set()
    for element in document.iter_elements():
        attributes = element.attrs
        parent = element.parent
        above = parent.tag if isinstance(parent, Element) else ""
        structure.add(_hash(f"{above}>{element.tag}[{','.join(sorted(attributes))}]"))
        if element.tag == "script" and str(attributes.get("type", "")).lower() not in _DATA:
            scripts.add(_script(element))
        if len(hooks) < _MOST_HOOKS:
            hooks.update(_hooks(element))
            scripts.update(f"{name}={_code(str(value))}" for name, value in attributes.items() if name.startswith("on"))
    return Template(frozenset(structure), frozenset(scripts), frozenset(hooks) if scripts else frozenset())


def _script(element: Element) -> str:
    source = element.attrs.get("src")
    if source is not None:
        return str(source).partition("?")[0].partition("#")[0]
    return f"inline {_code(element.text):08x}"


def _code(text: str) -> int:
    """A program without its numbers, spaces and longer texts; words in quotes stay, as they choose what it does."""
    return _hash(_LITERAL.sub(_kept, text))


def _kept(match: re.Match[str]) -> str:
    literal = match[1]
    if literal is None:
        return "0" if match[2] else ""
    return literal if _WORD(literal[1:-1]) else "''"


def _hooks(element: Element) -> Iterator[Hook]:
    tag = element.tag
    yield ("tag", tag)
    if tag == "script" and str(element.attrs.get("type", "")).lower() in _DATA:
        yield from _data_hooks(element.text)
    for name, value in element.attrs.items():
        if name in ("class", "id"):
            for word in value if isinstance(value, list) else str(value).split():
                yield _named(name, word)
        elif name not in _TEXTUAL and not name.startswith("on"):
            text = " ".join(value) if isinstance(value, list) else str(value)
            says = name in _SAID or name.startswith(("data-", "aria-")) or "-" in tag
            yield (f"{tag}@{name}", text if says and _WORD(text) else "")


def _named(sort: str, word: str) -> Hook:
    """A class or an id: what it begins with is what is named, what follows the last hyphen is which one."""
    plain = _DIGITS.sub("0", word)
    cut = _NAME_END.search(plain)
    if cut is None:
        return (f"{sort} {plain}", "")
    return (f"{sort} {plain[: cut.end()]}", plain[cut.end() :])


def _data_hooks(text: str) -> Iterator[Hook]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _keys(values, "data", 0)


def _keys(values: object, path: str, depth: int) -> Iterator[Hook]:
    match values:
        case dict() if depth < _DEEPEST:
            for key, value in values.items():
                yield from _keys(value, f"{path}.{_DIGITS.sub('0', str(key))}", depth + 1)
        case list() if depth < _DEEPEST:
            yield (path, "list" if values else "empty")
            for value in values[:20]:
                yield from _keys(value, f"{path}[]", depth + 1)
        case bool() | None:
            yield (path, str(values))
        case str():
            yield (path, values if _WORD(values) else "")
        case _:
            yield (path, "")


def _hash(text: str) -> int:
    # Python's own hash is another in each process.
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
