"""`webkeep recover`: a lost website, brought back out of the archives that hold pieces of it; in which order a call is
checked, and whether it surveys or recovers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from webkeep.cli.options.recover_options import (
    add_recover_options,
    fetch_settings_from_arguments,
    legacy_option_advice,
    read_choices,
    recovery_plan_from_arguments,
    timeouts_from_arguments,
)
from webkeep.cli.options.recover_paths import check_recovery_paths
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.recovery_view import RecoveryProgressView
from webkeep.cli.recovery_summary import report_recovery
from webkeep.cli.recovery_survey import survey_repositories
from webkeep.clock import SystemClock
from webkeep.recover import RecoveryPlan
from webkeep.recover.repositories import Repository
from webkeep.recover.run import recover, resolve_choice_repository
from webkeep.recover.sources import RepositoryContext, load_declarations, open_repositories, parse_repository
from webkeep.store.archive import WritableArchive


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_recover_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Recover, or go on with that; or only say what could be recovered."""
    plan = recovery_plan_from_arguments(args, SystemClock().now())
    for words in legacy_option_advice(args):
        out.note(words)
    declarations = load_declarations(args.declarations)
    for text in plan.repositories:
        parse_repository(text, declarations)
    if args.dry_run:
        return survey_repositories(plan, _repository_opener(args, plan, FindingPrinter(out)), out, declarations)
    check_recovery_paths(args.into, args.copy, args.rehost, (args.summary, args.report), args.compare)
    choices = [resolve_choice_repository(each, declarations) for each in read_choices(args)]
    with WritableArchive.open_or_create(args.into) as archive:
        FindingPrinter(out).print_findings(archive.repair_findings)
        view = RecoveryProgressView(out)
        lines = FindingPrinter(out)
        recovered = recover(plan, archive, _repository_opener(args, plan, lines), view, choices, args.new)
        out.status("")
    return report_recovery(args, plan, recovered, lines.count, out)


def _repository_opener(
    args: argparse.Namespace, plan: RecoveryPlan, lines: FindingPrinter
) -> Callable[[Path], AbstractAsyncContextManager[list[Repository]]]:
    def open_all(spool: Path) -> AbstractAsyncContextManager[list[Repository]]:
        context = RepositoryContext(
            spool,
            ledger=args.ledger,
            declarations=args.declarations,
            fetch_settings=fetch_settings_from_arguments(args),
            timeouts=timeouts_from_arguments(args),
            report_finding=lines.print_finding,
        )
        return open_repositories(plan.repositories, context)

    return open_all
