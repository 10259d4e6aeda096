"""`webkeep vault plan`: proposes how server components are spread over a site's pages, says how likely they come back,
and what the webmaster can do about it; its options, and what is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from webkeep.api import open_target_file
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.vault.carrier_pages import FoundPage, carrier_pages, order_pages, read_pages
from webkeep.cli.vault.component_options import (
    add_component_options,
    components_from_arguments,
    rules_from_arguments,
)
from webkeep.cli.vault.repository_pages import (
    RepositoryListing,
    add_repository_options,
    list_pages,
    open_asked_repositories,
    page_key,
    require_site,
)
from webkeep.crawl.plan import parse_size
from webkeep.errors import UsageError
from webkeep.model import Finding
from webkeep.presentation import format_count, format_share, format_size, write_size
from webkeep.vault import DEFAULT_MAX_PAGE_BYTES, MeasuredComponents, measure_components, write_plan
from webkeep.vault.blocks import AGE_CIPHER, NO_CIPHER
from webkeep.vault.components import Component, SelectionPolicy
from webkeep.vault.planning import (
    DEFAULT_ARCHIVE_ANSWERS,
    DEFAULT_DIRECTORY_CORRELATION,
    DEFAULT_MAX_ADDED_BYTES,
    DEFAULT_WANTED,
    CoverageEstimate,
    PackingApproach,
    PlanReport,
    PlanRequest,
    added_bytes,
    advise_webmaster,
    assume_coverage,
    block_room,
    describe_manifest,
    describe_margin,
    describe_plan,
    estimate_coverage,
    forecast_plan,
    format_chance,
    propose_plan,
    render_plan_page,
    select_shares,
    written_block_bytes,
)
from webkeep.vault.protection import ManifestRoom, estimate_manifest_room, list_carrying_files

_MAX_PRINTED_PAGES = 3
"""Pages that a piece of advice names on a terminal; the page of the plan and JSON have more."""
_MAX_PRINTED_SEGMENTS = 6
"""Segments that have a column in the table of shares: as many as fit beside each other."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    pages = parser.add_mutually_exclusive_group(required=True)
    pages.add_argument("--tree", type=Path, metavar="DIR", help="the site's pages: the tree of files that is served")
    pages.add_argument("--captured", metavar="SOURCE",
                       help="the site's pages as captured: an archive, WARC or WACZ; with --site")  # fmt: skip
    add_component_options(parser)
    parser.add_argument("--unencrypted", action="store_true", help="reckon without encryption")
    wanted = parser.add_argument_group("what is wanted")
    wanted.add_argument("--chance", type=_parse_share, default=DEFAULT_WANTED, metavar="SHARE",
                        help=f"how likely everything is to come back ({DEFAULT_WANTED})")  # fmt: skip
    wanted.add_argument("--max-page-size", type=parse_size, default=DEFAULT_MAX_PAGE_BYTES, metavar="SIZE",
                        help=f"no page becomes larger ({write_size(DEFAULT_MAX_PAGE_BYTES)})")  # fmt: skip
    wanted.add_argument("--max-added", type=parse_size, default=DEFAULT_MAX_ADDED_BYTES, metavar="SIZE",
                        help=f"no page grows by more ({write_size(DEFAULT_MAX_ADDED_BYTES)})")  # fmt: skip
    wanted.add_argument("--approach", type=PackingApproach, choices=list(PackingApproach),
                        help="one segment for each component, or one for all (as many as pages allow)")  # fmt: skip
    _add_coverage_options(parser)
    add_repository_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the plan to FILE, for webkeep vault protect")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write tables and the picture to FILE, one HTML page")


def _add_coverage_options(parser: argparse.ArgumentParser) -> None:
    coverage = parser.add_argument_group("what archives have of the site; without these, ask them by --from")
    coverage.add_argument("--coverage", action="append", default=[], type=_parse_coverage, metavar="[NAME=]SHARE",
                          help="an archive holds this share of pages, such as 60%%; once for each archive")  # fmt: skip
    coverage.add_argument("--correlation", type=float, metavar="NUMBER",
                          help="how far pages of one directory share their fate, 0 to 1 "
                          f"(measured where archives are asked, else {DEFAULT_DIRECTORY_CORRELATION})")  # fmt: skip
    coverage.add_argument("--archive-answers", type=_parse_share, default=DEFAULT_ARCHIVE_ANSWERS, metavar="SHARE",
                          help=f"how likely an archive answers after the loss ({DEFAULT_ARCHIVE_ANSWERS})")  # fmt: skip


