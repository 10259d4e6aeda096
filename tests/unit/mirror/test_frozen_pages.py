"""Pages frozen in a state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.formats.states import ROOT_STATE, STATE_TYPE, StateAction, StateNote, compute_state_id, delta_to_parent
from webkeep.mirror import CopyOptions, mirror, write_single_page
from webkeep.mirror.rendering import FrozenPages, check_state_addresses, find_states
from webkeep.mirror.selection import CopySelection
from webkeep.model import Exchange, Moment
from webkeep.store.archive import Archive, WritableArchive

PAGE, OTHER = "http://example.org/page", "http://example.org/other"
SCRIPT = (StateAction("click", "#a"),)
LOADED = "<html><head></head><body><p>As it loaded, with much text in it.</p></body></html>"
CLICKED = LOADED.replace("</body>", '<a href="/other">more</a></body>')


def kept(folder: Path) -> str:
    """An archive with a page that has two views; gives the address of the second."""
    with WritableArchive.create(folder) as archive, archive.begin("capture") as capture:
        for url in (PAGE, OTHER):
            capture.append_resource(url, "text/html", b"<p>live<script>1</script>")
        root = StateNote(PAGE, ROOT_STATE, PAGE, Moment(10**15), rendered=LOADED, capture=capture.id)
        second = replace(
            root,
            id=compute_state_id(SCRIPT),
            script=SCRIPT,
            parent=ROOT_STATE,
            level=1,
            rendered=delta_to_parent(LOADED, CLICKED),
        )
        for note in (second, root):
            archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block())
    return second.urn


def test_a_page_is_copied_in_the_state_that_was_chosen(tmp_path: Path) -> None:
    address = kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive:
        frozen = FrozenPages(archive.path, chosen=find_states(archive, [address]))
        made = mirror(archive, CopySelection(archive.clock.now()), tmp_path / "out", CopyOptions(frozen=frozen))
    text = next(made.folder.glob("**/page*.html")).read_text()
    assert "script-src 'none'" in text
    assert "As it loaded" in text
    assert ">more</a>" in text
    assert 'href="other' in text, "its links lead into the copy"
    assert "live" in next(made.folder.glob("**/other*.html")).read_text()


def test_a_state_that_is_none_is_told(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive, pytest.raises(UsageError, match="holds no state"):
        find_states(archive, [f"urn:webkeep:state:{'0' * 16}:0"])


@pytest.mark.parametrize("wrong", ["", "x", "http://example.org/page", "urn:webkeep:state:0:0"])
def test_what_cannot_be_a_state_is_told_before_anything_is_done(wrong: str) -> None:
    with pytest.raises(UsageError, match="no state's address"):
        check_state_addresses([wrong])


def test_a_page_that_is_not_in_the_copy_cannot_be_frozen(tmp_path: Path) -> None:
    address = kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive:
        chosen = find_states(archive, [address])
        form = CopyOptions(frozen=FrozenPages(archive.path, chosen=chosen), chosen=chosen)
        with pytest.raises(UsageError, match="not in the copy"):
            mirror(
                archive, CopySelection(archive.clock.now(), includes=lambda url: url == OTHER), tmp_path / "out", form
            )
        with pytest.raises(UsageError, match="choose one of its own"):
            write_single_page(archive, CopySelection(archive.clock.now()), OTHER, tmp_path / "one.html", form)
    assert not (tmp_path / "out").exists()


def test_a_single_file_is_frozen_too(tmp_path: Path) -> None:
    address = kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive:
        chosen = find_states(archive, [address])
        frozen = FrozenPages(archive.path, chosen=chosen)
        write_single_page(
            archive,
            CopySelection(archive.clock.now()),
            PAGE,
            tmp_path / "one.html",
            CopyOptions(frozen=frozen, chosen=chosen),
        )
    text = (tmp_path / "one.html").read_text()
    assert "script-src 'none'" in text
    assert ">more</a>" in text


def sent_and_held_back(folder: Path, *happenings: object) -> Archive:
    """An archive with a page that sent something which was held back."""
    kept(folder)
    with WritableArchive.open_or_create(folder) as archive, archive.begin("capture") as capture:
        comment = {"happenings": list(happenings)}
        note = StateNote(
            PAGE, ROOT_STATE, PAGE, Moment(2 * 10**15), rendered=LOADED, comment=comment, capture=capture.id
        )
        archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block())
    return Archive(folder)


def test_a_page_whose_request_was_held_back_is_alive_and_told(tmp_path: Path) -> None:
    order = {"in": "", "wishes": [["POST", "http://example.org/order"], ["POST", "http://example.org/more"]]}
    with sent_and_held_back(tmp_path / "kept", order) as archive:
        wanted, frozen = CopySelection(archive.clock.now()), FrozenPages(archive.path)
        made = mirror(archive, wanted, tmp_path / "out", CopyOptions(frozen=frozen))
        single = write_single_page(archive, wanted, PAGE, tmp_path / "one.html", CopyOptions(frozen=frozen))
        before = mirror(archive, CopySelection(Moment(10**15)), tmp_path / "before", CopyOptions(frozen=frozen))
    need = "an answer to what it sends (http://example.org/order and 1 more), which the capture held back"
    assert (made.built.links.server_needs, made.built.links.frozen) == ({PAGE: need}, {})
    assert (single.needs, single.frozen_for) == (need, "")
    assert "live" in next(made.folder.glob("**/page*.html")).read_text()
    assert (made.folder / "_webkeep/needs-serving.txt").read_text() == f"{PAGE}\tneeds {need}\n"
    assert not before.built.links.server_needs, "nothing was held back in the walk of that time"


def test_what_was_sent_to_be_counted_and_notes_of_any_form_are_no_need(tmp_path: Path) -> None:
    odd = ({"wishes": [["POST", "http://example.org/count", "Ping"]]}, {"wishes": 3}, "x", {"wishes": [[], 4, [1]]})
    with sent_and_held_back(tmp_path / "kept", *odd) as archive:
        made = mirror(archive, CopySelection(archive.clock.now()), tmp_path / "out")
    assert not made.built.links.server_needs


def test_a_page_that_was_run_and_had_a_live_connection_is_frozen_and_told(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    with WritableArchive.open_or_create(tmp_path / "kept") as archive, archive.begin("capture") as capture:
        capture.append(Exchange("ws://example.org/news", Moment(10**15), b"HTTP/1.1 101 S\r\n\r\n", via=PAGE))
    with Archive(tmp_path / "kept") as archive:
        form = CopyOptions(frozen=FrozenPages(archive.path))
        made = mirror(archive, CopySelection(archive.clock.now()), tmp_path / "out", form)
    assert list(made.built.links.frozen) == [PAGE]
    assert not made.built.links.server_needs
    assert "As it loaded" in next(made.folder.glob("**/page*.html")).read_text()
    told = (made.folder / "_webkeep/needs-serving.txt").read_text()
    assert told == f"{PAGE}\tis frozen as a browser left it, as it needs a live connection (ws://example.org/news)\n"
