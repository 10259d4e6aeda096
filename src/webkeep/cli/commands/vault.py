"""`webkeep vault`: server components into pages and back; which verbs there are, as subcommands, each a module of
`webkeep.cli.vault`.
"""

from __future__ import annotations

import argparse

from webkeep.cli.output.console import Output
from webkeep.cli.verbs import add_verbs, run_verb

VERBS = {
    "plan": "Propose how server components are spread over pages, and say how likely they come back.",
    "protect": "Seal server components and spread them over the pages of their site.",
    "health": "Say which blocks archives hold today, and whether everything could be recovered now.",
    "recover": "Bring server components back out of whatever holds pages of their site.",
}
"""Each verb with its help, in the order the help shows them; its module is of the same name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_verbs(parser, VERBS, "webkeep.cli.vault")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    return run_verb(args, out)
