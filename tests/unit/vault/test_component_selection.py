from pathlib import Path

import pytest

from webkeep.vault.components import PathComponent, SelectionPolicy, SelectionRules
from webkeep.vault.components.selection import select_files

FILES = ("app.py", "settings.ini", "templates/page.html", "static/logo.png", "static/site.css", "node_modules/x.js")


@pytest.mark.parametrize(
    ("rules", "packed"),
    [
        (SelectionRules(), {"app.py", "settings.ini", "templates/page.html"}),
        (SelectionRules(SelectionPolicy.PESSIMISTIC), set(FILES)),
        (SelectionRules(exclude=("*.ini",)), {"app.py", "templates/page.html"}),
        (SelectionRules(include=("*.png",)), {"static/logo.png"}),
    ],
)
def test_what_archives_cannot_keep_is_packed(tmp_path: Path, rules: SelectionRules, packed: set[str]) -> None:
    for name in FILES:
        (tmp_path / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "app" / name).write_text("x")
    found = select_files(PathComponent("app", tmp_path / "app"), rules, [])
    assert {each.entry.path.removeprefix("app/") for each in found if each.source is not None} == packed
