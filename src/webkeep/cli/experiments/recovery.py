"""`webkeep lab recovery`: lost sites brought back in virtual time, beside what was published of real ones: its options,
what is printed and summed up, and archives served to try recovering from (`--serve`).
"""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from webkeep.cli.experiments.result_tables import check_report_path, difference_words, print_result_table, round_figure
from webkeep.cli.output.console import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.lab import recovery as lab
from webkeep.lab.results import (
    ResultAgreement,
    ResultCell,
    ResultColumn,
    ResultRow,
    ResultTable,
    count_agreements,
    count_near_published,
)
from webkeep.presentation import format_count, format_elapsed
from webkeep.process import stop_event, write_atomically

# `webkeep lab recovery --serve`: the archives that hold pieces of a lost site, on loopback, for anyone to try.


def serve_archives(world: lab.LostSite, out: Output) -> int:
    """Serve until told to end, and say how the site can be recovered meanwhile."""
    seed = lab.site_origin(world)
    with stop_event() as told, lab.serve_repositories(world) as servers:
        names = [server.cdx_repository for server in servers]
        out.event("listening", seed=seed, repositories=names, held=len(world.held_anywhere))
        out.note(
            f"{format_count(len(world.held_anywhere), 'resource')} of {seed} in "
            f"{format_count(len(servers), 'archive')} until Ctrl-C; try"
        )
        sources = " ".join(f"--from {shlex.quote(name)}" for name in names)
        out.note(f"  webkeep recover {seed} {sources} --into ARCHIVE")
        told.wait()
        requests = sum(server.requests.total() for server in servers)
    out.summary({"seed": seed, "requests": requests}, f"{format_count(requests, 'request')} served")
    return DONE


NAME = "recovery"
HELP = "The published experiments with lost sites and web archives, repeated with simulated ones."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    usual = lab.RecoveryExtent()
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help=f"this experiment; may be given more than once: {', '.join(lab.EXPERIMENTS)}",
    )
    parser.add_argument("--quick", action="store_true", help="fewer sites")
    parser.add_argument("--sites", type=int, metavar="N", help=f"lost sites ({usual.sites})")
    parser.add_argument(
        "--serve", type=int, metavar="N", help="serve the archives of lost site N until Ctrl-C, to try recover on"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write tables and plots to FILE, one HTML page")
    parser.add_argument("--seed", type=int, default=usual.seed, metavar="N", help="other sites, other chances")


def run(args: argparse.Namespace, out: Output) -> int:
    """Make the experiments; a figure that differs from what it is held against makes the exit code 1."""
    started = time.monotonic()
    _check_arguments(args)
    _check_servers(args)
    if args.serve is not None:
        return serve_archives(lab.draw_lost_site(args.serve, args.seed), out)
    blocks = list(_run_blocks(args, out))
    if args.out:
        write_atomically(args.out, lab.render_report(blocks))
    facts, words = _build_summary(blocks)
    seconds = time.monotonic() - started
    facts |= {"report": str(args.out or ""), "seconds": round(seconds, 1)}
    words.append(f"written to {args.out}" if args.out else f"took {format_elapsed(seconds)}")
    out.summary(facts, "; ".join(words))
    return FINDINGS if facts["differ"] else DONE


def _check_servers(args: argparse.Namespace) -> None:
    """What the extra of the laboratory brings is missed before the experiments, not after most of them."""
    if args.serve is not None or not args.only or lab.SERVED_EXPERIMENT in args.only:
        _ = lab.ArchiveServer


def _check_arguments(args: argparse.Namespace) -> None:
    for name in args.only:
        if name not in lab.EXPERIMENTS:
            raise UsageError(f"there is no experiment {name!r} here; choose one of {', '.join(lab.EXPERIMENTS)}")
    if args.serve is not None and args.serve < 0:
        raise UsageError(f"there is no lost site {args.serve}; they are numbered from 0")
    check_report_path(args.out)


def _read_extent(args: argparse.Namespace) -> lab.RecoveryExtent:
    usual = lab.RecoveryExtent.quick(args.seed) if args.quick else lab.RecoveryExtent(seed=args.seed)
    return usual if args.sites is None else replace(usual, sites=args.sites)


def _run_blocks(args: argparse.Namespace, out: Output) -> Iterator[ResultTable]:
    """Every block, printed as soon as it is there."""
    extent = _read_extent(args)
    for name in args.only or lab.EXPERIMENTS:
        out.status(f"experiment {name}")
        for block in lab.run_experiment(name, extent):
            out.status("")
            _print_table(block, out)
            yield block


def _print_table(table: ResultTable, out: Output) -> None:
    def tell_cell(row: ResultRow, column: ResultColumn, cell: ResultCell) -> None:
        out.event(
            "figure", experiment=table.name, title=table.title, row=row.label, column=column.name,
            value=round_figure(cell.value), calibrated=cell.reference, published=cell.published,
            agreement=cell.agreement.name.lower(),
        )  # fmt: skip

    print_result_table(table, out, tell_cell)


def _build_summary(blocks: Sequence[ResultTable]) -> tuple[dict[str, object], list[str]]:
    counts = count_agreements(blocks)
    near, compared = count_near_published(blocks)
    agree, explained, differ, untold = (counts[kind] for kind in ResultAgreement)
    held = agree + explained + differ
    facts: dict[str, object] = {
        "experiments": list(dict.fromkeys(block.name for block in blocks)),
        "figures": held + untold,
        "held": held,
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "published_near": near,
        "published_compared": compared,
    }
    words = [f"{agree:,} of {format_count(held, 'figure')} agree with what they are held against"] if held else []
    words += difference_words(counts)
    words += [f"{near} of {compared} published figures are within the band"] if compared else []
    return facts, words
