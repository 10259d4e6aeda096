"""Archives asked to capture the pages whose blocks moved, and which of them were asked already."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.vault.repository_pages import page_url
from webkeep.errors import UsageError
from webkeep.fetch import FetchSettings, parse_resolve
from webkeep.presentation import format_count
from webkeep.recover.sources import RepositoryContext, ask_for_captures
from webkeep.vault.protection import ProtectionResult, VaultFolder


def add_capture_options(parser: argparse.ArgumentParser) -> None:
    """Declare whom to ask."""
    asked = parser.add_argument_group("captures")
    asked.add_argument("--ask-captures", action="append", default=[], metavar="ARCHIVE",
                       help="ask this archive to capture pages whose blocks moved, within its limits; the rest is "
                       "asked for the next time")  # fmt: skip
    asked.add_argument("--resolve", action="append", default=[], metavar="HOST:PORT:ADDRESS",
                       help="HOST:PORT is at ADDRESS, as in curl")  # fmt: skip
    asked.add_argument("--ledger", type=Path, metavar="FILE", help="the ledger of requests to repositories")
    asked.add_argument(
        "--repositories", dest="declarations", type=Path, metavar="FILE", help="declares further archives, by name"
    )


def check_capture_options(args: argparse.Namespace) -> None:
    """Raise UsageError where archives could not be told what to capture."""
    if args.ask_captures and not args.site:
        raise UsageError("archives know pages by their addresses; say where the site is with --site URL")


def ask_archives(
    args: argparse.Namespace, folder: VaultFolder, result: ProtectionResult, out: Output
) -> dict[str, object]:
    """Ask every archive that was named, and say what it came to."""
    versions = _versions_by_page(result)
    facts: dict[str, object] = {}
    for name in args.ask_captures:
        asked = folder.read_captures_asked(name)
        wanted = {path: version for path, version in versions.items() if asked.get(path) != version}
        taken, refused, left = asyncio.run(_ask_archive(args, name, wanted, asked))
        folder.write_captures_asked(name, asked)
        facts[name] = {"accepted": taken, "refused": len(refused), "left": left}
        for words in refused[:3]:
            out.note(f"{name} refused {words}")
        later = f"; {format_count(left, 'page is', 'pages are')} left for the next time" if left else ""
        out.note(f"{name} was asked for captures of {format_count(taken, 'page')}{later}")
    return facts


def _versions_by_page(result: ProtectionResult) -> dict[str, str]:
    """When blocks of each page last moved; of pages that are there."""
    carried = result.state.blocks_by_page().items()
    return {
        path: result.state.newest_version(blocks)
        for path, blocks in carried
        if blocks and path not in result.gone_pages
    }


async def _ask_archive(
    args: argparse.Namespace, name: str, wanted: Mapping[str, str], asked: dict[str, str]
) -> tuple[int, list[str], int]:
    taken, refused = 0, []
    paths = {page_url(args.site, _served_path(path)): path for path in wanted}
    with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
        settings = FetchSettings(
            connections=1, connections_per_host=1, resolve=tuple(parse_resolve(each) for each in args.resolve)
        )
        context = RepositoryContext(Path(spool), settings, ledger=args.ledger, declarations=args.declarations)
        async for answer in ask_for_captures(name, list(paths), context):
            if answer.is_accepted:
                asked[paths[answer.url]] = wanted[paths[answer.url]]
                taken += 1
            elif not answer.is_limit:
                refused.append(f"{answer.url}: {answer.detail}")
    return taken, refused, len(wanted) - taken - len(refused)


def _served_path(path: str) -> str:
    """How a page is asked for: an index by its directory."""
    return path.removesuffix("index.html") if path.endswith("/index.html") else path
