"""Fields filled with what a person gave: suggestions come and are stored; nothing else is typed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kept_states import captured
from speaking_site import Speaker, serving

from webkeep.errors import UsageError
from webkeep.store.archive import Archive
from webkeep.store.views import find_state_entries, read_state_note

PAGE = b"""<!doctype html><title>Search</title><label>Search <input id="box"></label> <input id="other" name="mail">
<input type="password" name="key"><ul id="out"></ul><script>
let last = '';
document.getElementById('box').addEventListener('input', async (event) => {
  if (event.inputType !== 'insertText') return;
  const list = await (await fetch(`/suggest/${event.target.value}`)).text();
  document.getElementById('out').innerHTML = list;
});
document.getElementById('box').addEventListener('change', (event) => { document.title = event.target.value; });
document.getElementById('other').addEventListener('input', (event) => fetch(`/told/${event.target.value}`));
</script>"""


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(Speaker):
        def answer(self) -> None:
            asked.append(self.path)
            text = f'<li id="hit">{self.path[9:]}</li><img src="/hit/{self.path[9:]}.png">'.encode()
            data = PAGE if self.path == "/" else text if self.path.startswith("/suggest/") else b"-"
            self.say(data, kind="text/html" if data in (PAGE, text) else "text/plain")

    with serving(Handler) as home:
        yield home, asked


def test_suggestions_come_for_what_is_given(tmp_path: Path) -> None:
    with site() as (home, asked):
        done = captured(
            f"{home}/", tmp_path / "kept", browser="always", states=1, sitemaps=False,
            fill=["search=sea", "key=1234"],
        )  # fmt: skip
    assert done.finished
    assert {path for path in asked if "/suggest/" in path} == {"/suggest/s", "/suggest/se", "/suggest/sea"}
    assert "/hit/sea.png" in asked
    assert set(asked) & {"/told/sea", "/told/1234"} == set()
    with Archive(tmp_path / "kept") as archive:
        held = {each.url.removeprefix(home) for each in archive}
        notes = [read_state_note(archive, entry.place) for entry in find_state_entries(archive)]
    assert {"/suggest/sea", "/hit/sea.png"} <= held
    (deed,) = [note.script[-1] for note in notes if note.script and note.script[-1].event == "fill"]
    assert (deed.target, deed.kind, deed.value) == ("#box", "given", "sea")


def test_passwords_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="webkeep login"):
        captured("http://127.0.0.1:1/", tmp_path / "kept", fill=["password=1234"])
    with pytest.raises(UsageError, match="not FIELD=VALUE"):
        captured("http://127.0.0.1:1/", tmp_path / "kept", fill=["nothing"])
