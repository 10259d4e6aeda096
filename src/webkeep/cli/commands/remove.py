"""`webkeep remove`: a takedown; without `--yes` it only says what would go. Here are decided that something must be
selected but not everything, what is said, and the exit code.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.options.selection_options import add_selection_arguments, check_selection, selection_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.presentation import format_count, format_size
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.folder import UNFINISHED_SUFFIX, ArchiveLayout
from webkeep.store.maintenance import select_for_takedown, take_down
from webkeep.url import UrlMatch


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    add_selection_arguments(parser, UrlMatch.EXACT)
    parser.add_argument("--reason", default="", metavar="TEXT", help="why; kept in the tombstone")
    parser.add_argument("--yes", action="store_true", help="really remove; without it, only say what would be")


def run(args: argparse.Namespace, out: Output) -> int:
    """Remove what is selected, or say what that would be."""
    check_selection(args)
    if all(given is None for given in (args.url, args.capture, args.since, args.until)):
        raise UsageError("say what to remove: --url, --capture, --since or --until")
    return _remove_records(args, out) if args.yes else _preview_removal(args, out)


def _preview_removal(args: argparse.Namespace, out: Output) -> int:
    count = size = 0
    with open_archive(args.archive, out) as archive:
        for observation in select_for_takedown(archive, _read_selection(args, archive)):
            count, size = count + 1, size + observation.place.length
            out.line(f"{observation.moment}  {observation.url}")
            out.event("would-remove", url=observation.url, moment=observation.moment.iso())
    facts = {"archive": str(args.archive), "would_remove": count, "bytes": size}
    what = f"{format_count(count, 'record')} ({format_size(size)}) would be removed; give --yes to do it"
    out.summary(facts, what if count else _nothing_words(args))
    return DONE if count else FINDINGS


def _remove_records(args: argparse.Namespace, out: Output) -> int:
    lines = FindingPrinter(out)
    with WritableArchive(args.archive) as archive:
        selection = _read_selection(args, archive)
        with ProgressMeter(out, "removing", lambda: _rewritten_counts(archive.layout)):
            result = take_down(archive, selection, args.reason, lines.print_finding)
    facts = {
        "archive": str(args.archive),
        "removed": result.records,
        "repaired": result.mended,
        "files": result.files,
        "findings": lines.count,
    }
    done = (
        f"removed {format_count(result.records, 'record')}, mended "
        f"{format_count(result.mended, 'revisit')}; "
        "reports and the words for searching, in which they may have stood, are cleared and made again when needed"
    )
    out.summary(facts, done if result.records else _nothing_words(args))
    return DONE if result.records and not lines.count else FINDINGS


def _read_selection(args: argparse.Namespace, archive: Archive) -> Selection:
    selection = selection_from_arguments(args, archive, UrlMatch.EXACT)
    if selection.is_everything:
        raise UsageError("this would remove everything; to be rid of a whole archive delete its directory")
    return selection


def _nothing_words(args: argparse.Namespace) -> str:
    return f"nothing is selected and nothing removed; webkeep list {args.archive} shows what is there"


def _rewritten_counts(layout: ArchiveLayout) -> dict[str, int]:
    """How much is there of the files that are written anew."""
    sizes = []
    for path in layout.warcs.glob("*" + UNFINISHED_SUFFIX):
        with suppress(FileNotFoundError):  # it was finished at this moment
            sizes.append(path.stat().st_size)
    return {"files": len(sizes), "bytes": sum(sizes)}
