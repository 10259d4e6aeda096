"""Links of feeds: RSS, Atom and RDF, with the usual extensions, and OPML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.document import tree_parts
from webkeep.extract.guess import is_absolute
from webkeep.extract.html import html_references, tag_references
from webkeep.extract.link import Reference, Role
from webkeep.extract.relation import relation_role
from webkeep.extract.resource import Resource
from webkeep.formats.xml_events import XmlEnd, XmlStart, XmlText, local_name, xml_events
from webkeep.url import resolve

_E, _N = Role.EMBED, Role.NAVIGATE
_TEXTS: Mapping[str, Role] = {
    "link": _N, "comments": _N, "commentRss": _N, "origLink": _N, "origEnclosureLink": _E, "uri": _N, "url": _E,
    "icon": _E, "logo": _E, "guid": _N, "new-feed-url": _N,
}  # fmt: skip
_MARKUP_WORDS = "encoded description content summary body"
_MARKUP = frozenset(_MARKUP_WORDS.split())
_ATTRIBUTES: Mapping[tuple[str, str], Role] = {
    ("enclosure", "url"): _E, ("content", "url"): _E, ("thumbnail", "url"): _E, ("player", "url"): _N,
    ("source", "url"): _N, ("content", "src"): _E, ("image", "href"): _E, ("item", "rdf:about"): _N,
    ("channel", "rdf:about"): _N, ("image", "rdf:resource"): _E, ("li", "rdf:resource"): _N, ("li", "resource"): _N,
    ("transcript", "url"): _E, ("chapters", "url"): _E, ("image", "url"): _E, ("embed", "url"): _N,
    ("outline", "xmlUrl"): _N, ("outline", "htmlUrl"): _N, ("outline", "url"): _N, ("outline", "xmlurl"): _N,
    ("outline", "htmlurl"): _N,
}  # fmt: skip
_INLINE_WORDS = "a img iframe video audio source track embed area picture"
_INLINE = frozenset(_INLINE_WORDS.split())
_LONGEST = 1024 * 1024
_MOST_BASES = 64


def feed_references(text: str, resource: Resource) -> Iterator[Reference]:
    """What a feed refers to: its site, its items and their media, and the links within the items' content."""
    return _Feed(resource.url).references(text)


class _Feed:
    """Follows the elements of a feed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._depth = 0
        # What relative addresses are relative to, and at which depth that began.
        self._bases: list[tuple[int, str]] = []
        self._text: list[str] | None = None
        self._size = 0
        self._counts = True

    def references(self, text: str) -> Iterator[Reference]:
        for event in xml_events(text):
            match event:
                case XmlStart(name, attributes):
                    self._open(attributes)
                    yield from self._placed(self._started(name, attributes))
                case XmlText(words) if self._text is not None and self._size < _LONGEST:
                    self._text.append(words)
                    self._size += len(words)
                case XmlEnd(name):
                    yield from self._placed(self._ended(local_name(name)))
                    self._close()
                case _:
                    pass

    def _open(self, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        base = attributes.get("xml:base")
        if base and len(self._bases) < _MOST_BASES:
            outer = self._bases[-1][1] if self._bases else self._url
            self._bases.append((self._depth, resolve(outer, base) or outer))

    def _close(self) -> None:
        if self._bases and self._bases[-1][0] >= self._depth:
            self._bases.pop()
        self._depth = max(0, self._depth - 1)

    def _placed(self, found: Iterator[Reference]) -> Iterator[Reference]:
        if not self._bases:
            return found
        return (each._replace(base=self._bases[-1][1]) for each in found)

    def _started(self, name: str, attributes: Mapping[str, str]) -> Iterator[Reference]:
        local = local_name(name)
        if local in _TEXTS or local in _MARKUP:
            self._text, self._size = [], 0
            self._counts = attributes.get("isPermaLink", "").lower() != "false"
        if local == "link" and attributes.get("href"):
            yield from _link(attributes)
        elif local in _INLINE:
            yield from tag_references(local, list(attributes.items()))
        for attribute, value in attributes.items():
            role = _ATTRIBUTES.get((local, attribute))
            if role is not None and value:
                yield Reference(value, role, f"feed {local}[{attribute}]")

    def _ended(self, local: str) -> Iterator[Reference]:
        if self._text is None or (local not in _TEXTS and local not in _MARKUP):
            return
        text, self._text = "".join(self._text).strip(), None
        if local in _MARKUP:
            yield from _markup(text)
        elif text and self._counts and (local != "guid" or is_absolute(text)):
            yield Reference(text, _TEXTS[local], f"feed {local}")


def _link(attributes: Mapping[str, str]) -> Iterator[Reference]:
    rel = attributes.get("rel", "")
    meaning = (Role.EMBED, False) if rel == "enclosure" else relation_role(rel)
    if meaning is not None:
        yield Reference(attributes["href"], meaning[0], "feed link[href]", meaning[1])


def _markup(text: str) -> Iterator[Reference]:
    if "<" in text:
        for found in html_references(text, 1, tree_parts):
            yield found._replace(source=f"feed {found.source}")
