"""`report_states`: what client-side states gained and cost, as figures and as a page; whom a coverage asks: another
archive's folder or its TimeMaps.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from webkeep.api.archive_opening import open_archive
from webkeep.api.arguments.call_checks import check_arguments
from webkeep.api.arguments.call_values import StrPath, read_path, read_path_or_none
from webkeep.api.reports import write_pieces
from webkeep.api.state_files import no_states_advice
from webkeep.api.work_listener import CallbackListener, NoteCallback, WorkListener
from webkeep.api.work_summary import WorkSummary
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.process import call_cleanly
from webkeep.quality.states import (
    MAX_CONNECTIONS,
    ArchiveCoverage,
    AskCoverage,
    StateReport,
    coverage_by_archive,
    coverage_by_timemaps,
    read_state_report,
    render_state_page,
)
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive

_TIME_MAP_SETTINGS = FetchSettings(connections=MAX_CONNECTIONS, connections_per_host=MAX_CONNECTIONS)


@dataclass(frozen=True, slots=True)
class StatesSummary(WorkSummary):
    """What client-side states gained and cost."""

    archive: Path
    file: Path
    """Where the page was written."""
    figures: StateReport
    """All tables and figures."""
    without_picture: tuple[tuple[str, str, str], ...]
    """Views without a picture: page, view and reason."""
    advice: str = ""
    """What to do, where no page was run."""

    def to_dict(self) -> dict[str, object]:
        """The summary as the command prints it with `--json`."""
        names = ("page", "view", "reason")
        lacking = [dict(zip(names, each, strict=True)) for each in self.without_picture]
        told = {"archive": str(self.archive), "file": str(self.file), **asdict(self.figures)}
        return {**told, "without_picture": lacking}


@dataclass(frozen=True, slots=True)
class StatesRequest:
    """What is to be reported on, and where to."""

    archive: Path
    capture: str | None = None
    html: Path | None = None
    coverage: str | None = None
    """Another archive: its folder, or the beginning of its TimeMaps."""


@check_arguments
def report_states(
    archive: StrPath,
    *,
    capture: str | None = None,
    html: StrPath | None = None,
    coverage: StrPath | None = None,
    on_note: NoteCallback | None = None,
) -> StatesSummary:
    """Report on the client-side states of pages: what clicks gained, what that cost, and the tree of every page.

    `coverage` compares it with another archive: its folder, or the beginning of its TimeMaps.
    """
    source = None if coverage is None else coverage if isinstance(coverage, str) else str(read_path(coverage))
    request = StatesRequest(read_path(archive), capture, read_path_or_none(html), source)
    return call_cleanly(lambda: run_report_states(request, CallbackListener(None, on_note)))


def run_report_states(request: StatesRequest, listener: WorkListener) -> StatesSummary:
    """Write the page."""
    with open_archive(request.archive, listener) as archive, _open_coverage_source(request.coverage) as ask:
        capture = archive.capture(request.capture).id if request.capture else ""
        nothing_run = no_states_advice(archive)
        figures, pages = read_state_report(archive, capture, request.coverage or "", ask)
        target = request.html or archive.layout.reports / "states.html"
        write_pieces(target, render_state_page(figures, pages, f"Client-side states in {archive.name}"))
    lacking = ((page.url, view.caption, view.no_picture) for page in pages for view in page.without_picture)
    has_run = figures.deferred.pages + figures.others.pages
    return StatesSummary(request.archive, target, figures, tuple(lacking), "" if has_run else nothing_run)


@contextmanager
def _open_coverage_source(name: str | None) -> Iterator[AskCoverage | None]:
    """Who says what another archive holds."""
    with ExitStack() as stack:
        if name is None:
            yield None
        elif name.startswith(("http://", "https://")):
            yield lambda urls: asyncio.run(_ask_time_maps(name, urls))
        elif is_archive(Path(name)):
            yield coverage_by_archive(stack.enter_context(Archive(Path(name))))
        else:
            raise UsageError(f"{name} is neither an archive nor a web address; name a folder, or where TimeMaps begin")


async def _ask_time_maps(prefix: str, urls: Sequence[str]) -> ArchiveCoverage:
    with tempfile.TemporaryDirectory(prefix="webkeep-report-") as spool:
        async with Fetcher(_TIME_MAP_SETTINGS, Path(spool), SystemClock()) as fetcher:
            return await coverage_by_timemaps(fetcher, prefix, urls)
