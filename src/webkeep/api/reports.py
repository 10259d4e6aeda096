"""`report`: what a capture is worth, against the captures before it, as a page and as JSON; where they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.target_file import open_target_file
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.api.worker_archives import describe_missing
from webkeep.errors import RemoteError, UsageError
from webkeep.presentation import format_count, format_date
from webkeep.process import call_cleanly
from webkeep.quality.certificates import render_node_graph
from webkeep.quality.fidelity import DEFAULT_FIDELITY_BUDGET, FidelityBudget, FidelityFigures
from webkeep.quality.report import (
    DEFAULT_PAGES,
    REPORT_NAME,
    ArchiveReport,
    NextCapture,
    ReportVerdict,
    judge_report,
    propose_next_capture,
    read_archive_report,
    render_plan_file,
    render_report_json,
    render_report_page,
    report_values,
)
from webkeep.store.archive import Archive


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
    next_capture: NextCapture | None = None
    """What to do next; None where no capture of a site is reported on."""
    plan: Path | None = None
    """Where that was written as a plan."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        told = {"archive": str(self.archive), "file": str(self.file), "output": str(self.output)}
        told |= {"plan": str(self.plan)} if self.plan is not None else {}
        return {**told, **report_values(self.report, self.verdict, is_whole=False, proposal=self.next_capture)}


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Which capture is reported on, and where to."""

    archive: Path
    capture: str | None = None
    seed: str | None = None
    """The last capture that began there, and those before it."""
    html: Path | None = None
    output: Path | None = None
    plan: Path | None = None
    """Where the plan for the next capture goes."""
    graph: Path | None = None
    pages: int = DEFAULT_PAGES
    """Pages that are looked at one by one for what they lost; 0 for all."""
    browser: FidelityBudget | None = None
    """How far pages are opened in a browser, to see how replay shows them; None for not at all."""

    def __post_init__(self) -> None:
        if self.browser is not None and (self.browser.pages < 1 or self.browser.seconds <= 0):
            raise UsageError("--browser-pages and --browser-seconds have to be above 0; leave --browser out instead")
        if self.capture and self.seed:
            raise UsageError("--capture and --seed both say which capture; leave one of them out")


@check_arguments
def report(
    archive: StrPath,
    *,
    capture: str | None = None,
    seed: str | None = None,
    html: StrPath | None = None,
    output: StrPath | None = None,
    plan: StrPath | None = None,
    graph: StrPath | None = None,
    pages: int = DEFAULT_PAGES,
    browser: bool = False,
    offline: bool = False,
    browser_pages: int = DEFAULT_FIDELITY_BUDGET.pages,
    browser_seconds: float = DEFAULT_FIDELITY_BUDGET.seconds,
    on_note: NoteCallback | None = None,
) -> ReportSummary:
    """Report what a capture is worth, against the captures before it: as a page, as JSON, and as a graph (`graph`);
    with a plan for the next capture.

    With `browser` some pages are opened live and in replay, in Chromium, and compared; with `offline` nothing is asked
    of the web, and they are held against the pictures that the capture kept.
    """
    if offline and not browser:
        raise UsageError("offline is about pages in a browser; say browser=True as well")
    request = ReportRequest(
        read_path(archive),
        capture,
        seed,
        read_path_or_none(html),
        read_path_or_none(output),
        read_path_or_none(plan),
        read_path_or_none(graph),
        pages,
        FidelityBudget(browser_pages, browser_seconds, offline) if browser else None,
    )
    return call_cleanly(lambda: run_report(request, CallbackListener(None, on_note)))


def run_report(request: ReportRequest, listener: WorkListener) -> ReportSummary:
    """Write the page and the figures."""
    with open_archive(request.archive, listener) as archive:
        made = read_archive_report(archive, request.capture or "", request.seed or "", request.pages)
        if request.browser is not None:
            made = _look_in_browser(archive, made, request.browser, listener)
        if missing := describe_missing(archive):
            made = replace(made, not_computed=(*made.not_computed, f"What is in other archives: {missing}."))
        verdict, proposal = judge_report(made), propose_next_capture(made)
        page = request.html or archive.layout.reports / REPORT_NAME
        figures = request.output or archive.layout.reports / "report.json"
        plan = request.plan or archive.layout.reports / "next.toml"
    write_pieces(page, render_report_page(made, verdict, proposal))
    write_pieces(figures, render_report_json(made, verdict, proposal))
    if proposal is not None:
        write_pieces(plan, [render_plan_file(proposal, format_date(made.made)).encode("utf-8", "replace")])
    if request.graph is not None:
        write_pieces(request.graph, render_node_graph(made.nodes))
    for each in made.not_computed:
        listener.on_note(f"not computed: {each}")
    return ReportSummary(
        request.archive, page, figures, made, verdict, proposal, plan if proposal is not None else None
    )


def _look_in_browser(
    archive: Archive, report: ArchiveReport, budget: FidelityBudget, listener: WorkListener
) -> ArchiveReport:
    """The report with how replay shows pages; where no browser is to be had, it says so."""
    # Chromium, the server and all of a capture are behind it, and few reports want them.
    from webkeep.api.fidelity import compare_pages_in_browser

    subject = report.series.subject
    try:
        found = compare_pages_in_browser(archive, subject.id if subject else "", report.sample, budget, listener)
    except RemoteError as error:
        return replace(report, not_computed=(*report.not_computed, f"How replay shows pages: {error}."))
    return replace(report, fidelity=found, not_computed=(*report.not_computed, *_name_fidelity_gaps(found)))


def _name_fidelity_gaps(found: FidelityFigures) -> Iterator[str]:
    if not found.pages and found.budget.is_offline and not found.left:
        yield (
            "How replay shows pages: no picture of any was kept; capture --screenshots keeps them, or leave --offline "
            "out."
        )
    if found.left:
        yield (
            f"How replay shows {format_count(found.left, 'page')}: no time was left; --browser-seconds gives more than "
            f"{found.budget.seconds:g}."
        )


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file of a report, in place of one that is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_target_file(path, replace=True) as stream:
        for piece in pieces:
            stream.write(piece)
