"""`webkeep lab coherence`: the tables of blur and coherence, held against what was published and recomputed: which
tables are made, what is printed of them, and when the exit code says that they differ.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from webkeep.cli.experiments.result_tables import check_report_path, difference_words, print_result_table, round_figure
from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.lab import coherence as lab
from webkeep.lab.coherence import StrategyDuel
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
from webkeep.process import write_atomically

# Tables of the laboratory for people and programs.


def print_coherence_table(table: ResultTable, out: Output) -> None:
    """The table: under each row, where there are such figures, what was recomputed and what was published."""

    def tell_cell(row: ResultRow, column: ResultColumn, cell: ResultCell) -> None:
        out.event(
            "cell", table=table.name, title=table.title, row=row.label, column=column.name,
            value=round_figure(cell.value), spread=round(cell.spread, 6), deviation=round(cell.deviation, 3),
            recomputed=cell.reference, published=cell.published, agreement=cell.agreement.name.lower(),
        )  # fmt: skip

    print_result_table(table, out, tell_cell)


_DUEL_HEADINGS = (
    "table", "setting", "best published", "its pages>", "scouting>", "difference>", "", "all known>",
)  # fmt: skip


def print_duels(duels: Sequence[StrategyDuel], out: Output) -> None:
    """Scouting beside the best published strategy, setting by setting."""
    out.line("Scouting beside the best published online strategy (incoherent pages expected)")
    table = PrintedTable(
        build_columns(*_DUEL_HEADINGS),
        lambda text: out.line(f"  {text}"),
    )
    for duel in duels:
        out.event(
            "duel", table=duel.table, setting=duel.setting, best=duel.best, published=round(duel.published, 2),
            scouting=round(duel.ours, 2), difference=round(duel.difference, 6), verdict=duel.verdict,
            all_known=round(duel.knowing_all, 2),
        )  # fmt: skip
        numbers = (f"{duel.published:,.1f}", f"{duel.ours:,.1f}", f"{duel.difference:+.2%}")
        table.add_row(duel.table, duel.setting, duel.best, *numbers, duel.verdict, f"{duel.knowing_all:,.1f}")
    table.finish()
    out.line()


NAME = "coherence"
HELP = "Blur and coherence of all strategies on synthetic sites, or on the history of an archive."
_ALL_TABLES = (*lab.HISTORY_TABLES, *lab.TABLE_NUMBERS, lab.SIMULATED_TABLE)
_SLOW_TABLE = "narrow"
"""The table that a quick run leaves out."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument(
        "--table", action="append", default=[], metavar="N", help=f"only this table: {', '.join(_ALL_TABLES)}"
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
    _check_arguments(args)
    blocks = list(_run_experiments(args, out))
    duels = lab.build_duels(blocks) if not args.history else []
    if duels:
        print_duels(duels, out)
    likeness = None if args.table or args.history else lab.compare_with_frontier()
    if args.out:
        write_atomically(args.out, lab.render_report(lab.CoherenceReport(blocks, duels, str(likeness or ""))))
    facts, words = _build_summary(blocks, duels, likeness)
    facts |= {"report": str(args.out or ""), "seconds": round(time.monotonic() - started, 1)}
    words.append(f"written to {args.out}" if args.out else f"took {format_elapsed(time.monotonic() - started)}")
    out.summary(facts, "; ".join(words))
    return FINDINGS if facts["differ"] or facts["simulated_differ"] or (likeness and likeness.different) else DONE


def _check_arguments(args: argparse.Namespace) -> None:
    for table in args.table:
        if table not in _ALL_TABLES:
            raise UsageError(f"there is no table {table!r} here; choose one of {', '.join(_ALL_TABLES)}")
        if args.history and table not in lab.HISTORY_TABLES:
            raise UsageError(f"table {table} has no history; with --history choose of {', '.join(lab.HISTORY_TABLES)}")
    check_report_path(args.out)
    if args.history and not args.history.exists():
        raise UsageError(f"{args.history} is not there; name an archive, or a list of url,moment,digest")


def _run_experiments(args: argparse.Namespace, out: Output) -> Iterable[ResultTable]:
    """Every block, printed as soon as it is there."""
    for table, make in _choose_experiments(args, out):
        out.status(f"table {table}")
        for block in make():
            out.status("")
            print_coherence_table(block, out)
            yield block


def _choose_experiments(
    args: argparse.Namespace, out: Output
) -> Iterable[tuple[str, Callable[[], Sequence[ResultTable]]]]:
    real = [table for table in lab.HISTORY_TABLES if not args.table or table in args.table]
    if real:
        yield ", ".join(real), lambda: [block for block in _replay_histories(args) if block.name in real]
    if args.history:
        return
    extent = lab.CoherenceExtent(args.quick, args.frontier, args.seed)
    for table in lab.TABLE_NUMBERS:
        if table in args.table or (not args.table and not (args.quick and table == _SLOW_TABLE)):
            yield table, partial(lab.build_blocks, table, extent, out.status)
    if lab.SIMULATED_TABLE in args.table or not args.table:
        yield lab.SIMULATED_TABLE, partial(lab.build_simulated_blocks, seed=args.seed)


def _replay_histories(args: argparse.Namespace) -> list[ResultTable]:
    if args.history:
        return lab.replay_histories([lab.read_history(args.history)], args.slow_down, args.seed)
    histories = [lab.generate_history(site, args.seed) for site in lab.STUDIED_SITES]
    return lab.replay_histories(histories, args.slow_down, args.seed, (lab.GENERATED_NOTE,))


def _tally_words(tallied: dict[str, int], who: str) -> list[str]:
    """The words for what was compared, if anything was."""
    wins, level, loses = tallied.values()
    return [f"{who} wins {wins}, is level in {level}, loses {loses}"] if wins + level + loses else []


def _build_summary(
    blocks: Sequence[ResultTable], duels: Sequence[lab.StrategyDuel], likeness: lab.CrawlAgreement | None
) -> tuple[dict[str, object], list[str]]:
    counts = count_agreements([block for block in blocks if block.name != lab.SIMULATED_TABLE])
    simulated = count_agreements([block for block in blocks if block.name == lab.SIMULATED_TABLE])
    near, compared = count_near_published(blocks)
    agree, explained, differ = (counts[kind] for kind in list(ResultAgreement)[:3])
    held = agree + explained + differ
    facts: dict[str, object] = {
        "tables": list(dict.fromkeys(block.name for block in blocks)),
        "cells": sum(counts.values()),
        "held": held,
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "simulated": sum(simulated.values()),
        "simulated_differ": simulated[ResultAgreement.DIFFERS],
        "published_near": near,
        "published_compared": compared,
    }
    words = [f"{agree:,} of {format_count(held, 'cell')} agree with the recomputed figures"] if held else []
    if any(simulated.values()):
        near_model, made = simulated[ResultAgreement.AGREES], sum(simulated.values())
        words.append(f"{near_model} of {made} simulated means are as the model expects")
    words += difference_words(counts)
    if duels:
        tallied = lab.count_verdicts([duel for duel in duels if duel.is_published])
        elsewhere = lab.count_verdicts([duel for duel in duels if not duel.is_published])
        facts |= tallied | {f"{verdict}_elsewhere": count for verdict, count in elsewhere.items()}
        words += _tally_words(tallied, "scouting") + _tally_words(elsewhere, "in settings that were not published it")
    if likeness:
        facts |= {"frontier_crawls": likeness.crawls, "frontier_different": list(likeness.different)}
        words.append(str(likeness))
    return facts, words
