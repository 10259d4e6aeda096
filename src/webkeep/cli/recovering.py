"""`webkeep recover`: a lost website, brought back out of the archives that hold pieces of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.recover_board import Board
from webkeep.cli.recover_options import add_options, choices_of, door_of, old_names_used, patience_of, plan_of
from webkeep.cli.recover_outcome import tell_outcome
from webkeep.cli.recover_places import check_places
from webkeep.cli.recover_survey import survey
from webkeep.clock import SystemClock
from webkeep.recover.choices import with_known_name
from webkeep.recover.known import known
from webkeep.recover.plan import Plan
from webkeep.recover.recovering import recover
from webkeep.recover.repository import Repository
from webkeep.recover.repository_naming import read_repository
from webkeep.recover.repository_opening import Around, open_repositories
from webkeep.store.writable import WritableArchive


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    add_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Recover, or go on with that; or only say what could be recovered."""
    plan = plan_of(args, SystemClock().now())
    for words in old_names_used(args):
        out.note(words)
    declarations = known(args.declarations)
    for text in plan.repositories:
        read_repository(text, declarations)
    if args.dry_run:
        return survey(plan, _opening(args, plan, FindingLines(out)), out, declarations)
    check_places(args.into, args.copy, args.rehost, (args.summary, args.report), args.compare)
    choices = [with_known_name(each, declarations) for each in choices_of(args)]
    with WritableArchive.open_or_create(args.into) as archive:
        FindingLines(out).tell_all(archive.recovered)
        board = Board(out)
        lines = FindingLines(out)
        recovered = recover(plan, archive, _opening(args, plan, lines), board, choices, args.new)
        out.status("")
    return tell_outcome(args, plan, recovered, lines.count, out)


def _opening(
    args: argparse.Namespace, plan: Plan, lines: FindingLines
) -> Callable[[Path], AbstractAsyncContextManager[list[Repository]]]:
    def opened(spool: Path) -> AbstractAsyncContextManager[list[Repository]]:
        around = Around(
            spool,
            ledger=args.ledger,
            declarations=args.declarations,
            door=door_of(args),
            patience=patience_of(args),
            tell=lines.tell,
        )
        return open_repositories(plan.repositories, around)

    return opened
