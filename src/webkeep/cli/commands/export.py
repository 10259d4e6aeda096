"""`webkeep export`: hand on an archive, or a part of it, as WACZ, WARC, CDXJ or client-side states: which options go
together, when standard output will do, and what is counted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.options.selection_options import add_selection_arguments, check_selection, selection_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.output.target_file import open_target_file
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.model import RecordPlace
from webkeep.presentation import format_count
from webkeep.store.archive import Archive, Selection
from webkeep.store.index import cdx_lines
from webkeep.store.transfer import WarcExport, count_dumps, write_wacz, write_warc
from webkeep.store.views import select_states

_COUNTED_THINGS = {"records": "record", "index_lines": "index line", "pages": "page", "states": "state"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--wacz", metavar="FILE", help="records, index and pages in one file (- for standard output)")
    target.add_argument("--warc", metavar="FILE", help="records only (- for standard output)")
    target.add_argument("--cdxj", metavar="FILE", help="index only (- for standard output)")
    target.add_argument(
        "--states", metavar="FILE", help="client-side states: .json with all that is known, or .graphml"
    )
    parser.add_argument("--post", action="store_true", help="with --cdxj: keys for requests with a body")
    parser.add_argument("--title", default="", metavar="TEXT", help="with --wacz: its title")
    parser.add_argument("--dumps", action="store_true", help="take dumps of databases along, which are left out else")
    parser.add_argument("--replace", action="store_true", help="write over FILE if it is there")
    add_selection_arguments(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the export; nothing is left behind where it fails."""
    name = next(each for each in (args.wacz, args.warc, args.cdxj, args.states) if each is not None)
    _check_arguments(args, name, out)
    with open_archive(args.archive, out) as archive, _open_target(name, args.replace) as stream:
        selection = selection_from_arguments(args, archive)
        if not selection.is_everything and next(selection.observations(archive), None) is None:
            raise UsageError(f"nothing in {args.archive} is selected; webkeep list {args.archive} shows what is there")
        selection = replace(selection, dumps=args.dumps)
        written = _write_export(args, archive, selection, stream, out)
        if not args.dumps and (left := count_dumps(archive)):
            out.note(f"{format_count(left, 'dump')} of databases left out, which are private; --dumps takes them along")
        stream.flush()
    facts: dict[str, object] = {"archive": str(args.archive), "file": name, **written}
    if name != "-":
        facts["bytes"] = Path(name).stat().st_size
    told = " and ".join(format_count(number, _COUNTED_THINGS[key]) for key, number in written.items())
    out.summary(facts, f"wrote {told} to {'standard output' if name == '-' else name}")
    return DONE


def _check_arguments(args: argparse.Namespace, name: str, out: Output) -> None:
    check_selection(args)
    if args.title and args.wacz is None:
        raise UsageError("--title is the title of a WACZ; leave it out, or export with --wacz")
    if args.post and args.cdxj is None:
        raise UsageError("--post is about index lines; leave it out, or export with --cdxj")
    if name == "-":
        _check_standard_output(out, is_text=args.cdxj is not None or args.states is not None)
    elif args.warc is not None and not name.endswith(".gz"):
        raise UsageError(f"the records are compressed one by one, so name it {name.removesuffix('.warc')}.warc.gz")


def _check_standard_output(out: Output, is_text: bool) -> None:
    if out.as_json:
        raise UsageError("the export and --json would mix on standard output; name a file instead of -")
    if out.is_terminal and not is_text:
        raise UsageError(
            "this is not plain text and could disturb the terminal; name a file instead of -, or use a pipe"
        )


def _write_export(
    args: argparse.Namespace, archive: Archive, selection: Selection, stream: BinaryIO, out: Output
) -> dict[str, int]:
    """Write the export of the kind that is wanted; gives what it consists of."""
    written = _CountingWriter(stream)
    if args.wacz is not None:
        to_file = args.wacz != "-"
        workspace = Path(args.wacz).absolute().parent if to_file else None
        with ProgressMeter(out, "exporting", lambda: {"bytes": os.fstat(stream.fileno()).st_size} if to_file else {}):
            lines, pages = write_wacz(archive, selection, stream, args.title, workspace, args.dumps)
        return {"index_lines": lines, "pages": pages}
    with ProgressMeter(out, "exporting", lambda: {"bytes": written.size}):
        if args.states is not None:
            return {"states": _write_states(archive, selection, args.states, written.write)}
        if args.warc is not None:
            return {"records": write_warc(WarcExport(archive, selection, args.dumps), written.write)}
        write = out.line if args.cdxj == "-" and out.is_terminal else written.write_line
        return {"index_lines": _write_cdxj(archive, selection, write, args.post)}


class _CountingWriter:
    """Writes to a stream and counts the bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = 0

    def write(self, piece: bytes) -> None:
        self.size += self._stream.write(piece)

    def write_line(self, text: str) -> None:
        self.write(text.encode("utf-8", "surrogateescape") + b"\n")


def _write_cdxj(archive: Archive, selection: Selection, write: Callable[[str], None], post: bool) -> int:
    entries = archive.entries(selection.url, selection.match, selection.since, selection.until)
    if selection.pattern or not selection.dumps:
        entries = (entry for entry in entries if selection.includes_url(entry.url))
    if selection.capture:
        entries = (entry for entry in entries if _is_in_capture(archive, entry.place, selection.capture))
    count = 0
    for count, line in enumerate(cdx_lines(entries, post), 1):  # noqa: B007 - the count outlives the loop
        write(line)
    return count


def _write_states(archive: Archive, selection: Selection, name: str, write: Callable[[bytes], None]) -> int:
    from webkeep.cli.output.state_rows import no_states_advice, render_machines  # few exports need what is behind it

    notes = [note for _, note in select_states(archive, selection)]
    pieces = render_machines(iter(notes), name)
    if not notes:
        where = archive.path if selection.is_everything else f"what is selected of {archive.path}"
        raise UsageError(f"there are no states in {where}; {no_states_advice(archive)}")
    for piece in pieces:
        write(piece)
    return len(notes)


def _is_in_capture(archive: Archive, place: RecordPlace, capture: str) -> bool:
    observation = archive.catalog.observations.find_at(place.file, place.offset)
    return observation is not None and observation.capture == capture


@contextmanager
def _open_target(name: str, replace: bool) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdout.buffer
        return
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{name or path} is a directory; name a file in it")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no directory {path.parent} to write {path.name} to; make it, or name another")
    if path.exists() and not replace:
        raise UsageError(f"{path} is there already; give --replace to write over it")
    with open_target_file(path, replace=True) as stream:
        yield stream
