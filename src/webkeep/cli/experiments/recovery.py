"""`webkeep lab recovery`: lost sites brought back in virtual time, beside what was published of real ones."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedColumn, PrintedTable
from webkeep.cli.stop_signal import stop_event
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.lab import recovery as lab
from webkeep.presentation import format_count, format_elapsed
from webkeep.process import write_atomically

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
_AGREEMENT_MARKS = {lab.FigureAgreement.EXPLAINED: "*", lab.FigureAgreement.DIFFERS: "!"}


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
    if args.serve is not None:
        return serve_archives(lab.draw_lost_site(args.serve, args.seed), out)
    blocks = list(_run_blocks(args, out))
    if args.out:
        write_atomically(args.out, lab.render_report(blocks).encode("utf-8"))
    facts, words = _build_summary(blocks)
    seconds = time.monotonic() - started
    facts |= {"report": str(args.out or ""), "seconds": round(seconds, 1)}
    words.append(f"written to {args.out}" if args.out else f"took {format_elapsed(seconds)}")
    out.summary(facts, "; ".join(words))
    return FINDINGS if facts["differ"] else DONE


def _check_arguments(args: argparse.Namespace) -> None:
    for name in args.only:
        if name not in lab.EXPERIMENTS:
            raise UsageError(f"there is no experiment {name!r} here; choose one of {', '.join(lab.EXPERIMENTS)}")
    if args.serve is not None and args.serve < 0:
        raise UsageError(f"there is no lost site {args.serve}; they are numbered from 0")
    if args.out and (args.out.is_dir() or not args.out.absolute().parent.is_dir()):
        raise UsageError(f"{args.out} cannot be written; name a file in a directory that is there")


def _read_extent(args: argparse.Namespace) -> lab.RecoveryExtent:
    usual = lab.RecoveryExtent.quick(args.seed) if args.quick else lab.RecoveryExtent(seed=args.seed)
    return usual if args.sites is None else lab.RecoveryExtent(args.sites, usual.by_product, usual.pages, args.seed)


def _run_blocks(args: argparse.Namespace, out: Output) -> Iterator[lab.FigureBlock]:
    """Every block, printed as soon as it is there."""
    extent = _read_extent(args)
    for name in args.only or lab.EXPERIMENTS:
        out.status(f"experiment {name}")
        for block in lab.run_experiment(name, extent):
            out.status("")
            _print_block(block, out)
            yield block


def _print_block(block: lab.FigureBlock, out: Output) -> None:
    for row in block.rows:
        for column, cell in zip(block.columns, row.cells, strict=True):
            out.event(
                "figure", experiment=block.experiment, title=block.title, row=row.label, column=column.name,
                value=None if cell.value is None else round(cell.value, 6), calibrated=cell.calibrated,
                published=cell.published, agreement=cell.agreement(column).name.lower(),
            )  # fmt: skip
    out.line(f"{block.experiment}. {block.title}")
    headings = [PrintedColumn(block.axis), *(PrintedColumn(column.heading, right=True) for column in block.columns)]
    table = PrintedTable(headings, lambda text: out.line(f"  {text}"))
    for row in block.rows:
        for cells in _row_lines(row, block.columns):
            table.add_row(*cells)
    table.finish()
    for note in block.notes:
        out.line(f"  {note}")
    out.line()


def _row_lines(row: lab.FigureRow, columns: Sequence[lab.FigureColumn]) -> Iterator[tuple[str, ...]]:
    """The figures, and below them what they are held against."""
    pairs = list(zip(row.cells, columns, strict=True))
    yield row.label, *(_cell_text(cell, column) for cell, column in pairs)
    for name in ("calibrated", "published"):
        beside = [(getattr(cell, name), column) for cell, column in pairs]
        if any(value is not None for value, _ in beside):
            yield f"  {name}", *("" if value is None else column.format_value(value) for value, column in beside)


def _cell_text(cell: lab.FigureCell, column: lab.FigureColumn) -> str:
    return (
        "–"
        if cell.value is None
        else column.format_value(cell.value) + _AGREEMENT_MARKS.get(cell.agreement(column), "")
    )


def _build_summary(blocks: Sequence[lab.FigureBlock]) -> tuple[dict[str, object], list[str]]:
    counts = lab.count_agreements(blocks)
    near, compared = lab.count_near_published(blocks)
    agree, explained, differ, untold = (counts[kind] for kind in lab.FigureAgreement)
    held = agree + explained + differ
    facts: dict[str, object] = {
        "experiments": list(dict.fromkeys(block.experiment for block in blocks)),
        "figures": held + untold,
        "held": held,
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "published_near": near,
        "published_compared": compared,
    }
    words = [f"{agree:,} of {format_count(held, 'figure')} agree with what they are held against"] if held else []
    words += [f"{explained} differ for a known reason"] if explained else []
    words += [f"{differ} differ"] if differ else []
    words += [f"{near} of {compared} published figures are within the band"] if compared else []
    return facts, words
