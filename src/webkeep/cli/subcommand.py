"""What a subcommand is, and the exit codes it answers with: done, done with findings, a wrong call, or not finished."""

from __future__ import annotations

import argparse
from typing import Protocol

from webkeep.cli.output.console import Output

DONE, FINDINGS, WRONG_CALL, UNFINISHED = 0, 1, 2, 3
"""Exit codes: done; done with findings; the call is wrong; could not finish."""


class Subcommand(Protocol):
    """What each module of a subcommand offers."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the subcommand's arguments."""

    def run(self, args: argparse.Namespace, out: Output) -> int:
        """Do the work and return the exit code."""
        ...
