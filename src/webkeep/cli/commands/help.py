"""`webkeep help`: a guide in the terminal, or the list of guides; with `--json` its Markdown."""

from __future__ import annotations

import argparse

from webkeep.cli.guides import guide_names, read_guide, show_guide
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument(
        "guide",
        nargs="?",
        metavar="GUIDE",
        choices=guide_names(),
        help="a command, or what else there is a guide to (default: the list of them)",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the guide."""
    text = read_guide(args.guide or "")
    if out.as_json:
        out.summary({"guide": args.guide or "README", "markdown": text})
    else:
        show_guide(text)
    return DONE
