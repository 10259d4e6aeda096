"""Exports sealed: signed as packages of `evidence` are, and dated; apart from `export`, as few exports are, and what is
behind it takes longer to be read in than the rest of the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from webkeep.api.package_stamping import StampRequest, authority_client
from webkeep.evidence.package import PackageSeal
from webkeep.model import Moment
from webkeep.signing import SigningRequest, open_identity


class SealValues(TypedDict, total=False):
    """What the summary of an export says of its seal."""

    key: str
    stamps: tuple[Moment, ...]
    unstamped: tuple[str, ...]


def open_export_seal(signing: SigningRequest, stamping: StampRequest | None) -> PackageSeal:
    """Whoever signs, and whoever asks for time stamps."""
    if stamping is None:
        return PackageSeal(open_identity(signing))
    return PackageSeal(open_identity(signing), authorities=stamping.authorities, client=authority_client(stamping))


def seal_export(seal: PackageSeal, file: Path) -> SealValues:
    """Sign a WACZ, and have it dated; what is to be said of it."""
    stamping = seal.seal(file)
    values = SealValues(key=seal.identity.key.public.fingerprint)
    if stamping is not None:
        values["stamps"] = tuple(each.stamp.moment for each in stamping.answers)
        values["unstamped"] = tuple(map(str, stamping.failures))
    return values
