"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.findings import FindingLines
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.progress import Progress
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.store.verifying import Verification, verify


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    lines, result = FindingLines(out), Verification()
    with opened(args.archive, out) as archive:
        with Progress(out, "verifying", lambda: {"records": result.records, "files": result.files}):
            verify(archive, lines.tell, result)
        recovered = len(archive.recovered)
    facts = {
        "archive": str(args.archive),
        "files": result.files,
        "records": result.records,
        "bytes": result.size,
        "findings": result.findings,
        "codes": result.codes,
        "recovered": recovered,
    }
    verdict = measure.counted(result.findings, "finding") if result.findings else "all is well"
    gone_through = f"{measure.counted(result.records, 'record')} in {measure.counted(result.files, 'file')}"
    out.summary(facts, f"{gone_through}: {verdict}")
    return FINDINGS if result.findings else DONE
