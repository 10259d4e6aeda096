"""`certify`: what a capture is worth in time: which capture is meant, and what counts as a finding when the kept
certificate is compared with the derived one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.target_file import open_target_file
from webkeep.api.verification import check_records
from webkeep.api.work_listener import (
    CallbackListener,
    FindingCallback,
    FindingTally,
    NoteCallback,
    ProgressCallback,
    WorkListener,
    WorkWatch,
)
from webkeep.api.work_summary import SHORT_ID_CHARS, WorkSummary
from webkeep.change.detection import ChangeVerdict
from webkeep.coherence.certificates import CoherenceCertificate, certificate_to_json, summary_values
from webkeep.errors import UsageError
from webkeep.model import Capture, Finding
from webkeep.presentation import format_moment
from webkeep.quality.certificates import (
    MISSING,
    CaptureRecords,
    certificate_differences,
    certificate_from_records,
    has_sightings,
    judge_changed_resources,
    read_capture_records,
    read_kept_urls,
    render_certificate_page,
    render_defect_graph,
)
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone


@dataclass(frozen=True, slots=True)
class CertifySummary(WorkSummary):
    """What a capture is worth in time."""

    archive: Path
    certificate: CoherenceCertificate
    """The certificate, derived from the records: its summary, and its resources one by one."""
    kept: str
    """How the certificate that was kept compares: `equal`, `reduced` by takedowns, `different`, `missing`, `none`."""
    tombstones: Mapping[str, Tombstone]
    """What was taken down since and makes a difference, by URL."""
    verified: Mapping[str, int] | None
    """How many `records` were held against their digests, and how many `findings` that gave; None where none were."""
    findings: int
    written: Mapping[str, str]
    """The files that were written, by `html`, `output` and `graph`."""
    changes: Mapping[str, ChangeVerdict] = field(default_factory=dict)
    """How what changed did so, by URL: named beside the verdict, which goes by the bytes alone."""
    listed: tuple[Finding, ...] = ()
    """The first thousand findings; `on_finding` gets them all."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        return {
            "archive": str(self.archive),
            **summary_values(self.certificate.summary),
            "kept": self.kept,
            "taken_down": sorted(self.tombstones),
            "verified": None if self.verified is None else dict(self.verified),
            "findings": self.findings,
            "change_categories": dict(self.count_categories()),
            **self.written,
        }

    def count_categories(self) -> Counter[str]:
        """How many resources changed in which category."""
        return Counter(each.category.value for each in self.changes.values())


@dataclass(frozen=True, slots=True)
class CertifyRequest:
    """Which capture is to be certified, and where the certificate goes."""

    archive: Path
    capture: str | None = None
    html: Path | None = None
    output: Path | None = None
    graph: Path | None = None
    verify: bool = True

    def __post_init__(self) -> None:
        """What can be known to be a wrong call before anything is read."""
        if self.capture is not None and not self.capture.strip():
            raise UsageError("--capture is empty; give it the start of an identifier or leave it out")
        for path in (self.html, self.output, self.graph):
            if path is not None and path.exists():
                raise UsageError(f"{path} is there already; choose another name or remove it")


@check_arguments
def certify(
    archive: StrPath,
    *,
    capture: str | None = None,
    html: StrPath | None = None,
    output: StrPath | None = None,
    graph: StrPath | None = None,
    verify: bool = True,
    on_finding: FindingCallback | None = None,
    on_progress: ProgressCallback | None = None,
    on_note: NoteCallback | None = None,
) -> CertifySummary:
    """Certify what a capture is worth in time: what was the same from the first visit to the second.

    The certificate is also written as a page (`html`), as JSON (`output`) and as a graph of defects (`graph`).
    """
    request = CertifyRequest(
        read_path(archive),
        capture,
        read_path_or_none(html),
        read_path_or_none(output),
        read_path_or_none(graph),
        verify,
    )
    return run_certify(request, CallbackListener(on_progress, on_note, on_finding))


