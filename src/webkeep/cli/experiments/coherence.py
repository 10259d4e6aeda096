"""`webkeep lab coherence`: the tables of blur and coherence, held against what was published and recomputed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedColumn, PrintedTable
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.lab import coherence as lab
from webkeep.lab.coherence import StrategyDuel, TableAgreement, TableBlock, TableCell, TableRow
from webkeep.presentation import format_count, format_elapsed
from webkeep.process import write_atomically

# Tables of the laboratory for people and programs.

_AGREEMENT_MARKS = {TableAgreement.EXPLAINED: "*", TableAgreement.DIFFERS: "!"}


def print_block(block: TableBlock, out: Output) -> None:
    """The block: under each row, where there are such figures, what was recomputed and what was published."""
    for row in block.rows:
        for column, cell in zip(block.columns, row.cells, strict=True):
            out.event(
                "cell", table=block.table, title=block.title, row=row.label, column=column.name, **_cell_facts(cell)
            )
    out.line(f"Table {block.table}. {block.title} ({block.measure})")
    headings = [PrintedColumn(block.axis), *(PrintedColumn(column.heading, right=True) for column in block.columns)]
    table = PrintedTable(headings, lambda text: out.line(f"  {text}"))
    for row in block.rows:
        for cells in _row_lines(row, block.digits):
            table.add_row(*cells)
    table.finish()
    for note in block.notes:
        out.line(f"  * {note}")
    out.line()


def print_duels(duels: Sequence[StrategyDuel], out: Output) -> None:
    """Scouting beside the best published strategy, setting by setting."""
    out.line("Scouting beside the best published online strategy (incoherent pages expected)")
    table = PrintedTable(
        [PrintedColumn("table"), PrintedColumn("setting"), PrintedColumn("best published"), PrintedColumn("its pages",
        right=True),
         PrintedColumn("scouting", right=True), PrintedColumn("difference", right=True), PrintedColumn(""),
         PrintedColumn("all known", right=True)],
        lambda text: out.line(f"  {text}"),
    )  # fmt: skip
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


def _cell_facts(cell: TableCell) -> dict[str, object]:
    return {
        "value": None if cell.value is None else round(cell.value, 6),
        "spread": round(cell.spread, 6),
        "deviation": round(cell.deviation, 3),
        "recomputed": None if cell.expected is None else cell.expected.value,
        "published": cell.published,
        "agreement": cell.agreement.name.lower(),
    }


def _row_lines(row: TableRow, digits: int) -> list[tuple[str, ...]]:
    lines = [(row.label, *(_cell_text(cell, digits) for cell in row.cells))]
    if any(cell.expected for cell in row.cells):
        figures = (f"{cell.expected.value:,.{digits}f}" if cell.expected else "" for cell in row.cells)
        lines.append(("  recomputed", *figures))
    if any(cell.published is not None for cell in row.cells):
        printed = ("" if cell.published is None else f"{cell.published:,.{min(digits, 2)}f}" for cell in row.cells)
        lines.append(("  published", *printed))
    return lines


def _cell_text(cell: TableCell, digits: int) -> str:
    return "–" if cell.value is None else f"{cell.value:,.{digits}f}{_AGREEMENT_MARKS.get(cell.agreement, '')}"


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
        write_atomically(
            args.out, lab.render_report(lab.CoherenceReport(blocks, duels, str(likeness or ""))).encode("utf-8")
        )
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
    if args.out and not args.out.absolute().parent.is_dir():
        raise UsageError(
            f"there is no directory {args.out.parent} to write {args.out.name} to; make it, or name another"
        )
    if args.out and args.out.is_dir():
        raise UsageError(f"{args.out} is a directory; name a file in it")
    if args.history and not args.history.exists():
        raise UsageError(f"{args.history} is not there; name an archive, or a list of url,moment,digest")


def _run_experiments(args: argparse.Namespace, out: Output) -> Iterable[lab.TableBlock]:
    """Every block, printed as soon as it is there."""
    for table, make in _choose_experiments(args, out):
        out.status(f"table {table}")
        for block in make():
            out.status("")
            print_block(block, out)
            yield block


def _choose_experiments(
    args: argparse.Namespace, out: Output
) -> Iterable[tuple[str, Callable[[], Sequence[lab.TableBlock]]]]:
    real = [table for table in lab.HISTORY_TABLES if not args.table or table in args.table]
    if real:
        yield ", ".join(real), lambda: [block for block in _replay_histories(args) if block.table in real]
    if args.history:
        return
    extent = lab.CoherenceExtent(args.quick, args.frontier, args.seed)
    for table in lab.TABLE_NUMBERS:
        if table in args.table or (not args.table and not (args.quick and table == _SLOW_TABLE)):
            yield table, partial(lab.build_blocks, table, extent, out.status)
    if lab.SIMULATED_TABLE in args.table or not args.table:
        yield lab.SIMULATED_TABLE, partial(lab.simulated_blocks, seed=args.seed)


def _replay_histories(args: argparse.Namespace) -> list[lab.TableBlock]:
    if args.history:
        return lab.replay_histories([lab.read_history(args.history)], args.slow_down, args.seed)
    histories = [lab.generate_history(site, args.seed) for site in lab.STUDIED_SITES]
    return lab.replay_histories(histories, args.slow_down, args.seed, (lab.GENERATED_NOTE,))


def _tally_words(tallied: dict[str, int], who: str) -> list[str]:
    """The words for what was compared, if anything was."""
    wins, level, loses = tallied.values()
    return [f"{who} wins {wins}, is level in {level}, loses {loses}"] if wins + level + loses else []


def _build_summary(
    blocks: Sequence[lab.TableBlock], duels: Sequence[lab.StrategyDuel], likeness: lab.CrawlAgreement | None
) -> tuple[dict[str, object], list[str]]:
    counts = lab.count_agreements([block for block in blocks if block.table != lab.SIMULATED_TABLE])
    simulated = lab.count_agreements([block for block in blocks if block.table == lab.SIMULATED_TABLE])
    near, compared = lab.count_near_published(blocks)
    agree, explained, differ = (counts[kind] for kind in list(lab.TableAgreement)[:3])
    held = agree + explained + differ
    facts: dict[str, object] = {
        "tables": list(dict.fromkeys(block.table for block in blocks)),
        "cells": sum(counts.values()),
        "held": held,
        "agree": agree,
        "explained": explained,
        "differ": differ,
        "simulated": sum(simulated.values()),
        "simulated_differ": simulated[lab.TableAgreement.DIFFERS],
        "published_near": near,
        "published_compared": compared,
    }
    words = [f"{agree:,} of {format_count(held, 'cell')} agree with the recomputed figures"] if held else []
    if any(simulated.values()):
        near_model, made = simulated[lab.TableAgreement.AGREES], sum(simulated.values())
        words.append(f"{near_model} of {made} simulated means are as the model expects")
    words += [f"{explained} differ for a known reason"] if explained else []
    words += [f"{differ} differ"] if differ else []
    if duels:
        tallied = lab.count_verdicts([duel for duel in duels if duel.is_published])
        elsewhere = lab.count_verdicts([duel for duel in duels if not duel.is_published])
        facts |= tallied | {f"{verdict}_elsewhere": count for verdict, count in elsewhere.items()}
        words += _tally_words(tallied, "scouting") + _tally_words(elsewhere, "in settings that were not published it")
    if likeness:
        facts |= {"frontier_crawls": likeness.crawls, "frontier_different": list(likeness.different)}
        words.append(str(likeness))
    return facts, words
