"""Links of HTML: out of attributes, styles, scripts, comments and text.

Theory of operation. `tag_references` says what one element refers to, each reference with the attribute and the
stretch of it that spells the address. Everything that seeks links goes through it, and so will everything that
renames them: a rewriter walks the same tags, with source locations, and puts other addresses into the same stretches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from webkeep.document import Attributes, Part, html_parts
from webkeep.extract.attributes import UNLISTED, Grammar, Rule, rules_of, source_of, unlisted_rule
from webkeep.extract.css import style_references
from webkeep.extract.elements import BASE, ELEMENTS, flash_variables
from webkeep.extract.forms import form_references
from webkeep.extract.guess import guessed_role
from webkeep.extract.json import (
    LINKED_DATA,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.link import WHOLE, Heard, Reference, Role, new_tuple
from webkeep.extract.script import script_references
from webkeep.extract.scripting import RUNNING, Scripting, is_script_type
from webkeep.extract.srcset import srcset_stretches
from webkeep.extract.text import text_references
from webkeep.formats.xml_events import attributes as instruction_attributes

DEEPEST = 4
"""How far markup within markup (`srcdoc`, comments, strings of scripts) is followed."""

_CONDITIONAL = re.compile(r"\s*\[if\b[^\]]{0,200}\]>(.*?)(?:<!\[endif\]\s*)?\Z", re.IGNORECASE | re.DOTALL)
_MARKUP_SIGN = re.compile(r"<[a-zA-Z/]")
_TEMPLATE_TYPES = re.compile(
    r"(?:text|application)/(?:x-)?[\w.+-]*(?:html|template|tmpl|handlebars|mustache|jsrender)[\w.+-]*"
)
_WORD = re.compile(r"\S+")
_FRAMESET = re.compile(r"<frameset\b", re.IGNORECASE)
_INLINE_FRAME = re.compile(r"<iframe\b[^<>]{0,2000}>", re.IGNORECASE)
_MOST_INLINE = 200
_PLAIN = Grammar.URL


def html_references(
    text: str,
    depth: int = 0,
    parts: Callable[[str], Iterator[Part]] = html_parts,
    heard: Heard | None = None,
    scripting: Scripting | None = None,
) -> Iterator[Reference]:
    """The references of a page; those of `base` elements have the source `BASE`. What runs is told to `scripting`."""
    known, fresh = (heard.known, heard.fresh) if heard is not None else ({}, [])
    running = RUNNING if scripting is not None else ()
    has_frames = False
    for name, attributes, content, element in parts(text):
        if name in running and scripting is not None:
            scripting.note(name, attributes, content)
        if content or name in ELEMENTS:
            if scripting is not None:
                scripting.note_handlers(attributes)
            if name == "base":
                heard = None  # the root is another one from here on
            if name == "#text":
                yield from text_references(content, "html text")
            elif name == "#comment":
                yield from remark_references(content, depth)
            else:
                yield from tag_references(name, attributes, content, depth)
                if name == "form" and element is not None:
                    yield from form_references(element)
            continue
        has_frames = has_frames or name == "frame"
        # What follows is `tag_references` for the elements that pages are full of, without a call for each.
        rules = rules_of(name)
        for attribute, value in attributes:
            rule = rules.get(attribute, UNLISTED)
            if rule is UNLISTED or (rule is not None and rule[0] is not _PLAIN):
                if scripting is not None and attribute[:2] == "on":
                    scripting.is_own = True
                yield from tag_references(name, ((attribute, value),), "", depth)
            elif rule is not None and value:
                _, role, source, guess = rule
                place = source or source_of(rule, name, attribute)
                # What letters beyond ASCII become hangs on the charset of the page.
                if heard is not None and value[0] == "/" and value[1:2] != "/" and value.isascii():
                    key = hash(value)
                    if key in known.get(place, ()):
                        continue
                    fresh.append((place, key))
                yield new_tuple(Reference, (value, role, place, guess, attribute, WHOLE, WHOLE, ""))
    # Looking for a few letters costs next to nothing, and nearly no page has them.
    if "rameset" in text or "RAMESET" in text:
        yield from _frameset_references(text, has_frames, depth)


def _frameset_references(text: str, has_frames: bool, depth: int) -> Iterator[Reference]:
    """Frames that browsers of their time showed and the tree has not: of framesets behind a `body`, or inline ones."""
    found = _FRAMESET.search(text)
    if found is None:
        return
    section = text[found.start() :]
    if not has_frames:
        yield from _nested(section, depth)
    inline = "".join(f"{each}</iframe>" for each in islice(_INLINE_FRAME.findall(section), _MOST_INLINE))
    yield from _nested(inline, depth)


def tag_references(name: str, attributes: Attributes, content: str = "", depth: int = 0) -> list[Reference]:
    """What one element refers to, in its attributes and, for scripts and styles, in its content."""
    found: list[Reference] = []
    rules = rules_of(name)
    for attribute, value in attributes:
        rule = rules.get(attribute, UNLISTED)
        if rule is UNLISTED:
            rule = unlisted_rule(attribute)
        if rule is None or not value:
            continue
        grammar, role, source, guess = rule
        if grammar is Grammar.URL:
            place = source or source_of(rule, name, attribute)
            found.append(new_tuple(Reference, (value, role, place, guess, attribute, WHOLE, WHOLE, "")))
        else:
            found += _READERS[grammar](_joined(value), rule, name, attribute, depth)
    if name in ELEMENTS:
        found += ELEMENTS[name]({key: _joined(value) for key, value in attributes})
    if content:
        found += _content_references(name, attributes, content, depth)
    return found


def remark_references(text: str, depth: int = 0) -> Iterator[Reference]:
    """References in a comment: certain within a conditional one, else guesses."""
    if text.startswith("?xml-stylesheet"):
        href = instruction_attributes(text).get("href")
        if href:
            yield Reference(href, Role.EMBED, "xml-stylesheet")
        return
    if "<" not in text and "://" not in text and "www." not in text:
        return
    conditional = _CONDITIONAL.match(text)
    inner = conditional[1] if conditional else text
    if _MARKUP_SIGN.search(inner) is None:
        yield from text_references(inner, "html comment")
    else:
        for found in _nested(inner, depth):
            yield found._replace(source=f"html comment: {found.source}", guess=found.guess or conditional is None)


def _nested(text: str, depth: int) -> Iterator[Reference]:
    """Markup within markup; a base in there counts for nothing outside."""
    if depth < DEEPEST:
        yield from (found.adrift() for found in html_references(text, depth + 1) if found.source is not BASE)


def _content_references(name: str, attributes: Attributes, content: str, depth: int) -> Iterator[Reference]:
    if name == "style":
        yield from style_references(content)
    elif name == "script":
        kind = next((_joined(value) for key, value in attributes if key == "type"), "")
        yield from _script_references(kind.strip().lower()[:100], content, depth)
    elif name in ("noscript", "noframes", "noembed", "iframe") and "<" in content:
        yield from _nested(content, depth)


def _script_references(kind: str, text: str, depth: int) -> Iterator[Reference]:
    if kind == "application/ld+json":
        yield from member_references(text, LINKED_DATA, "html json-ld")
    elif kind == "importmap":
        yield from import_map_references(text)
    elif kind == "speculationrules":
        yield from speculation_references(text)
    elif kind.endswith("json"):
        yield from json_references(text, "html json")
    elif is_script_type(kind):
        yield from script_references(text, fragments=lambda markup: _nested(markup, depth))
    elif _TEMPLATE_TYPES.fullmatch(kind):
        yield from (found.guessed() for found in _nested(text, depth))


def _candidates(value: str, rule: Rule, tag: str, name: str, _depth: int) -> Iterator[Reference]:
    source = source_of(rule, tag, name)
    for start, end in srcset_stretches(value):
        yield Reference(value[start:end], rule.role, source, rule.guess, name, start, end)


def _spaced(value: str, rule: Rule, tag: str, name: str, _depth: int) -> Iterator[Reference]:
    source = source_of(rule, tag, name)
    for match in _WORD.finditer(value):
        yield Reference(match[0], rule.role, source, rule.guess, name, match.start(), match.end())


def _style(value: str, _rule: Rule, _tag: str, name: str, _depth: int) -> Iterator[Reference]:
    return style_references(value, name) if "(" in value else iter(())


def _script(value: str, _rule: Rule, _tag: str, name: str, depth: int) -> Iterator[Reference]:
    return script_references(value, name, fragments=lambda markup: _nested(markup, depth))


def _markup(value: str, _rule: Rule, _tag: str, _name: str, depth: int) -> Iterator[Reference]:
    return _nested(value, depth)


def _likely(value: str, rule: Rule, tag: str, name: str, _depth: int) -> Iterator[Reference]:
    source = source_of(rule, tag, name)
    if name == "flashvars":
        yield from flash_variables(value, source, name)
    elif value[:1] in "{[":
        yield from (found._replace(source=source, attribute=name) for found in json_references(value))
    elif "url(" in value:
        yield from style_references(value, name)
    elif (role := guessed_role(value.strip(), trusted=not rule.guess)) is not None:
        yield Reference(value, role if rule.guess else rule.role, source, rule.guess, name)


_Reader = Callable[[str, Rule, str, str, int], Iterator[Reference]]
_READERS: Mapping[Grammar, _Reader] = {
    Grammar.SRCSET: _candidates,
    Grammar.SPACED: _spaced,
    Grammar.STYLE: _style,
    Grammar.SCRIPT: _script,
    Grammar.MARKUP: _markup,
    Grammar.LIKELY: _likely,
}


def _joined(value: Any) -> str:
    """An attribute's value as text; the tree gives some as lists of words."""
    return value if isinstance(value, str) else " ".join(value or ())
