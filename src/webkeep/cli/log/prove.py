"""`webkeep log prove`: proofs that records of a URL are in the log."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import open_target_file, run_log_proofs
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count
from webkeep.url import UrlMatch


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive that keeps a log")
    parser.add_argument("url", metavar="URL", help="whose records, with their requests, are proven")
    parser.add_argument(
        "--match", type=UrlMatch, choices=list(UrlMatch), default=UrlMatch.EXACT, help="what URL stands for (exact)"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="where the proofs go, as JSON")


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the proofs; records that no checkpoint covers make the exit code 1."""
    done = run_log_proofs(args.archive, args.url, args.match, WorkView(out))
    with open_target_file(args.out) as target:
        target.write(done.proofs)
    since = f"; {format_count(done.unproven, 'record')} came since the checkpoint" if done.unproven else ""
    out.summary(done.to_dict(), f"{format_count(done.proven, 'record')} proven to be in {done.origin}{since}")
    return FINDINGS if done.unproven else DONE