def _parse_share(text: str) -> float:
    """Read a share: 0.6 or 60%."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write it as 0.6 or 60%")
    return share


def _parse_coverage(text: str) -> tuple[str, float]:
    """Read the share that an archive holds, and its name where there is one."""
    name, _, share = text.rpartition("=")
    return name, _parse_share(share)


def run(args: argparse.Namespace, out: Output) -> int:
    """Propose a plan."""
    components = components_from_arguments(args)
    pages, traits = order_pages(read_pages(args, out))
    measured = _measure_components(args, components, pages, out)
    coverage = _find_coverage(args, pages, out)
    manifest = _room_for_manifest(args, pages, measured)
    request = PlanRequest(
        sources=measured.sources,
        pages=carrier_pages(pages, [each.chance for each in coverage.odds]),
        odds=coverage.odds,
        model=coverage.model,
        wanted=args.chance,
        approach=args.approach,
        max_page_bytes=args.max_page_size,
        max_added_bytes=args.max_added,
        manifest_bytes=manifest.page_bytes,
        manifest_pages=manifest.pages,
    )
    proposal = propose_plan(request, block_room)
    forecast = forecast_plan(request, proposal, block_room)
    report = PlanReport(request, proposal, forecast, tuple(advise_webmaster(traits, request, proposal, coverage)))
    if args.out:
        write_plan(proposal.plan, args.out)
    if args.html:
        with open_target_file(args.html, replace=True) as stream:
            stream.writelines(render_plan_page(report))
    _print_report(report, coverage, out)
    out.summary(_build_summary(args, report, coverage), _summary_words(args, report))
    return DONE if proposal.is_reached else FINDINGS


def _measure_components(
    args: argparse.Namespace, components: Sequence[Component], pages: Sequence[FoundPage], out: Output
) -> MeasuredComponents:
    """What components come to, as protect will pack them; what is not packed is told."""
    carriers: frozenset[Path] = frozenset()
    if args.tree is not None and args.selection is SelectionPolicy.OPTIMISTIC:
        carriers = list_carrying_files(args.tree, (page.path for page in pages), components)
    passed_over: list[Finding] = []
    measured = measure_components(components, rules_from_arguments(args, carriers), not args.unencrypted, passed_over)
    FindingPrinter(out).print_findings(passed_over)
    return measured


def _room_for_manifest(
    args: argparse.Namespace, pages: Sequence[FoundPage], measured: MeasuredComponents
) -> ManifestRoom:
    cipher = NO_CIPHER if args.unencrypted else AGE_CIPHER
    return estimate_manifest_room((page.path for page in pages), measured.file_paths, cipher)


def _find_coverage(args: argparse.Namespace, pages: Sequence[FoundPage], out: Output) -> CoverageEstimate:
    paths = [page.path for page in pages]
    if args.coverage:
        archives = {name or f"archive {at}": share for at, (name, share) in enumerate(args.coverage, 1)}
        correlation = DEFAULT_DIRECTORY_CORRELATION if args.correlation is None else args.correlation
        return assume_coverage(paths, archives, correlation, args.archive_answers)
    if not args.repositories:
        raise UsageError(
            "say what archives have of the site: --coverage 60%, or ask them with --from, such as --from wayback"
        )
    listings = asyncio.run(_ask_listings(args, {page_key(path) for path in paths}, out))
    held = {each.name: {path for path in paths if page_key(path) in each.versions} for each in listings}
    return estimate_coverage(paths, held, args.archive_answers, args.correlation)


async def _ask_listings(args: argparse.Namespace, wanted: set[str], out: Output) -> list[RepositoryListing]:
    site, lines = require_site(args), FindingPrinter(out)
    out.status(f"asking {format_count(len(args.repositories), 'archive')}")
    with tempfile.TemporaryDirectory(prefix="webkeep-") as spool:
        async with open_asked_repositories(args, args.repositories, Path(spool), lines) as repositories:
            listings = await asyncio.gather(*(list_pages(each, site, wanted) for each in repositories))
    out.status("")
    for each in listings:
        if each.doubt:
            out.note(f"{each.name} may hold more than it said: {each.doubt}")
    return list(listings)


def _print_report(report: PlanReport, coverage: CoverageEstimate, out: Output) -> None:
    _print_segments(report, out)
    out.prose(f"{describe_manifest(report)}.")
    out.line()
    _print_shares(report, out)
    out.line()
    if coverage.held:
        out.prose(f"Archives hold {coverage.held:,} of {format_count(len(coverage.odds), 'page')} today.")
    for line in describe_margin(report):
        out.prose(f"{line}.")
    out.line()
    for each in report.advice:
        named = ", ".join(each.pages[:_MAX_PRINTED_PAGES]) + (", …" if len(each.pages) > _MAX_PRINTED_PAGES else "")
        out.prose(f"- {each.text}{f' ({named})' if named else ''}.")


def _print_segments(report: PlanReport, out: Output) -> None:
    table = PrintedTable(
        build_columns("segment", "packed>", "r>", "n>", "block>", "page grows by>", "chance>"), out.line
    )
    for segment, forecast in zip(report.proposal.plan.segments, report.forecast.segments, strict=True):
        needed = f"{segment.needed:,}" + (f"+{segment.spare_blocks}" if segment.spare_blocks else "")
        sizes = [
            format_size(each) for each in (segment.sealed_bytes, written_block_bytes(segment), added_bytes(segment))
        ]
        table.add_row(segment.name, sizes[0], needed, f"{segment.total:,}", *sizes[1:], format_chance(forecast.chance))
    table.finish()


def _print_shares(report: PlanReport, out: Output) -> None:
    forecast = report.forecast
    shown = forecast.segments[:_MAX_PRINTED_SEGMENTS] if len(forecast.segments) > 1 else ()
    heads = ("pages held>", *(f"{each.name}>" for each in shown), "everything>", "lost together>")
    table = PrintedTable(build_columns(*heads), out.line)
    for at in select_shares(forecast):
        each = forecast.by_share[at]
        chances = (*each.segments[: len(shown)], each.whole, each.together)
        table.add_row(format_share(each.share), *map(format_chance, chances))
    table.finish()


def _build_summary(args: argparse.Namespace, report: PlanReport, coverage: CoverageEstimate) -> dict[str, object]:
    plan, forecast = report.proposal.plan, report.forecast
    return {
        "plan": str(args.out or ""),
        "approach": report.proposal.approach.value,
        "reached": report.proposal.is_reached,
        "chance": forecast.whole,
        "independent_chance": forecast.independent,
        "any_archive_answers": forecast.any_answers,
        "margin": round(forecast.margin, 4),
        "pages": len(plan.pages),
        "pages_held": coverage.held,
        "manifest_pages": min(plan.manifest_pages, len(plan.pages)),
        "manifest_added_bytes": report.request.manifest_bytes,
        "directory_correlation": report.request.model.directory_correlation,
        "without": dict(forecast.without),
        "segments": [
            {
                "name": segment.name, "components": list(segment.components), "sealed_bytes": segment.sealed_bytes,
                "r": segment.needed, "n": segment.total, "spare": segment.spare_blocks,
                "block_bytes": written_block_bytes(segment), "added_bytes": added_bytes(segment), "chance": each.chance,
            }
            for segment, each in zip(plan.segments, forecast.segments, strict=True)
        ],
        "by_share": [asdict(forecast.by_share[at]) for at in select_shares(forecast)],
        "advice": [asdict(each) for each in report.advice],
    }  # fmt: skip


def _summary_words(args: argparse.Namespace, report: PlanReport) -> str:
    words = describe_plan(report)
    if not report.proposal.is_reached:
        words += f", short of the {format_chance(report.request.wanted)} that are wanted"
    return words + (f"; written to {args.out}" if args.out else "; keep it with --out FILE")
