"""`webkeep verify`: every digest, every index entry, every revisit's target."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.store.archive import Archive
from webkeep.store.verifying import verify

NAME = "verify"
HELP = "Check every record, digest, index entry and revisit of an archive."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")


def run(args: argparse.Namespace, out: Output) -> int:
    """Verify the archive; findings make the exit code 1."""
    lines = FindingLines(out)
    with Archive(args.archive) as archive:
        for recovered in archive.recovered:
            out.note(f"brought in order: {recovered}")
            out.event("recovered", code=recovered.code, source=recovered.source, offset=recovered.offset)
        result = verify(archive, lines.tell)
        brought_in_order = len(archive.recovered)
    facts = {
        "archive": str(args.archive),
        "files": result.files,
        "records": result.records,
        "bytes": result.size,
        "findings": result.findings,
        "codes": result.codes,
        "recovered": brought_in_order,
    }
    verdict = f"{result.findings:,} findings" if result.findings else "all is well"
    out.summary(facts, f"{result.records:,} records in {result.files:,} files: {verdict}")
    return FINDINGS if result.findings else DONE
