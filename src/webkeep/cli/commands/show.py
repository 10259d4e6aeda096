"""`webkeep show`: one URL as it was at a moment: the facts, the head, the content or the record; what is said where it
is not held or was cut off, and the exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from webkeep.api import open_target_file, url_spellings
from webkeep.cli.archive_opening import open_archive
from webkeep.cli.fact_sheet import describe_truncation, fact_sheet_facts, fact_sheet_rows, read_fact_sheet
from webkeep.cli.observation_lookup import find_observation, nearby_urls
from webkeep.cli.output.console import Output
from webkeep.cli.output.json_facts import observation_facts
from webkeep.cli.output.table import print_facts
from webkeep.cli.output.takedowns import describe_takedowns, tombstone_facts
from webkeep.cli.subcommand import DONE, FINDINGS
from webkeep.errors import UsageError
from webkeep.formats.codings import FlawCallback
from webkeep.model import Observation, parse_moment
from webkeep.presentation import format_size
from webkeep.store.archive import Archive
from webkeep.store.index import Tombstone
from webkeep.store.reading import StoredResponse
from webkeep.store.views import find_tombstones

_DAMAGE_CODES = frozenset({"payload-short", "record-short"})
"""Codes of what is wrong on disk, and not with what was sent."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommand's arguments."""
    parser.add_argument("archive", type=Path, metavar="ARCHIVE", help="the folder of an archive")
    parser.add_argument("url", metavar="URL", help="a page or file, such as example.org/page")
    parser.add_argument("--at", metavar="MOMENT", help="as it was nearest to this moment (default: the latest)")
    parts = parser.add_mutually_exclusive_group()
    for name, text in (
        ("head", "the HTTP head as it came"),
        ("body", "the content, decoded"),
        ("raw", "the payload as it came, codings and all"),
        ("record", "the WARC record, uncompressed"),
    ):
        parts.add_argument(f"--{name}", dest="part", action="store_const", const=name, help=text)
    parser.add_argument("--output", metavar="FILE", help="write it there (the content, if nothing else is named)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what is held, or say that nothing is and what lies nearby."""
    part = args.part or ("body" if args.output else "")
    if part and out.as_json and args.output in (None, "-"):
        raise UsageError(f"--{part} and --json would mix on standard output; add --output FILE")
    with open_archive(args.archive, out) as archive:
        at = parse_moment(args.at, archive.clock.now()) if args.at else None
        observation = find_observation(archive, args.url, at)
        if observation is None:
            return _report_not_held(archive, args, out)
        if part:
            return _write_part(archive, observation, part, args, out)
        return _show_facts(archive, observation, args, out)


def _report_not_held(archive: Archive, args: argparse.Namespace, out: Output) -> int:
    urls, stones = nearby_urls(archive, args.url), find_tombstones(archive, url_spellings(args.url.strip()))
    if stones:
        out.note(describe_takedowns(stones))
    out.note(f"{args.url} is not held in {args.archive}" + ("; of the same host there are" if urls else ""))
    for url in urls:
        out.note(f"  {url}")
    if not urls:
        out.note(f"  nothing of its host is held; webkeep list {args.archive} --urls shows what is")
    out.summary(
        {"archive": str(args.archive), "url": args.url, "held": False, "nearby": urls, **_takedown_facts(stones)}
    )
    return FINDINGS


def _takedown_facts(stones: Sequence[Tombstone]) -> dict[str, object]:
    last = max(stones, key=lambda stone: stone.removed, default=None)
    return {**tombstone_facts(last), "versions_removed": len(stones)}


def _show_facts(archive: Archive, observation: Observation, args: argparse.Namespace, out: Output) -> int:
    sheet = read_fact_sheet(archive, observation)
    if out.as_json:
        out.summary({"archive": str(args.archive), "held": True, **fact_sheet_facts(sheet)})
    else:
        print_facts(fact_sheet_rows(sheet), out.line)
        _print_head(sheet.stored.raw_head, out)
    return FINDINGS if sheet.is_flawed else DONE


def _print_head(head: bytes, out: Output) -> None:
    lines = head.decode("utf-8", "replace").strip("\r\n").split("\n")
    for line in ["", *lines] if head else []:
        out.line(line.rstrip("\r"))


def _write_part(archive: Archive, observation: Observation, part: str, args: argparse.Namespace, out: Output) -> int:
    flaws: list[str] = []

    def note(code: str, message: str) -> None:
        flaws.append(message)
        advice = f"; webkeep verify {args.archive} tells more" if code in _DAMAGE_CODES else ""
        out.note(f"{observation.url}: {message}{advice}")

    pieces = _read_part(archive, observation, part, note)
    if args.output in (None, "-"):
        out.content(pieces, anywhere=args.output == "-")
    else:
        with open_target_file(Path(args.output)) as file:
            size = sum(map(file.write, pieces))
        facts = {"archive": str(args.archive), "held": True, **observation_facts(observation)}
        facts |= {"part": part, "output": args.output, "bytes": size, "flaws": flaws}
        out.summary(facts, f"{format_size(size)} written to {args.output}")
    return FINDINGS if flaws else DONE


def _read_part(archive: Archive, observation: Observation, part: str, on_flaw: FlawCallback) -> Iterator[bytes]:
    """The bytes of one part, a bounded number at a time."""
    if part == "record":
        return _read_record(archive, observation, on_flaw)
    stored = archive.read(observation)
    if part == "head":
        return iter((stored.raw_head,))
    return _read_body(archive, observation, stored, part, on_flaw)


def _read_body(
    archive: Archive, observation: Observation, stored: StoredResponse, part: str, on_flaw: FlawCallback
) -> Iterator[bytes]:
    """The bytes of a body; where it was cut off, that is the one thing said of its end."""
    short = describe_truncation(archive, observation, stored)
    told = _note_damage_only(on_flaw) if short else on_flaw
    yield from stored.content(on_flaw=told) if part == "body" else stored.raw(told)
    if short:
        on_flaw("body-short", f"this is not all of it: {short}")


def _note_damage_only(on_flaw: FlawCallback) -> FlawCallback:
    """What broken codings are noted with, where they are broken because the end is missing."""
    return lambda code, message: on_flaw(code, message) if code in _DAMAGE_CODES else None


def _read_record(archive: Archive, observation: Observation, on_flaw: FlawCallback) -> Iterator[bytes]:
    place = observation.place
    with archive.files.open(place.file) as stream:
        record = archive.files.read_record(place, stream)
        yield record.raw_head
        yield from record.chunks()
        if not record.intact:
            on_flaw("record-short", f"the record at {place.file}, byte {place.offset} is damaged")
        yield b"\n" if record.version.startswith("ARC") else b"\r\n\r\n"
