"""XML with its links renamed (URL rewriting): SVG and XHTML by the rules of HTML, feeds, sitemaps and DASH by what was
found in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webkeep.extract.links import WHOLE_VALUE, LinkReference, LinkRole
from webkeep.rewrite.html_rewrite import HtmlRewrite
from webkeep.rewrite.link_escaping import escape_attribute as attribute_spelling, escape_markup
from webkeep.rewrite.link_renaming import MissingTarget, ReferenceRenamer, may_name_host
from webkeep.rewrite.text_edits import TextEdit
from webkeep.rewrite.xml_source import XmlTag, XmlTextPiece, read_xml_pieces

_STYLESHEET_NAME = "?xml-stylesheet"


def xml_markup_edits(
    text: str, page: HtmlRewrite, renamer: ReferenceRenamer, references: Iterable[LinkReference]
) -> Iterator[TextEdit]:
    """What changes in XML that is read like HTML; the references are those found in it, also in its text."""
    in_text = {found.text: found for found in references if found.start == WHOLE_VALUE and not found.attribute}
    for piece in read_xml_pieces(text):
        if isinstance(piece, XmlTextPiece):
            found = in_text.get(piece.text.strip())
            if found is not None:
                yield from _text_piece_edit(piece, renamer.rename_reference(found))
        elif piece.name == _STYLESHEET_NAME:
            yield from _sheet_edits(text, piece, renamer)
        else:
            plain = [(key, value) for key, value in piece.attributes if "{" not in value]
            yield from page.element_edits(piece.name, plain, piece.content, piece.places)


def xml_value_edits(
    text: str, page: HtmlRewrite, renamer: ReferenceRenamer, references: Iterable[LinkReference]
) -> Iterator[TextEdit]:
    """What changes in a feed, a sitemap or a presentation: values that were found to be links, and markup in text."""
    found = {each.text: each for each in references}
    for piece in read_xml_pieces(text):
        if isinstance(piece, XmlTag):
            if piece.name == _STYLESHEET_NAME:
                yield from _sheet_edits(text, piece, renamer)
            yield from _value_edits(text, piece, found, renamer)
        else:
            words = piece.text.strip()
            reference = found.get(words) or _host_reference(words, renamer)
            if reference is not None:
                yield from _text_piece_edit(piece, renamer.rename_reference(reference))
            elif "<" in words:
                new = page.rewrite_markup(piece.text)
                yield from _text_piece_edit(piece, None if new == piece.text else new)


def _value_edits(
    text: str, tag: XmlTag, found: dict[str, LinkReference], renamer: ReferenceRenamer
) -> Iterator[TextEdit]:
    for key, value in tag.attributes:
        reference = None if key.startswith("xmlns") else found.get(value) or _host_reference(value, renamer)
        new = renamer.rename_reference(reference) if reference is not None else None
        if new is not None:
            yield from _attribute_edit(text, tag, key, new)


def _host_reference(value: str, renamer: ReferenceRenamer) -> LinkReference | None:
    """Where only what names a host is renamed, templates and beginnings of addresses can be renamed as well."""
    if renamer.named_hosts_only and "$" in value and may_name_host(value):
        return LinkReference(value, LinkRole.EMBED, "xml value", True)
    return None


def _sheet_edits(text: str, tag: XmlTag, renamer: ReferenceRenamer) -> Iterator[TextEdit]:
    address = dict(tag.attributes).get("href")
    new = renamer.rename_reference(LinkReference(address, LinkRole.EMBED, "xml-stylesheet")) if address else None
    if new is not None:
        yield from _attribute_edit(text, tag, "href", new.data_url if type(new) is MissingTarget else new)


def _attribute_edit(text: str, tag: XmlTag, key: str, new: str) -> Iterator[TextEdit]:
    begin, end = tag.places.spans[key.lower()]
    sign = text.index("=", begin)
    yield TextEdit(sign + 1, end, f'"{attribute_spelling(new, chr(34))}"')


def _text_piece_edit(words: XmlTextPiece, new: str | None) -> Iterator[TextEdit]:
    if new is None:
        return
    if words.is_literal:
        yield TextEdit(words.start, words.end, new.replace("]]>", "]]&gt;"))
    else:
        yield TextEdit(words.start, words.end, escape_markup(new))
