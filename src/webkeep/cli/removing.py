"""`webkeep remove`: a takedown; the bytes leave the disk and a tombstone stays."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.selection import selected, selection_arguments
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.store.removing import doomed, remove
from webkeep.store.writable import WritableArchive

NAME = "remove"
HELP = "Take something down: its bytes leave the disk, a tombstone says what and when."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")
    selection_arguments(parser, match="exact")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the tombstone")
    parser.add_argument("--yes", action="store_true", help="really remove; without it, only say what would be")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what is selected, or say what that would be."""
    if not (args.url or args.capture or args.since or args.until):
        raise UsageError("say what to remove: --url, --capture, --since or --until")
    return _remove(args, out) if args.yes else _tell(args, out)


def _tell(args: argparse.Namespace, out: Output) -> int:
    count = size = 0
    with opened(args.archive, out) as archive:
        for observation in doomed(archive, selected(args, archive)):
            count, size = count + 1, size + observation.place.length
            out.line(f"{observation.moment}  {observation.url}")
            out.event("would-remove", url=observation.url, moment=observation.moment.iso())
    facts = {"archive": str(args.archive), "would_remove": count, "bytes": size}
    out.summary(facts, f"{count:,} records ({size:,} bytes) would be removed; give --yes to do it")
    return DONE if count else FINDINGS


def _remove(args: argparse.Namespace, out: Output) -> int:
    lines = FindingLines(out)
    with WritableArchive(args.archive) as archive:
        result = remove(archive, selected(args, archive), args.reason, lines.tell)
    facts = {
        "archive": str(args.archive),
        "removed": result.records,
        "mended": result.mended,
        "files": result.files,
        "findings": lines.count,
    }
    out.summary(facts, f"removed {result.records:,} records, mended {result.mended:,} revisits")
    return DONE if result.records and not lines.count else FINDINGS
