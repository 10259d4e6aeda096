"""`report`: what a capture is worth, against the captures before it, as a page and as JSON; where they are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.target_file import open_target_file
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.errors import UsageError
from webkeep.quality.certificates import render_node_graph
from webkeep.quality.report import (
    DEFAULT_PAGES,
    REPORT_NAME,
    ArchiveReport,
    ReportVerdict,
    judge_report,
    read_archive_report,
    render_report_json,
    render_report_page,
    report_values,
)


@dataclass(frozen=True, slots=True)
class ReportSummary(WorkSummary):
    """What a capture is worth."""

    archive: Path
    file: Path
    """Where the page was written."""
    output: Path
    """Where the figures were written as JSON."""
    report: ArchiveReport
    """All figures."""
    verdict: ReportVerdict
    """The report in one sentence, and the numbers behind it."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        told = {"archive": str(self.archive), "file": str(self.file), "output": str(self.output)}
        return {**told, **report_values(self.report, self.verdict, is_whole=False)}


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which capture is reported on, and where to."""

    archive: Path
    capture: str | None = None
    seed: str | None = None
    """The last capture that began there, and those before it."""
    html: Path | None = None
    output: Path | None = None
    graph: Path | None = None
    pages: int = DEFAULT_PAGES
    """Pages that are looked at one by one for what they lost; 0 for all."""

    def __post_init__(self) -> None:
        if self.capture and self.seed:
            raise UsageError("--capture and --seed both say which capture; leave one of them out")


def report(
    archive: StrPath,
    *,
    capture: str | None = None,
    seed: str | None = None,
    html: StrPath | None = None,
    output: StrPath | None = None,
    graph: StrPath | None = None,
    pages: int = DEFAULT_PAGES,
    on_note: NoteCallback | None = None,
) -> ReportSummary:
    """Report what a capture is worth, against the captures before it: as a page, as JSON, and as a graph (`graph`)."""
    request = ReportRequest(
        read_path(archive),
        capture,
        seed,
        read_path_or_none(html),
        read_path_or_none(output),
        read_path_or_none(graph),
        pages,
    )
    return run_report(request, CallbackListener(None, on_note))


def run_report(request: ReportRequest, listener: WorkListener) -> ReportSummary:
    """Write the page and the figures."""
    with open_archive(request.archive, listener) as archive:
        made = read_archive_report(archive, request.capture or "", request.seed or "", request.pages)
        verdict = judge_report(made)
        page = request.html or archive.layout.reports / REPORT_NAME
        figures = request.output or archive.layout.reports / "report.json"
    write_pieces(page, render_report_page(made, verdict))
    write_pieces(figures, render_report_json(made, verdict))
    if request.graph is not None:
        write_pieces(request.graph, render_node_graph(made.nodes))
    for each in made.not_computed:
        listener.on_note(f"not computed: {each}")
    return ReportSummary(request.archive, page, figures, made, verdict)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file of a report, in place of one that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_target_file(path, replace=True) as stream:
        for piece in pieces:
            stream.write(piece)
