"""`webkeep lab`: experiments with the product's own code, in virtual time; which there are (coherence, prediction,
recovery), as subcommands.
"""

from __future__ import annotations

import argparse

from webkeep.cli.experiments import coherence as lab_coherence, prediction as lab_prediction, recovery as lab_recovery
from webkeep.cli.output.console import Output


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    experiments = parser.add_subparsers(metavar="EXPERIMENT", required=True)
    for experiment in (lab_coherence, lab_prediction, lab_recovery):
        child = experiments.add_parser(experiment.NAME, help=experiment.HELP, description=experiment.HELP)
        # The command's own --json comes before the experiment's name; here it must not be forgotten again.
        child.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="events and a summary as JSON lines"
        )
        experiment.arguments(child)
        child.set_defaults(experiment=experiment.run)


def run(args: argparse.Namespace, out: Output) -> int:
    """Make the experiment."""
    code: int = args.experiment(args, out)
    return code
