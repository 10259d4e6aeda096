"""`webkeep lab recovery`: lost sites brought back in virtual time, beside what was published of real ones."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from webkeep.cli.lab_recovery_serve import serve
from webkeep.cli.measure import counted, elapsed
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.table import Column, Table
from webkeep.errors import UsageError
from webkeep.lab import recovery as lab
from webkeep.process.new_file import write_whole

NAME = "recovery"
HELP = "The published experiments with lost sites and web archives, repeated with simulated ones."
_MARKS = {lab.Agreement.EXPLAINED: "*", lab.Agreement.DIFFERS: "!"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    usual = lab.Extent()
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
    _check(args)
    if args.serve is not None:
        return serve(lab.lost_site(args.serve, args.seed), out)
    blocks = list(_blocks(args, out))
    if args.out:
        write_whole(args.out, lab.page(blocks).encode("utf-8"))
    facts, words = _summary(blocks)
    seconds = time.monotonic() - started
    facts |= {"report": str(args.out or ""), "seconds": round(seconds, 1)}
    words.append(f"written to {args.out}" if args.out else f"took {elapsed(seconds)}")
    out.summary(facts, "; ".join(words))
    return FINDINGS if facts["differ"] else DONE


def _check(args: argparse.Namespace) -> None:
    for name in args.only:
        if name not in lab.EXPERIMENTS:
            raise UsageError(f"there is no experiment {name!r} here; choose one of {', '.join(lab.EXPERIMENTS)}")
    if args.serve is not None and args.serve < 0:
        raise UsageError(f"there is no lost site {args.serve}; they are numbered from 0")
    if args.out and (args.out.is_dir() or not args.out.absolute().parent.is_dir()):
        raise UsageError(f"{args.out} cannot be written; name a file in a directory that is there")


def _extent(args: argparse.Namespace) -> lab.Extent:
    usual = lab.Extent.quick(args.seed) if args.quick else lab.Extent(seed=args.seed)
    return usual if args.sites is None else lab.Extent(args.sites, usual.by_product, usual.pages, args.seed)


def _blocks(args: argparse.Namespace, out: Output) -> Iterator[lab.Block]:
    """Every block, printed as soon as it is there."""
    extent = _extent(args)
    for name in args.only or lab.EXPERIMENTS:
        out.status(f"experiment {name}")
        for block in lab.run(name, extent):
            out.status("")
            _print(block, out)
            yield block


def _print(block: lab.Block, out: Output) -> None:
    for row in block.rows:
        for column, cell in zip(block.columns, row.cells, strict=True):
            out.event(
                "figure", experiment=block.experiment, title=block.title, row=row.label, column=column.name,
                value=None if cell.value is None else round(cell.value, 6), calibrated=cell.calibrated,
                published=cell.published, agreement=cell.agreement(column).name.lower(),
            )  # fmt: skip
    out.line(f"{block.experiment}. {block.title}")
    headings = [Column(block.axis), *(Column(column.heading, right=True) for column in block.columns)]
    table = Table(headings, lambda text: out.line(f"  {text}"))
    for row in block.rows:
        for cells in _lines(row, block.columns):
            table.row(*cells)
    table.end()
    for note in block.notes:
        out.line(f"  {note}")
    out.line()


def _lines(row: lab.Row, columns: Sequence[lab.Column]) -> Iterator[tuple[str, ...]]:
    """The figures, and below them what they are held against."""
    pairs = list(zip(row.cells, columns, strict=True))
    yield row.label, *(_value(cell, column) for cell, column in pairs)
    for name in ("calibrated", "published"):
        beside = [(getattr(cell, name), column) for cell, column in pairs]
        if any(value is not None for value, _ in beside):
            yield f"  {name}", *("" if value is None else column.text(value) for value, column in beside)


def _value(cell: lab.Cell, column: lab.Column) -> str:
    return "–" if cell.value is None else column.text(cell.value) + _MARKS.get(cell.agreement(column), "")


def _summary(blocks: Sequence[lab.Block]) -> tuple[dict[str, object], list[str]]:
    counts = lab.counted(blocks)
    near, compared = lab.near_published(blocks)
    agree, explained, differ, untold = (counts[kind] for kind in lab.Agreement)
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
    words = [f"{agree:,} of {counted(held, 'figure')} agree with what they are held against"] if held else []
    words += [f"{explained} differ for a known reason"] if explained else []
    words += [f"{differ} differ"] if differ else []
    words += [f"{near} of {compared} published figures are within the band"] if compared else []
    return facts, words
