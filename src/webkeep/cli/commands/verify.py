"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count
from webkeep.store.maintenance import VerificationResult, verify_archive


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    lines, result = FindingPrinter(out), VerificationResult()
    with open_archive(args.archive, out) as archive:
        with ProgressMeter(out, "verifying", lambda: {"records": result.records, "files": result.files}):
            verify_archive(archive, lines.print_finding, result)
        recovered = len(archive.repair_findings)
    facts = {
        "archive": str(args.archive),
        "files": result.files,
        "records": result.records,
        "bytes": result.size,
        "findings": result.findings,
        "codes": result.codes,
        "recovered": recovered,
    }
    verdict = format_count(result.findings, "finding") if result.findings else "all is well"
    gone_through = f"{format_count(result.records, 'record')} in {format_count(result.files, 'file')}"
    out.summary(facts, f"{gone_through}: {verdict}")
    return FINDINGS if result.findings else DONE
