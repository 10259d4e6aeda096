"""`webkeep cluster`: captures by many workers that come and go with the work; which verbs there are, as subcommands,
each a module of `webkeep.cli.cluster`.
"""

from __future__ import annotations

import argparse

from webkeep.cli.output.console import Output
from webkeep.cli.verbs import add_verbs, run_verb

VERBS = {"capture": "Capture with workers as Ray actors, started and ended by how much there is to do."}
"""Each verb with its help, in the order the help shows them; its module is of the same name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_verbs(parser, VERBS, "webkeep.cli.cluster")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    return run_verb(args, out)
