"""`webkeep check`: how well a live page can be archived, before a capture; what is said of each obstacle."""

from __future__ import annotations

import argparse

from webkeep.api import run_check
from webkeep.cli.options.capture_options import add_capture_options, capture_plan_from_arguments
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.presentation import format_share
from webkeep.quality.report import PageCheck, SiteOutlook, describe_outlook, plain_value


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs=1, metavar="URL", help="the page, such as https://example.org/")
    parser.add_argument(
        "--site", action="store_true", help="look at robots.txt and sitemaps, too, and estimate what a capture takes"
    )
    add_capture_options(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask for the page and all that it needs, and say what stands in the way; any obstacle makes the exit code 1."""
    plan = capture_plan_from_arguments(_capture_arguments(args), out.note)
    view = CaptureProgressView(out, plan.retries > 0)

    def tell_site(site: SiteOutlook) -> None:
        out.event("site", site=plain_value(site))

    done = run_check(plan, view, WorkView(out), args.site, tell_site)
    out.status("")
    told = done.check
    if done.site is not None:
        for line in describe_outlook(done.site):
            out.line(line)
    for each in told.obstacles:
        out.line(f"{each.words}{f'; {each.advice}' if each.advice else ''}")
    out.summary(done.to_dict(), _describe(told))
    if told.archivability is None:
        return UNFINISHED
    return FINDINGS if told.obstacles else DONE


def _capture_arguments(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments without those that no capture plan knows."""
    return argparse.Namespace(**{name: value for name, value in vars(args).items() if name != "site"})


def _describe(told: PageCheck) -> str:
    if told.archivability is None:
        return f"nothing can be said of {told.url}, as it was not there to be looked at"
    if not told.archivability:
        return f"nothing of {told.url} can be archived as it is now ({told.parts:,} URLs asked for)"
    updates = "updates can ask whether it changed" if told.has_validators else "updates must have it sent each time"
    share = format_share(told.archivability)
    return f"about {share} of {told.url} can be archived ({told.parts:,} URLs asked for); {updates}"
