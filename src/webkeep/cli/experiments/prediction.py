"""`webkeep lab prediction`: how well rates are told of pages not seen, and what wrong ones cost: its options, and the
two tables that it prints.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from webkeep.cli.output.console import Output
from webkeep.cli.output.table import PrintedTable, build_columns
from webkeep.cli.subcommand import DONE
from webkeep.errors import UsageError
from webkeep.lab import prediction as lab
from webkeep.lab.prediction import RateScore
from webkeep.presentation import format_elapsed, format_share

NAME = "prediction"
HELP = "Predictors of change rates beside the majority, and what their errors cost in incoherent pages."
_MIN_PAGES = 100
"""Of a smaller site a tenth is fewer than ten pages, which teach nothing."""


_ACCURACY_HEADINGS = (
    "site", "known", "learner", "right>", "majority>", "published>", "classes off>", "rank>", "scale>",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    usual = lab.PredictionExtent()
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
    outcome = lab.run_experiment(_read_extent(args), out.status)
    _print_accuracies(outcome.accuracies, out)
    _print_costs(outcome.costs, out)
    seconds = time.monotonic() - started
    rivals = [told for told in outcome.accuracies if told.learner != "majority"]
    better = sum(told.score.accuracy > told.score.majority for told in rivals)
    facts = {"accuracies": len(rivals), "better": better, "costs": len(outcome.costs), "seconds": round(seconds, 1)}
    out.summary(facts, f"{better} of {len(rivals)} predictors beat the majority; took {format_elapsed(seconds)}")
    return DONE


def _read_extent(args: argparse.Namespace) -> lab.PredictionExtent:
    usual = lab.PredictionExtent.quick() if args.quick else lab.PredictionExtent()
    pages = usual.pages if args.pages is None else args.pages
    if pages < _MIN_PAGES:
        raise UsageError(f"a site of {pages} pages teaches nothing; give --pages {_MIN_PAGES} or more")
    if not 0 < args.slow_down < float("inf"):
        raise UsageError(f"no capture lasts {args.slow_down} times a history; give --slow-down a number above zero")
    return lab.PredictionExtent(pages, usual.folds, usual.sites, args.slow_down, args.seed)


def _print_accuracies(told: Sequence[lab.PredictionAccuracy], out: Output) -> None:
    out.line("Classes told right of pages not seen, by ten-fold cross-validation")
    table = PrintedTable(
        build_columns(*_ACCURACY_HEADINGS),
        lambda text: out.line(f"  {text}"),
    )
    for each in told:
        out.event("accuracy", **each.facts)
        score = each.score
        order = (
            (f"{score.rank_correlation:.2f}", f"{score.calibration:.2f}") if isinstance(score, RateScore) else ("", "")
        )
        published = "" if each.published is None else format_share(each.published)
        shares = (format_share(score.accuracy), format_share(score.majority), published)
        table.add_row(each.site, each.known, each.learner, *shares, f"{score.bin_error:.2f}", *order)
    table.finish()
    out.line()


def _print_costs(paid: Sequence[lab.RateErrorCost], out: Output) -> None:
    out.line("Incoherent pages to expect, and blur of a page, where schedules are made with rates from each source")
    strategies = (*lab.COHERENCE_STRATEGIES, *lab.BLUR_STRATEGIES)
    table = PrintedTable(
        build_columns("site", "rates", *(f"{name}>" for name in strategies), "saved offline>"),
        lambda text: out.line(f"  {text}"),
    )
    for each in paid:
        out.event("cost", **each.facts)
        incoherent = [f"{each.incoherent[name]:.2%}" for name in lab.COHERENCE_STRATEGIES]
        blur = [f"{each.blur[name]:.3f}" for name in lab.BLUR_STRATEGIES]
        table.add_row(
            each.site, each.source, *incoherent, *blur, "{:.2f} ± {:.2f}".format(*(100 * one for one in each.saved))
        )
    table.finish()
    out.line()
