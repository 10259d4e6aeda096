"""`webkeep import`: bring WARC, ARC and WACZ files, mirrors of HTTrack, or the files of a website into an archive; how
it tells which of them it has, and what it counts and says.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.model import CaptureKind, Finding
from webkeep.presentation import format_count, format_size
from webkeep.redaction import Redactor
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.folder import ArchiveLayout, is_archive
from webkeep.store.transfer import (
    FindingListener,
    ImportResult,
    RecordImport,
    SiteFile,
    find_record_files,
    find_site_files,
    import_directory,
    import_httrack,
    is_httrack_mirror,
    parse_base_url,
)
from webkeep.store.views import RESTORE_ADVICE, read_taken_down

_MAX_SEEDS_KEPT = 1000
"""Names of imported files that are kept as the seeds of the capture."""
_FLAWS_ADVICE = "what can be read was stored; get flawed files again and import them too"
_TAKEN_DOWN_CODE = "taken-down"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WARC, ARC, WACZ, or a directory")
    parser.add_argument(
        "--into", required=True, type=Path, metavar="ARCHIVE", help="the folder of the archive; made if it is not there"
    )
    parser.add_argument("--base-url", metavar="URL", help="take directories as the files served at this URL")
    parser.add_argument(
        "--index-name", default="index.html", metavar="NAME", help="the file served for a directory (index.html)"
    )
    parser.add_argument("--restore", action="store_true", help="bring back records that were removed once")
    parser.add_argument("--redact", action="store_true", help="leave credentials out of the records")


def run(args: argparse.Namespace, out: Output) -> int:
    """Import everything named; what is flawed is told and passed over."""
    parent = args.into.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"there is no directory {parent} to make the archive {args.into.name} in; make it first")
    if args.base_url is None and all(map(is_httrack_mirror, args.files)):
        return _import_mirrors(args, out)
    if args.redact and args.base_url is not None:
        raise UsageError("--redact is for records of exchanges, and files have none; leave it out")
    return _import_records(args, out) if args.base_url is None else _import_site(args, out)


def _import_records(args: argparse.Namespace, out: Output) -> int:
    lines = FindingPrinter(out)
    paths = [found for path in args.files for found in find_record_files(path, lines.print_finding)]
    is_new, was_there = not is_archive(args.into), args.into.exists()
    with WritableArchive.open_or_create(args.into) as archive:
        lines.print_findings(archive.repair_findings)
        source = Path()

        def tell(finding: Finding) -> None:
            lines.print_finding(_add_path(finding, source))

        redactor = Redactor() if args.redact else None
        work = RecordImport(archive, [path.name for path in args.files[:_MAX_SEEDS_KEPT]], tell, args.restore, redactor)
        with ProgressMeter(out, "importing", lambda: _import_counts(work.result)):
            for source in paths:
                out.event("import", file=str(source))
                work.add_file(source)
            work.finish()
    unmade = is_new and work.capture is None and _remove_empty_archive(ArchiveLayout(args.into), was_there)
    result = work.result
    facts = {
        "archive": str(args.into),
        "capture": work.capture.id if work.capture else None,
        "files": result.sources,
        "stored": result.records,
        "held": result.held,
        "findings": lines.count,
    }
    out.summary(facts, _import_words(result, lines) + ("; no archive was made" if unmade else ""))
    return FINDINGS if lines.count else DONE


def _import_mirrors(args: argparse.Namespace, out: Output) -> int:
    """Import mirrors of HTTrack."""
    lines = FindingPrinter(out)
    count = size = 0
    with (
        WritableArchive.open_or_create(args.into) as archive,
        archive.begin(CaptureKind.IMPORT, [path.name for path in args.files[:_MAX_SEEDS_KEPT]]) as capture,
    ):
        lines.print_findings(archive.repair_findings)
        left_out = {} if args.restore else read_taken_down(archive, RESTORE_ADVICE)
        for folder in args.files:
            redactor = Redactor() if args.redact else None
            stored, taken = import_httrack(capture, folder, lines.print_finding, redactor, left_out)
            count, size = count + stored, size + taken
    facts = {"archive": str(args.into), "capture": capture.id, "stored": count, "bytes": size, "findings": lines.count}
    flawed = f"; {format_count(lines.count, 'finding')}" if lines.count else ""
    out.summary(facts, f"stored {format_count(count, 'answer')} ({format_size(size)}) out of HTTrack's cache{flawed}")
    return FINDINGS if lines.count else DONE


def _import_counts(result: ImportResult) -> dict[str, int]:
    return {"records": result.read, "stored": result.records, "files": result.sources}


def _import_words(result: ImportResult, lines: FindingPrinter) -> str:
    removed = lines.codes[_TAKEN_DOWN_CODE]
    flaws = lines.count - removed
    told = [f"{format_count(removed, 'was', 'were')} taken down once and left out: --restore brings them back"] * (
        removed > 0
    )
    if flaws and not result.records and not result.held:
        return "; ".join(["nothing could be stored", format_count(flaws, "finding"), *told])
    stored = f"stored {format_count(result.records, 'record')} from {format_count(result.sources, 'file')}"
    already = [f"{format_count(result.held, 'was', 'were')} there already"] if result.held else []
    told = [stored, *already, *told]
    return "; ".join([*told, f"{format_count(flaws, 'finding')}: {_FLAWS_ADVICE}"] if flaws else told)


def _add_path(finding: Finding, path: Path) -> Finding:
    """A finding in a file, with the way to it and not its name alone."""
    if finding.source == str(path) or not path.name or not finding.source.startswith(path.name):
        return finding
    return replace(finding, source=str(path.parent / finding.source))


def _remove_empty_archive(layout: ArchiveLayout, was_there: bool) -> bool:
    """Take away an archive that was just made and is empty; says whether it is gone."""
    if any(layout.warcs.iterdir()):
        return False
    layout.warcs.rmdir()
    shutil.rmtree(layout.root)
    if was_there:
        layout.root.mkdir()
    return True


def _import_site(args: argparse.Namespace, out: Output) -> int:
    if "?" in args.base_url or "#" in args.base_url:
        raise UsageError(f"--base-url {args.base_url} has a query or fragment; give the URL of a directory")
    base = parse_base_url(args.base_url)
    lines, passed = FindingPrinter(out), _FileCounter()
    for folder in args.files:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a directory; --base-url takes directories of files")
    count = size = 0
    with WritableArchive.open_or_create(args.into) as archive, archive.begin(CaptureKind.IMPORT, [base]) as capture:
        lines.print_findings(archive.repair_findings)
        left_out = {} if args.restore else read_taken_down(archive, RESTORE_ADVICE)
        with ProgressMeter(out, "importing", lambda: {"files": passed.files, "bytes": passed.size}):
            for folder in args.files:
                files = passed.count_files(find_site_files(folder, base, args.index_name, lines.print_finding))
                files = _skip_taken_down(left_out, files, lines.print_finding)
                stored, taken = import_directory(capture, files, archive.clock.now, lines.print_finding)
                count, size = count + stored, size + taken
            news = _count_changes(archive, capture.id)
    facts: dict[str, object] = {"archive": str(args.into), "capture": capture.id, "stored": count, "bytes": size}
    told = ", ".join(f"{number:,} {name}" for name, number in news.items())
    flawed = f"; {format_count(lines.count, 'finding')}" if lines.count else ""
    text = f"stored {format_count(count, 'file')} ({told}; {format_size(size)}) under {base}{flawed}"
    out.summary({**facts, **news, "findings": lines.count}, text)
    return FINDINGS if lines.count else DONE


def _skip_taken_down(
    left_out: Mapping[str, str], files: Iterator[SiteFile], tell: FindingListener
) -> Iterator[SiteFile]:
    """The files that were not taken down; of the others it is told."""
    for file in files:
        if file.url in left_out:
            tell(Finding("file-taken-down", str(file.path), 0, f"{file.url}: {left_out[file.url]}"))
        else:
            yield file


@dataclass(slots=True)
class _FileCounter:
    """Counts the files that go by."""

    files: int = 0
    size: int = 0

    def count_files(self, files: Iterator[SiteFile]) -> Iterator[SiteFile]:
        for file in files:
            self.files, self.size = self.files + 1, self.size + file.size
            yield file


def _count_changes(archive: Archive, capture: str) -> dict[str, int]:
    """How many files of a capture were not there before, were there with another content, or with the same."""
    news = {"new": 0, "changed": 0, "unchanged": 0}
    for seen in archive.observations(capture, resolve=False):
        looks = archive.history(seen.url, until=seen.moment, resolve=False)
        earlier = [each for each in looks if each.place != seen.place]
        before = next((each for each in reversed(earlier) if each.url == seen.url), None)
        if before is None:
            news["new"] += 1
        else:
            news["unchanged" if before.payload_digest == seen.payload_digest else "changed"] += 1
    return news
