"""What only style sheets ask for under the mouse is found, though nothing listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kept_states import captured
from speaking_site import Speaker, serving

from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note

# The rules are made by a script, so that no reader of style sheets finds their pictures.
PAGE = b"""<!doctype html><title>Hovering</title><nav><b class="one">One</b> <i>Two<u></u></i></nav><p>Text</p><script>
const at = (name) => ['/pictures', name + '.png'].join('/');
const made = document.head.appendChild(document.createElement('style')).sheet;
made.insertRule(`nav .one:hover { background-image: url(${at('one')}) }`);
made.insertRule('u { display: none }');
made.insertRule(`u { background-image: url(${at('two')}) }`);
made.insertRule('@media screen { nav > i:hover u, p:not(:hover) { display: block } }');
made.insertRule(`.nowhere:hover { background-image: url(${at('never')}) }`);
made.insertRule('p:hover { color: red }');
const frame = document.body.appendChild(document.createElement('iframe'));
frame.srcdoc = `<style>b:hover::before { content: url(${at('three')}) }</style><b>Three</b>`;
</script>"""


@contextmanager
def site(page: bytes) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(Speaker):
        def answer(self) -> None:
            asked.append(self.path)
            data = page if self.path == "/" else b"\x89PNG\r\n\x1a\n"
            self.say(data, kind="text/html" if data is page else "image/png")

    with serving(Handler) as home:
        yield home, asked


def test_style_sheets_ask_for_more_under_the_mouse(tmp_path: Path) -> None:
    with site(PAGE) as (home, asked):
        assert captured(f"{home}/", tmp_path / "kept", browser="always", states=1, sitemaps=False).finished
    pictures = {path for path in asked if path.startswith("/pictures/")}
    assert pictures == {"/pictures/one.png", "/pictures/two.png", "/pictures/three.png"}
    with Archive(tmp_path / "kept") as archive:
        held = {each.url.removeprefix(home) for each in archive}
        (note,) = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
    assert pictures <= held
    (move,) = note.transitions
    assert (move.action.event, move.action.kind, move.target) == ("hover", "canned", note.id)
    assert {url.removeprefix(home) for url in move.new_requests} == pictures


def test_pages_without_such_rules_are_left_alone(tmp_path: Path) -> None:
    with site(b"<!doctype html><style>p:hover { color: red }</style><p>Text</p>") as (home, _):
        assert captured(f"{home}/", tmp_path / "kept", browser="always", states=1, sitemaps=False).finished
    with Archive(tmp_path / "kept") as archive:
        (note,) = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
    assert note.transitions == ()
