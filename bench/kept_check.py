"""Checking an archive whose writer was killed: nothing acknowledged is lost, nothing is there twice, all is clean."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from bench.steady_writer import body_of, url_of
from webkeep.model import Finding, UrlOutcome
from webkeep.store.archive import Archive
from webkeep.store.folder import is_archive
from webkeep.store.maintenance import verify_archive


@dataclass(slots=True)
class Kept:
    """What writers said was on disk."""

    numbers: set[int] = field(default_factory=set)
    ended: dict[str, int] = field(default_factory=dict)
    """Captures that came to their end, and the number that their fate and their facts name."""

    def heed(self, line: str) -> None:
        """Take one line of a writer's report."""
        match line.split():
            case ["kept", number]:
                self.numbers.add(int(number))
            case ["ended", capture, number]:
                self.ended[capture] = int(number)


@dataclass(slots=True)
class Verdict:
    """What one check, or all of them, came to."""

    lost: int = 0
    repeated: int = 0
    unclean: int = 0
    torn: int = 0
    """Torn records that were cut off, as they should be."""
    complaints: list[str] = field(default_factory=list)

    def add(self, other: Verdict) -> None:
        """Add another verdict to this one."""
        self.lost += other.lost
        self.repeated += other.repeated
        self.unclean += other.unclean
        self.torn += other.torn
        self.complaints += other.complaints


def check(path: Path, kept: Kept) -> Verdict:
    """Open the archive as the next process would, and compare everything in it with what was acknowledged."""
    verdict = Verdict()
    if not is_archive(path):
        if kept.numbers:
            verdict.lost += len(kept.numbers)
            verdict.complaints.append("the archive itself is gone")
        return verdict
    with Archive(path) as archive:
        for finding in archive.repair_findings:
            _recovered(finding, verdict)
        verify_archive(archive, lambda finding: _unclean(str(finding), verdict))
        indexed = Counter(entry.url for entry in archive.entries() if entry.record_type != "metadata")
        catalogued = Counter(observation.url for observation in archive.observations())
        stored = _stored(path, verdict)
        if not indexed == catalogued == stored:
            _unclean("index, catalog and WARC files differ", verdict)
        for number in kept.numbers:
            if not stored[url_of(number)]:
                verdict.lost += 1
                verdict.complaints.append(f"record {number} was acknowledged and is lost")
        _check_repeated(stored, verdict)
        _check_contents(archive, verdict)
        _check_captures(archive, kept, verdict)
    return verdict


def _recovered(finding: Finding, verdict: Verdict) -> None:
    if finding.code == "torn-tail":
        verdict.torn += 1
    else:
        _unclean(f"on opening: {finding}", verdict)


def _stored(path: Path, verdict: Verdict) -> Counter[str]:
    """How often each URL stands in the WARC files, by another reader than ours; the bodies are compared on the way."""
    found: Counter[str] = Counter()
    for file in sorted((path / "warcs").glob("*.warc.gz")):
        try:
            with file.open("rb") as stream:
                _count_into(found, stream, verdict)
        except ArchiveLoadFailed as error:
            _unclean(f"{file.name} cannot be read: {str(error).splitlines()[0]}", verdict)
    return found


def _count_into(found: Counter[str], stream: BinaryIO, verdict: Verdict) -> None:
    for record in ArchiveIterator(stream):
        url = record.rec_headers.get_header("WARC-Target-URI")
        if record.rec_type in ("response", "revisit"):
            found[url] += 1
        if record.rec_type == "response" and record.content_stream().read() != _expected(url):
            verdict.lost += 1
            verdict.complaints.append(f"{url} has other content than was stored")


def _check_repeated(stored: Counter[str], verdict: Verdict) -> None:
    for url, count in stored.items():
        if count > 1:
            verdict.repeated += 1
            verdict.complaints.append(f"{url} is there {count} times")


def _check_contents(archive: Archive, verdict: Verdict) -> None:
    for observation in archive.catalog.observations.revisits():
        if archive.read(observation).read() != _expected(observation.url):
            verdict.lost += 1
            verdict.complaints.append(f"{observation.url} refers to other content")


def _check_captures(archive: Archive, kept: Kept, verdict: Verdict) -> None:
    captures = {capture.id: capture for capture in archive.captures()}
    fates = {(capture, fate.url): fate for capture, fate in archive.catalog.log.fates()}
    for capture, number in kept.ended.items():
        known, fate = captures.get(capture), fates.get((capture, url_of(number)))
        if known is None or known.finished is None or known.facts.get("last") != str(number):
            verdict.lost += 1
            verdict.complaints.append(f"the end of capture {capture} is lost")
        if fate is None or fate.outcome is not UrlOutcome.STORED or fate.reason != f"number {number}":
            verdict.lost += 1
            verdict.complaints.append(f"a fate in capture {capture} is lost")


def _unclean(complaint: str, verdict: Verdict) -> None:
    verdict.unclean += 1
    verdict.complaints.append(complaint)


def _expected(url: str) -> bytes:
    return body_of(int(url.rpartition("/")[2]))
