"""`webkeep import`: bring WARC, ARC and WACZ files, or the files of a website, into an archive."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.cli.findings import FindingLines
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.store.import_files import base_of, import_files, site_files
from webkeep.store.importing import RecordImport, record_files
from webkeep.store.writable import WritableArchive

NAME = "import"
HELP = "Bring WARC, ARC and WACZ files, or the files of a website, into an archive."

_SEEDS = 1000
_ADVICE = "what is flawed was told and what can be read was stored; get flawed files again and import them too"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WARC, ARC, WACZ, or a directory")
    parser.add_argument("--into", required=True, type=Path, metavar="ARCHIVE", help="made if it is not there")
    parser.add_argument("--base-url", metavar="URL", help="take directories as the files served at this URL")
    parser.add_argument(
        "--index-name", default="index.html", metavar="NAME", help="the file served for a directory (index.html)"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Import everything named; what is flawed is told and passed over."""
    return _import_site(args, out) if args.base_url else _import_records(args, out)


def _import_records(args: argparse.Namespace, out: Output) -> int:
    lines = FindingLines(out)
    paths = [found for path in args.files for found in record_files(path, lines.tell)]
    with WritableArchive.open_or_create(args.into) as archive:
        lines.tell_all(archive.recovered)
        work = RecordImport(archive, [path.name for path in args.files[:_SEEDS]], lines.tell)
        for path in paths:
            out.event("import", file=str(path))
            work.add(path)
        work.finish()
    result = work.result
    facts = {
        "archive": str(args.into),
        "capture": work.capture.id if work.capture else None,
        "files": result.sources,
        "stored": result.records,
        "held": result.held,
        "findings": lines.count,
    }
    text = f"stored {result.records:,} records from {result.sources:,} files; {result.held:,} were there already"
    out.summary(facts, f"{text}; {lines.count:,} findings: {_ADVICE}" if lines.count else text)
    return FINDINGS if lines.count else DONE


def _import_site(args: argparse.Namespace, out: Output) -> int:
    base = base_of(args.base_url)
    lines = FindingLines(out)
    for folder in args.files:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a directory; --base-url takes directories of files")
    count = size = 0
    with WritableArchive.open_or_create(args.into) as archive, archive.begin("import", [base]) as capture:
        lines.tell_all(archive.recovered)
        for folder in args.files:
            files = site_files(folder, base, args.index_name, lines.tell)
            stored, taken = import_files(capture, files, archive.clock.now, lines.tell)
            count, size = count + stored, size + taken
    facts = {"archive": str(args.into), "capture": capture.id, "stored": count, "bytes": size, "findings": lines.count}
    out.summary(facts, f"stored {count:,} files ({size:,} bytes) under {base}")
    return FINDINGS if lines.count else DONE
