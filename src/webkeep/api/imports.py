"""`import_files`: WARC, ARC and WACZ files, mirrors of HTTrack, or the files of a website brought into an archive; how
it is told which of them is there, and what is counted.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, check_archive_parent, read_path
from webkeep.api.logged_writing import open_to_write
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    FindingTally,
    NoteCallback,
    ProgressCallback,
    WorkListener,
    WorkWatch,
)
from webkeep.api.work_summary import IF_GIVEN, LEFT_OUT, WorkSummary, summary_values_of
from webkeep.errors import UsageError
from webkeep.model import CaptureKind, Finding
from webkeep.redaction import Redactor
from webkeep.store.archive import Archive, WritableArchive
from webkeep.store.folder import ArchiveLayout, is_archive
from webkeep.store.transfer import (
    FindingListener,
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
_INDEX_NAME = "index.html"
"""The file that servers give for a directory, unless something else is said."""
SourceCallback = Callable[[Path], object]


@dataclass(frozen=True, slots=True)
class ImportSummary(WorkSummary):
    """What an import brought in; None for what is not counted of such files."""

    archive: Path
    capture: str | None
    """None where nothing was new."""
    stored: int
    """Records, answers or files."""
    findings: int
    files: int | None = field(default=None, metadata=IF_GIVEN)
    """Files of records that were read."""
    held: int | None = field(default=None, metadata=IF_GIVEN)
    """Records that were there already."""
    bytes: int | None = field(default=None, metadata=IF_GIVEN)
    new: int | None = field(default=None, metadata=IF_GIVEN)
    """Files of a website that were not there before."""
    changed: int | None = field(default=None, metadata=IF_GIVEN)
    unchanged: int | None = field(default=None, metadata=IF_GIVEN)
    codes: Mapping[str, int] = field(default_factory=dict, metadata=LEFT_OUT)
    """How many findings of each code there are."""
    listed: tuple[Finding, ...] = field(default=(), metadata=LEFT_OUT)
    """The first thousand findings; `on_finding` gets them all."""
    is_archive_made: bool = field(default=True, metadata=LEFT_OUT)
    """Whether the archive is there; none is made for nothing."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return {**summary_values_of(self), "capture": self.capture}


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What is to be imported, and as what."""

    files: tuple[Path, ...]
    into: Path
    base_url: str | None = None
    """Where the files of a website were served; without it they hold records."""
    index_name: str = _INDEX_NAME
    restore: bool = False
    redact: bool = False
    keep_log: bool = False
    """Whether the archive keeps a log of its records from now on."""

    def __post_init__(self) -> None:
        if not self.files:
            raise UsageError("nothing to import; name WARC, ARC or WACZ files, or a directory")
        check_archive_parent(self.into)
        if self.redact and self.base_url is not None:
            raise UsageError("--redact is for records of exchanges, and files have none; leave it out")

    @property
    def is_of_mirrors(self) -> bool:
        """Whether all of it is mirrors of HTTrack."""
        return self.base_url is None and all(map(is_httrack_mirror, self.files))

    @property
    def seeds(self) -> list[str]:
        """What is kept as the seeds of the capture."""
        return [path.name for path in self.files[:_MAX_SEEDS_KEPT]]

    @property
    def redactor(self) -> Redactor | None:
        """What leaves credentials out, where that is wanted."""
        return Redactor() if self.redact else None

    def read_left_out(self, archive: Archive) -> dict[str, str]:
        """The URLs that are left out because they were taken down, each with when and why."""
        return {} if self.restore else dict(read_taken_down(archive, RESTORE_ADVICE))


@check_arguments
def import_files(
    *files: StrPath,
    into: StrPath,
    base_url: str | None = None,
    index_name: str = _INDEX_NAME,
    restore: bool = False,
    redact: bool = False,
    keep_log: bool = False,
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> ImportSummary:
    """Bring WARC, ARC and WACZ files, mirrors of HTTrack, or the files of a website (`base_url`) into an archive."""
    paths = tuple(read_path(each) for each in files)
    request = ImportRequest(paths, read_path(into), base_url, index_name, restore, redact, keep_log)
    return run_import(request, CallbackListener(on_progress, on_note, on_finding))


def run_import(
    request: ImportRequest, listener: WorkListener, on_source: SourceCallback = lambda _path: None
) -> ImportSummary:
    """Import everything named; what is flawed is told and passed over."""
    if request.is_of_mirrors:
        return _import_mirrors(request, listener)
    return (
        _import_records(request, listener, on_source) if request.base_url is None else _import_site(request, listener)
    )


def _import_records(request: ImportRequest, listener: WorkListener, on_source: SourceCallback) -> ImportSummary:
    tally = FindingTally(listener)
    paths = [found for path in request.files for found in find_record_files(path, tally.add)]
    is_new, was_there = not is_archive(request.into), request.into.exists()
    with open_to_write(request.into, listener.on_note, keep_log=request.keep_log) as archive:
        _tell_repairs(archive, tally)
        source = Path()

        def tell(finding: Finding) -> None:
            tally.add(_add_path(finding, source))

        with WorkWatch(listener, "importing", lambda: _record_counts(work)) as watch:
            work = RecordImport(archive, request.seeds, tell, request.restore, request.redactor, watch.tick)
            for source in paths:
                on_source(source)
                work.add_file(source)
            work.finish()
    unmade = is_new and work.capture is None and _remove_empty_archive(ArchiveLayout(request.into), was_there)
    return ImportSummary(
        request.into,
        work.capture.id if work.capture else None,
        work.result.records,
        tally.count,
        files=work.result.sources,
        held=work.result.held,
        codes=tally.codes,
        listed=tuple(tally.listed),
        is_archive_made=not unmade,
    )


def _record_counts(work: RecordImport) -> dict[str, int]:
    return {"records": work.result.read, "stored": work.result.records, "files": work.result.sources}


def _tell_repairs(archive: WritableArchive, tally: FindingTally) -> None:
    for finding in archive.repair_findings:
        tally.add(finding)


def _import_mirrors(request: ImportRequest, listener: WorkListener) -> ImportSummary:
    """Import mirrors of HTTrack."""
    tally = FindingTally(listener)
    count = size = 0
    with (
        open_to_write(request.into, listener.on_note, keep_log=request.keep_log) as archive,
        archive.begin(CaptureKind.IMPORT, request.seeds) as capture,
        WorkWatch(listener, "importing", lambda: {"answers": count, "bytes": size}) as watch,
    ):
        _tell_repairs(archive, tally)
        left_out = request.read_left_out(archive)
        for folder in request.files:
            watch.tick()
            stored, taken = import_httrack(capture, folder, tally.add, request.redactor, left_out)
            count, size = count + stored, size + taken
    return ImportSummary(
        request.into, capture.id, count, tally.count, bytes=size, codes=tally.codes, listed=tuple(tally.listed)
    )


def _import_site(request: ImportRequest, listener: WorkListener) -> ImportSummary:
    base_url = request.base_url or ""
    if "?" in base_url or "#" in base_url:
        raise UsageError(f"--base-url {base_url} has a query or fragment; give the URL of a directory")
    base = parse_base_url(base_url)
    for folder in request.files:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a directory; --base-url takes directories of files")
    tally, passed = FindingTally(listener), _FileCounter()
    count = size = 0
    with (
        open_to_write(request.into, listener.on_note, keep_log=request.keep_log) as archive,
        archive.begin(CaptureKind.IMPORT, [base]) as capture,
    ):
        _tell_repairs(archive, tally)
        left_out = request.read_left_out(archive)
        with WorkWatch(listener, "importing", lambda: {"files": passed.files, "bytes": passed.size}) as watch:
            for folder in request.files:
                files = find_site_files(folder, base, request.index_name, tally.add)
                files = _skip_taken_down(left_out, passed.count_files(files, watch.tick), tally.add)
                stored, taken = import_directory(capture, files, archive.clock.now, tally.add)
                count, size = count + stored, size + taken
            news = _count_changes(archive, capture.id)
    return ImportSummary(
        request.into,
        capture.id,
        count,
        tally.count,
        bytes=size,
        new=news["new"],
        changed=news["changed"],
        unchanged=news["unchanged"],
        codes=tally.codes,
        listed=tuple(tally.listed),
    )


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

    def count_files(self, files: Iterator[SiteFile], tick: Callable[[], None]) -> Iterator[SiteFile]:
        for file in files:
            self.files, self.size = self.files + 1, self.size + file.size
            tick()
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
