"""`webkeep rebuild`: make index and catalog anew from the WARC files alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.progress import Progress
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.store.archive import Archive
from webkeep.store.rebuilding import rebuild


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")


def run(args: argparse.Namespace, out: Output) -> int:
    """Rebuild; flaws in the WARC files make the exit code 1."""
    lines = FindingLines(out)
    batches: list[int] = []
    with Progress(out, "rebuilding", lambda: {"index_lines": sum(batches)}):
        flaws = rebuild(args.archive, batches.append)
    lines.tell_all(flaws)
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
    made = f"{measure.counted(entries, 'index line')}, {measure.counted(captures, 'capture')}"
    flawed = f"; {measure.counted(lines.count, 'finding')}" if lines.count else ""
    out.summary(facts, f"rebuilt from {measure.counted(files, 'file')}: {made}{flawed}")
    return FINDINGS if lines.count else DONE
