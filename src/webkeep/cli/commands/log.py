"""`webkeep log`: the log of an archive's records; which verbs there are, as subcommands, each a module of
`webkeep.cli.log`.
"""

from __future__ import annotations

import argparse

from webkeep.cli.output.console import Output
from webkeep.cli.verbs import add_verbs, run_verb

VERBS = {
    "begin": "Have an archive keep a log of all its records from now on, those it has among them.",
    "checkpoint": "Make and sign a checkpoint over all records, to be kept elsewhere.",
    "show": "Say how large the log is, and show its last checkpoint and the key that signed it.",
    "stamp": "Have time-stamping authorities date the last checkpoint.",
    "publish": "Write checkpoint and tiles as files, for any web server.",
    "prove": "Prove that records of a URL are in the log, for those who have not the archive.",
}
"""Each verb with its help, in the order the help shows them; its module is of the same name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_verbs(parser, VERBS, "webkeep.cli.log")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the verb says."""
    return run_verb(args, out)
