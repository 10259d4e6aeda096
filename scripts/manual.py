"""Writes the manual pages in `share/man/man1` out of the command's own parser; `make manual` calls it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from argparse_manpage.manpage import Manpage

from webkeep.cli.command_table import SUBCOMMANDS
from webkeep.cli.main import build_whole_parser, subcommand_parsers
from webkeep.version import __version__

FOLDER = Path(__file__).parents[1] / "share/man/man1"
_EXIT_STATUS = """.SH EXIT STATUS
.TP
0
done
.TP
1
done with findings
.TP
2
the call is wrong
.TP
3
could not finish; most commands go on where they were stopped
"""


def manual_pages() -> dict[str, str]:
    """All manual pages by the names of their files."""
    parser = build_whole_parser()
    pages = {f"webkeep-{name}.1": _command_page(name, child) for name, child in subcommand_parsers(parser).items()}
    return {"webkeep.1": _overview_page(parser), **pages}


def _command_page(name: str, parser: argparse.ArgumentParser) -> str:
    _, synopsis, rest = _body_of(parser).partition(".SH SYNOPSIS\n")
    see_also = f".SH SEE ALSO\n.BR webkeep (1);\n.B webkeep help {name}\nshows the guide.\n"
    return _head(f"webkeep-{name}", SUBCOMMANDS[name]) + synopsis + rest.rstrip() + "\n" + _EXIT_STATUS + see_also


def _overview_page(parser: argparse.ArgumentParser) -> str:
    commands = "".join(f".TP\n.BR webkeep-{name} (1)\n{_escaped(text)}\n" for name, text in SUBCOMMANDS.items())
    synopsis = ".SH SYNOPSIS\n.B webkeep\n.I COMMAND\n[\\fIOPTION\\fR ...]\n.br\n.B webkeep\n\\-\\-version\n"
    see_also = ".SH SEE ALSO\n.B webkeep help\nlists the guides, \n.B webkeep help\n.I COMMAND\nshows one.\n"
    head = _head("webkeep", parser.description or "")
    return head + synopsis + f".SH COMMANDS\n{commands}" + _EXIT_STATUS + see_also


def _head(name: str, text: str) -> str:
    title = f'.TH {name.upper()} 1 "" "webkeep {__version__}" "webkeep manual"\n'
    return (
        title + f".SH NAME\n{name.replace('-', chr(92) + '-')} \\- {_escaped(text[0].lower() + text[1:].rstrip('.'))}\n"
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def _body_of(parser: argparse.ArgumentParser) -> str:
    return str(Manpage(parser))


def main() -> None:
    """Write the pages, and take away those of commands that are no more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    pages = manual_pages()
    for path in FOLDER.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, "utf-8")
    sys.stdout.write(f"{len(pages)} manual pages in {FOLDER.relative_to(Path.cwd())}\n")


if __name__ == "__main__":
    main()
