"""Packaging as WACZ: records, index and pages of a selection in one file; what counts as a page, and which title it
has.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from webkeep.document import read_page_title
from webkeep.errors import StorageError
from webkeep.formats import DUMP_PREFIX, is_dump_urn
from webkeep.formats.http import declared_charset
from webkeep.formats.states import ROOT_STATE, StateNote
from webkeep.formats.status import OK
from webkeep.formats.wacz import WaczDescription, WaczPage, WaczWriter
from webkeep.model import Moment, Observation
from webkeep.store.archive.archive import Archive
from webkeep.store.archive.selection import Selection
from webkeep.store.folder.file_body import FileBody
from webkeep.store.index.cdxj_lines import cdx_lines
from webkeep.store.index.index_rows import IndexRows
from webkeep.store.index.url_index import IndexRange, UrlIndex
from webkeep.store.reading.record_scan import scan_file
from webkeep.store.transfer.warc_export import WarcExport, write_warc
from webkeep.store.views.state_notes import select_states
from webkeep.url import UrlMatch
from webkeep.version import __version__

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MAX_TITLE_BYTES = 256 * 1024
"""Of a page, within which its title is looked for."""
_WEB_SCHEMES = ("http:", "https:", "ftp:", "file:")
_CHECKPOINT_PATH = "log/checkpoint"
"""The last checkpoint of the archive's log, as a signed note; the log itself, or proofs, are among the records."""
_ROWS_PER_BATCH = 2000
"""Rows that go into the temporary index in one transaction."""


def write_wacz(
    archive: Archive,
    selection: Selection,
    stream: BinaryIO,
    title: str = "",
    workspace: Path | None = None,
    dumps: bool = False,
) -> tuple[int, int]:
    """Write a WACZ; gives how many index lines and pages it has. `workspace` takes what must be written twice.

    Databases, which are private, go along only where that is said.
    """
    description = describe_package(archive, title)
    with WaczWriter(stream, archive.clock.now(), description) as writer:
        return add_archive(writer, archive, replace(selection, dumps=dumps), workspace)


def describe_package(archive: Archive, title: str = "") -> WaczDescription:
    """What a package says of the archive that it is made of: its title and description, and what else Dublin Core has,
    under the names that packages of data have for it and under its own.
    """
    about = archive.settings.about
    told = {"title": about.title, "description": about.description, "creator": about.creator, "rights": about.rights}
    terms: dict[str, object] = {f"dc:{name}": text for name, text in told.items() if text}
    extra: dict[str, object] = {}
    if about.subjects:
        extra["keywords"] = terms["dc:subject"] = list(about.subjects)
    if about.creator:
        extra["contributors"] = [{"title": about.creator, "role": "author"}]
    if terms:
        extra["dublinCore"] = terms
    named = title or about.title or archive.name
    return WaczDescription(named, about.description, software=f"webkeep/{__version__}", extra=extra)


def add_archive(
    writer: WaczWriter, archive: Archive, selection: Selection, workspace: Path | None = None
) -> tuple[int, int]:
    """Add the records, index and pages of a selection to a WACZ; gives how many index lines and pages these are."""
    pages = _PageList(archive, selection)
    is_plain = all(name.endswith(".warc.gz") for name in archive.layout.warc_names())
    if selection.is_everything and is_plain and (selection.dumps or not count_dumps(archive)):
        lines = _add_files(archive, writer)
    else:
        lines = _add_selection(archive, selection, writer, workspace)
    writer.add_pages(pages.list_pages())
    if archive.log is not None and archive.log.checkpoint:
        writer.add_file(_CHECKPOINT_PATH, [archive.log.checkpoint])
    return lines, pages.count


def count_dumps(archive: Archive) -> int:
    """How many records of an archive are dumps of databases."""
    return sum(is_dump_urn(entry.url) for entry in archive.entries(DUMP_PREFIX, UrlMatch.PREFIX))


