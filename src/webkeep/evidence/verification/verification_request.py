"""What a verification is asked: which file, whom to trust, what has to be there, and what time it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from cryptography import x509

from webkeep.model import Moment
from webkeep.signing import StampVerifier, VerifyingKey
from webkeep.store.log import KeptCheckpoint


@dataclass(frozen=True, slots=True)
class PackageTrust:
    """Whom to trust, and what has to be there."""

    now: Moment
    signers: tuple[x509.Certificate, ...]
    """Authorities whose certificates say whose a key is."""
    stampers: tuple[x509.Certificate, ...]
    """Authorities whose certificates say who is a time-stamping authority."""
    keys: tuple[VerifyingKey, ...] = ()
    """The keys of which one must have signed; any where none is named."""
    fingerprints: tuple[str, ...] = ()
    """The same by their fingerprints."""
    needs_signature: bool = True
    needs_stamp: bool = False
    kept: KeptCheckpoint = field(default_factory=KeptCheckpoint)
    """A checkpoint of the log that somebody kept elsewhere, and the key that must have signed those of the package."""

    @property
    def stamp_verifier(self) -> StampVerifier:
        """Judges time stamps."""
        return StampVerifier(self.stampers, self.now)

    @property
    def expects_keys(self) -> bool:
        """Whether only certain keys will do."""
        return bool(self.keys or self.fingerprints)

    def is_expected(self, key: VerifyingKey) -> bool | None:
        """Whether a key is one of those that were asked for; None where any will do."""
        return (key in self.keys or key.fingerprint in self.fingerprints) if self.expects_keys else None
