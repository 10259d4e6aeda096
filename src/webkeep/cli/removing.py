"""`webkeep remove`: a takedown; the bytes leave the disk and a tombstone stays."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.findings import FindingLines
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.progress import Progress
from webkeep.cli.selection import check_selection, selected, selection_arguments
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.store.archive import Archive
from webkeep.store.journal import UNFINISHED
from webkeep.store.layout import Layout
from webkeep.store.removing import doomed, remove
from webkeep.store.selecting import Selection
from webkeep.store.writable import WritableArchive
from webkeep.url import Match


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    selection_arguments(parser, Match.EXACT)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the tombstone")
    parser.add_argument("--yes", action="store_true", help="really remove; without it, only say what would be")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what is selected, or say what that would be."""
    check_selection(args)
    if all(given is None for given in (args.url, args.capture, args.since, args.until)):
        raise UsageError("say what to remove: --url, --capture, --since or --until")
    return _remove(args, out) if args.yes else _tell(args, out)


def _tell(args: argparse.Namespace, out: Output) -> int:
    count = size = 0
    with opened(args.archive, out) as archive:
        for observation in doomed(archive, _selected(args, archive)):
            count, size = count + 1, size + observation.place.length
            out.line(f"{observation.moment}  {observation.url}")
            out.event("would-remove", url=observation.url, moment=observation.moment.iso())
    facts = {"archive": str(args.archive), "would_remove": count, "bytes": size}
    what = f"{measure.counted(count, 'record')} ({measure.size(size)}) would be removed; give --yes to do it"
    out.summary(facts, what if count else _nothing(args))
    return DONE if count else FINDINGS


def _remove(args: argparse.Namespace, out: Output) -> int:
    lines = FindingLines(out)
    with WritableArchive(args.archive) as archive:
        selection = _selected(args, archive)
        with Progress(out, "removing", lambda: _written(archive.layout)):
            result = remove(archive, selection, args.reason, lines.tell)
    facts = {
        "archive": str(args.archive),
        "removed": result.records,
        "mended": result.mended,
        "files": result.files,
        "findings": lines.count,
    }
    done = (
        f"removed {measure.counted(result.records, 'record')}, mended {measure.counted(result.mended, 'revisit')}; "
        "reports and the words for searching, in which they may have stood, are cleared and made again when needed"
    )
    out.summary(facts, done if result.records else _nothing(args))
    return DONE if result.records and not lines.count else FINDINGS


def _selected(args: argparse.Namespace, archive: Archive) -> Selection:
    selection = selected(args, archive, Match.EXACT)
    if selection.is_everything:
        raise UsageError("this would remove everything; to be rid of a whole archive delete its directory")
    return selection


def _nothing(args: argparse.Namespace) -> str:
    return f"nothing is selected and nothing removed; webkeep list {args.archive} shows what is there"


def _written(layout: Layout) -> dict[str, int]:
    """How much is there of the files that are written anew."""
    sizes = []
    for path in layout.warcs.glob("*" + UNFINISHED):
        with suppress(FileNotFoundError):  # it was finished at this moment
            sizes.append(path.stat().st_size)
    return {"files": len(sizes), "bytes": sum(sizes)}
