"""Documents with their links renamed (URL rewriting), each by its kind: which kinds are rewritten (HTML, CSS,
JavaScript, JSON, XML, playlists), by what, and how much of a document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from webkeep.extract import XML_READERS, DocumentKind, detect_kind, link_field_references
from webkeep.extract.documents import (
    DecodedContent,
    TextReader,
    playlist_references,
    pls_references,
    root_element_name,
    xml_references,
)
from webkeep.extract.inline import (
    JSON_FEED_MEMBERS,
    LINKED_DATA_MEMBERS,
    MANIFEST_MEMBERS,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.links import LinkBase, LinkReference
from webkeep.rewrite.css_rewrite import style_edits
from webkeep.rewrite.header_rewrite import bracketed_edits
from webkeep.rewrite.html_edits import HtmlEdits, head_position
from webkeep.rewrite.html_rewrite import HtmlRewrite, rewrite_page
from webkeep.rewrite.json_rewrite import import_map_addresses, json_edits
from webkeep.rewrite.link_renaming import LinkRenaming, ReferenceRenamer, ScriptRenaming
from webkeep.rewrite.playlist_rewrite import playlist_edits
from webkeep.rewrite.script_rewrite import script_edits
from webkeep.rewrite.script_wrapper import wrap_script
from webkeep.rewrite.text_carrier import TextCarrier
from webkeep.rewrite.text_edits import TextEdit, apply_edits
from webkeep.rewrite.xml_rewrite import xml_markup_edits, xml_value_edits

MAX_REWRITTEN_BYTES = 32 * 1024 * 1024
"""How many bytes from the start of a document are rewritten; what is beyond stays as it is."""

_NO_EDITS = HtmlEdits()
_DATA_KINDS = frozenset((DocumentKind.JSON, DocumentKind.JSON_FEED, DocumentKind.LINKED_DATA))


def can_rewrite(kind: DocumentKind, renaming: LinkRenaming) -> bool:
    """Whether anything may change in documents of a kind; others need not be read."""
    if kind in _DATA_KINDS or (kind is DocumentKind.SCRIPT and renaming.scripts is ScriptRenaming.NONE):
        return renaming.scripts is ScriptRenaming.ALL
    return kind in _EDITORS or kind is DocumentKind.HTML


def rewrite_document(
    content: bytes,
    url: str,
    renaming: LinkRenaming,
    *,
    media_type: str = "",
    charset: str = "",
    kind: DocumentKind | None = None,
    page: str = "",
    edits: HtmlEdits = _NO_EDITS,
) -> bytes:
    """A document, without any coding, with its links renamed; all else is as it was, byte for byte.

    `media_type` and `charset` are what its server said, `kind` what it is where that was found out before, `page` the
    page a script runs in. Only the first `MAX_REWRITTEN_BYTES` bytes are looked at: of a longer document it is enough
    to hand over these, and to pass on the rest behind what is returned.
    """
    kind = kind or detect_kind(media_type, content, url)
    if not can_rewrite(kind, renaming):
        return content
    start, rest = (content, b"") if len(content) <= MAX_REWRITTEN_BYTES else _split_rewritable(content)
    carrier = TextCarrier.from_bytes(start, charset)
    if carrier is None:
        return content
    task = _RewriteTask(
        carrier.text,
        url,
        renaming,
        ReferenceRenamer(renaming, LinkBase(url, carrier.charset), carrier.decode_span),
        page,
        edits,
    )
    if kind is DocumentKind.HTML:
        text = rewrite_page(task.text, task.renamer, renaming, edits)
    else:
        text = apply_edits(task.text, _EDITORS[kind](task))
    return content if text == carrier.text else carrier.to_bytes(text) + rest


@dataclass(frozen=True, slots=True)
class _RewriteTask:
    """One document's text and how its links are renamed."""

    text: str
    url: str
    renaming: LinkRenaming
    renamer: ReferenceRenamer
    page: str
    edits: HtmlEdits

    def markup_rewrite(self) -> HtmlRewrite:
        """What renames the links of markup in the document's text."""
        return HtmlRewrite(self.text, self.renamer, self.renaming, _NO_EDITS)


