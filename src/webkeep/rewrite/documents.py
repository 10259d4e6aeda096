"""Documents with their links renamed, each by its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from webkeep.extract import Kind, Reference, Resource, kind_of
from webkeep.extract.base import Base
from webkeep.extract.headers import link_field_references
from webkeep.extract.json import (
    JSON_FEED,
    LINKED_DATA,
    MANIFEST,
    import_map_references,
    json_references,
    member_references,
    speculation_references,
)
from webkeep.extract.playlist import listed_references, playlist_references
from webkeep.extract.reading import XML_READERS
from webkeep.extract.resource import TextReader
from webkeep.extract.xml import root_name, xml_references
from webkeep.rewrite.carrier import Carrier
from webkeep.rewrite.css import style_edits
from webkeep.rewrite.edits import HtmlEdits
from webkeep.rewrite.fields import bracketed_edits
from webkeep.rewrite.html import Page, page_text
from webkeep.rewrite.json import import_map_addresses, json_edits
from webkeep.rewrite.opening import head_place
from webkeep.rewrite.playlist import playlist_edits
from webkeep.rewrite.renaming import Joiner, Renaming, Scripts
from webkeep.rewrite.script import script_edits
from webkeep.rewrite.splicing import Edit, spliced
from webkeep.rewrite.wrapping import wrap_edits
from webkeep.rewrite.xml import tagged_edits, valued_edits

MOST_REWRITTEN = 32 * 1024 * 1024
"""How many bytes from the start of a document are rewritten; what is beyond stays as it is."""

_NO_EDITS = HtmlEdits()
_DATA = frozenset((Kind.JSON, Kind.JSON_FEED, Kind.LINKED_DATA))


def is_rewritten(kind: Kind, renaming: Renaming) -> bool:
    """Whether anything may change in documents of a kind; others need not be read."""
    if kind in _DATA or (kind is Kind.SCRIPT and renaming.scripts is Scripts.NONE):
        return renaming.scripts is Scripts.ALL
    return kind in _EDITORS or kind is Kind.HTML


def rewrite_document(
    content: bytes,
    url: str,
    renaming: Renaming,
    *,
    media_type: str = "",
    charset: str = "",
    kind: Kind | None = None,
    page: str = "",
    edits: HtmlEdits = _NO_EDITS,
) -> bytes:
    """A document, without any coding, with its links renamed; all else is as it was, byte for byte.

    `media_type` and `charset` are what its server said, `kind` what it is where that was found out before, `page` the
    page a script runs in. Only the first `MOST_REWRITTEN` bytes are looked at: of a longer document it is enough to
    hand over these, and to pass on the rest behind what is returned.
    """
    kind = kind or kind_of(media_type, content, url)
    if not is_rewritten(kind, renaming):
        return content
    start, rest = (content, b"") if len(content) <= MOST_REWRITTEN else _parted(content)
    carrier = Carrier.of(start, charset)
    if carrier is None:
        return content
    task = _Task(carrier.text, url, renaming, Joiner(renaming, Base(url, carrier.charset), carrier.meant), page, edits)
    if kind is Kind.HTML:
        text = page_text(task.text, task.joiner, renaming, edits)
    else:
        text = spliced(task.text, _EDITORS[kind](task))
    return content if text == carrier.text else carrier.bytes_of(text) + rest


@dataclass(frozen=True, slots=True)
class _Task:
    """One document's text and how its links are renamed."""

    text: str
    url: str
    renaming: Renaming
    joiner: Joiner
    page: str
    edits: HtmlEdits

    def markup(self) -> Page:
        """What renames the links of markup in the document's text."""
        return Page(self.text, self.joiner, self.renaming, _NO_EDITS)


def _parted(content: bytes) -> tuple[bytes, bytes]:
    """The beginning and the rest, parted where a line or tag ends so that no character is cut."""
    at = MOST_REWRITTEN
    at = max(content.rfind(b">", 0, at), content.rfind(b"\n", 0, at)) + 1
    at = (at or MOST_REWRITTEN) // 4 * 4 if b"\0" in content[:64] else at or MOST_REWRITTEN
    return content[:at], content[at:]


def _style(task: _Task) -> Iterable[Edit]:
    return style_edits(task.text, task.joiner)


def _script(task: _Task) -> Iterable[Edit]:
    markup = task.markup()
    edits = script_edits(task.text, task.joiner, task.renaming.scripts, page=task.page, markup=markup.markup)
    wrapped = wrap_edits(task.text, task.url if task.edits.wrap_imports else "") if task.edits.wrap_location else []
    return [*edits, *wrapped]


def _xml(task: _Task) -> Iterable[Edit]:
    root = root_name(task.text)
    resource = Resource(task.url, b"")
    if root in XML_READERS:
        return valued_edits(task.text, task.markup(), task.joiner, XML_READERS[root](task.text, resource))
    page = Page(task.text, task.joiner, task.renaming, task.edits)
    edits = [*tagged_edits(task.text, page, task.joiner, xml_references(task.text, resource))]
    if root == "html" and task.edits.head:
        place = head_place(task.text)
        edits.append(Edit(place, place, task.edits.head))
    return edits


def _json(reader: Callable[[str], Iterable[Reference]]) -> Callable[[_Task], Iterable[Edit]]:
    return lambda task: json_edits(task.text, reader(task.text), task.joiner)


def _import_map(task: _Task) -> Iterable[Edit]:
    found = [*import_map_references(task.text)]
    if task.joiner.named_hosts_only:
        found += import_map_addresses(task.text)
    return json_edits(task.text, found, task.joiner, names=True)


def _playlist(reader: TextReader) -> Callable[[_Task], Iterable[Edit]]:
    return lambda task: playlist_edits(task.text, reader(task.text, Resource(task.url, b"")), task.joiner)


def _link_set(task: _Task) -> Iterable[Edit]:
    return bracketed_edits(task.text, {each.text: each for each in link_field_references(task.text)}, task.joiner)


_EDITORS: Mapping[Kind, Callable[[_Task], Iterable[Edit]]] = {
    Kind.XML: _xml,
    Kind.CSS: _style,
    Kind.SCRIPT: _script,
    Kind.JSON: _json(json_references),
    Kind.MANIFEST: _json(lambda text: member_references(text, MANIFEST, "manifest")),
    Kind.JSON_FEED: _json(lambda text: member_references(text, JSON_FEED, "json feed")),
    Kind.LINKED_DATA: _json(lambda text: member_references(text, LINKED_DATA, "json-ld")),
    Kind.IMPORT_MAP: _import_map,
    Kind.SPECULATION: _json(speculation_references),
    Kind.PLAYLIST: _playlist(playlist_references),
    Kind.PLAYLIST_ENTRIES: _playlist(listed_references),
    Kind.LINK_SET: _link_set,
}
