"""`webkeep lab prediction`: how well rates are told of pages not seen, and what wrong ones cost."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from webkeep.change import Score
from webkeep.cli.measure import elapsed
from webkeep.cli.output import Output
from webkeep.cli.subcommand import DONE
from webkeep.cli.table import Column, Table
from webkeep.errors import UsageError
from webkeep.lab import prediction as lab

NAME = "prediction"
HELP = "Predictors of change rates beside the majority, and what their errors cost in incoherent pages."
_FEWEST = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    usual = lab.Extent()
    parser.add_argument("--pages", type=int, metavar="N", help=f"pages of a generated site ({usual.pages})")
    parser.add_argument("--quick", action="store_true", help="small sites, and fewer of them")
    parser.add_argument(
        "--slow-down",
        type=float,
        default=usual.slow_down,
        metavar="X",
        help="let captures last X times the history that was learned from (1)",
    )
    parser.add_argument("--seed", type=int, default=usual.seed, metavar="N", help="other sites, other changes")


def run(args: argparse.Namespace, out: Output) -> int:
    """Make the experiment and print its two tables."""
    started = time.monotonic()
    outcome = lab.run(_extent(args), out.status)
    _print_accuracies(outcome.accuracies, out)
    _print_costs(outcome.costs, out)
    seconds = time.monotonic() - started
    rivals = [told for told in outcome.accuracies if told.learner != "majority"]
    better = sum(told.score.accuracy > told.score.majority for told in rivals)
    facts = {"accuracies": len(rivals), "better": better, "costs": len(outcome.costs), "seconds": round(seconds, 1)}
    out.summary(facts, f"{better} of {len(rivals)} predictors beat the majority; took {elapsed(seconds)}")
    return DONE


def _extent(args: argparse.Namespace) -> lab.Extent:
    usual = lab.Extent.quick() if args.quick else lab.Extent()
    pages = usual.pages if args.pages is None else args.pages
    if pages < _FEWEST:
        raise UsageError(f"a site of {pages} pages teaches nothing; give --pages {_FEWEST} or more")
    if not 0 < args.slow_down < float("inf"):
        raise UsageError(f"no capture lasts {args.slow_down} times a history; give --slow-down a number above zero")
    return lab.Extent(pages, usual.folds, usual.sites, args.slow_down, args.seed)


def _print_accuracies(told: Sequence[lab.Accuracy], out: Output) -> None:
    out.line("Classes told right of pages not seen, by ten-fold cross-validation")
    table = Table(
        [Column("site"), Column("known"), Column("learner"), Column("right", right=True),
         Column("majority", right=True), Column("published", right=True), Column("classes off", right=True),
         Column("rank", right=True), Column("scale", right=True)],
        lambda text: out.line(f"  {text}"),
    )  # fmt: skip
    for each in told:
        out.event("accuracy", **each.facts)
        score = each.score
        order = (f"{score.rank_correlation:.2f}", f"{score.calibration:.2f}") if isinstance(score, Score) else ("", "")
        published = "" if each.published is None else f"{each.published:.1%}"
        shares = (f"{score.accuracy:.1%}", f"{score.majority:.1%}", published)
        table.row(each.site, each.known, each.learner, *shares, f"{score.bin_error:.2f}", *order)
    table.end()
    out.line()


def _print_costs(paid: Sequence[lab.Cost], out: Output) -> None:
    out.line("Incoherent pages to expect, and blur of a page, where schedules are made with rates from each source")
    table = Table(
        [Column("site"), Column("rates"), *(Column(name, right=True) for name in (*lab.COHERENT, *lab.BLURRED)),
         Column("saved offline", right=True)],
        lambda text: out.line(f"  {text}"),
    )  # fmt: skip
    for each in paid:
        out.event("cost", **each.facts)
        incoherent = [f"{each.incoherent[name]:.2%}" for name in lab.COHERENT]
        blur = [f"{each.blur[name]:.3f}" for name in lab.BLURRED]
        table.row(
            each.site, each.source, *incoherent, *blur, "{:.2f} ± {:.2f}".format(*(100 * one for one in each.saved))
        )
    table.end()
    out.line()
