"""The records of a package: each held against its digests, and what they prove of coherence recomputed from them.

They are taken out into an archive for as long as they are read. WACZ has WARC files as they are, so that they take no
more room than the package does; those that were compressed once more, as `zip` does, take some more, up to a bound.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from webkeep.coherence.certificates import CoherenceCertificate, certificate_to_json
from webkeep.errors import WebkeepError
from webkeep.evidence.package.coherence_proof import find_single_parts, prove_coherence
from webkeep.evidence.package.exhibit_files import EXHIBIT_ENDINGS
from webkeep.evidence.package.lost_parts import find_lost_parts
from webkeep.evidence.package.page_file import find_page_file
from webkeep.evidence.package.record_survey import RecordSurvey, survey_records
from webkeep.evidence.package.stream_pieces import find_lost_pieces
from webkeep.evidence.verification.index_check import find_unknown_pages, sum_records
from webkeep.evidence.verification.page_claims import PortrayedPages
from webkeep.evidence.verification.portrayed_pages import PortrayedPage, read_portrayed_pages
from webkeep.evidence.verification.verdict import CoherenceJudgement
from webkeep.formats import Flaws, Strictness
from webkeep.formats.states import PORTRAIT_PREFIX
from webkeep.formats.wacz import WaczPage
from webkeep.formats.warc import hash_record
from webkeep.model import Capture, Finding, Moment, Observation
from webkeep.quality.certificates import derive_certificate, has_sightings
from webkeep.store.archive import Archive
from webkeep.store.log import KeptCheckpoint, LogVerification
from webkeep.store.maintenance import VerificationResult, verify_archive
from webkeep.store.reading import open_records
from webkeep.store.transfer import build_temporary_archive

PartDigests = Mapping[tuple[str, str], Mapping[str, str]]
"""By capture and URL of a page: SHA-256 of its files in hexadecimal digits, by how their names end."""
_MAX_CAPTURES = 1000
"""Captures of one package whose coherence is recomputed."""
_MAX_UNKNOWN_PAGES = 10
"""More say nothing new."""
_MAX_PART_BYTES = 1 << 30
"""Of a part of a portrait; none is half as large."""
_LOG_NOTES = "urn:webkeep:log:"
_DANGLING_CODE = "revisit-dangling"
"""Of a record whose payload is in another file: nothing is wrong with what is there."""
_TOLD_ELSEWHERE = frozenset({_DANGLING_CODE, "log-absent"})
"""What is said of packages in other words than of archives."""


@dataclass(frozen=True, slots=True)
class CheckedRecords:
    """What the records of a package are, and what they prove."""

    records: int
    dangling: int
    """Revisit records whose payloads are elsewhere."""
    coherence: tuple[CoherenceJudgement, ...]
    certificates: Mapping[str, bytes]
    """Recomputed, as JSON, by the capture that each is of."""
    hashes: Mapping[bytes, str] = field(default_factory=dict)
    """Of all records as a log has them, each with the name of the log that speaks in it, if one does."""
    carried_logs: tuple[LogVerification, ...] = ()
    """What logs came along among the records, and how many of them these prove."""
    portraits: PartDigests = field(default_factory=dict)
    """Of the pictures, PDF and text of pages, and of files that were asked for as pages."""
    captures: Mapping[str, Capture] = field(default_factory=dict)
    """What each capture says of itself: its seeds, its plan."""
    pages: PortrayedPages = field(default_factory=dict)
    """What pages show by their records."""
    index_sum: int = 0
    """What the index that viewers read has to come to."""
    unknown_pages: tuple[str, ...] = ()
    """Pages that are listed for viewers, and that no record has."""
    survey: RecordSurvey | None = None
    """What they say of connections, clocks and what was left out; None where nobody wants to know."""


@dataclass(frozen=True, slots=True)
class RecordChecks:
    """What is to be found out of records beside whether they are whole."""

    hashes: bool = False
    """Their hashes as a log has them."""
    facts: bool = False
    """All that a package of evidence states of them: pictures, PDF and text of pages, connections, clocks."""
    index_key: bytes = b""
    """By which their index is summed up; nothing where nobody wants to know."""
    listed: Iterable[WaczPage] = ()
    """The pages that are listed for viewers."""
    kept: KeptCheckpoint | None = None
    """Whether they are those of a checkpoint of their log that was kept elsewhere."""


NO_RECORDS = CheckedRecords(0, 0, (), {})


def check_records(
    path: Path, now: Moment, flaws: Flaws, tick: Callable[[], None], wanted: RecordChecks | None = None
) -> CheckedRecords:
    """Read every record of a package, and recompute what its captures prove."""
    wanted = wanted or RecordChecks()

    def report(finding: Finding) -> None:
        if finding.code not in _TOLD_ELSEWHERE:
            flaws.report(finding.code, finding.source, finding.offset, finding.message)

    with tempfile.TemporaryDirectory(prefix="webkeep-verify-") as folder:
        try:
            place = build_temporary_archive([path], Path(folder, "archive"), path.name, now)
            with Archive(place) as archive:
                result = verify_archive(archive, report, VerificationResult(), tick, wanted.kept)
                certificates = _recompute_certificates(archive)
                judged = tuple(_judge_coherence(each, archive) for each in certificates)
                hashes = dict(_hash_records(archive)) if wanted.hashes else {}
                known = {each.id: each for each in islice(archive.captures(), _MAX_CAPTURES)}
                index_sum = sum_records(archive, path, wanted.index_key) if wanted.index_key else 0
                unknown = tuple(islice(find_unknown_pages(archive, wanted.listed), _MAX_UNKNOWN_PAGES))
                portraits = _digest_exhibits(archive) if wanted.facts else {}
                pages = dict(_read_pages(archive, known)) if wanted.facts else {}
                survey = survey_records(archive.records(Flaws(Strictness.IGNORE))) if wanted.facts else None
        except WebkeepError as error:
            flaws.report("package-records", path.name, 0, f"its records cannot be read: {error}")
            return NO_RECORDS
    written = {each.summary.capture: b"".join(certificate_to_json(each)) for each in certificates}
    logs = tuple(result.carried_logs)
    dangling = result.codes.get(_DANGLING_CODE, 0) + sum(result.elsewhere.values())
    return CheckedRecords(
        result.records, dangling, judged, written, hashes, logs, portraits, known, pages, index_sum, unknown, survey
    )


def _recompute_certificates(archive: Archive) -> list[CoherenceCertificate]:
    captures = [each.id for each in archive.captures()][:_MAX_CAPTURES]
    return [derive_certificate(archive, each) for each in captures if has_sightings(archive, each)]


def _hash_records(archive: Archive) -> Iterator[tuple[bytes, str]]:
    for name in archive.layout.warc_names():
        with archive.files.open(name) as stream:
            for record in open_records(stream, name, Flaws(Strictness.IGNORE)):
                url = record.url
                yield hash_record(record), url.removeprefix(_LOG_NOTES) if url.startswith(_LOG_NOTES) else ""
                record.finish()


def _read_pages(archive: Archive, captures: Iterable[str]) -> Iterator[tuple[tuple[str, str], PortrayedPage]]:
    for capture in captures:
        for url, page in read_portrayed_pages(archive, capture):
            yield (capture, url), page


def _digest_exhibits(archive: Archive) -> PartDigests:
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for capture in [each.id for each in archive.captures()][:_MAX_CAPTURES]:
        for seen in archive.observations(capture):
            for prefix, ending in EXHIBIT_ENDINGS.items():
                if seen.url.startswith(prefix):
                    found[capture, seen.url.removeprefix(prefix)][ending] = _digest_part(archive, seen)
            if seen.url.startswith(PORTRAIT_PREFIX):
                page = seen.url.removeprefix(PORTRAIT_PREFIX)
                file = find_page_file(archive, seen, page)
                if file is not None:
                    found[capture, page][file.ending] = file.digest()
    return found


def _digest_part(archive: Archive, seen: Observation) -> str:
    digest = hashlib.sha256()
    for chunk in archive.read(seen).content(_MAX_PART_BYTES):
        digest.update(chunk)
    return digest.hexdigest()


def _judge_coherence(certificate: CoherenceCertificate, archive: Archive) -> CoherenceJudgement:
    capture = certificate.summary.capture
    single = find_single_parts(archive.observations(capture))
    proof = prove_coherence(certificate, (), single)
    stated = (capture, proof.headline, proof.parts, proof.proven, proof.since, proof.until)
    lost = {each.url: each for each in find_lost_parts(archive, capture)}
    pieces = tuple(each for each in find_lost_pieces(archive, capture) if each.url not in lost)
    unproven = frozenset(each.url for each in proof.unproven)
    return CoherenceJudgement(*stated, len(single), unproven, tuple(lost.values()), pieces)
