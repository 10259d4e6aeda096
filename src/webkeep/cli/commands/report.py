"""`webkeep report`: what a capture is worth, as a page and as JSON; or a page on its client-side states (`--states`).
Here are decided where they are written, and whom `--coverage` asks: another archive's folder or its TimeMaps.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.state_rows import no_states_advice
from webkeep.cli.output.target_file import open_target_file
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings
from webkeep.fetch.client import Fetcher
from webkeep.presentation import format_count
from webkeep.quality.certificates import render_node_graph
from webkeep.quality.report import (
    DEFAULT_PAGES,
    REPORT_NAME,
    judge_report,
    read_archive_report,
    render_report_json,
    render_report_page,
    report_values,
)
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
    parser.add_argument(
        "--capture", metavar="ID", help="this capture (the start of its id is enough; default: the last)"
    )
    parser.add_argument("--seed", metavar="URL", help="the last capture that began there, and those before it")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="where the page goes (ARCHIVE/reports/report.html, or states.html)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the figures go as JSON (ARCHIVE/reports/report.json)"
    )
    parser.add_argument(
        "--graph", type=Path, metavar="FILE", help="write the tree of the capture with its changes there as GraphML"
    )
    parser.add_argument(
        "--pages",
        type=parse_whole_number,
        metavar="N",
        default=DEFAULT_PAGES,
        help=f"look at so many pages one by one for what they lost ({DEFAULT_PAGES}; 0 for all)",
    )
    parser.add_argument("--states", action="store_true", help="report on client-side states instead")
    parser.add_argument(
        "--coverage",
        metavar="SOURCE",
        help="with --states: compare it with another archive: its folder, or the beginning of its TimeMaps, such as "
        "https://example.org/timemap/link/",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the page and tell the numbers."""
    _check_arguments(args)
    return _report_states(args, out) if args.states else _report_archive(args, out)


def _check_arguments(args: argparse.Namespace) -> None:
    if args.coverage and not args.states:
        raise UsageError("--coverage compares client-side states; say --states as well")
    for name in ("seed", "output", "graph"):
        if args.states and getattr(args, name):
            raise UsageError(f"--{name} is for the report on a capture; leave it or --states out")
    if args.capture and args.seed:
        raise UsageError("--capture and --seed both say which capture; leave one of them out")


def _report_archive(args: argparse.Namespace, out: Output) -> int:
    """What a capture is worth."""
    with open_archive(args.archive, out) as archive:
        report = read_archive_report(archive, args.capture or "", args.seed or "", args.pages)
        verdict = judge_report(report)
        page = args.html or archive.layout.reports / REPORT_NAME
        figures = args.output or archive.layout.reports / "report.json"
    _write_pieces(page, render_report_page(report, verdict))
    _write_pieces(figures, render_report_json(report, verdict))
    if args.graph:
        _write_pieces(args.graph, render_node_graph(report.nodes))
    for each in report.not_computed:
        out.note(f"not computed: {each}")
    facts = {"archive": str(args.archive), "file": str(page), "output": str(figures)}
    out.summary({**facts, **report_values(report, verdict, is_whole=False)}, f"{verdict.sentence} See {page}")
    return DONE


def _write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_target_file(path, replace=True) as stream:
        for piece in pieces:
            stream.write(piece)


def _report_states(args: argparse.Namespace, out: Output) -> int:
    """Client-side states."""
    with open_archive(args.archive, out) as archive, _open_coverage_source(args.coverage) as ask:
        capture = archive.capture(args.capture).id if args.capture else ""
        nothing_run = no_states_advice(archive)
        report, pages = read_state_report(archive, capture, args.coverage or "", ask)
        target = args.html or archive.layout.reports / "states.html"
        _write_pieces(target, render_state_page(report, pages, f"Client-side states in {archive.name}"))
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
