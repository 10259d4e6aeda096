"""`webkeep completion`: the script by which a shell (bash, zsh or fish) completes commands, options and file names."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE

_SHELLS = ("bash", "zsh", "fish")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=f"the shell: {', '.join(_SHELLS)}")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the script that the shell reads."""
    script = write_completion(args.shell)
    if out.as_json:
        out.summary({"shell": args.shell, "script": script})
    else:
        out.content([script.encode()])
    return DONE


def write_completion(shell: str) -> str:
    """The script by which a shell completes calls of `webkeep`."""
    import shtab

    from webkeep.cli.main import build_whole_parser, subcommand_parsers

    parser = build_whole_parser()
    for command in subcommand_parsers(parser).values():
        for action in command._actions:
            if action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell=shell))
