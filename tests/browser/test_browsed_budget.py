"""A budget of the browser goes to the kinds of pages that bring most."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kept_states import captured
from speaking_site import Speaker, serving

NAMES = [*(f"dull-{number}" for number in range(6)), *(f"rich-{number}" for number in range(6))]
INDEX = "<!doctype html><title>All</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in NAMES)
SCRIPT = "for (const part of ['a', 'b']) fetch(['/parts', document.title, part].join('/'));"


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(Speaker):
        def answer(self) -> None:
            asked.append(self.path)
            name = self.path[1:]
            script = SCRIPT if name.startswith("rich") else "document.title += '!';"
            page = f"<!doctype html><title>{name}</title><main class={name[:4]}><p>Text</main><script>{script}</script>"
            self._say(INDEX if not name else page if name in NAMES else "")

        def _say(self, text: str) -> None:
            self.say(text.encode(), status=200 if text else 404)

    with serving(Handler) as home:
        yield home, asked


def test_what_is_left_of_a_budget_goes_to_pages_that_bring_something(tmp_path: Path) -> None:
    """Six pages may be run: the list, one that brings nothing, and then only such as bring something."""
    with site() as (home, asked):
        said = {"browser": "always", "states": 0, "tabs": 1, "browser_states": 6, "sitemaps": False}
        done = captured(f"{home}/", tmp_path / "kept", **said)
    assert done.browsed is not None
    assert (done.browsed.pages, done.browsed.left) == (6, 7)
    assert len({path.split("/")[2] for path in asked if path.startswith("/parts/")}) == 4
