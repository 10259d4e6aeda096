"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import run_verify
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    done = run_verify(args.archive, WorkView(out))
    verdict = format_count(done.findings, "finding") if done.findings else "all is well"
    gone_through = f"{format_count(done.records, 'record')} in {format_count(done.files, 'file')}"
    out.summary(done.to_dict(), f"{gone_through}: {verdict}")
    return FINDINGS if done.findings else DONE
