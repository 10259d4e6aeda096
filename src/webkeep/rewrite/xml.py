"""XML with its links renamed: SVG and XHTML by the rules of HTML, feeds and the like by what was found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.extract import Reference, Role
from webkeep.extract.link import WHOLE
from webkeep.rewrite.html import Page
from webkeep.rewrite.renaming import Joiner, Missing, may_name_host
from webkeep.rewrite.spelling import attribute as attribute_spelling
from webkeep.rewrite.spelling import markup_text
from webkeep.rewrite.splicing import Edit
from webkeep.rewrite.xml_tags import XmlTag, XmlWords, xml_pieces

_SHEET = "?xml-stylesheet"


def tagged_edits(text: str, page: Page, joiner: Joiner, references: Iterable[Reference]) -> Iterator[Edit]:
    """What changes in XML that is read like HTML; the references are those found in it, also in its text."""
    in_text = {found.text: found for found in references if found.start == WHOLE and not found.attribute}
    for piece in xml_pieces(text):
        if isinstance(piece, XmlWords):
            found = in_text.get(piece.text.strip())
            if found is not None:
                yield from _words_edit(piece, joiner.renamed(found))
        elif piece.name == _SHEET:
            yield from _sheet_edits(text, piece, joiner)
        else:
            plain = [(key, value) for key, value in piece.attributes if "{" not in value]
            yield from page.element_edits(piece.name, plain, piece.content, piece.places)


def valued_edits(text: str, page: Page, joiner: Joiner, references: Iterable[Reference]) -> Iterator[Edit]:
    """What changes in a feed, a sitemap or a presentation: values that were found to be links, and markup in text."""
    found = {each.text: each for each in references}
    for piece in xml_pieces(text):
        if isinstance(piece, XmlTag):
            if piece.name == _SHEET:
                yield from _sheet_edits(text, piece, joiner)
            yield from _value_edits(text, piece, found, joiner)
        else:
            words = piece.text.strip()
            reference = found.get(words) or _host_named(words, joiner)
            if reference is not None:
                yield from _words_edit(piece, joiner.renamed(reference))
            elif "<" in words:
                new = page.markup(piece.text)
                yield from _words_edit(piece, None if new == piece.text else new)


def _value_edits(text: str, tag: XmlTag, found: dict[str, Reference], joiner: Joiner) -> Iterator[Edit]:
    for key, value in tag.attributes:
        reference = None if key.startswith("xmlns") else found.get(value) or _host_named(value, joiner)
        new = joiner.renamed(reference) if reference is not None else None
        if new is not None:
            yield from _attribute_edit(text, tag, key, new)


def _host_named(value: str, joiner: Joiner) -> Reference | None:
    """Where only what names a host is renamed, templates and beginnings of addresses can be renamed as well."""
    if joiner.named_hosts_only and "$" in value and may_name_host(value):
        return Reference(value, Role.EMBED, "xml value", True)
    return None


def _sheet_edits(text: str, tag: XmlTag, joiner: Joiner) -> Iterator[Edit]:
    address = dict(tag.attributes).get("href")
    new = joiner.renamed(Reference(address, Role.EMBED, "xml-stylesheet")) if address else None
    if new is not None:
        yield from _attribute_edit(text, tag, "href", new.data_address if type(new) is Missing else new)


def _attribute_edit(text: str, tag: XmlTag, key: str, new: str) -> Iterator[Edit]:
    begin, end = tag.places.spans[key.lower()]
    sign = text.index("=", begin)
    yield Edit(sign + 1, end, f'"{attribute_spelling(new, chr(34))}"')


def _words_edit(words: XmlWords, new: str | None) -> Iterator[Edit]:
    if new is None:
        return
    if words.is_literal:
        yield Edit(words.start, words.end, new.replace("]]>", "]]&gt;"))
    else:
        yield Edit(words.start, words.end, markup_text(new))
