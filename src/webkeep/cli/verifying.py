"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.store.verifying import verify

NAME = "verify"
HELP = "Check every record, digest, index entry and revisit of an archive."

_LOSSES = frozenset({"file-gone", "file-shrunk"})
"""What opening an archive finds that is not there to be found again."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    lines = FindingLines(out)
    with opened(args.archive, out) as archive:
        result = verify(archive, lines.tell)
        recovered = len(archive.recovered)
        losses = sum(1 for finding in archive.recovered if finding.code in _LOSSES)
    facts = {
        "archive": str(args.archive),
        "files": result.files,
        "records": result.records,
        "bytes": result.size,
        "findings": result.findings + losses,
        "codes": result.codes,
        "recovered": recovered,
    }
    verdict = f"{result.findings + losses:,} findings" if result.findings or losses else "all is well"
    out.summary(facts, f"{result.records:,} records in {result.files:,} files: {verdict}")
    return FINDINGS if result.findings or losses else DONE
