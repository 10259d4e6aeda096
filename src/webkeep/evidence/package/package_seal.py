"""How a package is sealed: signed by whoever is handed in, dated by the authorities that are named, with proofs that
its records are in the log of their archive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webkeep.evidence.package.evidence_facts import SealFacts
from webkeep.evidence.sealing import (
    AuthorityClient,
    StampingResult,
    name_authority,
    read_stamp_files,
    sign_package,
    signature_stamper,
    stamp_package,
)
from webkeep.formats.transparency import EntryList, NoteKey, parse_checkpoint
from webkeep.formats.warc import WarcRecord, hash_record
from webkeep.presentation import format_count
from webkeep.signing import Signer, SigningIdentity
from webkeep.store.log import RecordLog, prove_records

_MAX_SINGLE_PROOFS = 10_000
"""Records that are proven one by one, by some 700 bytes each; of a whole site 43 do, with all entries of its log."""


@dataclass(frozen=True, slots=True)
class PackageSeal:
    """Who signs a package, and who is asked to date it."""

    identity: SigningIdentity
    log_key: Signer | None = None
    """Signs the checkpoint of the log; None leaves it unsigned."""
    authorities: tuple[str, ...] = ()
    """Addresses of time-stamping authorities."""
    client: AuthorityClient | None = None
    """Asks them."""

    def describe(self, log: LogProofs) -> SealFacts:
        """What can be said of it before anything is signed."""
        public = self.identity.key.public
        fingerprint = public.fingerprint
        own = f"by a key of the operator's own, which by itself names nobody; its fingerprint is {fingerprint}"
        signer = f"as {self.identity.name}, by a certificate; fingerprint of its key {fingerprint}"
        key = NoteKey(log.origin, self.log_key.public.raw).text if self.log_key is not None else ""
        is_named = bool(self.identity.chain)
        return SealFacts(
            signer if is_named else own,
            is_named,
            tuple(dict.fromkeys(map(name_authority, self.authorities))),
            fingerprint,
            public.algorithm,
            log.describe(),
            key,
        )

    def seal(self, wacz: Path) -> StampingResult | None:
        """Sign a package, and have it dated; None where nobody was to date it."""
        is_dated = bool(self.authorities) and self.client is not None
        stamper = signature_stamper(self.authorities, self.client) if is_dated and self.client is not None else None
        sign_package(wacz, self.identity, stamper)
        return stamp_package(wacz, self.authorities, self.client) if is_dated and self.client is not None else None


@dataclass(frozen=True, slots=True)
class LogProofs:
    """That the records of a package are in the log of their archive, as files."""

    origin: str
    records: int
    """Records that are proven to be in it."""
    checkpoint: bytes
    proofs: bytes

    def describe(self) -> str:
        """The same in words."""
        told = format_count(self.records, "record")
        return f"{told} are in the append-only log {self.origin}: whoever keeps its checkpoint sees any later change."


def prove_log(log: RecordLog, records: Iterable[WarcRecord], note: bytes, most: int = _MAX_SINGLE_PROOFS) -> LogProofs:
    """Proofs that records are in a log, as of its checkpoint: at most so many one by one, more by all its entries."""
    checkpoint, _ = parse_checkpoint(note)
    hashes = [hash_record(each) for each in records]
    if len(hashes) <= most:
        proofs = prove_records(log, hashes, checkpoint)
        return LogProofs(log.origin, len(proofs.proofs), note, proofs.to_json())
    entries = EntryList(log.origin, log.read_entries(0, checkpoint.size))
    unproven = entries.list_unproven(set(hashes), checkpoint)
    return LogProofs(log.origin, len(set(hashes)) - len(unproven), note, entries.to_json())


def write_stamp_files(wacz: Path, folder: Path) -> None:
    """Lay what was signed and its time stamps beside a package, for programs that read no WACZ."""
    for name, data in read_stamp_files(wacz).items():
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(data)
