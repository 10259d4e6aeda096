"""Links of HTML: out of attributes, styles, scripts, comments, framesets and text, and out of markup within markup
(noscript, templates, srcdoc), up to some depth.

Theory of operation. `tag_references` says what one element refers to, each reference with the attribute and the
stretch of it that spells the address. Everything that seeks links goes through it, and so will everything that
renames them: a rewriter walks the same tags, with source locations, and puts other addresses into the same stretches.

Most elements are read without a call for each, which saves three tenths of the time where links were met before, as in
a crawl (`bench.quick_paths`); `test_the_links_of_a_page_are_those_of_its_elements` holds it to what calls would give.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from webkeep.document import MarkupAttributes, MarkupPart, read_html_parts
from webkeep.extract.html.attributes import (
    UNLISTED_RULE,
    AttributeGrammar,
    AttributeRule,
    attribute_rules,
    rule_source,
    unlisted_rule,
)
from webkeep.extract.html.compound_elements import BASE_SOURCE, ELEMENT_READERS, flashvars_references
from webkeep.extract.html.form_links import form_references
from webkeep.extract.html.srcset import srcset_spans
from webkeep.extract.inline.css_links import style_references
from webkeep.extract.inline.json_links import (
    LINKED_DATA_MEMBERS,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.inline.page_scripting import RUNNING_TAGS, PageScripting, is_script_type
from webkeep.extract.inline.script_links import script_references
from webkeep.extract.inline.text_links import text_references
from webkeep.extract.links.link import WHOLE_VALUE, LinkReference, LinkRole, ReportedLinks, new_tuple
from webkeep.extract.links.link_guess import guess_role
from webkeep.formats.site import parse_attributes as instruction_attributes

MAX_NESTING = 4
"""How far markup within markup (`srcdoc`, comments, strings of scripts) is followed."""

_CONDITIONAL = re.compile(r"\s*\[if\b[^\]]{0,200}\]>(.*?)(?:<!\[endif\]\s*)?\Z", re.IGNORECASE | re.DOTALL)
_MARKUP_SIGN = re.compile(r"<[a-zA-Z/]")
_TEMPLATE_TYPES = re.compile(
    r"(?:text|application)/(?:x-)?[\w.+-]*(?:html|template|tmpl|handlebars|mustache|jsrender)[\w.+-]*"
)
_WORD = re.compile(r"\S+")
_FRAMESET = re.compile(r"<frameset\b", re.IGNORECASE)
_INLINE_FRAME = re.compile(r"<iframe\b[^<>]{0,2000}>", re.IGNORECASE)
_MAX_INLINE_FRAMES = 200
"""Of one page; what is in them is read as a page each."""
_PLAIN = AttributeGrammar.URL


def html_references(
    text: str,
    depth: int = 0,
    parts: Callable[[str], Iterator[MarkupPart]] = read_html_parts,
    reported: ReportedLinks | None = None,
    scripting: PageScripting | None = None,
) -> Iterator[LinkReference]:
    """The references of a page; those of `base` elements have the source `BASE_SOURCE`. What runs is told to
    `scripting`.
    """
    known, fresh = (reported.known, reported.fresh) if reported is not None else ({}, [])
    running = RUNNING_TAGS if scripting is not None else ()
    has_frames = False
    for name, attributes, content, element in parts(text):
        if name in running and scripting is not None:
            scripting.note_element(name, attributes, content)
        if content or name in ELEMENT_READERS:
            if scripting is not None:
                scripting.note_handlers(attributes)
            if name == "base":
                reported = None  # the root is another one from here on
            if name == "#text":
                yield from text_references(content, "html text")
            elif name == "#comment":
                yield from comment_references(content, depth)
            else:
                yield from tag_references(name, attributes, content, depth)
                if name == "form" and element is not None:
                    yield from form_references(element)
            continue
        has_frames = has_frames or name == "frame"
        # What follows is `tag_references` for the elements that pages are full of, without a call for each, which saves
        # three tenths of the time where links were met before, as in a crawl (`bench.quick_paths`). Both are held to
        # the same by `test_the_links_of_a_page_are_those_of_its_elements`.
        rules = attribute_rules(name)
        for attribute, value in attributes:
            rule = rules.get(attribute, UNLISTED_RULE)
            if rule is UNLISTED_RULE or (rule is not None and rule[0] is not _PLAIN):
                if scripting is not None and attribute[:2] == "on":
                    scripting.mark_own()
                yield from tag_references(name, ((attribute, value),), "", depth)
            elif rule is not None and value:
                _, role, source, guess = rule
                place = source or rule_source(rule, name, attribute)
                # What letters beyond ASCII become hangs on the charset of the page.
                if reported is not None and value[0] == "/" and value[1:2] != "/" and value.isascii():
                    key = hash(value)
                    if key in known.get(place, ()):
                        continue
                    fresh.append((place, key))
                yield new_tuple(LinkReference, (value, role, place, guess, attribute, WHOLE_VALUE, WHOLE_VALUE, ""))
    # Looking for a few letters costs next to nothing, and nearly no page has them.
    if "rameset" in text or "RAMESET" in text:
        yield from _frameset_references(text, has_frames, depth)


def _frameset_references(text: str, has_frames: bool, depth: int) -> Iterator[LinkReference]:
    """Frames that browsers of their time showed and the tree has not: of framesets behind a `body`, or inline ones."""
    found = _FRAMESET.search(text)
    if found is None:
        return
    section = text[found.start() :]
    if not has_frames:
        yield from _nested_references(section, depth)
    inline = "".join(f"{each}</iframe>" for each in islice(_INLINE_FRAME.findall(section), _MAX_INLINE_FRAMES))
    yield from _nested_references(inline, depth)


def tag_references(name: str, attributes: MarkupAttributes, content: str = "", depth: int = 0) -> list[LinkReference]:
    """What one element refers to, in its attributes and, for scripts and styles, in its content."""
    found: list[LinkReference] = []
    rules = attribute_rules(name)
    for attribute, value in attributes:
        rule = rules.get(attribute, UNLISTED_RULE)
        if rule is UNLISTED_RULE:
            rule = unlisted_rule(attribute)
        if rule is None or not value:
            continue
        grammar, role, source, guess = rule
        if grammar is AttributeGrammar.URL:
            place = source or rule_source(rule, name, attribute)
            found.append(new_tuple(LinkReference, (value, role, place, guess, attribute, WHOLE_VALUE, WHOLE_VALUE, "")))
        else:
            found += _GRAMMAR_READERS[grammar](_attribute_text(value), rule, name, attribute, depth)
    if name in ELEMENT_READERS:
        found += ELEMENT_READERS[name]({key: _attribute_text(value) for key, value in attributes})
    if content:
        found += _content_references(name, attributes, content, depth)
    return found


def comment_references(text: str, depth: int = 0) -> Iterator[LinkReference]:
    """References in a comment: certain within a conditional one, else guesses."""
    if text.startswith("?xml-stylesheet"):
        href = instruction_attributes(text).get("href")
        if href:
            yield LinkReference(href, LinkRole.EMBED, "xml-stylesheet")
        return
    if "<" not in text and "://" not in text and "www." not in text:
        return
    conditional = _CONDITIONAL.match(text)
    inner = conditional[1] if conditional else text
    if _MARKUP_SIGN.search(inner) is None:
        yield from text_references(inner, "html comment")
    else:
        for found in _nested_references(inner, depth):
            yield found._replace(source=f"html comment: {found.source}", guess=found.guess or conditional is None)


def _nested_references(text: str, depth: int) -> Iterator[LinkReference]:
    """Markup within markup; a base in there counts for nothing outside."""
    if depth < MAX_NESTING:
        yield from (
            found.without_place() for found in html_references(text, depth + 1) if found.source is not BASE_SOURCE
        )


def _content_references(name: str, attributes: MarkupAttributes, content: str, depth: int) -> Iterator[LinkReference]:
    if name == "style":
        yield from style_references(content)
    elif name == "script":
        kind = next((_attribute_text(value) for key, value in attributes if key == "type"), "")
        yield from _script_references(kind.strip().lower()[:100], content, depth)
    elif name in ("noscript", "noframes", "noembed", "iframe") and "<" in content:
        yield from _nested_references(content, depth)


def _script_references(kind: str, text: str, depth: int) -> Iterator[LinkReference]:
    if kind == "application/ld+json":
        yield from member_references(text, LINKED_DATA_MEMBERS, "html json-ld")
    elif kind == "importmap":
        yield from import_map_references(text)
    elif kind == "speculationrules":
        yield from speculation_references(text)
    elif kind.endswith("json"):
        yield from json_references(text, "html json")
    elif is_script_type(kind):
        yield from script_references(text, fragments=lambda markup: _nested_references(markup, depth))
    elif _TEMPLATE_TYPES.fullmatch(kind):
        yield from (found.as_guess() for found in _nested_references(text, depth))


def _read_srcset(value: str, rule: AttributeRule, tag: str, name: str, _depth: int) -> Iterator[LinkReference]:
    source = rule_source(rule, tag, name)
    for start, end in srcset_spans(value):
        yield LinkReference(value[start:end], rule.role, source, rule.guess, name, start, end)


def _read_spaced(value: str, rule: AttributeRule, tag: str, name: str, _depth: int) -> Iterator[LinkReference]:
    source = rule_source(rule, tag, name)
    for match in _WORD.finditer(value):
        yield LinkReference(match[0], rule.role, source, rule.guess, name, match.start(), match.end())


def _read_style(value: str, _rule: AttributeRule, _tag: str, name: str, _depth: int) -> Iterator[LinkReference]:
    return style_references(value, name) if "(" in value else iter(())


def _read_script(value: str, _rule: AttributeRule, _tag: str, name: str, depth: int) -> Iterator[LinkReference]:
    return script_references(value, name, fragments=lambda markup: _nested_references(markup, depth))


def _read_markup(value: str, _rule: AttributeRule, _tag: str, _name: str, depth: int) -> Iterator[LinkReference]:
    return _nested_references(value, depth)


def _read_likely(value: str, rule: AttributeRule, tag: str, name: str, _depth: int) -> Iterator[LinkReference]:
    source = rule_source(rule, tag, name)
    if name == "flashvars":
        yield from flashvars_references(value, source, name)
    elif value[:1] in "{[":
        yield from (found._replace(source=source, attribute=name) for found in json_references(value))
    elif "url(" in value:
        yield from style_references(value, name)
    elif (role := guess_role(value.strip(), trusted=not rule.guess)) is not None:
        yield LinkReference(value, role if rule.guess else rule.role, source, rule.guess, name)


_GrammarReader = Callable[[str, AttributeRule, str, str, int], Iterator[LinkReference]]
_GRAMMAR_READERS: Mapping[AttributeGrammar, _GrammarReader] = {
    AttributeGrammar.SRCSET: _read_srcset,
    AttributeGrammar.SPACED: _read_spaced,
    AttributeGrammar.STYLE: _read_style,
    AttributeGrammar.SCRIPT: _read_script,
    AttributeGrammar.MARKUP: _read_markup,
    AttributeGrammar.LIKELY: _read_likely,
}


def _attribute_text(value: Any) -> str:
    """An attribute's value as text; the tree gives some as lists of words."""
    return value if isinstance(value, str) else " ".join(value or ())
