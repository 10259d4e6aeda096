"""Links of feeds: RSS, Atom and RDF, with the usual extensions, and OPML: which elements and attributes hold addresses,
which hold markup, and what xml:base makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.document import read_tree_parts
from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.html.html_links import html_references, tag_references
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.extract.links.link_guess import is_absolute_address
from webkeep.extract.links.link_relation import relation_role
from webkeep.formats.site import XmlEnd, XmlStart, XmlText, local_name, read_xml_events
from webkeep.url import resolve_url

_E, _N = LinkRole.EMBED, LinkRole.NAVIGATE
_TEXT_ROLES: Mapping[str, LinkRole] = {
    "link": _N, "comments": _N, "commentRss": _N, "origLink": _N, "origEnclosureLink": _E, "uri": _N, "url": _E,
    "icon": _E, "logo": _E, "guid": _N, "new-feed-url": _N,
}  # fmt: skip
_MARKUP_WORDS = "encoded description content summary body"
_MARKUP_ELEMENTS = frozenset(_MARKUP_WORDS.split())
_ATTRIBUTE_ROLES: Mapping[tuple[str, str], LinkRole] = {
    ("enclosure", "url"): _E, ("content", "url"): _E, ("thumbnail", "url"): _E, ("player", "url"): _N,
    ("source", "url"): _N, ("content", "src"): _E, ("image", "href"): _E, ("item", "rdf:about"): _N,
    ("channel", "rdf:about"): _N, ("image", "rdf:resource"): _E, ("li", "rdf:resource"): _N, ("li", "resource"): _N,
    ("transcript", "url"): _E, ("chapters", "url"): _E, ("image", "url"): _E, ("embed", "url"): _N,
    ("outline", "xmlUrl"): _N, ("outline", "htmlUrl"): _N, ("outline", "url"): _N, ("outline", "xmlurl"): _N,
    ("outline", "htmlurl"): _N,
}  # fmt: skip
_INLINE_WORDS = "a img iframe video audio source track embed area picture"
_INLINE_TAGS = frozenset(_INLINE_WORDS.split())
_MAX_TEXT_CHARS = 1024 * 1024
"""Of the content of one item, which is markup that is read for links."""
_MAX_BASES = 64
"""Depth to which `xml:base` is followed; feeds have one or two."""


def feed_references(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    """What a feed refers to: its site, its items and their media, and the links within the items' content."""
    return _FeedReader(resource.url).read_references(text)


class _FeedReader:
    """Follows the elements of a feed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._depth = 0
        # What relative addresses are relative to, and at which depth that began.
        self._bases: list[tuple[int, str]] = []
        self._text: list[str] | None = None
        self._size = 0
        self._counts = True

    def read_references(self, text: str) -> Iterator[LinkReference]:
        for event in read_xml_events(text):
            match event:
                case XmlStart(name, attributes):
                    self._push_base(attributes)
                    yield from self._with_base(self._on_start(name, attributes))
                case XmlText(words) if self._text is not None and self._size < _MAX_TEXT_CHARS:
                    self._text.append(words)
                    self._size += len(words)
                case XmlEnd(name):
                    yield from self._with_base(self._on_end(local_name(name)))
                    self._pop_base()
                case _:
                    pass

    def _push_base(self, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        base = attributes.get("xml:base")
        if base and len(self._bases) < _MAX_BASES:
            outer = self._bases[-1][1] if self._bases else self._url
            self._bases.append((self._depth, resolve_url(outer, base) or outer))

    def _pop_base(self) -> None:
        if self._bases and self._bases[-1][0] >= self._depth:
            self._bases.pop()
        self._depth = max(0, self._depth - 1)

    def _with_base(self, found: Iterator[LinkReference]) -> Iterator[LinkReference]:
        if not self._bases:
            return found
        return (each._replace(base=self._bases[-1][1]) for each in found)

    def _on_start(self, name: str, attributes: Mapping[str, str]) -> Iterator[LinkReference]:
        local = local_name(name)
        if local in _TEXT_ROLES or local in _MARKUP_ELEMENTS:
            self._text, self._size = [], 0
            self._counts = attributes.get("isPermaLink", "").lower() != "false"
        if local == "link" and attributes.get("href"):
            yield from _link_references(attributes)
        elif local in _INLINE_TAGS:
            yield from tag_references(local, list(attributes.items()))
        for attribute, value in attributes.items():
            role = _ATTRIBUTE_ROLES.get((local, attribute))
            if role is not None and value:
                yield LinkReference(value, role, f"feed {local}[{attribute}]")

    def _on_end(self, local: str) -> Iterator[LinkReference]:
        if self._text is None or (local not in _TEXT_ROLES and local not in _MARKUP_ELEMENTS):
            return
        text, self._text = "".join(self._text).strip(), None
        if local in _MARKUP_ELEMENTS:
            yield from _markup_references(text)
        elif text and self._counts and (local != "guid" or is_absolute_address(text)):
            yield LinkReference(text, _TEXT_ROLES[local], f"feed {local}")


def _link_references(attributes: Mapping[str, str]) -> Iterator[LinkReference]:
    rel = attributes.get("rel", "")
    meaning = (LinkRole.EMBED, False) if rel == "enclosure" else relation_role(rel)
    if meaning is not None:
        yield LinkReference(attributes["href"], meaning[0], "feed link[href]", meaning[1])


def _markup_references(text: str) -> Iterator[LinkReference]:
    if "<" in text:
        for found in html_references(text, 1, read_tree_parts):
            yield found._replace(source=f"feed {found.source}")
