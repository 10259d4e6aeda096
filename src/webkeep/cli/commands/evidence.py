"""`webkeep evidence`: a page or a site in a package that proves to others what stood there; what is said at its end."""

from __future__ import annotations

import argparse
from pathlib import Path

from webkeep.api import (
    EVIDENCE_PAGE_VALUES,
    EVIDENCE_VALUES,
    EvidenceRequest,
    EvidenceSummary,
    build_vantages,
    run_evidence,
)
from webkeep.cli.options.capture_options import add_capture_options, describe_default, plan_values_from_arguments
from webkeep.cli.options.signing_options import add_signing_options, signing_request_from_arguments
from webkeep.cli.options.stamp_options import add_stamp_options, stamp_request_from_arguments
from webkeep.cli.options.whole_number import parse_whole_number
from webkeep.cli.output.console import Output
from webkeep.cli.progress.capture_view import CaptureProgressView
from webkeep.cli.subcommand import DONE, FINDINGS, UNFINISHED
from webkeep.crawl.plan import BrowserMode
from webkeep.evidence.package import DEFAULT_ROUNDS, EvidencePlan
from webkeep.presentation import format_count, format_elapsed, format_size, write_time

_PACKAGE_ARGUMENTS = frozenset(
    {"operator", "about", "rounds", "vantages"}
    | {"sign_key", "certificate", "token", "token_label", "passphrase_file"}
    | {"tsa", "tsa_ca", "tsa_resolve", "tsa_proxy"}
)
"""Arguments about the package, which no capture plan knows."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("seeds", nargs="*", metavar="URL", help="the page, such as https://example.org/imprint")
    parser.add_argument("--into", required=True, type=Path, metavar="FOLDER", help="the folder of the package; new")
    package = parser.add_argument_group("the package")
    package.add_argument("--operator", default="", metavar="TEXT", help="who you are, as the cover sheet says it")
    package.add_argument("--about", default="", metavar="TEXT", help="what it is for, as the cover sheet says it")
    package.add_argument("--rounds", type=parse_whole_number, default=DEFAULT_ROUNDS, metavar="N",
                         help=f"captures until all parts are proven, at most ({DEFAULT_ROUNDS})")  # fmt: skip
    package.add_argument("--vantage", dest="vantages", action="append", default=[], metavar="'NAME WORDS'",
                         help="look from another point too, side by side: a name, then proxy=URL, user-agent=TEXT, "
                         "cookies=FILE, browser-profile=FOLDER and the like, or anonymous")  # fmt: skip
    add_signing_options(parser)
    add_stamp_options(parser)
    add_capture_options(parser, _describe_defaults())


def _describe_defaults() -> dict[str, str]:
    """What a package has otherwise than a capture, where nobody says anything."""
    own = {name: str(value) for name, value in EVIDENCE_VALUES.items()}
    own |= {name: write_time(EVIDENCE_VALUES[name]) for name in ("timeout", "page_seconds")}
    for name, value in EVIDENCE_PAGE_VALUES.items():
        own[name] = f"{value:g} for one page, otherwise {describe_default(name)}"
    return own | {"browser": BrowserMode.ALWAYS.value, "strategy": "what proves most"}


def run(args: argparse.Namespace, out: Output) -> int:
    """Capture until all is proven or named, and package it; whatever is not proven makes the exit code 1."""
    rest = {name: value for name, value in vars(args).items() if name not in _PACKAGE_ARGUMENTS}
    values = plan_values_from_arguments(argparse.Namespace(**rest))
    vantages = build_vantages(values, (args.seeds, args.seeds_from), args.vantages, out.note)
    plan = EvidencePlan(vantages, args.operator, args.about, args.rounds)
    view = CaptureProgressView(out, vantages[0].plan.retries > 0)
    stamping = stamp_request_from_arguments(args, args.into) if args.tsa else None
    request = EvidenceRequest(plan, args.into, signing_request_from_arguments(args), stamping)
    done = run_evidence(request, view)
    out.status("")
    for each in done.shortcomings:
        out.line(each)
    out.summary(done.to_dict(), _describe(done))
    if not done.finished:
        return UNFINISHED
    return FINDINGS if done.shortcomings else DONE


def _describe(done: EvidenceSummary) -> str:
    if not done.finished:
        return "stopped before the end; there is no package"
    size = f"{format_size(done.bytes)} in {format_elapsed(done.seconds)}"
    if not done.shown:
        return f"{done.into} shows no page: what came instead is in it, and said on cover.html ({size})"
    kind = "file" if done.facts is not None and done.facts.shows_files_alone else "page"
    pages, parts = format_count(done.pages, kind), format_count(done.parts, "part")
    proven = "all of them" if done.proven else f"{done.parts_proven:,} of them"
    each = ", each vantage point for itself" if done.facts is not None and len(done.facts.vantages) > 1 else ""
    told = f"{done.into} has {pages} of {parts}, {proven} proven to have been there together{each}"
    return f"{told}; open cover.html ({size})"
