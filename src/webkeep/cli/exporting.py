"""`webkeep export`: hand on an archive, or a part of it, as WACZ, WARC or CDXJ."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.selection import selected, selection_arguments
from webkeep.cli.subcommand import DONE
from webkeep.cli.target import new_file
from webkeep.errors import UsageError
from webkeep.model import Place
from webkeep.store.archive import Archive
from webkeep.store.cdx import cdx_lines
from webkeep.store.exporting import Export, write_warc
from webkeep.store.packaging import write_wacz
from webkeep.store.selecting import Selection

NAME = "export"
HELP = "Hand on an archive, or a part of it, as WACZ, WARC or CDXJ."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--wacz", metavar="FILE", help="records, index and pages in one file")
    target.add_argument("--warc", metavar="FILE", help="records only (- for standard output)")
    target.add_argument("--cdxj", metavar="FILE", help="index only (- for standard output)")
    parser.add_argument("--post", action="store_true", help="with --cdxj: keys for requests with a body")
    parser.add_argument("--title", default="", metavar="TEXT", help="with --wacz: its title")
    parser.add_argument("--replace", action="store_true", help="write over FILE if it is there")
    selection_arguments(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the export; nothing is left behind where it fails."""
    name = args.wacz or args.warc or args.cdxj
    with opened(args.archive, out) as archive, _target(name, args.replace) as stream:
        selection = selected(args, archive)
        if not selection.is_everything and next(selection.observations(archive), None) is None:
            raise UsageError(f"nothing in {args.archive} is selected; webkeep list {args.archive} shows what is there")
        facts: dict[str, object] = {"archive": str(args.archive), "file": name}
        if args.wacz:
            workspace = None if name == "-" else Path(name).absolute().parent
            facts["records"], facts["pages"] = write_wacz(archive, selection, stream, args.title, workspace)
        elif args.warc:
            facts["records"] = write_warc(Export(archive, selection), stream.write)
        else:
            facts["records"] = _write_cdxj(archive, selection, stream, args.post)
        stream.flush()
    if name != "-":
        facts["bytes"] = Path(name).stat().st_size
    out.summary(facts, f"wrote {facts['records']:,} records to {name}")
    return DONE


def _write_cdxj(archive: Archive, selection: Selection, stream: BinaryIO, post: bool) -> int:
    entries = archive.entries(selection.url, selection.match, selection.since, selection.until)
    if selection.capture:
        entries = (entry for entry in entries if _is_of(archive, entry.place, selection.capture))
    count = 0
    for line in cdx_lines(entries, post):
        stream.write(line.encode("utf-8", "surrogateescape") + b"\n")
        count += 1
    return count


def _is_of(archive: Archive, place: Place, capture: str) -> bool:
    observation = archive.catalog.observations.at(place.file, place.offset)
    return observation is not None and observation.capture == capture


@contextmanager
def _target(name: str, replace: bool) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdout.buffer
        return
    path = Path(name)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"{path} cannot be a file there; name one in a directory that exists")
    if path.exists() and not replace:
        raise UsageError(f"{path} is there already; give --replace to write over it")
    with new_file(path, replace=True) as stream:
        yield stream