def run_certify(request: CertifyRequest, listener: WorkListener) -> CertifySummary:
    """Derive the certificate, and compare it with the one that was kept."""
    tally = FindingTally(listener)
    with open_archive(request.archive, listener) as archive:
        capture = _choose_capture(archive, request.capture, listener)
        records = CaptureRecords()
        with WorkWatch(listener, "certifying", lambda: {"records": records.records}) as watch:
            read_capture_records(archive, capture.id, records, watch.tick)
            certificate = certificate_from_records(archive, capture.id, records)
        stones = _find_takedowns(archive, capture, certificate, records)
        for finding in _certificate_findings(archive, certificate, records, stones):
            tally.add(finding)
        kept = _kept_state(bool(records.certificates), tally.count, bool(stones))
        for finding in _unfinished_findings(capture):
            tally.add(finding)
        verified = _verify_digests(archive, tally, listener) if request.verify else None
        changes = judge_changed_resources(archive, certificate)
        written = dict(_write_files(request, certificate, archive, verified, changes))
    return CertifySummary(
        request.archive, certificate, kept, stones, verified, tally.count, written, changes, tuple(tally.listed)
    )


def _verify_digests(archive: Archive, tally: FindingTally, listener: WorkListener) -> dict[str, int]:
    """Hold the bytes of all records against their digests: of how many, and how many findings that gave."""
    result = check_records(archive, tally, listener)
    return {"records": result.records, "findings": result.findings}


def _find_takedowns(
    archive: Archive, capture: Capture, certificate: CoherenceCertificate, records: CaptureRecords
) -> dict[str, Tombstone]:
    """The last tombstones of what was taken down since a certificate was kept, where that makes a difference to it."""
    stones = sorted(archive.tombstones(), key=lambda stone: stone.removed)
    mine = {stone.url: stone for stone in stones if capture.finished is None or stone.moment <= capture.finished}
    if not mine or next(iter(certificate_differences(archive, certificate, records.certificates)), None) is None:
        return {}
    return {url: mine[url] for url in read_kept_urls(archive, records.certificates) if url in mine}


def _choose_capture(archive: Archive, prefix: str | None, listener: WorkListener) -> Capture:
    """The capture that is named, or else the newest that holds something to certify, a finished one before others."""
    if prefix:
        return archive.capture(prefix)
    newest_first = sorted(
        archive.captures(), key=lambda each: (bool(each.finished), each.started, each.id), reverse=True
    )
    meant = next((each for each in newest_first if has_sightings(archive, each.id)), None)
    if meant is None:
        raise UsageError(f"{archive.path} holds no capture that could be certified; webkeep capture makes one")
    if meant is not newest_first[0]:
        listener.on_note(
            f"{_capture_name(newest_first[0])} holds nothing that could be certified; this is about "
            f"{_capture_name(meant)}"
        )
    return meant


def _capture_name(capture: Capture) -> str:
    return f"the {capture.kind} {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}"


def _unfinished_findings(capture: Capture) -> Iterable[Finding]:
    """A capture that did not come to its end may have made half of its revisits."""
    if capture.finished is None:
        advice = "the command that began it goes on with it"
        yield Finding("capture-unfinished", capture.id, 0, f"it did not come to its end; {advice}")


def _certificate_findings(
    archive: Archive, certificate: CoherenceCertificate, records: CaptureRecords, taken_down: Collection[str]
) -> Iterable[Finding]:
    """What was kept against what was derived; a capture that had an aim should have kept a certificate."""
    if records.certificates:
        return certificate_differences(archive, certificate, records.certificates, taken_down)
    if not records.intents:
        return ()
    place = records.intents[-1]
    message = "the capture was made for a certificate, and none was kept; was it cut short?"
    return (Finding(MISSING, place.file, place.offset, message),)


def _kept_state(is_kept: bool, findings: int, is_reduced: bool) -> str:
    if is_kept:
        return "different" if findings else "reduced" if is_reduced else "equal"
    return "missing" if findings else "none"


def _write_files(
    request: CertifyRequest,
    certificate: CoherenceCertificate,
    archive: Archive,
    verified: dict[str, int] | None,
    changes: Mapping[str, ChangeVerdict],
) -> Iterable[tuple[str, str]]:
    page = partial(render_certificate_page, verified=verified, changes=changes)
    output = partial(certificate_to_json, verified=verified)
    forms = (
        ("html", request.html, page),
        ("output", request.output, output),
        ("graph", request.graph, partial(render_defect_graph, archive)),
    )
    for name, path, pieces in forms:
        if path is not None:
            with open_target_file(path) as file:
                for piece in pieces(certificate):
                    file.write(piece)
            yield name, str(path)
