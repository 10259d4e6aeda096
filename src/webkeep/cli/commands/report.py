"""`webkeep report`: what a capture is worth, as a page and as JSON; or a page on its client-side states (`--states`):
which options go together, and what is said.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import ReportRequest, StatesRequest, run_report, run_report_states
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.crawl.plan import parse_seconds
from webkeep.errors import UsageError
from webkeep.presentation import format_count
from webkeep.quality.fidelity import DEFAULT_FIDELITY_BUDGET, FidelityBudget
from webkeep.quality.report import DEFAULT_PAGES
from webkeep.quality.states import describe_gain

_MAX_VIEWS_LISTED = 20
"""Views without a picture that are told one by one; the summary has them all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "--capture", metavar="ID", help="this capture (the start of its id is enough; default: the last)"
    )
    parser.add_argument("--seed", metavar="URL", help="the last capture that began there, and those before it")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="where the page goes (ARCHIVE/reports/report.html, or states.html)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the figures go as JSON (ARCHIVE/reports/report.json)"
    )
    parser.add_argument(
        "--plan", type=Path, metavar="FILE", help="where the plan for the next capture goes (ARCHIVE/reports/next.toml)"
    )
    parser.add_argument(
        "--graph", type=Path, metavar="FILE", help="write the tree of the capture with its changes there as GraphML"
    )
    parser.add_argument(
        "--pages",
        type=parse_whole_number,
        metavar="N",
        default=DEFAULT_PAGES,
        help=f"look at so many pages one by one for what they lost ({DEFAULT_PAGES}; 0 for all)",
    )
    parser.add_argument(
        "--browser",
        action="store_true",
        help="open some pages live, as politely as a capture, and in replay, in Chromium, and compare them",
    )
    parser.add_argument(
        "--offline",
        action="store_true",
        help="with --browser: ask nothing of the web; compare with the pictures that capture --screenshots kept",
    )
    parser.add_argument(
        "--browser-pages",
        type=parse_whole_number,
        metavar="N",
        help=f"with --browser: so many pages at most ({DEFAULT_FIDELITY_BUDGET.pages})",
    )
    parser.add_argument(
        "--browser-seconds",
        metavar="S",
        help=f"with --browser: for so long at most ({DEFAULT_FIDELITY_BUDGET.seconds:g})",
    )
    parser.add_argument("--states", action="store_true", help="report on client-side states instead")
    parser.add_argument(
        "--coverage",
        metavar="SOURCE",
        help="with --states: compare it with another archive: its folder, or the beginning of its TimeMaps, such as "
        "https://example.org/timemap/link/",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Write the page and tell the numbers."""
    _check_arguments(args)
    return _report_states(args, out) if args.states else _report_archive(args, out)


def _check_arguments(args: argparse.Namespace) -> None:
    if args.coverage and not args.states:
        raise UsageError("--coverage compares client-side states; say --states as well")
    for name in ("offline", "browser-pages", "browser-seconds"):
        if getattr(args, name.replace("-", "_")) not in (None, False) and not args.browser:
            raise UsageError(f"--{name} is about pages in a browser; say --browser as well")
    for name in ("seed", "output", "plan", "graph", "browser"):
        if args.states and getattr(args, name):
            raise UsageError(f"--{name} is for the report on a capture; leave it or --states out")


def _report_archive(args: argparse.Namespace, out: Output) -> int:
    """What a capture is worth."""
    budget = None
    if args.browser:
        pages, seconds = args.browser_pages, args.browser_seconds
        budget = FidelityBudget(
            DEFAULT_FIDELITY_BUDGET.pages if pages is None else pages,
            DEFAULT_FIDELITY_BUDGET.seconds if seconds is None else parse_seconds(seconds),
            args.offline,
        )
    request = ReportRequest(
        args.archive, args.capture, args.seed, args.html, args.output, args.plan, args.graph, args.pages, budget
    )
    done = run_report(request, WorkView(out))
    has_advice = done.next_capture is not None and done.next_capture.settings
    advice = f"; {done.plan} has a plan for the next capture" if has_advice else ""
    out.summary(done.to_dict(), f"{done.verdict.sentence} See {done.file}{advice}")
    return DONE


def _report_states(args: argparse.Namespace, out: Output) -> int:
    """Client-side states."""
    done = run_report_states(StatesRequest(args.archive, args.capture, args.html, args.coverage), WorkView(out))
    for url, caption, reason in done.without_picture[:_MAX_VIEWS_LISTED]:
        out.note(f"no picture of {url}, {caption}: {reason}")
    unknown, without = done.figures.coverage_unknown, len(done.without_picture)
    if unknown:
        out.note(f"{args.coverage} did not say whether it holds {format_count(unknown, 'resource')}")
    lacking = f"; {format_count(without, 'view')} without a picture" if without else ""
    advice = f"; {done.advice}" if done.advice else ""
    out.summary(done.to_dict(), f"{describe_gain(done.figures)}{advice}{lacking}; see {done.file}")
    return FINDINGS if unknown else DONE
