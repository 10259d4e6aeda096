"""Packaging as WACZ: records, index and pages of a selection in one file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from webkeep.document import page_title
from webkeep.formats.content_type import charset
from webkeep.formats.wacz_page import Page
from webkeep.formats.wacz_writer import Description, WaczWriter
from webkeep.model import CHUNK, Observation
from webkeep.store.archive import Archive
from webkeep.store.cdx import cdx_lines
from webkeep.store.exporting import Export, write_warc
from webkeep.store.index import Index, Span
from webkeep.store.rows import Rows
from webkeep.store.scanning import scan_file
from webkeep.store.selecting import Selection
from webkeep.version import __version__

_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TITLE_BYTES = 256 * 1024
_BATCH = 2000


def write_wacz(archive: Archive, selection: Selection, stream: BinaryIO, title: str = "") -> tuple[int, int]:
    """Write a WACZ; gives how many records and pages it has."""
    description = Description(title=title or archive.name, software=f"webkeep/{__version__}")
    pages = _Pages(archive, selection)
    with WaczWriter(stream, archive.clock.now(), description) as writer:
        names = archive.layout.warc_names()
        if selection.is_everything and all(name.endswith(".warc.gz") for name in names):
            for name in names:
                path = archive.layout.warcs / name
                writer.add_warc(name, _chunks(path), path.stat().st_size)
            writer.add_index(cdx_lines(archive.entries()))
            records = archive.count()
        else:
            records = _add_selection(archive, selection, writer)
        writer.add_pages(pages.found())
    return records, pages.count


def _add_selection(archive: Archive, selection: Selection, writer: WaczWriter) -> int:
    """Write the records to one new WARC file first: their places go into the index."""
    with tempfile.TemporaryDirectory(dir=_workspace(archive), prefix="export-") as folder:
        warc = Path(folder, "export.warc.gz")
        records = 0
        with warc.open("wb") as file:
            for _ in write_warc(Export(archive, selection), file.write):
                records += 1
        index = Index(Path(folder, "index.sqlite"), writable=True)
        try:
            _fill(index, warc)
            writer.add_warc(warc.name, _chunks(warc), warc.stat().st_size)
            writer.add_index(cdx_lines(index.entries(Span())))
        finally:
            index.database.close()
    return records


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
        """Every HTML page that was there, with its title."""
        for observation in self._selection.observations(self._archive):
            if _is_page(observation):
                self.count += 1
                yield Page(observation.url, observation.moment, self._title(observation))

    def _title(self, observation: Observation) -> str:
        holding = self._archive.read(observation)
        encoding = charset(holding.head.headers) if holding.head else ""
        return page_title(b"".join(holding.content(_TITLE_BYTES)), encoding)


def _is_page(observation: Observation) -> bool:
    return observation.method == "GET" and observation.media_type in _PAGE_TYPES and observation.status in (None, 200)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _workspace(archive: Archive) -> Path:
    archive.layout.jobs.mkdir(exist_ok=True)
    return archive.layout.jobs
