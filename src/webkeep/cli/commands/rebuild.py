"""`webkeep rebuild`: make index and catalog anew from the WARC files alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count
from webkeep.store.archive import Archive
from webkeep.store.maintenance import rebuild_caches


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")


def run(args: argparse.Namespace, out: Output) -> int:
    """Rebuild; flaws in the WARC files make the exit code 1."""
    lines = FindingPrinter(out)
    batches: list[int] = []
    with ProgressMeter(out, "rebuilding", lambda: {"index_lines": sum(batches)}):
        flaws = rebuild_caches(args.archive, batches.append)
    lines.print_findings(flaws)
    with Archive(args.archive) as archive:
        entries, captures = archive.count(), sum(1 for _ in archive.captures())
        files = len(archive.layout.warc_names())
    facts = {
        "archive": str(args.archive),
        "files": files,
        "entries": entries,
        "captures": captures,
        "findings": lines.count,
    }
    made = f"{format_count(entries, 'index line')}, {format_count(captures, 'capture')}"
    flawed = f"; {format_count(lines.count, 'finding')}" if lines.count else ""
    out.summary(facts, f"rebuilt from {format_count(files, 'file')}: {made}{flawed}")
    return FINDINGS if lines.count else DONE
