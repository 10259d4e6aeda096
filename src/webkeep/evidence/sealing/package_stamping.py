"""Packages dated: time stamps of datapackage-digest.json put beside it, at once or long after it was signed.

A stamp is of the whole file and not of the signature alone. An ECDSA signature by itself binds nothing: for any other
content there is a key under which the same signature is right, and anybody can compute it. The file has digest, key and
signature together.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from webkeep.errors import FormatError, StorageError, UsageError
from webkeep.evidence.sealing.authority_client import AuthorityClient, StampAnswer, StampFailure
from webkeep.evidence.sealing.package_signing import SignatureStamper
from webkeep.formats import Flaws, Strictness, read_json
from webkeep.formats.wacz import (
    DIGEST_NAME,
    STAMP_FOLDER,
    read_signed_data,
    read_wacz,
    read_wacz_file,
    rewrite_wacz,
)
from webkeep.model import Moment
from webkeep.process import atomic_file

MAX_DIGEST_FILE_BYTES = 1 << 20
"""It holds a digest, a signature and certificates."""
REQUEST_MARK, RESPONSE_MARK = "-tsq", "-tsr"
"""How names of stamps end in a package. They have no dot: validators of WACZ look for every file that has one in the
manifest, which was signed before there were stamps."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class StampingResult:
    """What authorities gave for a package."""

    answers: tuple[StampAnswer, ...]
    failures: tuple[StampFailure, ...]
    signed: Moment | None
    """When the package says that it was signed."""

    @property
    def gap_seconds(self) -> float | None:
        """From the moment that the package states to the first stamp: no authority vouches for what was between."""
        if self.signed is None or not self.answers:
            return None
        return min(each.stamp.moment for each in self.answers).seconds_since(self.signed)


def stamp_package(path: Path, authorities: Sequence[str], client: AuthorityClient) -> StampingResult:
    """Have authorities date a signed package, and put what they give into it."""
    digest_file, held = _read_sealed(path)
    signed = _signing_moment(digest_file, path)
    answers = client.ask(authorities, digest_file)
    given = tuple(each for each in answers if isinstance(each, StampAnswer))
    if given:
        put_in_package(path, _name_stamps(given, held))
    return StampingResult(given, tuple(each for each in answers if isinstance(each, StampFailure)), signed)


def signature_stamper(authorities: Sequence[str], client: AuthorityClient) -> SignatureStamper:
    """What has authorities date a signature, as the published form wants it: the first that does counts."""

    def stamp_signature(signature: bytes) -> tuple[str, str] | None:
        for answer in client.ask(authorities, signature):
            if isinstance(answer, StampAnswer):
                return base64.b64encode(answer.response).decode(), answer.stamp.certificates
        return None

    return stamp_signature


def put_in_package(path: Path, files: Mapping[str, bytes]) -> None:
    """Put files at the end of a package, in place."""
    try:
        with path.open("rb") as source, atomic_file(path, sync=True) as target:
            rewrite_wacz(source, path.name, target, files)
    except FormatError as error:
        raise UsageError(f"{path} is no package that could be changed: {error.args[0]}") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror}); check the disk") from error


def read_stamp_files(path: Path) -> dict[str, bytes]:
    """The stamps of a package as files for other programs: `NAME.tsq`, `NAME.tsr`, and what they are stamps of."""
    digest_file, names = _read_sealed(path)
    found = {DIGEST_NAME: digest_file}
    with path.open("rb") as stream:
        for name in names:
            data = read_wacz_file(stream, path.name, name, MAX_DIGEST_FILE_BYTES)
            found[f"{name[:-4]}.{name[-3:]}"] = data
    return found


def _read_sealed(path: Path) -> tuple[bytes, list[str]]:
    """What stamps are made of, and the names of those that are there."""
    try:
        with path.open("rb") as stream:
            wacz = read_wacz(stream, path.name, Flaws(Strictness.IGNORE))
            held = [name for name in wacz.paths if name.startswith(STAMP_FOLDER)]
            return read_wacz_file(stream, path.name, DIGEST_NAME, MAX_DIGEST_FILE_BYTES), held
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except FormatError as error:
        raise UsageError(f"{path} is no package that could be stamped: {error.args[0]}") from error


def _signing_moment(digest_file: bytes, path: Path) -> Moment | None:
    """When a package says that it was signed; raises UsageError where it is not signed."""
    value = read_json(digest_file)
    try:
        signed = read_signed_data(value.get("signedData") if isinstance(value, dict) else None)
        return Moment.parse(signed.created)
    except FormatError as error:
        raise UsageError(f"{path} is not signed, so there is nothing to date; {error.args[0]}") from error
    except UsageError:
        return None


def _name_stamps(answers: Sequence[StampAnswer], held: Sequence[str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for number, answer in enumerate(answers, sum(name.endswith(RESPONSE_MARK) for name in held) + 1):
        host = _NOT_IN_NAMES.sub("-", (urlsplit(answer.authority).hostname or "authority").lower()).strip("-")
        name = f"{STAMP_FOLDER}{number:03d}-{host}"
        files |= {f"{name}{REQUEST_MARK}": answer.request, f"{name}{RESPONSE_MARK}": answer.response}
    return files
