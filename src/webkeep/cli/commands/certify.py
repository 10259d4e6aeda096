"""`webkeep certify`: what a capture is worth in time. Here are decided which capture is meant, what counts as a finding
when the kept certificate is compared with the derived one, and the tables printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path

from webkeep.cli.archive_opening import open_archive
from webkeep.cli.output.console import Output
from webkeep.cli.output.findings import FindingPrinter
from webkeep.cli.output.json_facts import SHORT_ID_CHARS
from webkeep.cli.output.table import PrintedTable, build_columns, print_facts
from webkeep.cli.output.takedowns import describe_tombstone
from webkeep.cli.output.target_file import open_target_file
from webkeep.cli.progress.meter import ProgressMeter
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.coherence.certificates import (
    CertificateFigures,
    CertificateSummary,
    CoherenceCertificate,
    ReferenceBasis,
    certificate_to_json,
    resource_values,
    summary_values,
)
from webkeep.errors import UsageError
from webkeep.model import Capture, Finding
from webkeep.presentation import format_count, format_instant, format_moment
from webkeep.quality.certificates import (
    CAVEAT_WORDS,
    MISSING,
    CaptureRecords,
    certificate_differences,
    certificate_from_records,
    describe_dating,
    describe_reference,
    describe_verification,
    describe_weights,
    has_sightings,
    headline,
    read_capture_records,
    read_kept_urls,
    render_certificate_page,
    render_defect_graph,
)
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone
from webkeep.store.maintenance import VerificationResult, verify_archive


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
    _check_arguments(args)
    with open_archive(args.archive, out) as archive:
        capture = _choose_capture(archive, args.capture, out)
        records = CaptureRecords()
        with ProgressMeter(out, "certifying", lambda: {"records": records.records}):
            read_capture_records(archive, capture.id, records)
            certificate = certificate_from_records(archive, capture.id, records)
        lines = FindingPrinter(out)
        stones = _find_takedowns(archive, capture, certificate, records)
        lines.print_findings(_certificate_findings(archive, certificate, records, stones))
        kept = _kept_state(bool(records.certificates), lines.count, bool(stones))
        lines.print_findings(_unfinished_findings(capture))
        verified = _verify_digests(archive, lines, out) if args.verify else None
        written = dict(_write_files(args, certificate, archive, verified))
    _print_certificate(certificate, verified, out)
    facts: dict[str, object] = {"archive": str(args.archive), **summary_values(certificate.summary)}
    facts |= {"kept": kept, "taken_down": sorted(stones), "verified": verified, "findings": lines.count}
    out.summary(facts | written, _verdict_words(kept, lines.count, written, stones))
    return FINDINGS if lines.count else DONE


def _verify_digests(archive: Archive, lines: FindingPrinter, out: Output) -> dict[str, int]:
    """Hold the bytes of all records against their digests: of how many, and how many findings that gave."""
    verification = VerificationResult()
    with ProgressMeter(out, "verifying", lambda: {"records": verification.records}):
        verify_archive(archive, lines.print_finding, verification)
    return {"records": verification.records, "findings": verification.findings}


def _find_takedowns(
    archive: Archive, capture: Capture, certificate: CoherenceCertificate, records: CaptureRecords
) -> dict[str, Tombstone]:
    """The last tombstones of what was taken down since a certificate was kept, where that makes a difference to it."""
    stones = sorted(archive.tombstones(), key=lambda stone: stone.removed)
    mine = {stone.url: stone for stone in stones if capture.finished is None or stone.moment <= capture.finished}
    if not mine or next(iter(certificate_differences(archive, certificate, records.certificates)), None) is None:
        return {}
    return {url: mine[url] for url in read_kept_urls(archive, records.certificates) if url in mine}


def _check_arguments(args: argparse.Namespace) -> None:
    """What can be known to be a wrong call before anything is read."""
    if args.capture is not None and not args.capture.strip():
        raise UsageError("--capture is empty; give it the start of an identifier or leave it out")
    for path in (args.html, args.output, args.graph):
        if path is not None and path.exists():
            raise UsageError(f"{path} is there already; choose another name or remove it")


def _choose_capture(archive: Archive, prefix: str | None, out: Output) -> Capture:
    """The capture that is named, or else the newest that holds something to certify, a finished one before others."""
    if prefix:
        return archive.capture(prefix)
    newest_first = sorted(
        archive.captures(), key=lambda each: (bool(each.finished), each.started, each.id), reverse=True
    )
    meant = next((each for each in newest_first if has_sightings(archive, each.id)), None)
    if meant is None:
        raise UsageError(f"{archive.path} holds no capture that could be certified; webkeep capture makes one")
    if meant is not newest_first[0]:
        out.note(
            f"{_capture_name(newest_first[0])} holds nothing that could be certified; this is about "
            f"{_capture_name(meant)}"
        )
    return meant


def _capture_name(capture: Capture) -> str:
    return f"the {capture.kind} {capture.id[:SHORT_ID_CHARS]} of {format_moment(capture.started)}"


def _unfinished_findings(capture: Capture) -> Iterable[Finding]:
    """A capture that did not come to its end may have made half of its revisits."""
    if capture.finished is None:
        advice = "the command that began it goes on with it"
        yield Finding("capture-unfinished", capture.id, 0, f"it did not come to its end; {advice}")


def _certificate_findings(
    archive: Archive, certificate: CoherenceCertificate, records: CaptureRecords, taken_down: Collection[str]
) -> Iterable[Finding]:
    """What was kept against what was derived; a capture that had an aim should have kept a certificate."""
    if records.certificates:
        return certificate_differences(archive, certificate, records.certificates, taken_down)
    if not records.intents:
        return ()
    place = records.intents[-1]
    message = "the capture was made for a certificate, and none was kept; was it cut short?"
    return (Finding(MISSING, place.file, place.offset, message),)


def _kept_state(is_kept: bool, findings: int, is_reduced: bool) -> str:
    if is_kept:
        return "different" if findings else "reduced" if is_reduced else "equal"
    return "missing" if findings else "none"


def _write_files(
    args: argparse.Namespace, certificate: CoherenceCertificate, archive: Archive, verified: dict[str, int] | None
) -> Iterable[tuple[str, str]]:
    page, output = partial(render_certificate_page, verified=verified), partial(certificate_to_json, verified=verified)
    forms = (("html", page), ("output", output), ("graph", partial(render_defect_graph, archive)))
    for name, pieces in forms:
        path: Path | None = getattr(args, name)
        if path is not None:
            with open_target_file(path) as file:
                for piece in pieces(certificate):
                    file.write(piece)
            yield name, str(path)


def _verdict_words(kept: str, findings: int, written: dict[str, str], stones: dict[str, Tombstone]) -> str:
    told = {
        "equal": "the certificate that was kept is the same",
        "reduced": f"the certificate that was kept says the same of all that is still held; {_takedown_words(stones)}",
        "different": f"not as it was kept: {format_count(findings, 'finding')}",
        "missing": "no certificate was kept, though the capture was made for one; this one was derived",
        "none": "no certificate was kept; this one was derived from the records",
    }[kept]
    return told + (f"; written to {', '.join(written.values())}" if written else "")


def _takedown_words(stones: dict[str, Tombstone]) -> str:
    last = max(stones.values(), key=lambda stone: stone.removed, default=None)
    if last is None:
        return ""
    is_one = len(stones) == 1
    count = "1 URL was" if is_one else f"{len(stones):,} URLs were"
    return f"{count} {'' if is_one else 'taken down since, the last of them '}{describe_tombstone(last)}"


def _print_certificate(certificate: CoherenceCertificate, verified: dict[str, int] | None, out: Output) -> None:
    summary = certificate.summary
    for each in certificate.resources if out.as_json else ():
        out.event("resource", **resource_values(each))
    out.prose(headline(summary))
    out.line()
    print_facts([*_summary_rows(summary), ("bytes", describe_verification(verified))], out.line)
    out.line()
    _print_figures(summary, out)
    if summary.basis is ReferenceBasis.PARTS:
        _print_subsites(summary, out)
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
