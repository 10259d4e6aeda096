"""Verifying a package (`webkeep verify FILE`): from its bytes alone, whether it is whole, who signed it, since when it
was there, and what its records prove.

Theory of operation. Nothing in a package is believed that does not follow from something else. Each byte of the ZIP
file belongs to a member; each member is in the manifest with its digest, but for the manifest, its digest and the
stamps of that; the digest is signed; a stamp is of all that is signed, with the key. What certificates and facts claim
is recomputed from the records. What cannot be checked here is told as missing, never as proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from webkeep.errors import FormatError, UsageError
from webkeep.evidence.verification.claims_check import (
    CLAIMS_PATH,
    check_claims,
    is_claim_path,
    read_facts,
    read_stated_doubts,
)
from webkeep.evidence.verification.exhibit_check import CUSTODY_PATH, check_custody, check_exhibits
from webkeep.evidence.verification.index_check import IndexSum, check_index
from webkeep.evidence.verification.log_check import (
    CARRIED_PATH,
    CHECKPOINT_PATH,
    check_log,
    hold_against_kept,
    is_log_path,
    judge_carried_log,
)
from webkeep.evidence.verification.page_claims import check_pages, list_page_doubts
from webkeep.evidence.verification.plan_claims import check_title
from webkeep.evidence.verification.record_check import NO_RECORDS, CheckedRecords, RecordChecks, check_records
from webkeep.evidence.verification.signature_check import SealedManifest, check_signature, trust_certificate
from webkeep.evidence.verification.stamp_check import StampCheck, is_stamp_path
from webkeep.evidence.verification.verdict import (
    UNREADABLE_CODE,
    PackageVerdict,
    SignatureJudgement,
    StampJudgement,
)
from webkeep.evidence.verification.verification_request import PackageTrust
from webkeep.formats import Flaws, has_twin_keys
from webkeep.formats.codings import ExpansionLimit
from webkeep.formats.wacz import DIGEST_NAME, MANIFEST_NAME, Wacz, ZipMember, check_zip_layout, read_wacz
from webkeep.signing import MAX_STAMP_BYTES
from webkeep.store.transfer import sniff_record_ending

_MAX_FINDINGS = 1000
"""More say nothing new of a file."""
_MAX_SMALL_FILE_BYTES = 64 << 20
"""Files that are held whole: manifests and certificates."""
_MAX_STAMP_FILES = 200
"""Stamps that are read; a package has a few."""
_STRONG_DIGESTS = frozenset({"sha256", "sha384", "sha512"})
_TWICE_PACKED_LIMIT = ExpansionLimit(64 << 20, 30, 1 << 40)
"""For WARC files that were zipped once more: those in gzip hardly shrink, plain ones of pages to a tenth."""
_WACZ_ENDING = ".wacz"

Tick = Callable[[], None]


def verify_package(path: Path, trust: PackageTrust, tick: Tick = lambda: None) -> PackageVerdict:
    """All that is known of a WACZ or WARC file; raises UsageError where it is neither."""
    # What calls itself a WACZ is judged as one, whatever it begins with.
    ending = _WACZ_ENDING if path.suffix.lower() == _WACZ_ENDING else sniff_record_ending(path)
    if not ending:
        raise UsageError(f"{path} is no package: name a WACZ or WARC file, or the folder of an archive")
    flaws = Flaws(most=_MAX_FINDINGS)
    if ending != _WACZ_ENDING:
        return _verify_records_alone(path, trust, flaws, tick)
    with _open_file(path) as stream:
        try:
            check_zip_layout(stream, path.name, flaws)
            wacz = read_wacz(stream, path.name, flaws)
        except FormatError as error:
            flaws.report(UNREADABLE_CODE, path.name, error.offset, str(error.args[0]))
            return _build_verdict(path, None, flaws, NO_RECORDS)
        if wrapped := _find_wrapped(wacz):
            flaws = Flaws(most=_MAX_FINDINGS)
            message = f"it is a ZIP file with a package in it ({wrapped[:200]!r}); unpack it, and verify what is in it"
            flaws.report(UNREADABLE_CODE, path.name, 0, message)
            return _build_verdict(path, None, flaws, NO_RECORDS)
        return _PackageCheck(path, wacz, trust, flaws, tick).run()


def _find_wrapped(wacz: Wacz) -> str:
    """The package in a ZIP file that is none itself, as its folder was zipped; empty where there is none."""
    if MANIFEST_NAME in wacz.paths:
        return ""
    ends = (_WACZ_ENDING, f"/{MANIFEST_NAME}")
    return next((path for path in wacz.paths if path.lower().endswith(ends)), "")


def _is_hollow(member: ZipMember) -> bool:
    """Whether a WARC file that was compressed once more takes more room than any that was zipped in earnest."""
    return not member.is_stored and member.size > _TWICE_PACKED_LIMIT.max_output(member.info.compress_size)


def _open_file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its permissions") from error


class _PackageCheck:
    def __init__(self, path: Path, wacz: Wacz, trust: PackageTrust, flaws: Flaws, tick: Tick) -> None:
        self._path = path
        self._wacz = wacz
        self._trust = trust
        self._flaws = flaws
        self._tick = tick
        self._signature: SignatureJudgement | None = None
        self._stamps: list[StampJudgement] = []
        self._index_key = IndexSum().key

    def run(self) -> PackageVerdict:
        self._wacz.verify(may_be_unlisted=is_stamp_path)
        self._check_manifest()
        self._check_seal()
        records = self._check_records()
        if records is None:
            verdict = _build_verdict(self._path, self._wacz, self._flaws, NO_RECORDS)
            return replace(verdict, signature=self._signature, stamps=tuple(self._stamps))
        claims = dict(self._read_files(filter(is_claim_path, self._wacz.paths), _MAX_SMALL_FILE_BYTES))
        check_claims(claims, records, self._signature, self._path.name, self._flaws)
        self._check_files(claims, records)
        log_files = dict(self._read_files(filter(is_log_path, self._wacz.paths), _MAX_SMALL_FILE_BYTES))
        log = check_log({**claims, **log_files}, records.hashes, self._path.name, self._flaws)
        if log is None:
            carried = dict(self._read_files([CARRIED_PATH], _MAX_SMALL_FILE_BYTES))
            log = judge_carried_log(carried, records)
            log_files = {CHECKPOINT_PATH: carried.get(CARRIED_PATH, b"")}
        log = hold_against_kept(log, log_files, self._trust.kept, self._path.name, self._flaws)
        verdict = replace(_build_verdict(self._path, self._wacz, self._flaws, records), log=log)
        clock = records.survey.clock_offset if records.survey is not None else None
        verdict = replace(verdict, signature=self._signature, stamps=tuple(self._stamps), clock=clock)
        stated = claims.get(CLAIMS_PATH, b"")
        doubts = (*read_stated_doubts(stated), *list_page_doubts(read_facts(stated), records.pages))
        return replace(verdict, missing=(*verdict.missing, *doubts, *self._list_missing(verdict, records)))

    def _check_manifest(self) -> None:
        """Report a manifest that can be read in two ways, or that names digests which can be forged."""
        listed: set[str] = set()
        for resource in self._wacz.resources:
            if resource.path in listed:
                self._report("package-manifest", f"{resource.path[:200]!r} is in the manifest twice")
            listed.add(resource.path)
            if resource.digest is not None and resource.digest.algorithm not in _STRONG_DIGESTS:
                message = f"{resource.path[:200]!r} has a digest by {resource.digest.algorithm}, which can be forged"
                self._report("package-manifest", message)
        for name in (MANIFEST_NAME, DIGEST_NAME):
            for _, data in self._read_files([name], _MAX_SMALL_FILE_BYTES):
                if has_twin_keys(data):
                    self._report("package-manifest", f"{name} has a field twice, and readers take either")

    def _check_seal(self) -> None:
        files = dict(self._read_files([MANIFEST_NAME, DIGEST_NAME], _MAX_SMALL_FILE_BYTES))
        sealed = SealedManifest(files.get(MANIFEST_NAME, b""), files.get(DIGEST_NAME, b"{}"))
        checked = check_signature(sealed, self._trust, self._path.name, self._flaws)
        paths = [path for path in self._wacz.paths if is_stamp_path(path)]
        if len(paths) > _MAX_STAMP_FILES:
            self._report("stamp-stray", f"it has {len(paths)} stamps, of which {_MAX_STAMP_FILES} are read")
        stamps = dict(self._read_files(paths[:_MAX_STAMP_FILES], MAX_STAMP_BYTES))
        created = checked.judgement.created if checked is not None else None
        check = StampCheck(self._trust, created, self._path.name, self._flaws)
        found = check.check_files(stamps, sealed.digest_file)
        if checked is not None:
            found += check.check_signature_stamp(checked)
            at = min((each.stamp.moment for each in found), default=None)
            self._signature = trust_certificate(checked, self._trust, at, self._path.name, self._flaws)
            if self._signature.is_valid:
                self._stamps = found
        if self._trust.needs_stamp and not self._stamps:
            self._report("stamp-missing", "no authority vouches for when it was there")

    def _check_records(self) -> CheckedRecords | None:
        """What the records are and prove; None where they are not read."""
        hollow = [member.path for member in self._wacz.warcs if _is_hollow(member)]
        if hollow:
            message = f"{hollow[0][:200]!r} unpacks to so much that its records are not read; zip it anew (zip -0)"
            self._report("package-records", message)
            return None
        is_evidence = CLAIMS_PATH in self._wacz.paths
        wanted = RecordChecks(
            hashes=any(map(is_log_path, self._wacz.paths)),
            facts=is_evidence,
            index_key=self._index_key if is_evidence else b"",
            listed=self._wacz.pages() if is_evidence else (),
            kept=self._trust.kept if self._trust.kept.checkpoint is not None else None,
        )
        return check_records(self._path, self._trust.now, self._flaws, self._tick, wanted)

    def _check_files(self, claims: Mapping[str, bytes], records: CheckedRecords) -> None:
        """Hold files that follow from others against them, by the digests that all were found to have."""
        listed = self._wacz.resources
        digests = {each.path: each.digest.value.hex() for each in listed if each.digest is not None}
        if CLAIMS_PATH in claims:
            facts = read_facts(claims[CLAIMS_PATH])
            check_exhibits(facts, digests, records.portraits, self._path.name, self._flaws)
            check_pages(facts, records.pages, self._wacz.paths, self._path.name, self._flaws)
            check_title(facts, self._wacz.title, self._path.name, self._flaws)
            check_index(self._wacz, self._index_key, records.index_sum, self._path.name, self._flaws)
            for url in records.unknown_pages:
                self._report("evidence-index", f"its list of pages has {url[:200]!r}, which no record of that time has")
            self._check_checkpoints()
            if CUSTODY_PATH not in self._wacz.paths:
                self._report("evidence-custody", "it has no custody log: what was done with it is not told")
        for _, data in self._read_files([CUSTODY_PATH], _MAX_SMALL_FILE_BYTES):
            check_custody(data, digests, records.coherence, self._path.name, self._flaws)

    def _check_checkpoints(self) -> None:
        """The checkpoint for programs that read archives is that of the proofs: both were made at once."""
        found = dict(self._read_files([CARRIED_PATH, CHECKPOINT_PATH], _MAX_SMALL_FILE_BYTES))
        if len(found) == 2 and len(set(found.values())) == 2:
            self._report("log-signature", f"{CARRIED_PATH} is another checkpoint than {CHECKPOINT_PATH}")

    def _read_files(self, paths: Iterable[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
        """Small files by their paths; what is too large or damaged is reported, or was already."""
        for path in paths:
            member = self._wacz.find(path)
            if member is None:
                continue
            if member.size > max_bytes:
                self._report("package-too-large", f"{path[:200]!r} is larger than any such file, and not read")
                continue
            try:
                yield path, b"".join(self._wacz.chunks(member))
            except FormatError:
                continue  # told with all other files that differ from the manifest

    def _list_missing(self, verdict: PackageVerdict, records: CheckedRecords) -> Iterator[str]:
        if verdict.has_unread_signature:
            yield "Who signed it: the signature that is in it cannot be checked."
        elif self._signature is None:
            yield "Nobody signed it: who made it is not known, and whoever changed it could change its digests too."
        elif not self._signature.name and not self._signature.is_expected:
            yield "A key of one's own signed it, which names nobody: compare its fingerprint with its owner's."
        if not self._stamps:
            yield "No time-stamping authority vouches for when it was there: its dates are its maker's word."
        ends = [each.until for each in records.coherence if each.until is not None]
        if verdict.since is not None and any(each > verdict.since for each in ends):
            yield "The moments of its records: they are later than its time stamps; its maker's clock was ahead."
        if records.dangling:
            yield f"{records.dangling} of its records refer to payloads that are not in it."
        if not any(each.proven for each in records.coherence):
            yield "Nothing proves that the parts of its pages were there together."
        if CLAIMS_PATH in self._wacz.paths and verdict.log is None:
            yield "No log of an archive vouches that its records are all there were."
        if verdict.log is not None and not verdict.log.is_kept:
            yield "That its log is the one that others know: compare its checkpoint with one that was kept elsewhere."
        if CLAIMS_PATH not in self._wacz.paths and verdict.log is not None:
            left = verdict.records - verdict.log.included
            yield f"{left} of its records are in no proof of that log: made for the export, the log's own, or put in."
        yield from self._list_words_alone()
        yield "Whether certificates were revoked is not checked: that needs a network."

    def _list_words_alone(self) -> Iterator[str]:
        """What nothing in any package can prove."""
        yield (
            "That its records are what servers sent: that is the word of whoever made it, as connections leave nothing "
            "behind that others could check."
        )
        if CLAIMS_PATH in self._wacz.paths:
            yield "What cover sheet, HTML files and titles say: made of the records, they are not held against them."
            yield "Who made it, on which machine, what for, which certificates servers had: that is its maker's word."

    def _report(self, code: str, message: str) -> None:
        self._flaws.report(code, self._path.name, 0, message)


def _verify_records_alone(path: Path, trust: PackageTrust, flaws: Flaws, tick: Tick) -> PackageVerdict:
    """A WARC file, which nobody can sign by itself."""
    records = check_records(path, trust.now, flaws, tick)
    if trust.needs_signature:
        flaws.report("signature-missing", path.name, 0, "it is no package: nobody can have signed it")
    if trust.needs_stamp:
        flaws.report("stamp-missing", path.name, 0, "no authority vouches for when it was there")
    missing = ("Nobody signed it: who made it is not known, and whoever changed it could change its digests too.",)
    return replace(_build_verdict(path, None, flaws, records), missing=missing)


def _build_verdict(path: Path, wacz: Wacz | None, flaws: Flaws, records: CheckedRecords) -> PackageVerdict:
    return PackageVerdict(
        path,
        wacz.title if wacz else "",
        wacz.software if wacz else "",
        len(wacz.paths) if wacz else 1,
        path.stat().st_size,
        records.records,
        tuple(flaws.findings),
        None,
        (),
        records.coherence,
        None,
    )
