"""`webkeep report`: what an archive's captures are worth, as a page for people and as numbers."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.measure import counted
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.state_lists import none_run_words
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.target import target_file
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import Door
from webkeep.fetch.settings import DoorSettings
from webkeep.quality.coverage import AT_ONCE, AskCoverage, Coverage, ask_time_maps, held_elsewhere
from webkeep.quality.state_page import gained, state_page
from webkeep.quality.state_reporting import reported
from webkeep.store.archive import Archive
from webkeep.store.layout import is_archive

_MOST_TOLD = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("--states", action="store_true", help="client-side states (the only report so far)")
    parser.add_argument("--capture", metavar="ID", help="only one capture (the start of its id is enough)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="where the page goes (ARCHIVE/reports/states.html)")
    parser.add_argument("--coverage", metavar="SOURCE", help="hold it against another archive: its folder, or the "
                        "beginning of its time maps, such as https://example.org/timemap/link/")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the page and tell the numbers."""
    if not args.states:
        raise UsageError("say what to report on; there is --states")
    with opened(args.archive, out) as archive, _source(args.coverage) as ask:
        capture = archive.capture(args.capture).id if args.capture else ""
        nothing_run = none_run_words(archive)
        report, pages = reported(archive, capture, args.coverage or "", ask)
        target = args.html or archive.layout.reports / "states.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target_file(target, replace=True) as stream:
            for piece in state_page(report, pages, f"Client-side states in {archive.name}"):
                stream.write(piece)
    without = [(page.url, view) for page in pages for view in page.without_picture]
    for url, view in without[:_MOST_TOLD]:
        out.note(f"no picture of {url}, {view.caption}: {view.no_picture}")
    told = [{"page": url, "view": view.caption, "reason": view.no_picture} for url, view in without]
    facts: dict[str, object] = {"archive": str(args.archive), "file": str(target), **asdict(report)}
    if report.coverage_unknown:
        out.note(f"{args.coverage} did not say whether it holds {counted(report.coverage_unknown, 'resource')}")
    lacking = f"; {counted(len(without), 'view')} without a picture" if without else ""
    advice = "" if report.deferred.pages + report.others.pages else f"; {nothing_run}"
    out.summary({**facts, "without_picture": told}, f"{gained(report)}{advice}{lacking}; see {target}")
    return FINDINGS if report.coverage_unknown else DONE


@contextmanager
def _source(name: str | None) -> Iterator[AskCoverage | None]:
    """Who says what another archive holds."""
    with ExitStack() as stack:
        if name is None:
            yield None
        elif name.startswith(("http://", "https://")):
            yield lambda urls: asyncio.run(_time_maps(name, urls))
        elif is_archive(Path(name)):
            yield held_elsewhere(stack.enter_context(Archive(Path(name))))
        else:
            raise UsageError(f"{name} is neither an archive nor a web address; name a folder, or where time maps begin")


async def _time_maps(prefix: str, urls: Sequence[str]) -> Coverage:
    with tempfile.TemporaryDirectory(prefix="webkeep-report-") as spool:
        async with Door(DoorSettings(connections=AT_ONCE), Path(spool), SystemClock()) as door:
            return await ask_time_maps(door, prefix, urls)
