"""`webkeep certify`: what a capture is worth in time, derived from its WARC files and held against what was kept."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path

from webkeep.cli import measure
from webkeep.cli.facts import SHORT
from webkeep.cli.findings import FindingLines
from webkeep.cli.graves import stone_words
from webkeep.cli.opening import opened
from webkeep.cli.output import Output
from webkeep.cli.progress import Progress
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.cli.table import Column, Table, print_facts
from webkeep.cli.target import target_file
from webkeep.coherence.certificate import Basis, Certificate, Figures, Summary
from webkeep.coherence.certificate_json import resource_values, summary_values, to_json
from webkeep.errors import UsageError
from webkeep.model import Capture, Finding
from webkeep.quality.certification import certificate_from
from webkeep.quality.defect_graph import defect_graph
from webkeep.quality.likeness import MISSING, differences, kept_urls
from webkeep.quality.page import certificate_page
from webkeep.quality.records import CaptureRecords, holds_sightings, read_capture
from webkeep.quality.wording import CAVEATS, clock, dated_words, headline, reference_words, verification_words
from webkeep.store.archive import Archive
from webkeep.store.ledger import Tombstone
from webkeep.store.verifying import Verification, verify


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
        help="do not hold the bytes of records against their digests",
    )
    parser.add_argument("--graph", type=Path, metavar="FILE", help="write the tree of changed pages there as GraphML")


def run(args: argparse.Namespace, out: Output) -> int:
    """Derive the certificate, compare, show; a difference makes the exit code 1."""
    _check(args)
    with opened(args.archive, out) as archive:
        capture = _meant(archive, args.capture, out)
        records = CaptureRecords()
        with Progress(out, "certifying", lambda: {"records": records.records}):
            read_capture(archive, capture.id, records)
            certificate = certificate_from(archive, capture.id, records)
        lines = FindingLines(out)
        stones = _taken_down(archive, capture, certificate, records)
        lines.tell_all(_findings(archive, certificate, records, stones))
        kept = _kept(bool(records.certificates), lines.count, bool(stones))
        lines.tell_all(_unfinished(capture))
        verified = _verified(archive, lines, out) if args.verify else None
        written = dict(_written(args, certificate, archive, verified))
    _show(certificate, verified, out)
    facts: dict[str, object] = {"archive": str(args.archive), **summary_values(certificate.summary)}
    facts |= {"kept": kept, "taken_down": sorted(stones), "verified": verified, "findings": lines.count}
    out.summary(facts | written, _verdict(kept, lines.count, written, stones))
    return FINDINGS if lines.count else DONE


def _verified(archive: Archive, lines: FindingLines, out: Output) -> dict[str, int]:
    """Hold the bytes of all records against their digests: of how many, and how many findings that gave."""
    verification = Verification()
    with Progress(out, "verifying", lambda: {"records": verification.records}):
        verify(archive, lines.tell, verification)
    return {"records": verification.records, "findings": verification.findings}


def _taken_down(
    archive: Archive, capture: Capture, certificate: Certificate, records: CaptureRecords
) -> dict[str, Tombstone]:
    """The last tombstones of what was taken down since a certificate was kept, where that makes a difference to it."""
    stones = sorted(archive.tombstones(), key=lambda stone: stone.removed)
    mine = {stone.url: stone for stone in stones if capture.finished is None or stone.moment <= capture.finished}
    if not mine or next(iter(differences(archive, certificate, records.certificates)), None) is None:
        return {}
    return {url: mine[url] for url in kept_urls(archive, records.certificates) if url in mine}


def _check(args: argparse.Namespace) -> None:
    """What can be known to be a wrong call before anything is read."""
    if args.capture is not None and not args.capture.strip():
        raise UsageError("--capture is empty; give it the start of an identifier or leave it out")
    for path in (args.html, args.output, args.graph):
        if path is not None and path.exists():
            raise UsageError(f"{path} is there already; choose another name or remove it")


def _meant(archive: Archive, prefix: str | None, out: Output) -> Capture:
    """The capture that is named, or else the newest that holds something to certify, a finished one before others."""
    if prefix:
        return archive.capture(prefix)
    newest_first = sorted(
        archive.captures(), key=lambda each: (bool(each.finished), each.started, each.id), reverse=True
    )
    meant = next((each for each in newest_first if holds_sightings(archive, each.id)), None)
    if meant is None:
        raise UsageError(f"{archive.path} holds no capture that could be certified; webkeep capture makes one")
    if meant is not newest_first[0]:
        out.note(f"{_named(newest_first[0])} holds nothing that could be certified; this is about {_named(meant)}")
    return meant


def _named(capture: Capture) -> str:
    return f"the {capture.kind} {capture.id[:SHORT]} of {measure.date(capture.started)}"


def _unfinished(capture: Capture) -> Iterable[Finding]:
    """A capture that did not come to its end may have made half of its revisits."""
    if capture.finished is None:
        advice = "the command that began it goes on with it"
        yield Finding("capture-unfinished", capture.id, 0, f"it did not come to its end; {advice}")


def _findings(
    archive: Archive, certificate: Certificate, records: CaptureRecords, taken_down: Collection[str]
) -> Iterable[Finding]:
    """What was kept against what was derived; a capture that had an aim should have kept a certificate."""
    if records.certificates:
        return differences(archive, certificate, records.certificates, taken_down)
    if not records.intents:
        return ()
    place = records.intents[-1]
    message = "the capture was made for a certificate, and none was kept; was it cut short?"
    return (Finding(MISSING, place.file, place.offset, message),)


def _kept(is_kept: bool, findings: int, is_reduced: bool) -> str:
    if is_kept:
        return "different" if findings else "reduced" if is_reduced else "equal"
    return "missing" if findings else "none"


def _written(
    args: argparse.Namespace, certificate: Certificate, archive: Archive, verified: dict[str, int] | None
) -> Iterable[tuple[str, str]]:
    page, output = partial(certificate_page, verified=verified), partial(to_json, verified=verified)
    forms = (("html", page), ("output", output), ("graph", partial(defect_graph, archive)))
    for name, pieces in forms:
        path: Path | None = getattr(args, name)
        if path is not None:
            with target_file(path) as file:
                for piece in pieces(certificate):
                    file.write(piece)
            yield name, str(path)


def _verdict(kept: str, findings: int, written: dict[str, str], stones: dict[str, Tombstone]) -> str:
    told = {
        "equal": "the certificate that was kept is the same",
        "reduced": f"the certificate that was kept says the same of all that is still held; {_stones_words(stones)}",
        "different": f"not as it was kept: {measure.counted(findings, 'finding')}",
        "missing": "no certificate was kept, though the capture was made for one; this one was derived",
        "none": "no certificate was kept; this one was derived from the records",
    }[kept]
    return told + (f"; written to {', '.join(written.values())}" if written else "")


def _stones_words(stones: dict[str, Tombstone]) -> str:
    last = max(stones.values(), key=lambda stone: stone.removed, default=None)
    if last is None:
        return ""
    is_one = len(stones) == 1
    count = "1 URL was" if is_one else f"{len(stones):,} URLs were"
    return f"{count} {'' if is_one else 'taken down since, the last of them '}{stone_words(last)}"


def _show(certificate: Certificate, verified: dict[str, int] | None, out: Output) -> None:
    summary = certificate.summary
    for each in certificate.resources if out.as_json else ():
        out.event("resource", **resource_values(each))
    out.prose(headline(summary))
    out.line()
    print_facts([*_facts(summary), ("bytes", verification_words(verified))], out.line)
    out.line()
    _print_figures(summary, out)
    if summary.basis is Basis.PARTS:
        _print_parts(summary, out)
    for caveat, count in summary.caveats.items():
        out.prose(f"{count:,}: {CAVEATS[caveat]} [{caveat.value}]")


def _facts(summary: Summary) -> list[tuple[str, str]]:
    seen = f"{clock(summary.began)} to {clock(summary.ended)} UTC" if summary.began and summary.ended else "nothing"
    total = f"{summary.all.resources:,}"
    return [
        ("capture", f"{summary.capture[:SHORT]} of {', '.join(summary.seeds[:3])}"),
        ("seen", seen),
        (
            "reference",
            f"{reference_words(summary)}; {summary.at_reference:,} of {total} known then"
            if summary.reference
            else reference_words(summary),
        ),
        ("by dates", dated_words(summary)),
        ("strategy", summary.strategy),
    ]


def _print_figures(summary: Summary, out: Output) -> None:
    names = ("resources", "judged", "coherent", "firm", "together", "expected")
    table = Table((Column(""), *(Column(name, right=True) for name in names)), out.line)
    for name in ("pages", "embeds", "others", "all"):
        figures: Figures = getattr(summary, name)
        expected = figures.expected_coherent
        told = "" if expected is None else f"{expected:,.1f} of {figures.rated:,}"
        numbers = (figures.resources, figures.judged, figures.coherent, figures.firm, figures.agreeing)
        table.row(name, *(f"{each:,}" for each in numbers), told)
    table.end()


def _print_parts(summary: Summary, out: Output) -> None:
    names = ("resources", "judged", "coherent", "together")
    out.line()
    table = Table((Column("part"), *(Column(name, right=True) for name in names), Column("from")), out.line)
    for each in summary.subsites:
        figures, accord = each.figures, each.accord
        numbers = (figures.resources, figures.judged, figures.coherent, accord.resources if accord else 0)
        table.row(each.name, *(f"{number:,}" for number in numbers), clock(accord.start) if accord else "")
    table.end()
