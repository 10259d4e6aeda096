"""`webkeep certify`: what a capture is worth in time: its options, the tables printed, and what is said of the
certificate that was kept.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from webkeep.api import CertifyRequest, CertifySummary, run_certify
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.output.takedowns import describe_tombstone
from webkeep.cli.progress.work_view import WorkView
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.coherence.certificates import CertificateFigures, CertificateSummary, ReferenceBasis, resource_values
from webkeep.presentation import format_count, format_instant
from webkeep.quality.certificates import (
    CAVEAT_WORDS,
    describe_dating,
    describe_reference,
    describe_verification,
    describe_weights,
    headline,
)
from webkeep.store.index import Tombstone


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument(
        "--capture",
        metavar="ID",
        help="this capture (the start of its id is enough; default: the last that holds something)",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the certificate there as a page for people")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the certificate there as one JSON object")
    parser.add_argument(
        "--no-verify",
        dest="verify",
        action="store_false",
        help="do not check the bytes of records against their digests",
    )
    parser.add_argument("--graph", type=Path, metavar="FILE", help="write the defect graph there as GraphML")


def run(args: argparse.Namespace, out: Output) -> int:
    """Derive the certificate, compare, show; a difference makes the exit code 1."""
    request = CertifyRequest(args.archive, args.capture, args.html, args.output, args.graph, args.verify)
    done = run_certify(request, WorkView(out))
    _print_certificate(done, out)
    out.summary(done.to_dict(), _verdict_words(done))
    return FINDINGS if done.findings else DONE


def _verdict_words(done: CertifySummary) -> str:
    gone = _takedown_words(done.tombstones)
    told = {
        "equal": "the certificate that was kept is the same",
        "reduced": f"the certificate that was kept says the same of all that is still held; {gone}",
        "different": f"not as it was kept: {format_count(done.findings, 'finding')}",
        "missing": "no certificate was kept, though the capture was made for one; this one was derived",
        "none": "no certificate was kept; this one was derived from the records",
    }[done.kept]
    return told + (f"; written to {', '.join(done.written.values())}" if done.written else "")


def _takedown_words(stones: Mapping[str, Tombstone]) -> str:
    last = max(stones.values(), key=lambda stone: stone.removed, default=None)
    if last is None:
        return ""
    is_one = len(stones) == 1
    count = "1 URL was" if is_one else f"{len(stones):,} URLs were"
    return f"{count} {'' if is_one else 'taken down since, the last of them '}{describe_tombstone(last)}"


def _print_certificate(done: CertifySummary, out: Output) -> None:
    summary = done.certificate.summary
    for each in done.certificate.resources if out.as_json else ():
        out.event("resource", **resource_values(each))
    out.prose(headline(summary))
    out.line()
    print_facts([*_summary_rows(summary), ("bytes", describe_verification(done.verified))], out.line)
    out.line()
    _print_figures(summary, out)
    if summary.basis is ReferenceBasis.PARTS:
        _print_subsites(summary, out)
    if categories := done.count_categories():
        told = ", ".join(f"{count:,} {name}" for name, count in categories.most_common())
        out.prose(f"of what changed: {told}; by its bytes, which decide, all of it changed")
    for caveat, count in summary.caveats.items():
        out.prose(f"{count:,}: {CAVEAT_WORDS[caveat]} [{caveat.value}]")


def _summary_rows(summary: CertificateSummary) -> list[tuple[str, str]]:
    seen = (
        f"{format_instant(summary.began)} to {format_instant(summary.ended)} UTC"
        if summary.began and summary.ended
        else "nothing"
    )
    total = f"{summary.all.resources:,}"
    return [
        ("capture", f"{summary.capture[:SHORT_ID_CHARS]} of {', '.join(summary.seeds[:3])}"),
        ("seen", seen),
        (
            "reference",
            f"{describe_reference(summary)}; {summary.at_reference:,} of {total} known then"
            if summary.reference
            else describe_reference(summary),
        ),
        ("by dates", describe_dating(summary)),
        ("by weight", describe_weights(summary)),
        ("strategy", summary.strategy),
    ]


def _print_figures(summary: CertificateSummary, out: Output) -> None:
    names = ("resources>", "judged>", "coherent>", "firm>", "together>", "expected>")
    table = PrintedTable(build_columns("", *names), out.line)
    for name in ("pages", "embeds", "others", "all"):
        figures: CertificateFigures = getattr(summary, name)
        expected = figures.expected_coherent
        told = "" if expected is None else f"{expected:,.1f} of {figures.rated:,}"
        numbers = (figures.resources, figures.judged_count, figures.coherent_count, figures.firm, figures.agreeing)
        table.add_row(name, *(f"{each:,}" for each in numbers), told)
    table.finish()


def _print_subsites(summary: CertificateSummary, out: Output) -> None:
    names = ("resources>", "judged>", "coherent>", "together>")
    out.line()
    table = PrintedTable(build_columns("part", *names, "from"), out.line)
    for each in summary.subsites:
        figures, coherent_set = each.figures, each.coherent_set
        numbers = (
            figures.resources,
            figures.judged_count,
            figures.coherent_count,
            coherent_set.resources if coherent_set else 0,
        )
        table.add_row(
            each.name,
            *(f"{number:,}" for number in numbers),
            format_instant(coherent_set.start) if coherent_set else "",
        )
    table.finish()
