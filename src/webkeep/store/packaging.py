"""Packaging as WACZ: records, index and pages of a selection in one file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from webkeep.document import page_title
from webkeep.errors import StorageError
from webkeep.formats.content_type import charset
from webkeep.formats.state_note import ROOT, StateNote
from webkeep.formats.wacz_page import Page
from webkeep.formats.wacz_writer import Description, WaczWriter
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive
from webkeep.store.cdx import cdx_lines
from webkeep.store.exporting import Export, write_warc
from webkeep.store.file_body import FileBody
from webkeep.store.index import Index, Span
from webkeep.store.rows import Rows
from webkeep.store.scanning import scan_file
from webkeep.store.selecting import Selection
from webkeep.store.states import selected_states
from webkeep.version import __version__

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TITLE_BYTES = 256 * 1024
_WEB = ("http:", "https:", "ftp:", "file:")
_BATCH = 2000


def write_wacz(
    archive: Archive, selection: Selection, stream: BinaryIO, title: str = "", workspace: Path | None = None
) -> tuple[int, int]:
    """Write a WACZ; gives how many index lines and pages it has. `workspace` takes what must be written twice."""
    description = Description(title=title or archive.name, software=f"webkeep/{__version__}")
    pages = _Pages(archive, selection)
    with WaczWriter(stream, archive.clock.now(), description) as writer:
        if selection.is_everything and all(name.endswith(".warc.gz") for name in archive.layout.warc_names()):
            lines = _add_files(archive, writer)
        else:
            lines = _add_selection(archive, selection, writer, workspace)
        writer.add_pages(pages.found())
    return lines, pages.count


def _add_files(archive: Archive, writer: WaczWriter) -> int:
    """Take the WARC files as they are, as far as the index reaches: somebody may be writing to them."""
    reach = archive.index.database.covered()
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
            write_warc(Export(archive, selection), file.write)
        index = Index(Path(folder, "index.sqlite"), writable=True)
        try:
            _fill(index, warc)
            size = warc.stat().st_size
            writer.add_warc(warc.name, FileBody(warc, size).chunks(), size)
            writer.add_index(cdx_lines(index.entries(Span())))
            return index.count(Span())
        finally:
            index.database.close()


def _fill(index: Index, warc: Path) -> None:
    rows = Rows(warc.name)
    for seen in scan_file(warc):
        if seen.sight is not None:
            rows.add(seen.place, seen.sight, None)
        if len(rows.entries) >= _BATCH:
            index.take(rows)
            rows = Rows(warc.name)
    index.take(rows)


class _Pages:
    """The pages of a selection: what a reader would begin with."""

    def __init__(self, archive: Archive, selection: Selection) -> None:
        self._archive = archive
        self._selection = selection
        self.count = 0

    def found(self) -> Iterator[Page]:
        """Every HTML page that was there, once for each content it had, with its title as a reader saw it."""
        run = self._run_pages()
        listed: set[int] = set()
        for observation in self._selection.observations(self._archive):
            content = hash((observation.url, observation.content_digest or observation.payload_digest))
            if _is_page(observation) and content not in listed:
                listed.add(content)
                self.count += 1
                shown = run.pop((observation.capture, observation.url), None)
                yield Page(observation.url, observation.moment, shown.title if shown else self._title(observation))
        for (_, url), shown in run.items():
            if "#" in url:  # a page that a script makes out of the fragment has no answer of its own
                self.count += 1
                yield Page(url, shown.moment, shown.title)

    def _run_pages(self) -> dict[tuple[str, str], _RunPage]:
        """The pages that were run in a browser, by capture and URL."""
        notes = (note for entry, note in selected_states(self._archive, self._selection) if note.id == ROOT)
        return {(note.capture, note.page): _RunPage(note.moment, _rendered_title(note)) for note in notes}

    def _title(self, observation: Observation) -> str:
        try:
            holding = self._archive.read(observation)
        except StorageError:  # a revisit of what is not here: listed all the same
            return ""
        encoding = charset(holding.head.headers) if holding.head else ""
        return page_title(b"".join(holding.content(_TITLE_BYTES)), encoding)


@dataclass(frozen=True, slots=True)
class _RunPage:
    """A page as a browser showed it."""

    moment: Moment
    title: str


def _rendered_title(note: StateNote) -> str:
    rendered = note.rendered if isinstance(note.rendered, str) else ""
    return page_title(rendered.encode("utf-8", "replace"), "utf-8")


def _is_page(observation: Observation) -> bool:
    """Whether it is a page; what is kept beside pages, such as documents of their views, has no web address."""
    is_html = observation.media_type in _PAGE_TYPES and observation.status in (None, 200)
    return is_html and observation.method == "GET" and observation.url.startswith(_WEB)
