"""Every command has its guide, the guides are linked, and what `webkeep capture` can be told is in its guide."""

import argparse
import re
from pathlib import Path

import pytest
from file_index import DOCUMENT, with_index

from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.commands import capture as capturing

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs/guide"
COMMANDS = list(SUBCOMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_guide(name: str) -> None:
    assert (GUIDES / f"{name}.md").read_text().startswith(f"# webkeep {name}\n")
    assert f"({name}.md)" in (GUIDES / "README.md").read_text()
    assert f"\nwebkeep {name} " in (ROOT / "README.md").read_text()


def test_every_option_of_a_capture_is_in_its_guide() -> None:
    parser = argparse.ArgumentParser()
    capturing.arguments(parser)
    options = {word for action in parser._actions for word in action.option_strings if word.startswith("--")}
    guide = (GUIDES / "capture.md").read_text()
    assert {option for option in options if not re.search(rf"{option}\b", guide)} == {"--help"}


@pytest.mark.parametrize("guide", sorted(GUIDES.glob("*.md")), ids=lambda path: path.name)
def test_guides_lead_nowhere_that_is_not_there(guide: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?\.(?:md|png))(?:#[^)]*)?\)", guide.read_text()):
        assert (guide.parent / target).exists(), target


def test_what_to_open_is_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text()
    rows = [line.split(" | ")[1] for line in text.partition("## To change X, open Y")[2].splitlines() if " | " in line]
    named = {name for row in rows for name in re.findall(r"`([\w/]+(?:\.py|\.js|\.toml|\.css|/))`", row)}
    assert len(rows) > 40
    assert {name for name in named if not (ROOT / "src/webkeep" / name).exists()} == set()


def test_every_file_is_in_the_index_in_its_own_words() -> None:
    assert DOCUMENT.read_text() == with_index(DOCUMENT.read_text()), "run make map"
