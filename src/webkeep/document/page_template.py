"""What a page is made after (its template), without its text: the structure of its elements, its scripts, and the hooks
that scripts can find in it, such as ids, classes, attributes and keys of JSON data.

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

from webkeep.document.charset import sniff_text
from webkeep.document.html_parts import MAX_TREE_CHARS

_LITERAL = re.compile(r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\\]*`)|(\b[0-9][0-9a-fA-Fx.]*)|\s+""")
_WORD = re.compile(r"[A-Za-z_]{1,24}").fullmatch
_DIGITS = re.compile(r"[0-9]+")
_NAME_END = re.compile(r"[-_:]+(?=[^-_:]*$)")
_DATA_TYPES = frozenset({"application/json", "application/ld+json", "importmap", "speculationrules"})
_MEANINGFUL_ATTRIBUTES = frozenset({"type", "role", "rel", "method", "loading", "name", "property", "http-equiv"})
"""Attributes whose values scripts look at."""
_CONTENT_ATTRIBUTES = frozenset(
    {"href", "src", "alt", "title", "content", "style", "srcset", "value", "action", "aria-label"}
)
"""Attributes whose values are content."""
_MAX_HOOKS = 4000
"""Of one page; a page of more is told by its first ones."""
_MAX_DATA_DEPTH = 6
"""How far into the data of a page its keys are hooks: deeper ones are of single entries."""

TemplateHook = tuple[str, str]
"""Where something stands that a script can find, and what it is; the second is empty where being there is all."""


@dataclass(frozen=True, slots=True)
class PageTemplate:
    """A page without its text."""

    structure: frozenset[int]
    """Each kind of element with the kind it stands in."""
    scripts: frozenset[str]
    """Addresses of scripts without their queries, and digests of those in the page without their literals."""
    hooks: frozenset[TemplateHook] = frozenset()
    """Empty for a page that has no scripts."""


def read_template(content: bytes, charset: str = "") -> PageTemplate:
    """The template of a page; of a very long one that of its beginning."""
    document = parse(sniff_text(content, charset).text[:MAX_TREE_CHARS], positions=False)
    structure: set[int] = set()
    scripts: set[str] = set()
    hooks: set[TemplateHook] = set()
    for element in document.iter_elements():
        attributes = element.attrs
        parent = element.parent
        above = parent.tag if isinstance(parent, Element) else ""
        structure.add(_hash(f"{above}>{element.tag}[{','.join(sorted(attributes))}]"))
        if element.tag == "script" and str(attributes.get("type", "")).lower() not in _DATA_TYPES:
            scripts.add(_script_name(element))
        if len(hooks) < _MAX_HOOKS:
            hooks.update(_element_hooks(element))
            scripts.update(
                f"{name}={_hash_code(str(value))}" for name, value in attributes.items() if name.startswith("on")
            )
    return PageTemplate(frozenset(structure), frozenset(scripts), frozenset(hooks) if scripts else frozenset())


def _script_name(element: Element) -> str:
    source = element.attrs.get("src")
    if source is not None:
        return str(source).partition("?")[0].partition("#")[0]
    return f"inline {_hash_code(element.text):08x}"


def _hash_code(text: str) -> int:
    """A program without its numbers, spaces and longer texts; words in quotes stay, as they choose what it does."""
    return _hash(_LITERAL.sub(_replace_literal, text))


def _replace_literal(match: re.Match[str]) -> str:
    literal = match[1]
    if literal is None:
        return "0" if match[2] else ""
    return literal if _WORD(literal[1:-1]) else "''"


def _element_hooks(element: Element) -> Iterator[TemplateHook]:
    tag = element.tag
    yield ("tag", tag)
    if tag == "script" and str(element.attrs.get("type", "")).lower() in _DATA_TYPES:
        yield from _data_hooks(element.text)
    for name, value in element.attrs.items():
        if name in ("class", "id"):
            for word in value if isinstance(value, list) else str(value).split():
                yield _name_hook(name, word)
        elif name not in _CONTENT_ATTRIBUTES and not name.startswith("on"):
            text = " ".join(value) if isinstance(value, list) else str(value)
            says = name in _MEANINGFUL_ATTRIBUTES or name.startswith(("data-", "aria-")) or "-" in tag
            yield (f"{tag}@{name}", text if says and _WORD(text) else "")


def _name_hook(sort: str, word: str) -> TemplateHook:
    """A class or an id: what it begins with is what is named, what follows the last hyphen is which one."""
    plain = _DIGITS.sub("0", word)
    cut = _NAME_END.search(plain)
    if cut is None:
        return (f"{sort} {plain}", "")
    return (f"{sort} {plain[: cut.end()]}", plain[cut.end() :])


def _data_hooks(text: str) -> Iterator[TemplateHook]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _key_hooks(values, "data", 0)


def _key_hooks(values: object, path: str, depth: int) -> Iterator[TemplateHook]:
    match values:
        case dict() if depth < _MAX_DATA_DEPTH:
            for key, value in values.items():
                yield from _key_hooks(value, f"{path}.{_DIGITS.sub('0', str(key))}", depth + 1)
        case list() if depth < _MAX_DATA_DEPTH:
            yield (path, "list" if values else "empty")
            for value in values[:20]:
                yield from _key_hooks(value, f"{path}[]", depth + 1)
        case bool() | None:
            yield (path, str(values))
        case str():
            yield (path, values if _WORD(values) else "")
        case _:
            yield (path, "")


def _hash(text: str) -> int:
    # Python's own hash is another in each process.
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
