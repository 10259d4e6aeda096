"""`webkeep rebuild`: make index and catalog anew from the WARC files alone."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.store.archive import Archive
from webkeep.store.rebuilding import rebuild

NAME = "rebuild"
HELP = "Make the index and the catalog of an archive anew from its WARC files."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")


def run(args: argparse.Namespace, out: Output) -> int:
    """Rebuild; flaws in the WARC files make the exit code 1."""
    lines = FindingLines(out)
    lines.tell_all(rebuild(args.archive))
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
    out.summary(facts, f"rebuilt from {files:,} files: {entries:,} index entries, {captures:,} captures")
    return FINDINGS if lines.count else DONE
