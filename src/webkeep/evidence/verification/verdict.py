"""What a verification comes to: whether a package is whole, who signed it, since when it was there at the latest, what
is proven of its coherence, and what is missing.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

from webkeep.evidence.package.coherence_proof import UnprovenPart
from webkeep.evidence.package.server_clock import ClockOffset
from webkeep.model import Finding, Moment
from webkeep.signing import TimeStamp

UNREADABLE_CODE, SIGNATURE_FORM_CODE = "package-unreadable", "signature-form"
"""Checks that fail before it is known who signed."""
SIGNATURE_PLACE = "signedData.timeSignature"
"""Where the published form has a time stamp of the signature alone."""


@dataclass(frozen=True, slots=True)
class SignatureJudgement:
    """Who signed a package, as far as that is known here."""

    fingerprint: str
    """Of the key that signed."""
    created: Moment | None
    """When it was signed, as the signer says."""
    name: str = ""
    """Whom a certificate names; empty for a key of one's own, which names nobody."""
    issuer: str = ""
    is_valid: bool = False
    """Whether the signature is right."""
    is_trusted: bool = False
    """Whether the certificate led to somebody trusted here when it signed."""
    is_expected: bool | None = None
    """Whether it is the key that was asked for; None where none was."""

    @property
    def names_holder(self) -> bool:
        """Whether it is proven whose key it is."""
        return self.is_valid and self.is_trusted and bool(self.name)


@dataclass(frozen=True, slots=True)
class StampJudgement:
    """A time stamp in a package that was found to be right."""

    place: str
    stamp: TimeStamp
    gap_seconds: float | None
    """From the moment of signing, as the signer says, to the stamp."""


@dataclass(frozen=True, slots=True)
class CoherenceJudgement:
    """What the records of one capture prove of its coherence, recomputed from them."""

    capture: str
    headline: str
    parts: int
    proven: int
    since: Moment | None
    until: Moment | None
    single: int = 0
    """Parts that came once and cannot be asked for again, of which nothing is proven."""
    unproven: frozenset[str] = frozenset()
    """The addresses of all parts of which nothing is proven."""
    lost: tuple[UnprovenPart, ...] = ()
    """What was asked for, by the records, and could not be had."""
    lost_pieces: tuple[UnprovenPart, ...] = ()
    """Pieces of streams that are not kept, as far as playlists are understood."""


@dataclass(frozen=True, slots=True)
class LogJudgement:
    """The log of the archive that the records were taken from, as its checkpoint says."""

    origin: str
    size: int
    root: str
    included: int
    """How many records of the package are proven to be in it."""
    is_signed: bool
    """Whether the key signed it that the package itself names."""
    is_expected: bool | None = None
    """Whether the key that was asked for signed it; None where none was."""
    is_kept: bool | None = None
    """Whether it goes on from the checkpoint that somebody kept elsewhere; None where none was given."""


@dataclass(frozen=True, slots=True)
class PackageVerdict:
    """All that is known of a package without a network and without trusting its maker."""

    path: Path
    title: str
    software: str
    files: int
    bytes: int
    records: int
    findings: tuple[Finding, ...]
    """Each check that failed, with what it means."""
    signature: SignatureJudgement | None
    stamps: tuple[StampJudgement, ...]
    coherence: tuple[CoherenceJudgement, ...]
    log: LogJudgement | None
    clock: ClockOffset | None = None
    """How the clock it was made by stood to those of the servers, by its records; None where they do not tell."""
    missing: tuple[str, ...] = field(default=())
    """What is not proven, each in a sentence."""

    @property
    def is_sound(self) -> bool:
        """Whether no check failed."""
        return not self.findings

    @property
    def is_readable(self) -> bool:
        """Whether it could be looked into at all."""
        return not self._has_failed(UNREADABLE_CODE)

    @property
    def has_unread_signature(self) -> bool:
        """Whether there is a signature that cannot be checked."""
        return self._has_failed(SIGNATURE_FORM_CODE)

    def _has_failed(self, code: str) -> bool:
        return any(each.code == code for each in self.findings)

    @property
    def since(self) -> Moment | None:
        """Since when the package was there as it is, at the latest, by an authority's word."""
        return min((each.stamp.latest for each in self.stamps), default=None)

    def to_dict(self) -> dict[str, object]:
        """The verdict as JSON has it."""
        return {
            "package": str(self.path),
            "title": self.title,
            "software": self.software,
            "sound": self.is_sound,
            "files": self.files,
            "bytes": self.bytes,
            "records": self.records,
            "signature": _signature_values(self.signature),
            "since": self.since.iso() if self.since else None,
            "stamps": [_stamp_values(each) for each in self.stamps],
            "coherence": [_coherence_values(each) for each in self.coherence],
            "log": _log_values(self.log),
            "clock": dataclasses.asdict(self.clock) if self.clock is not None else None,
            "missing": list(self.missing),
            "findings": len(self.findings),
            "failed": [
                {"code": each.code, "source": each.source, "offset": each.offset, "message": each.message}
                for each in self.findings
            ],
        }


def _signature_values(signature: SignatureJudgement | None) -> dict[str, object] | None:
    if signature is None:
        return None
    return {
        "valid": signature.is_valid,
        "key": signature.fingerprint,
        "names": signature.name or None,
        "issuer": signature.issuer or None,
        "trusted": signature.is_trusted,
        "expected": signature.is_expected,
        "created": signature.created.iso() if signature.created else None,
    }


def _stamp_values(each: StampJudgement) -> dict[str, object]:
    return {
        "place": each.place,
        "moment": each.stamp.moment.iso(),
        "authority": each.stamp.authority,
        "serial": str(each.stamp.serial),
        "policy": each.stamp.policy,
        "accuracy_seconds": each.stamp.accuracy_seconds,
        "gap_seconds": each.gap_seconds,
    }


def _coherence_values(each: CoherenceJudgement) -> dict[str, object]:
    return {
        "capture": each.capture,
        "headline": each.headline,
        "parts": each.parts,
        "proven": each.proven,
        "since": each.since.iso() if each.since else None,
        "until": each.until.iso() if each.until else None,
        "lost": len(each.lost) + len(each.lost_pieces),
    }


def _log_values(log: LogJudgement | None) -> dict[str, object] | None:
    if log is None:
        return None
    return {
        "origin": log.origin,
        "size": log.size,
        "root": log.root,
        "included": log.included,
        "signed": log.is_signed,
        "expected": log.is_expected,
        "kept": log.is_kept,
    }
