"""`webkeep recover`: a lost website, brought back out of the archives that hold pieces of it; whether it surveys or
recovers.
"""

from __future__ import annotations

import argparse

from webkeep.api import run_recovery
from webkeep.cli.options.recover_options import (
    add_recover_options,
    legacy_option_advice,
    recovery_request_from_arguments,
)
from webkeep.cli.output.console import Output
from webkeep.cli.progress.recovery_view import RecoveryProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.recovery_summary import report_recovery
from webkeep.cli.recovery_survey import survey_repositories
from webkeep.clock import SystemClock


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_recover_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Recover, or go on with that; or only say what could be recovered."""
    request = recovery_request_from_arguments(args, SystemClock().now())
    for words in legacy_option_advice(args):
        out.note(words)
    if args.dry_run:
        return survey_repositories(request, out)
    done = run_recovery(request, RecoveryProgressView(out), WorkView(out))
    out.status("")
    return report_recovery(done, out)
