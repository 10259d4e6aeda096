"""The guides, which are Markdown files and come with the package: which there are, and how a terminal shows one: how
wide, without links into other files and pictures, and through a pager.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.resources import files

from webkeep.errors import UsageError

_MAX_COLUMNS = 110
"""Lines of prose that are longer tire the reader."""
_PAGER_OPTIONS = "-FRX"
"""For less: colours as they are, and no pager for what fits on the screen."""

_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\((?![a-z]+://)[^)]*\)")


def guide_names() -> list[str]:
    """The names of all guides, by the alphabet."""
    names = (path.name for path in files("webkeep").joinpath("guide").iterdir())
    return sorted(name.removesuffix(".md") for name in names if name.endswith(".md") and name != "README.md")


def read_guide(name: str) -> str:
    """The text of a guide, in Markdown; the empty name is the list of all."""
    try:
        return files("webkeep").joinpath("guide", f"{name or 'README'}.md").read_text("utf-8")
    except FileNotFoundError as error:
        raise UsageError(f"there is no guide to {name!r}: {', '.join(guide_names())}") from error


def _without_links(text: str) -> str:
    """Markdown whose links into other files are their words alone, and whose pictures are left out."""
    return _LINK.sub(r"\1", _PICTURE.sub("", text))


def show_guide(text: str) -> None:
    """Show a guide: laid out and page by page on a terminal, as plain text elsewhere."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(highlight=False, width=min(Console().width, _MAX_COLUMNS))
    guide = Markdown(_without_links(text), hyperlinks=False, code_theme="ansi_dark")
    if console.is_terminal and sys.stdin.isatty():
        os.environ.setdefault("LESS", _PAGER_OPTIONS)
        with console.pager(styles=True):
            console.print(guide)
    else:
        console.print(guide)
