"""Pages with their links renamed: the same references that `extract` finds, each changed in its place.

Theory of operation. The page is parsed once, with source locations. For each element `extract.html.tag_references`
says what it refers to and in which stretch of which attribute; the new addresses are put into these stretches, the
attribute is spelled anew, and all else stays as it was. Documents within the page (`srcdoc`, comments, strings of
scripts) are pages themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote

from turbohtml import Element

from webkeep.document import tree_parts
from webkeep.document.markup import TREE_LIMIT
from webkeep.extract import Reference
from webkeep.extract.elements import BASE
from webkeep.extract.html import DEEPEST, tag_references
from webkeep.extract.json import LINKED_DATA, import_map_references, json_references, member_references
from webkeep.extract.json import speculation_references as speculations
from webkeep.extract.link import NOWHERE, WHOLE
from webkeep.rewrite.comments import comment_places
from webkeep.rewrite.css import style_edits, style_spelling
from webkeep.rewrite.edits import LIFTED, HtmlEdits
from webkeep.rewrite.json import import_map_addresses, json_edits
from webkeep.rewrite.opening import head_place
from webkeep.rewrite.plain import address_edits, plain_edits
from webkeep.rewrite.recall import Reach, Recall
from webkeep.rewrite.renaming import Joiner, Missing, Renaming, Scripts
from webkeep.rewrite.script import script_edits, script_spelling
from webkeep.rewrite.spelling import candidate, markup_text, style_address
from webkeep.rewrite.splicing import Edit, Lines, moved, spliced
from webkeep.rewrite.tags import Places, Span, TreePlaces, streamed_tags
from webkeep.rewrite.tree import TREE_RAW_TEXT, Tree
from webkeep.rewrite.unlinked import unlinked_references
from webkeep.rewrite.wrapping import wrap_edits

_SCRIPT_TYPES = re.compile(r"|module|(?:text|application)/(?:x-)?(?:java|ecma|j|live)script[\d.]*(?:;.*)?")
_TEMPLATE_TYPES = re.compile(
    r"(?:text|application)/(?:x-)?[\w.+-]*(?:html|template|tmpl|handlebars|mustache|jsrender)[\w.+-]*"
)
_MARKUP_CONTENT = frozenset(("noscript", "noframes", "noembed", "iframe"))
_LOOKED_AT_ALWAYS = frozenset(("base", "iframe"))
_PLAIN = frozenset(("class", "id", "title", "alt", "rel", "name", "type", "width", "height", "lang", "target"))
_TELLING = frozenset(("integrity", "crossorigin", "http-equiv"))
_READ_BY_SCRIPTS = frozenset(("content", "value", "itemid", "resource", "about"))
_SCHEME = "javascript:"
_NO_EDITS = HtmlEdits()
_CANDIDATES = re.compile(r"srcset\]$")
_GONE = "\0"
_GONE_CANDIDATE = re.compile(r"\s*\0[^,]*(?:,|$)")


def page_text(text: str, joiner: Joiner, renaming: Renaming, edits: HtmlEdits, tree_limit: int = TREE_LIMIT) -> str:
    """A page's text with its links renamed and its edits made."""
    lines = Lines(text)
    page = Page(lines.text, joiner, renaming, edits)
    return spliced(text, lines.original(page.changes(tree_limit)))


