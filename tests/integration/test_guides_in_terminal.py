"""`webkeep help` and the manual pages: what a person reads without leaving the terminal."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from terminal import terminal

from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.guides import guide_names, read_guide
from webkeep.cli.main import main

ROOT = Path(__file__).parents[2]
WEBKEEP = Path(sys.executable).with_name("webkeep")
MANUAL = ROOT / "share/man/man1"

sys.path.insert(0, str(ROOT / "scripts"))

from manual import manual_pages  # noqa: E402


@dataclass
class Shown:
    code: int
    out: str
    err: str


@pytest.fixture
def help_of(capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """What `webkeep help` answers with where no terminal is."""
    return lambda *words: Shown(main(["help", *words]), *capsys.readouterr())


@pytest.mark.parametrize("name", guide_names())
def test_a_guide_is_shown_as_plain_text_where_no_terminal_is(help_of: Callable[..., Shown], name: str) -> None:
    shown = help_of(name)
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    assert max(map(len, shown.out.splitlines())) <= 110
    heading = read_guide(name).splitlines()[0].removeprefix("# ").replace("`", "")
    assert heading in " ".join(shown.out.split())
    assert ".md)" not in shown.out


def test_every_command_has_a_guide() -> None:
    assert set(SUBCOMMANDS) <= set(guide_names())


def test_without_a_name_the_guides_are_listed(help_of: Callable[..., Shown]) -> None:
    shown = help_of()
    assert shown.code == 0
    assert "turn a website into an archive" in shown.out


def test_programs_get_markdown(help_of: Callable[..., Shown]) -> None:
    shown = help_of("why", "--json")
    assert json.loads(shown.out) == {"guide": "why", "markdown": read_guide("why")}


def test_a_guide_that_there_is_not_is_told_in_one_line(help_of: Callable[..., Shown]) -> None:
    shown = help_of("captur")
    assert (shown.code, shown.out) == (2, "")
    assert len(shown.err.splitlines()) == 1
    assert "captur" in shown.err


def test_a_long_guide_is_shown_page_by_page(tmp_path: Path) -> None:
    with terminal(tmp_path, "bash", "--norc", "--noprofile") as opened:
        opened.type(f"PAGER=less {WEBKEEP} help capture; echo aft''er")
        opened.press("Enter")
        first = opened.wait_for("webkeep capture")
        assert "\nafter" not in first
        opened.press("G")
        opened.wait_for("(END)")
        opened.press("q")
        opened.wait_for("\nafter")


def test_the_manual_pages_are_those_of_the_parser() -> None:
    written = {path.name: path.read_text("utf-8") for path in MANUAL.iterdir()}
    assert written == manual_pages(), "run `make manual`"


@pytest.mark.parametrize("name", ["webkeep", *(f"webkeep-{name}" for name in SUBCOMMANDS)])
def test_a_manual_page_is_laid_out_without_a_warning(name: str) -> None:
    shown = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", str(MANUAL / f"{name}.1")],
        capture_output=True, text=True, check=True, env={"MANWIDTH": "100", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert shown.stderr == ""
    assert "EXIT STATUS" in shown.stdout
