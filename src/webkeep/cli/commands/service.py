"""`webkeep service`: captures for many people; which verbs there are, each a module of `webkeep.cli.service`, and that
`run` need not be said.
"""

from __future__ import annotations

import argparse

from webkeep.cli.output.console import Output
from webkeep.cli.verbs import add_verbs, imply_verb, run_verb

VERBS = {
    "run": "Be the service until a signal asks to end; the word run may be left out.",
    "join": "Run jobs of a service on a further machine, by a folder and a job store that both share.",
    "account": "Make accounts of people, list them, lock them, change their passwords and roles.",
    "install": "Write the unit by which systemd runs a service, so that jobs outlive its restart.",
    "backup": "Copy a service and its archives while it runs; a second backup takes only the room of what is new.",
    "restore": "Bring a service and its archives back out of a backup, into an empty folder.",
}
"""Each verb with its help, in the order the help shows them."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_verbs(parser, VERBS, "webkeep.cli.service")
    imply_verb(parser, "run")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    return run_verb(args, out)