def _split_rewritable(content: bytes) -> tuple[bytes, bytes]:
    """The beginning and the rest, parted where a line or tag ends so that no character is cut."""
    at = MAX_REWRITTEN_BYTES
    at = max(content.rfind(b">", 0, at), content.rfind(b"\n", 0, at)) + 1
    at = (at or MAX_REWRITTEN_BYTES) // 4 * 4 if b"\0" in content[:64] else at or MAX_REWRITTEN_BYTES
    return content[:at], content[at:]


def _edit_style(task: _RewriteTask) -> Iterable[TextEdit]:
    return style_edits(task.text, task.renamer)


def _edit_script(task: _RewriteTask) -> Iterable[TextEdit]:
    markup = task.markup_rewrite()
    edits = script_edits(task.text, task.renamer, task.renaming.scripts, page=task.page, markup=markup.rewrite_markup)
    wrapped = wrap_script(task.text, task.url if task.edits.wrap_imports else "") if task.edits.wrap_location else []
    return [*edits, *wrapped]


def _edit_xml(task: _RewriteTask) -> Iterable[TextEdit]:
    root = root_element_name(task.text)
    resource = DecodedContent(task.url, b"")
    if root in XML_READERS:
        return xml_value_edits(task.text, task.markup_rewrite(), task.renamer, XML_READERS[root](task.text, resource))
    page = HtmlRewrite(task.text, task.renamer, task.renaming, task.edits)
    edits = [*xml_markup_edits(task.text, page, task.renamer, xml_references(task.text, resource))]
    if root == "html" and task.edits.head:
        place = head_position(task.text)
        edits.append(TextEdit(place, place, task.edits.head))
    return edits


def _json_editor(reader: Callable[[str], Iterable[LinkReference]]) -> Callable[[_RewriteTask], Iterable[TextEdit]]:
    return lambda task: json_edits(task.text, reader(task.text), task.renamer)


def _edit_import_map(task: _RewriteTask) -> Iterable[TextEdit]:
    found = [*import_map_references(task.text)]
    if task.renamer.named_hosts_only:
        found += import_map_addresses(task.text)
    return json_edits(task.text, found, task.renamer, names=True)


def _playlist_editor(reader: TextReader) -> Callable[[_RewriteTask], Iterable[TextEdit]]:
    return lambda task: playlist_edits(task.text, reader(task.text, DecodedContent(task.url, b"")), task.renamer)


def _edit_link_set(task: _RewriteTask) -> Iterable[TextEdit]:
    return bracketed_edits(task.text, {each.text: each for each in link_field_references(task.text)}, task.renamer)


_EDITORS: Mapping[DocumentKind, Callable[[_RewriteTask], Iterable[TextEdit]]] = {
    DocumentKind.XML: _edit_xml,
    DocumentKind.CSS: _edit_style,
    DocumentKind.SCRIPT: _edit_script,
    DocumentKind.JSON: _json_editor(json_references),
    DocumentKind.MANIFEST: _json_editor(lambda text: member_references(text, MANIFEST_MEMBERS, "manifest")),
    DocumentKind.JSON_FEED: _json_editor(lambda text: member_references(text, JSON_FEED_MEMBERS, "json feed")),
    DocumentKind.LINKED_DATA: _json_editor(lambda text: member_references(text, LINKED_DATA_MEMBERS, "json-ld")),
    DocumentKind.IMPORT_MAP: _edit_import_map,
    DocumentKind.SPECULATION: _json_editor(speculation_references),
    DocumentKind.PLAYLIST: _playlist_editor(playlist_references),
    DocumentKind.PLAYLIST_ENTRIES: _playlist_editor(pls_references),
    DocumentKind.LINK_SET: _edit_link_set,
}
