"""Every command has its guide, the guides are linked, and guides and options know each other."""

import argparse
import re
from pathlib import Path

import pytest
from file_index import DOCUMENT, with_index

from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.main import build_whole_parser, subcommand_parsers

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs/guide"
COMMANDS = list(SUBCOMMANDS)
TEXTS = [*sorted(GUIDES.glob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]


def visible_options(parser: argparse.ArgumentParser) -> frozenset[str]:
    """The long options that the help of a command shows, those of its own subcommands too."""
    found = {
        option
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for option in action.option_strings
        if option.startswith("--")
    }
    inner = [each for action in parser._actions for each in _parsers_of(action)]
    return frozenset(found.union(*map(visible_options, inner)))


def _parsers_of(action: argparse.Action) -> list[argparse.ArgumentParser]:
    return list(action.choices.values()) if isinstance(action, argparse._SubParsersAction) else []


def test_no_file_holds_two_sides_of_a_merge() -> None:
    folders = [ROOT / name for name in ("src", "tests", "bench", "docs", "scripts", "share")]
    files = [*ROOT.glob("*.*"), *(each for folder in folders for each in folder.rglob("*.*"))]
    texts = [each for each in files if each.suffix in (".md", ".py", ".toml", ".js", ".css", ".html", ".sh", ".txt")]
    marks = tuple(sign * 7 + b" " for sign in (b"<", b">"))
    assert not [str(each) for each in texts if any(line.startswith(marks) for line in each.read_bytes().splitlines())]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_guide(name: str) -> None:
    assert (GUIDES / f"{name}.md").read_text().startswith(f"# webkeep {name}\n")
    assert f"({name}.md)" in (GUIDES / "README.md").read_text()
    assert f"\nwebkeep {name} " in (ROOT / "README.md").read_text()


OPTIONS = {name: visible_options(parser) for name, parser in subcommand_parsers(build_whole_parser()).items()}
ALL_OPTIONS = frozenset().union(*OPTIONS.values())
GUIDES_OF = {
    "update": ("capture",),
    "check": ("capture",),
    "evidence": ("capture",),
    "copy": ("capture", "mirror"),
    "lab": ("rates",),
    "cluster": ("capture",),
}
"""The guides that have the options of a command besides its own, which has to name them."""
FOREIGN_OPTIONS = {"--proxy-server", "--cacert", "--post-append", "--web-repo", "--verify-auth", "--verifier-url"}
"""Options of Chromium, curl, cdxj-indexer, Warrick and wacz."""
_match_calls = re.compile(r"webkeep ([a-z]+)((?: [^`|#\n]*)?)").finditer
_find_options = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*").findall


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_a_guide(name: str) -> None:
    own = (GUIDES / f"{name}.md").read_text()
    for other in GUIDES_OF.get(name, ()):
        assert f"({other}.md" in own
    texts = [own, *((GUIDES / f"{other}.md").read_text() for other in GUIDES_OF.get(name, ()))]
    named = {option for text in texts for option in _find_options(text)}
    assert OPTIONS[name] - named <= {"--help", "--json"}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_options_in_texts_are_options(path: Path) -> None:
    """Whatever a text names is an option of some command, and in a call of the one that is called."""
    text = path.read_text().replace("\\\n", " ")
    assert set(_find_options(text)) - ALL_OPTIONS - FOREIGN_OPTIONS == set()
    for call in _match_calls(text):
        if call[1] in OPTIONS:
            words = call[2].partition("  ")[0]  # in tables and lists what it does stands behind two spaces
            assert set(_find_options(words)) - OPTIONS[call[1]] - FOREIGN_OPTIONS == set(), call[0]


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
