"""Pages that live by a WebSocket: what it says first is part of them, however late it opens and answers."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from kept_states import captured
from stream_server import StreamServer

from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note

NEWS = b"""<!doctype html><title>News</title><p id="out">nothing yet</p><script>
const socket = new WebSocket(`ws://${location.host}/socket?late`);
socket.onopen = () => socket.send('headlines');
socket.onmessage = (message) => { document.getElementById('out').textContent = message.data; };
</script>"""


def test_the_first_answer_of_a_late_socket_is_in_the_page(tmp_path: Path) -> None:
    with StreamServer(pages={"news": (b"text/html", NEWS)}) as server:
        said = {"browser": "always", "scope": "page", "sitemaps": False, "states": 0}
        assert captured(server.url("news"), tmp_path / "kept", **said).finished
    with Archive(tmp_path / "kept") as archive:
        (note,) = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
        frames = archive.lookup(server.url("socket?late").replace("http", "ws", 1))
        assert frames is not None
        said_over_it = b"".join(archive.read(frames).content())
    assert "HEADLINES" in str(note.rendered)
    assert b"headlines" in said_over_it
    assert b"HEADLINES" in said_over_it
