"""`webkeep import`: bring WARC, ARC and WACZ files, mirrors of HTTrack, or the files of a website into an archive: its
options, and what is said of each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import ImportRequest, ImportSummary, run_import
from webkeep.cli.options.log_options import add_log_option
from webkeep.cli.options.plan_defaults import default_of
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.presentation import format_count, format_size
from webkeep.store.transfer import parse_base_url

_FLAWS_ADVICE = "what can be read was stored; get flawed files again and import them too"
_TAKEN_DOWN_CODE = "taken-down"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    usual = default_of(ImportRequest, "index_name")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WARC, ARC, WACZ, or a directory")
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    parser.add_argument("--base-url", metavar="URL", help="take directories as the files served at this URL")
    parser.add_argument(
        "--index-name", default=usual, metavar="NAME", help=f"the file served for a directory ({usual})"
    )
    parser.add_argument("--restore", action="store_true", help="bring back records that were removed once")
    parser.add_argument("--redact", action="store_true", help="leave credentials out of the records")
    add_log_option(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Import everything named; what is flawed is told and passed over."""
    request = ImportRequest(
        tuple(args.files), args.into, args.base_url, args.index_name, args.restore, args.redact, args.log
    )
    done = run_import(request, WorkView(out), lambda path: out.event("import", file=str(path)))
    out.summary(done.to_dict(), _import_words(request, done))
    return FINDINGS if done.findings else DONE


def _import_words(request: ImportRequest, done: ImportSummary) -> str:
    if done.files is not None:
        return _record_words(done, done.files) + ("" if done.is_archive_made else "; no archive was made")
    flawed = f"; {format_count(done.findings, 'finding')}" if done.findings else ""
    size = format_size(done.bytes or 0)
    if request.base_url is None:
        return f"stored {format_count(done.stored, 'answer')} ({size}) out of HTTrack's cache{flawed}"
    news = {"new": done.new, "changed": done.changed, "unchanged": done.unchanged}
    told = ", ".join(f"{number:,} {name}" for name, number in news.items())
    base = parse_base_url(request.base_url)
    return f"stored {format_count(done.stored, 'file')} ({told}; {size}) under {base}{flawed}"


def _record_words(done: ImportSummary, files: int) -> str:
    removed = done.codes.get(_TAKEN_DOWN_CODE, 0)
    flaws = done.findings - removed
    told = [f"{format_count(removed, 'was', 'were')} taken down once and left out: --restore brings them back"] * (
        removed > 0
    )
    if flaws and not done.stored and not done.held:
        return "; ".join(["nothing could be stored", format_count(flaws, "finding"), *told])
    stored = f"stored {format_count(done.stored, 'record')} from {format_count(files, 'file')}"
    already = [f"{format_count(done.held, 'was', 'were')} there already"] if done.held else []
    told = [stored, *already, *told]
    return "; ".join([*told, f"{format_count(flaws, 'finding')}: {_FLAWS_ADVICE}"] if flaws else told)
