"""`webkeep vault health`: before the loss, which blocks of a vault archives hold, whether everything could be recovered
now, what is missing and from which pages; its options, and what is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.vault.repository_pages import (
    add_repository_options,
    fetch_versions,
    list_pages,
    open_asked_repositories,
    page_key,
    require_site,
)
from webkeep.errors import UsageError
from webkeep.extract import read_response_content
from webkeep.presentation import format_count
from webkeep.recover.repositories import Repository
from webkeep.vault.health import HealthSurvey, PageHealth, SegmentHealth, VaultHealth
from webkeep.vault.protection import VaultFolder

_USUAL_VERSIONS = 3
"""Versions of each page that are looked at in each archive, the newest first."""
_MAX_NAMED_PAGES = 5
"""Pages that a line names; --json has them all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("folder", type=Path, metavar="VAULT", help="the folder that webkeep vault protect made")
    add_repository_options(parser)
    parser.add_argument("--versions", type=parse_whole_number, default=_USUAL_VERSIONS, metavar="N",
                        help=f"versions of each page to look at in each archive ({_USUAL_VERSIONS})")  # fmt: skip


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask archives for the pages, and say what their blocks come to."""
    state = VaultFolder(args.folder).read_state()
    if state is None:
        raise UsageError(f"{args.folder} is no vault; name the folder that webkeep vault protect made")
    if not args.repositories:
        raise UsageError("nobody to ask; name archives with --from, such as --from wayback or --from ARCHIVE")
    survey = HealthSurvey(state)
    paths = {page_key(page.path): page.path for page in state.plan.pages}
    doubts = asyncio.run(_ask_archives(args, survey, paths, out))
    out.status("")
    for name, doubt in doubts.items():
        out.note(f"{name} may hold more than it gave: {doubt}")
    health = survey.conclude()
    _print_health(health, out)
    out.summary(_build_summary(health, doubts), _summary_words(health))
    return DONE if health.is_recoverable and not doubts else FINDINGS


async def _ask_archives(
    args: argparse.Namespace, survey: HealthSurvey, paths: Mapping[str, str], out: Output
) -> dict[str, str]:
    """Take in what every archive holds, and say who may not have given all."""
    site = require_site(args)
    with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
        lines = FindingPrinter(out)
        async with open_asked_repositories(args, args.repositories, Path(spool), lines) as repositories:
            doubts = {
                each.traits.name: await _ask_archive(each, site, survey, paths, max(args.versions, 1))
                for each in repositories
            }
    return {name: doubt for name, doubt in doubts.items() if doubt}


async def _ask_archive(
    repository: Repository, site: str, survey: HealthSurvey, paths: Mapping[str, str], most: int
) -> str:
    listing = await list_pages(repository, site, paths.keys())
    async for key, version in fetch_versions(repository, listing, most):
        survey.add_page(listing.name, paths[key], [read_response_content(version.exchange).content])
    return listing.doubt


def _print_health(health: VaultHealth, out: Output) -> None:
    archives = sorted({name for each in (*health.segments, health.manifest) for name in each.by_archive})
    heads = ("segment", "version", "needed>", "held>", "of>", *(f"{name}>" for name in archives), "")
    table = PrintedTable(build_columns(*heads), out.line)
    for each in (*health.segments, health.manifest):
        counts = (f"{each.by_archive.get(name, 0):,}" for name in archives)
        numbers = (f"{each.needed:,}", f"{each.held:,}", f"{each.total:,}", *counts)
        table.add_row(each.name, each.version, *numbers, _segment_words(each))
    table.finish()
    for each in health.segments:
        if not each.is_recoverable:
            out.prose(_missing_words(each))
        elif each.hangs_on:
            out.prose(f"{each.name}: without {' or '.join(each.hangs_on)} it could not be recovered.")
    _print_pages(health, out)


def _segment_words(segment: SegmentHealth) -> str:
    if segment.is_recoverable:
        return "recoverable"
    words = f"{format_count(segment.short_by, 'block')} short"
    return f"{words}; version {segment.older_version} is recoverable" if segment.older_version else words


def _missing_words(segment: SegmentHealth) -> str:
    named = ", ".join(segment.missing_pages[:_MAX_NAMED_PAGES])
    more = len(segment.missing_pages) - _MAX_NAMED_PAGES
    others = f" and {more:,} others" if more > 0 else ""
    return (
        f"{segment.name}: any {segment.short_by:,} of the pages {named}{others} would do; ask archives to capture them."
    )


def _print_pages(health: VaultHealth, out: Output) -> None:
    parts = (f"{count:,} {each.value}" for each in PageHealth if (count := health.count_pages(each)))
    out.prose(f"Pages: {', '.join(parts)}.")
    if health.count_pages(PageHealth.OUTDATED):
        out.prose("Outdated pages were captured before their blocks moved; capturing them again is enough.")
    for reason, count in health.unusable.items():
        out.prose(f"{format_count(count, 'block')} could not be used: {reason}.")
    if health.foreign:
        out.prose(f"{format_count(health.foreign, 'block is', 'blocks are')} of other vaults.")


def _build_summary(health: VaultHealth, doubts: Mapping[str, str]) -> dict[str, object]:
    def facts(segment: SegmentHealth) -> dict[str, object]:
        return {**asdict(segment), "recoverable": segment.is_recoverable, "short_by": segment.short_by}

    return {
        "recoverable": health.is_recoverable,
        "segments": [facts(each) for each in health.segments],
        "manifest": facts(health.manifest),
        "pages": {each.value: health.count_pages(each) for each in PageHealth},
        "not_current": {path: each.value for path, each in health.pages.items() if each is not PageHealth.CURRENT},
        "foreign": health.foreign,
        "unusable": dict(health.unusable),
        "doubts": dict(doubts),
    }


def _summary_words(health: VaultHealth) -> str:
    if health.is_recoverable:
        return "everything could be recovered now"
    lacking = [each.name for each in health.segments if not each.is_recoverable]
    return f"not recoverable now: {', '.join(lacking)}"
