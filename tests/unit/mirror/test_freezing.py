"""Pages frozen in a state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from webkeep.errors import UsageError
from webkeep.formats.state_note import ROOT, STATE_TYPE, Deed, StateNote, difference, state_id
from webkeep.mirror.contents import Wanted
from webkeep.mirror.freezing import FrozenPages, chosen_states
from webkeep.mirror.mirroring import Form, mirror
from webkeep.model import Moment
from webkeep.store.archive import Archive
from webkeep.store.writable import WritableArchive

PAGE, OTHER = "http://example.org/page", "http://example.org/other"
SCRIPT = (Deed("click", "#a"),)
LOADED = "<html><head></head><body><p>As it loaded, with much text in it.</p></body></html>"
CLICKED = LOADED.replace("</body>", '<a href="/other">more</a></body>')


def kept(folder: Path) -> str:
    """An archive with a page that has two views; gives the address of the second."""
    with WritableArchive.create(folder) as archive, archive.begin("capture") as capture:
        for url in (PAGE, OTHER):
            capture.append_resource(url, "text/html", b"<p>live<script>1</script>")
        root = StateNote(PAGE, ROOT, PAGE, Moment(10**15), rendered=LOADED, capture=capture.id)
        second = replace(
            root, id=state_id(SCRIPT), script=SCRIPT, parent=ROOT, level=1, rendered=difference(LOADED, CLICKED)
        )
        for note in (second, root):
            archive.note(capture.id, note.address, STATE_TYPE, note.block())
    return second.address


def test_a_page_is_copied_in_the_state_that_was_chosen(tmp_path: Path) -> None:
    address = kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive:
        frozen = FrozenPages(archive.path, chosen=chosen_states(archive, [address]))
        made = mirror(archive, Wanted(archive.clock.now()), tmp_path / "out", Form(frozen=frozen))
    text = next(made.folder.glob("**/page*.html")).read_text()
    assert "script-src 'none'" in text
    assert "As it loaded" in text
    assert ">more</a>" in text
    assert 'href="other' in text, "its links lead into the copy"
    assert "live" in next(made.folder.glob("**/other*.html")).read_text()


def test_a_state_that_is_none_is_told(tmp_path: Path) -> None:
    kept(tmp_path / "kept")
    with Archive(tmp_path / "kept") as archive, pytest.raises(UsageError, match="list --states"):
        chosen_states(archive, ["urn:webkeep:state:0:0"])
