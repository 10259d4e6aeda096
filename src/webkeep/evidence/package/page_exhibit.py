"""Exhibits: of each page that was shown, pictures, PDF, text and one HTML file, taken out of the archive into files;
and what they show.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.errors import UsageError, WebkeepError
from webkeep.evidence.package.exhibit_files import EXHIBIT_ENDINGS, EXHIBIT_START, HTML_ENDING
from webkeep.evidence.package.page_condition import PageCondition, judge_portrait
from webkeep.evidence.package.page_file import FoundFile, PageFile, find_page_file
from webkeep.evidence.sealing import digest_file
from webkeep.formats.states import (
    PORTRAIT_PREFIX,
    RENDERED_PREFIX,
    TEXT_PREFIX,
    WINDOW_PREFIX,
    PortraitNote,
    parse_portrait_note,
)
from webkeep.formats.status import OK
from webkeep.mirror import CopyOptions, write_single_page
from webkeep.mirror.selection import CopySelection
from webkeep.model import Moment, Observation
from webkeep.store.archive import Archive

_MAX_PART_BYTES = 1 << 30
"""Of one part of a portrait; none that we make is half as large."""
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class PageExhibit:
    """A page as the package shows it."""

    name: str
    """Such as `page-001`; its files begin so."""
    vantage: str
    capture: str
    page: str
    """The URL that was asked for."""
    moment: Moment
    """When its portrait was taken."""
    note: PortraitNote
    condition: PageCondition
    remark: str = ""
    """What is to be said of what it shows."""
    troubles: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=())
    """The names of its files."""
    file: PageFile | None = None
    """What was sent, where that is no HTML page."""


class ExhibitWriter:
    """Writes the exhibits of captures into a folder, and numbers them."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self._archive = archive
        self._folder = folder
        self._count = 0

    def write_exhibits(self, capture: str, vantage: str) -> Iterator[PageExhibit]:
        """The exhibits of all pages of a capture, in the order in which they were shown."""
        parts = {seen.url: seen for seen in self._archive.observations(capture) if seen.url.startswith("urn:")}
        for urn, seen in parts.items():
            if urn.startswith(PORTRAIT_PREFIX):
                self._count += 1
                yield self._write_exhibit(seen, parts, vantage)

    def _write_exhibit(self, seen: Observation, parts: dict[str, Observation], vantage: str) -> PageExhibit:
        note = parse_portrait_note(self._read(seen))
        name, files, troubles = f"{EXHIBIT_START}{self._count:03}", list[str](), list(note.troubles)
        held = {prefix: self._read(parts.get(f"{prefix}{note.page}")) for prefix in (*EXHIBIT_ENDINGS, RENDERED_PREFIX)}
        for prefix, ending in EXHIBIT_ENDINGS.items():
            if held[prefix]:
                (self._folder / f"{name}{ending}").write_bytes(held[prefix])
                files.append(f"{name}{ending}")
        text = held[TEXT_PREFIX].decode("utf-8", "replace")
        condition, remark = judge_portrait(note, text, held[RENDERED_PREFIX], held[WINDOW_PREFIX])
        found = find_page_file(self._archive, seen, note.page)
        file = self._write_file(found, name) if found is not None else None
        if file is not None:
            files.append(file.name)
            if condition is PageCondition.UNSEEN:
                condition, remark = PageCondition.FILE, ""
        if held[RENDERED_PREFIX] and self._is_html(note.page, seen):
            troubles += self._write_html(seen, note.page, held[RENDERED_PREFIX], self._folder / f"{name}{HTML_ENDING}")
            files += [f"{name}{HTML_ENDING}"] if (self._folder / f"{name}{HTML_ENDING}").exists() else []
        return PageExhibit(
            name, vantage, seen.capture, note.page, seen.moment, note, condition, remark, tuple(troubles), tuple(files),
            file,
        )  # fmt: skip

    def _write_file(self, found: FoundFile, name: str) -> PageFile:
        """Write what was sent for a page that is a file, whole: it may be larger than memory."""
        path = self._folder / f"{name}{found.ending}"
        with path.open("wb") as stream:
            for chunk in found.chunks():
                stream.write(chunk)
        return PageFile(path.name, found.seen.url, found.seen.media_type, path.stat().st_size, digest_file(path))

    def _is_html(self, page: str, seen: Observation) -> bool:
        """Whether what was shown is a page; files and errors are shown as pictures alone."""
        held = self._archive.lookup(page, seen.moment)
        return held is not None and held.status == OK and held.media_type in _HTML_TYPES

    def _write_html(self, seen: Observation, page: str, dom: bytes, file: Path) -> Iterator[str]:
        """Write the page as the browser left it into one file; gives what is not right about it."""
        wanted = CopySelection(seen.moment, capture=seen.capture)
        try:
            single = write_single_page(self._archive, wanted, page, file, CopyOptions(frozen=lambda _item, _needs: dom))
        except (UsageError, WebkeepError) as error:
            yield f"the page as one HTML file could not be made: {error}"
            return
        if single.missing:
            named = ", ".join(sorted(single.missing)[:3])
            yield f"the HTML file lacks {len(single.missing):,} parts that were not to be had, such as {named}"

    def _read(self, seen: Observation | None) -> bytes:
        return b"" if seen is None else b"".join(self._archive.read(seen).content(_MAX_PART_BYTES))
