"""`webkeep report`: what an archive's captures are worth, as a page for people and as numbers."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.cli.target import target_file
from webkeep.clock import SystemClock
from webkeep.errors import UsageError
from webkeep.fetch import Door, Request
from webkeep.fetch.settings import DoorSettings
from webkeep.quality.state_page import gained, state_page
from webkeep.quality.state_reporting import Missing, held_elsewhere, reported
from webkeep.store.archive import Archive
from webkeep.store.layout import is_archive

NAME = "report"
HELP = "Report on the client-side states of an archive: what clicks gained, what that cost, and the tree of every page."

_AT_ONCE = 8
_FOUND = 200


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
    with opened(args.archive, out) as archive, _source(args.coverage) as missing:
        capture = archive.capture(args.capture).id if args.capture else ""
        report, pages = reported(archive, capture, args.coverage or "", missing)
        target = args.html or archive.layout.reports / "states.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target_file(target, replace=True) as stream:
            for piece in state_page(report, pages, f"Client-side states in {archive.name}"):
                stream.write(piece)
    facts: dict[str, object] = {"archive": str(args.archive), "file": str(target), **asdict(report)}
    out.summary(facts, f"{gained(report).removesuffix('.')}; see {target}")
    return DONE


@contextmanager
def _source(name: str | None) -> Iterator[Missing | None]:
    """Who says what another archive does not hold."""
    with ExitStack() as stack:
        if name is None:
            yield None
        elif name.startswith(("http://", "https://")):
            yield lambda urls: asyncio.run(_missing_there(name, urls))
        elif is_archive(Path(name)):
            yield held_elsewhere(stack.enter_context(Archive(Path(name))))
        else:
            raise UsageError(f"{name} is neither an archive nor a web address; name a folder, or where time maps begin")


async def _missing_there(prefix: str, urls: Sequence[str]) -> frozenset[str]:
    """The URLs for which a Memento source has no time map."""
    missing: set[str] = set()
    turns = asyncio.Semaphore(_AT_ONCE)
    with tempfile.TemporaryDirectory(prefix="webkeep-report-") as spool:
        async with Door(DoorSettings(connections=_AT_ONCE), Path(spool), SystemClock()) as door:

            async def look(url: str) -> None:
                async with turns:
                    fetched = await door.fetch(Request(prefix + url, private=True))
                head = fetched.exchange.response if fetched.exchange is not None else b""
                if head[9:12] != str(_FOUND).encode():
                    missing.add(url)

            await asyncio.gather(*map(look, urls))
    return frozenset(missing)