def _add_files(archive: Archive, writer: WaczWriter) -> int:
    """Take the WARC files as they are, as far as the index reaches: somebody may be writing to them."""
    reach = archive.index.database.covered_bytes()
    for name, size in sorted(reach.items()):
        if size:
            writer.add_warc(name, FileBody(archive.layout.warcs / name, size).chunks(), size)
    entries = (entry for entry in archive.entries() if entry.place.offset < reach.get(entry.place.file, 0))
    writer.add_index(cdx_lines(entries))
    return archive.count()


def _add_selection(archive: Archive, selection: Selection, writer: WaczWriter, workspace: Path | None) -> int:
    """Write the records to one new WARC file first: their places go into the index."""
    with tempfile.TemporaryDirectory(dir=workspace, prefix="webkeep-export-") as folder:
        warc = Path(folder, "export.warc.gz")
        with warc.open("wb") as file:
            write_warc(WarcExport(archive, selection, selection.dumps), file.write)
        index = UrlIndex(Path(folder, "index.sqlite"), writable=True)
        try:
            _fill_index(index, warc)
            size = warc.stat().st_size
            writer.add_warc(warc.name, FileBody(warc, size).chunks(), size)
            writer.add_index(cdx_lines(index.entries(IndexRange())))
            return index.count(IndexRange())
        finally:
            index.database.close()


def _fill_index(index: UrlIndex, warc: Path) -> None:
    rows = IndexRows(warc.name)
    for seen in scan_file(warc):
        if seen.facts is not None:
            rows.add(seen.place, seen.facts, None)
        if len(rows.entries) >= _ROWS_PER_BATCH:
            index.add_rows(rows)
            rows = IndexRows(warc.name)
    index.add_rows(rows)


class _PageList:
    """The pages of a selection: what a reader would begin with."""

    def __init__(self, archive: Archive, selection: Selection) -> None:
        self._archive = archive
        self._selection = selection
        self.count = 0

    def list_pages(self) -> Iterator[WaczPage]:
        """Every HTML page that was there, once for each content it had, with its title as a reader saw it."""
        run = self._browser_pages()
        listed: set[int] = set()
        for observation in self._selection.observations(self._archive):
            content = hash((observation.url, observation.content_digest or observation.payload_digest))
            if _is_page(observation) and content not in listed:
                listed.add(content)
                self.count += 1
                shown = run.pop((observation.capture, observation.url), None)
                yield WaczPage(
                    observation.url, observation.moment, shown.title if shown else self._read_title(observation)
                )
        for (_, url), shown in run.items():
            if "#" in url:  # a page that a script makes out of the fragment has no answer of its own
                self.count += 1
                yield WaczPage(url, shown.moment, shown.title)

    def _browser_pages(self) -> dict[tuple[str, str], _BrowserPage]:
        """The pages that were run in a browser, by capture and URL."""
        notes = (note for entry, note in select_states(self._archive, self._selection) if note.id == ROOT_STATE)
        return {(note.capture, note.page): _BrowserPage(note.moment, _render_title(note)) for note in notes}

    def _read_title(self, observation: Observation) -> str:
        try:
            stored = self._archive.read(observation)
        except StorageError:  # a revisit of what is not here: listed all the same
            return ""
        encoding = declared_charset(stored.head.headers) if stored.head else ""
        return read_page_title(b"".join(stored.content(_MAX_TITLE_BYTES)), encoding)


@dataclass(frozen=True, slots=True)
class _BrowserPage:
    """A page as a browser showed it."""

    moment: Moment
    title: str


def _render_title(note: StateNote) -> str:
    rendered = note.rendered if isinstance(note.rendered, str) else ""
    return read_page_title(rendered.encode("utf-8", "replace"), "utf-8")


def _is_page(observation: Observation) -> bool:
    """Whether it is a page; what is kept beside pages, such as documents of their views, has no web address."""
    is_html = observation.media_type in _PAGE_TYPES and observation.status in (None, OK)
    return is_html and observation.method == "GET" and observation.url.startswith(_WEB_SCHEMES)
