"""`webkeep report`: a page on the client-side states of an archive (`--states`), where it is written, and whom
`--coverage` asks: another archive's folder or its TimeMaps.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.output.state_rows import no_states_advice
from webkeep.cli.output.target_file import open_target_file
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.presentation import format_count
from webkeep.quality.states import (
    MAX_CONNECTIONS,
    ArchiveCoverage,
    AskCoverage,
    coverage_by_archive,
    coverage_by_timemaps,
    describe_gain,
    read_state_report,
    render_state_page,
)
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive

_MAX_VIEWS_LISTED = 20
"""Views without a picture that are told one by one; the summary has them all."""

_TIME_MAP_SETTINGS = FetchSettings(connections=MAX_CONNECTIONS, connections_per_host=MAX_CONNECTIONS)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("--states", action="store_true", help="client-side states (the only report so far)")
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="where the page goes (ARCHIVE/reports/states.html)")
    parser.add_argument("--coverage", metavar="SOURCE", help="compare it with another archive: its folder, or the "
                        "beginning of its TimeMaps, such as https://example.org/timemap/link/")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the page and tell the numbers."""
    if not args.states:
        raise UsageError("say what to report on; there is --states")
    with open_archive(args.archive, out) as archive, _open_coverage_source(args.coverage) as ask:
        capture = archive.capture(args.capture).id if args.capture else ""
        nothing_run = no_states_advice(archive)
        report, pages = read_state_report(archive, capture, args.coverage or "", ask)
        target = args.html or archive.layout.reports / "states.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_target_file(target, replace=True) as stream:
            for piece in render_state_page(report, pages, f"Client-side states in {archive.name}"):
                stream.write(piece)
    without = [(page.url, view) for page in pages for view in page.without_picture]
    for url, view in without[:_MAX_VIEWS_LISTED]:
        out.note(f"no picture of {url}, {view.caption}: {view.no_picture}")
    told = [{"page": url, "view": view.caption, "reason": view.no_picture} for url, view in without]
    facts: dict[str, object] = {"archive": str(args.archive), "file": str(target), **asdict(report)}
    if report.coverage_unknown:
        out.note(f"{args.coverage} did not say whether it holds {format_count(report.coverage_unknown, 'resource')}")
    lacking = f"; {format_count(len(without), 'view')} without a picture" if without else ""
    advice = "" if report.deferred.pages + report.others.pages else f"; {nothing_run}"
    out.summary({**facts, "without_picture": told}, f"{describe_gain(report)}{advice}{lacking}; see {target}")
    return FINDINGS if report.coverage_unknown else DONE


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