class Page:
    """Collects what changes on one page."""

    def __init__(self, text: str, joiner: Joiner, renaming: Renaming, edits: HtmlEdits, depth: int = 0) -> None:
        self._text = text
        self._joiner = joiner
        self._renaming = renaming
        self._edits = edits
        self._depth = depth
        self._named_only = renaming.named_hosts_only

    def changes(self, tree_limit: int = TREE_LIMIT) -> list[Edit]:
        """What changes in the source; elements that the parser made twice change once."""
        found: dict[Span, Edit] = {}
        if self._edits.head:
            place = head_place(self._text)
            found[place, place] = Edit(place, place, self._edits.head)
        for edit in self._edits_by_size(tree_limit):
            found.setdefault((edit[0], edit[1]), edit)
        return list(found.values())

    def _edits_by_size(self, tree_limit: int) -> Iterable[Edit]:
        if len(self._text) > tree_limit:
            return self._stream_edits()
        recall = None if self._depth else self._renaming.recall
        return self._tree_edits() if recall is None else self._recalled_edits(recall)

    def _stream_edits(self) -> Iterator[Edit]:
        for name, attributes, content, places in streamed_tags(self._text):
            yield from self.element_edits(name, attributes, content, places)

    def _tree_edits(self) -> Iterator[Edit]:
        text, joiner = self._text, self._joiner
        comments: list[str] = []
        raw: list[TreePlaces] = []
        for name, attributes, content, element in tree_parts(text, True, elements_only=self._named_only):
            if element is None:
                if name == "#comment":
                    comments.append(content)
            elif not self._is_idle(name, attributes, content):
                plain = None if content else plain_edits(text, name, attributes, element, joiner)
                if plain is not None:
                    yield from plain
                    continue
                places = TreePlaces(element, len(text))
                if content:
                    raw.append(places)
                yield from self.element_edits(name, attributes, content, places)
        yield from self._comment_edits(comments, raw)

    def _recalled_edits(self, recall: Recall) -> list[Edit]:
        """The same by what is known of tags from pages before, where it is known."""
        tree = Tree(self._text)
        edits = [edit for element in tree.bases() for edit in self._element_edits(element, "")]
        recalls = not self._joiner.rooted
        everywhere, here = recall.origin.get, recall.directory.get
        raw: list[TreePlaces] = []
        for element, start, source in tree.tags():
            content = element.text if element.tag in TREE_RAW_TEXT else ""
            if content:
                raw.append(TreePlaces(element, len(self._text)))
                edits += self._element_edits(element, content)
            elif recalls and (known := everywhere(source) or here(source)) is not None:
                edits += recall.recalled(known, start)
            elif element.tag != "base":
                edits += self._learned_edits(element, start, source, recall if recalls else None)
        edits += self._comment_edits(tree.comments(), raw)
        return edits

    def _learned_edits(self, element: Element, start: int, source: str, recall: Recall | None) -> list[Edit]:
        """What changes in an element, which is remembered."""
        joiner = self._joiner
        joiner.reach, joiner.ways = Reach.ORIGIN, 0
        edits = self._element_edits(element, "")
        reach, joiner.reach = joiner.reach, Reach.PAGE
        where = element.source_location
        if recall is not None and where is not None and self._text[start : where.start_tag.end_offset] == source:
            recall.learn(source, start, edits, joiner.ways, reach)
        return edits

    def _element_edits(self, element: Element, content: str) -> list[Edit]:
        attributes = element.attrs.items()
        plain = None if content else plain_edits(self._text, element.tag, attributes, element, self._joiner)
        if plain is not None:
            return plain
        return list(self.element_edits(element.tag, attributes, content, TreePlaces(element, len(self._text))))

    def _comment_edits(self, comments: list[str], raw: list[TreePlaces]) -> Iterator[Edit]:
        """What changes in the markup of comments; there are none in raw text."""
        taken = (span for each in raw if (span := each.content()))
        for markup, begin in comment_places(self._text, comments, lambda: taken):
            yield from moved(self._inner(markup, _NO_EDITS), begin)

    def _is_idle(self, name: str, attributes: Iterable[tuple[str, Any]], content: str) -> bool:
        """Whether nothing of an element can change, told by a glance."""
        if not self._named_only or content or name in _LOOKED_AT_ALWAYS:
            return False
        for key, value in attributes:
            if key in _PLAIN:
                continue
            if key in _TELLING or key[:2] == "on":
                return False
            if not value:
                continue
            text = value if isinstance(value, str) else " ".join(value)
            # Tabs and line ends within an address mean nothing, so that `/` and `/` around one name a host.
            if ":" in text or "//" in text or "\\" in text or not text.isprintable():
                return False
        return True

    def element_edits(self, name: str, attributes: Any, content: str, places: Places) -> Iterator[Edit]:
        """What changes in one element."""
        values = {key: value if isinstance(value, str) else " ".join(value or ()) for key, value in attributes}
        changed = self._changed_values(name, attributes, values)
        lifted = list(self._edits.lifted(name, values)) if self._edits.lifts else []
        if changed or lifted:
            yield from self._attribute_edits(name, changed, lifted, places)
        if content:
            yield from self._content(name, values, content, places)

    def _changed_values(self, name: str, attributes: Any, values: Mapping[str, str]) -> dict[str, str]:
        """The new values of attributes."""
        stretches: dict[str, list[Edit]] = {}
        changed: dict[str, str] = {}
        for found in [*tag_references(name, attributes, "", DEEPEST), *unlinked_references(name, values)]:
            if found.attribute not in values or self._is_left(found):
                continue
            new = self._base(found) if found.source is BASE else self._joiner.renamed(found)
            if new is None:
                new = self._program(found)
            if new is None or found.start == NOWHERE:
                continue
            if found.start == WHOLE:
                changed.setdefault(found.attribute, new)
            else:
                edit = Edit(found.start, found.end, _spelling(new, values[found.attribute], found))
                stretches.setdefault(found.attribute, []).append(edit)
        changed |= {key: _without_missing(values[key], edits) for key, edits in stretches.items()}
        if name == "iframe" and values.get("srcdoc"):
            changed["srcdoc"] = self.markup(values["srcdoc"], self._edits)
        if self._edits.wrap_location:
            handlers = {key: changed.get(key, value) for key, value in values.items() if key[:2] == "on"}
            changed |= {key: spliced(text, self._wrap_edits(text)) for key, text in handlers.items()}
        return {key: value for key, value in changed.items() if value != values[key] or type(value) is Missing}

    def _is_left(self, found: Reference) -> bool:
        """Whether a reference is one that only scripts read, and these are left to the scripts."""
        if found.source.startswith("script") and self._renaming.scripts is not Scripts.ALL:
            return True
        if self._renaming.data:
            return False
        return found.attribute.startswith("data-") or (
            found.attribute in _READ_BY_SCRIPTS and found.source != "html meta[refresh]"
        )

    def _base(self, found: Reference) -> str | None:
        """The new text of a base, which counts for the document it stands in; only the first one does."""
        if self._joiner.rooted and not self._depth:
            return None
        new = None if self._edits.lift_base else self._joiner.renamed(found)
        if not self._depth:
            self._joiner.rebase(found.text)
        return new

    def _program(self, found: Reference) -> str | None:
        """The new text of an address that is a script."""
        text = found.text.lstrip()
        if self._renaming.scripts is not Scripts.ALL or text[: len(_SCHEME)].lower() != _SCHEME:
            return None
        program = unquote(text[len(_SCHEME) :])
        new = spliced(program, self._script_edits(program))
        return None if new == program else _SCHEME + quote(new, safe="/:?#[]@!$&'()*+,;={}|\\\"<> \n")

    def markup(self, text: str, edits: HtmlEdits = _NO_EDITS) -> str:
        """Markup within the page, renamed for itself."""
        lines = Lines(text)
        return spliced(text, lines.original(self._inner(lines.text, edits)))

    def _inner(self, text: str, edits: HtmlEdits) -> list[Edit]:
        """What changes in markup within the page."""
        if self._depth >= DEEPEST:
            return []
        return Page(text, self._joiner, self._renaming, edits, self._depth + 1).changes()

    def _attribute_edits(
        self, name: str, changed: Mapping[str, str], lifted: list[str], places: Places
    ) -> Iterator[Edit]:
        spans = places.attributes()
        for key, value in changed.items():
            if (span := spans.get(key.lower())) is not None:
                # A script without an address would run what is written in it.
                yield from address_edits(self._text, span, key, value, name == "script")
        for key in lifted:
            if (span := spans.get(key)) is not None:
                yield Edit(span[0], span[0], LIFTED)

    def _content(self, name: str, values: Mapping[str, str], content: str, places: Places) -> Iterator[Edit]:
        edits = self._content_edits(name, values, content)
        inner = places.content() if edits else None
        if inner is None:
            return
        begin, end = inner
        if self._text[begin:end] == content:
            yield from moved(edits, begin)
        elif self._text[begin:end]:  # within SVG, where style and script are no raw text
            yield Edit(begin, end, markup_text(spliced(content, edits)))

    def _content_edits(self, name: str, values: Mapping[str, str], content: str) -> list[Edit]:
        if name == "style":
            return style_edits(content, self._joiner)
        if name == "script":
            return self._script(values.get("type", "").strip().lower()[:100], content)
        if name in _MARKUP_CONTENT and "<" in content:
            return self._inner(content, _NO_EDITS)
        return []

    def _script(self, kind: str, text: str) -> list[Edit]:
        if kind == "importmap":
            found = [*import_map_references(text), *(import_map_addresses(text) if self._named_only else ())]
            return json_edits(text, found, self._joiner, names=True)
        if kind == "speculationrules":
            return json_edits(text, speculations(text), self._joiner)
        if _SCRIPT_TYPES.fullmatch(kind):
            edits = self._script_edits(text)
            return edits + self._wrap_edits(text) if self._edits.wrap_location else edits
        if self._renaming.scripts is not Scripts.ALL:
            return []
        if kind == "application/ld+json":
            return json_edits(text, member_references(text, LINKED_DATA, "html json-ld"), self._joiner)
        if kind.endswith("json"):
            return json_edits(text, json_references(text, "html json"), self._joiner)
        return self._inner(text, _NO_EDITS) if _TEMPLATE_TYPES.fullmatch(kind) else []

    def _wrap_edits(self, text: str) -> list[Edit]:
        return wrap_edits(text, self._joiner.base if self._edits.wrap_imports else "")

    def _script_edits(self, text: str) -> list[Edit]:
        return script_edits(text, self._joiner, self._renaming.scripts, markup=self.markup)


def _without_missing(value: str, edits: list[Edit]) -> str:
    """A value with its stretches changed, and without candidates that lead to nothing."""
    new = spliced(value, edits)
    if _GONE not in new:
        return new
    kept = _GONE_CANDIDATE.sub("", new).strip(" ,")
    return kept or Missing(value)


def _spelling(new: str, value: str, found: Reference) -> str:
    if type(new) is Missing:
        return _GONE if _CANDIDATES.search(found.source) else style_address(new.data_address, "")
    if found.source.startswith("css"):
        return style_spelling(new, value, found)
    if found.source.startswith("script"):
        return script_spelling(new, value, found)
    return candidate(new)
