"""Notes of client-side states: kept in an archive, found by page and capture, expanded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.errors import FormatError
from webkeep.formats.states import (
    ROOT_STATE,
    STATE_TYPE,
    StateAction,
    StateNote,
    StateTransition,
    compute_state_id,
    delta_to_parent,
)
from webkeep.model import BytesBody, Moment
from webkeep.store.archive import Selection, WritableArchive
from webkeep.store.maintenance import take_down
from webkeep.store.transfer import WarcExport, write_warc
from webkeep.store.views import expand_document, read_state_notes, read_walk

PAGE = "https://example.org/Menu?b=2&a=1"
DAY = Moment.parse("2026-01-01")
CLICK = StateAction("click", "#more", label="More, please")
FIRST = "<ul>" + "".join(f"<li>Item number {number}</li>" for number in range(50)) + "</ul>"
SECOND = FIRST.replace("</ul>", "<li>One more</li></ul>")


def notes(page: str, moment: str = "2026-01-01T00:00:00Z") -> list[StateNote]:
    when = Moment.parse(moment)
    root = StateNote(
        page,
        ROOT_STATE,
        page,
        when,
        rendered=FIRST,
        transitions=(StateTransition(CLICK, compute_state_id([CLICK]), ("x",)),),
    )
    more = StateNote(
        page,
        compute_state_id([CLICK]),
        page,
        when.plus(1),
        (CLICK,),
        ROOT_STATE,
        1,
        1,
        delta_to_parent(FIRST, SECOND),
        ("x",),
        ("x",),
    )
    return [root, more]


def stored(archive: WritableArchive, *pages: list[StateNote]) -> str:
    with archive.begin("capture") as capture:
        for page in pages:
            for note in page:
                archive.submit_metadata(capture.id, note.urn, STATE_TYPE, replace(note, capture=capture.id).to_block())
    return capture.id


def walked(archive: WritableArchive, page: str) -> list[StateNote]:
    return [replace(note, capture="") for note in read_walk(archive, page)]


def test_states_of_a_page_are_found_and_expanded(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive:
        stored(archive, notes(PAGE), notes(PAGE.lower()))
        walk = walked(archive, PAGE)
        assert walk == notes(PAGE)
        known = {note.id: note for note in walk}
        assert isinstance(walk[1].rendered, list)
        assert expand_document(known, walk[1].id) == SECOND
        assert len(list(read_state_notes(archive))) == 4


def test_each_capture_has_its_own_walk(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive:
        first = stored(archive, notes(PAGE))
        stored(archive, notes(PAGE, "2026-02-01T00:00:00Z")[:1])
        assert len(list(read_state_notes(archive, first))) == 2
        assert len(read_walk(archive, PAGE)) == 1
        assert len(read_walk(archive, PAGE, Moment.parse("2026-01-02T00:00:00Z"))) == 2
        assert read_walk(archive, "https://example.org/other") == []


def test_a_document_without_its_parent_is_told(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive:
        stored(archive, notes(PAGE))
        lone = {note.id: note for note in read_walk(archive, PAGE) if note.id != ROOT_STATE}
        with pytest.raises(FormatError, match="not held"):
            expand_document(lone, next(iter(lone)))


def test_states_survive_a_rebuild(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "kept") as archive:
        stored(archive, notes(PAGE))
        index, catalog = archive.layout.index, archive.layout.catalog
    index.unlink()
    catalog.unlink()
    with WritableArchive(tmp_path / "kept") as archive:
        assert walked(archive, PAGE) == notes(PAGE)


def test_states_go_with_their_page(tmp_path: Path) -> None:
    """What is exported of a page, and what is taken down with it, are its states and their pictures too."""
    other = "https://example.org/other"
    with WritableArchive.create(tmp_path / "kept") as archive:
        capture = archive.begin("capture")
        for page in (PAGE, other):
            capture.append_resource(page, "text/html", page.encode())
            name = f"urn:fullPage:{page}"
            capture.submit_resource(name, DAY, "image/png", BytesBody(name.encode()), via=page).result()
            for note in notes(page):
                archive.submit_metadata(capture.id, note.urn, STATE_TYPE, replace(note, capture=capture.id).to_block())
                name = f"{note.urn}:text"
                capture.submit_resource(name, note.moment, "text/plain", BytesBody(name.encode()), via=page).result()
        capture.end()
        selection = Selection(PAGE)
        with (tmp_path / "part.warc.gz").open("wb") as file:
            write_warc(WarcExport(archive, selection), file.write)
        removed = take_down(archive, selection, "asked for", lambda _: None)
    assert removed.records == 4
    with WritableArchive(tmp_path / "kept") as archive:
        assert read_walk(archive, PAGE) == []
        assert len(read_walk(archive, other)) == 2
        assert [each.url for each in archive.observations() if PAGE in (each.url, each.via)] == []
    handed_on = WritableArchive.create(tmp_path / "handed on")
    (handed_on.layout.warcs / "part.warc.gz").write_bytes((tmp_path / "part.warc.gz").read_bytes())
    handed_on.close()
    with WritableArchive(tmp_path / "handed on") as archive:
        assert [note.id for note in read_walk(archive, PAGE)] == [note.id for note in notes(PAGE)]
        assert read_walk(archive, other) == []
        assert [each.url for each in archive.observations() if each.media_type == "image/png"] == [
            f"urn:fullPage:{PAGE}"
        ]
