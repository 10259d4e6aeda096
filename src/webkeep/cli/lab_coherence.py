"""`webkeep lab coherence`: the tables of blur and coherence, held against what was published and recomputed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from webkeep.cli.lab_table import print_block, print_duels
from webkeep.cli.measure import counted, elapsed
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.lab import coherence as lab
from webkeep.process.new_file import write_whole

NAME = "coherence"
HELP = "Blur and coherence of all strategies on synthetic sites, or on the history of an archive."
_EVERY = (*lab.REPLAYED, *lab.TABLES, lab.SIMULATED)
_LONG = "narrow"
"""The table that a quick run leaves out."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument(
        "--table", action="append", default=[], metavar="N", help=f"only this table: {', '.join(_EVERY)}"
    )
    parser.add_argument("--quick", action="store_true", help="no sites of more than 10,000 pages")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write tables and plots to FILE, one HTML page")
    parser.add_argument(
        "--history",
        type=Path,
        metavar="PATH",
        help="replay the changes that an archive, or a list url,moment[,digest], tells",
    )
    parser.add_argument(
        "--slow-down",
        type=float,
        default=1.0,
        metavar="X",
        help="let replayed crawls last X times the history (1)",
    )
    parser.add_argument(
        "--frontier", action="store_true", help="send every crawl through the frontier; takes much longer"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other orders of links, other changes")


def run(args: argparse.Namespace, out: Output) -> int:
    """Make the experiments; a cell that differs from its recomputed figure makes the exit code 1."""
    started = time.monotonic()
    _check(args)
    blocks = list(_experiments(args, out))
    duels = lab.duels(blocks) if not args.history else []
    if duels:
        print_duels(duels, out)
    likeness = None if args.table or args.history else lab.frontier_likeness()
    if args.out:
        write_whole(args.out, lab.page(lab.Report(blocks, duels, str(likeness or ""))).encode("utf-8"))
    facts, words = _summary(blocks, duels, likeness)
    facts |= {"report": str(args.out or ""), "seconds": round(time.monotonic() - started, 1)}
    words.append(f"written to {args.out}" if args.out else f"took {elapsed(time.monotonic() - started)}")
    out.summary(facts, "; ".join(words))
    return FINDINGS if facts["differ"] or facts["simulated_differ"] or (likeness and likeness.different) else DONE


def _check(args: argparse.Namespace) -> None:
    for table in args.table:
        if table not in _EVERY:
            raise UsageError(f"there is no table {table!r} here; choose one of {', '.join(_EVERY)}")
        if args.history and table not in lab.REPLAYED:
            raise UsageError(f"table {table} has no history; with --history choose of {', '.join(lab.REPLAYED)}")
    if args.out and not args.out.absolute().parent.is_dir():
        raise UsageError(
            f"there is no directory {args.out.parent} to write {args.out.name} to; make it, or name another"
        )
    if args.out and args.out.is_dir():
        raise UsageError(f"{args.out} is a directory; name a file in it")
    if args.history and not args.history.exists():
        raise UsageError(f"{args.history} is not there; name an archive, or a list of url,moment,digest")


def _experiments(args: argparse.Namespace, out: Output) -> Iterable[lab.Block]:
    """Every block, printed as soon as it is there."""
    for table, make in _wanted(args, out):
        out.status(f"table {table}")
        for block in make():
            out.status("")
            print_block(block, out)
            yield block


def _wanted(args: argparse.Namespace, out: Output) -> Iterable[tuple[str, Callable[[], Sequence[lab.Block]]]]:
    real = [table for table in lab.REPLAYED if not args.table or table in args.table]
    if real:
        yield ", ".join(real), lambda: [block for block in _replayed(args) if block.table in real]
    if args.history:
        return
    extent = lab.Extent(args.quick, args.frontier, args.seed)
    for table in lab.TABLES:
        if table in args.table or (not args.table and not (args.quick and table == _LONG)):
            yield table, partial(lab.blocks, table, extent, out.status)
    if lab.SIMULATED in args.table or not args.table:
        yield lab.SIMULATED, partial(lab.simulated_blocks, seed=args.seed)


def _replayed(args: argparse.Namespace) -> list[lab.Block]:
    if args.history:
        return lab.replayed([lab.read_history(args.history)], args.slow_down, args.seed)
    histories = [lab.generated(site, args.seed) for site in lab.STUDIED]
    return lab.replayed(histories, args.slow_down, args.seed, (lab.NOTE,))


def _tallied(tallied: dict[str, int], who: str) -> list[str]:
    """The words for what was compared, if anything was."""
    wins, level, loses = tallied.values()
    return [f"{who} wins {wins}, is level in {level}, loses {loses}"] if wins + level + loses else []


def _summary(
    blocks: Sequence[lab.Block], duels: Sequence[lab.Duel], likeness: lab.Likeness | None
) -> tuple[dict[str, object], list[str]]:
    counts = lab.counted([block for block in blocks if block.table != lab.SIMULATED])
    simulated = lab.counted([block for block in blocks if block.table == lab.SIMULATED])
    near, compared = lab.near_published(blocks)
    agree, explained, differ = (counts[kind] for kind in list(lab.Agreement)[:3])
    held = agree + explained + differ
    facts: dict[str, object] = {
        "tables": list(dict.fromkeys(block.table for block in blocks)),
        "cells": sum(counts.values()),
        "held": held,
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "simulated": sum(simulated.values()),
        "simulated_differ": simulated[lab.Agreement.DIFFERS],
        "published_near": near,
        "published_compared": compared,
    }
    words = [f"{agree:,} of {counted(held, 'cell')} agree with the recomputed figures"] if held else []
    if any(simulated.values()):
        near_model, made = simulated[lab.Agreement.AGREES], sum(simulated.values())
        words.append(f"{near_model} of {made} simulated means are as the model expects")
    words += [f"{explained} differ for a known reason"] if explained else []
    words += [f"{differ} differ"] if differ else []
    if duels:
        tallied = lab.tally([duel for duel in duels if duel.is_published])
        elsewhere = lab.tally([duel for duel in duels if not duel.is_published])
        facts |= tallied | {f"{verdict}_elsewhere": count for verdict, count in elsewhere.items()}
        words += _tallied(tallied, "scouting") + _tallied(elsewhere, "in settings that were not published it")
    if likeness:
        facts |= {"frontier_crawls": likeness.crawls, "frontier_different": list(likeness.different)}
        words.append(str(likeness))
    return facts, words
