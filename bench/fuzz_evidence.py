"""The readers of packages put to any input: ZIP files as they lie, signatures, keys, certificates, time stamps."""

from __future__ import annotations

import io
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from bench.evidence_package import DIGEST_FILE, Parts, Sealer, build_package
from webkeep.errors import FormatError
from webkeep.formats import Flaws, read_json
from webkeep.formats.wacz import check_zip_layout, read_signed_data
from webkeep.model import Moment
from webkeep.signing import StampVerifier, TimeStamp, VerifyingKey, parse_certificates

_NOW = Moment.parse("2100-01-01T00:00:00Z")
"""After whatever a sample states."""


@cache
def _sample() -> tuple[Parts, bytes, Sealer]:
    """A sound package, whole and taken apart."""
    with tempfile.TemporaryDirectory() as folder:
        sealer = Sealer.create(Path(folder) / "keys")
        path = build_package(Path(folder) / "a.wacz", sealer)
        sealer.sign(path)
        sealer.stamp(path)
        return Parts.read(path), path.read_bytes(), sealer


def package_seeds() -> list[bytes]:
    """Whole packages."""
    return [_sample()[1]]


def put_layout(_: Random, data: bytes) -> None:
    """A ZIP file, byte by byte."""
    check_zip_layout(io.BytesIO(data), "fuzzed", Flaws())


def signature_seeds() -> list[bytes]:
    """Files with signatures, keys and certificates."""
    parts, _, sealer = _sample()
    return [parts.files[DIGEST_FILE], sealer.key.public.pem.encode(), sealer.authority.root.pem]


def put_signature(_: Random, data: bytes) -> None:
    """A signature, a key or a chain."""
    text = data.decode("utf-8", "replace")
    value = read_json(data)
    for read in (
        lambda: read_signed_data(value.get("signedData") if isinstance(value, dict) else value).signature_bytes(),
        lambda: VerifyingKey.from_text(text),
        lambda: parse_certificates(text),
    ):
        try:
            read()
        except FormatError:
            continue


def stamp_seeds() -> list[bytes]:
    """Answers and requests."""
    files = _sample()[0].files
    return [files["stamps/001-authority-tsr"], files["stamps/001-authority-tsq"]]


def put_stamp(chance: Random, data: bytes) -> None:
    """An answer with its request, or the other way round; what is accepted says what the sample says."""
    parts, _, sealer = _sample()
    verifier = StampVerifier((sealer.authority.root.certificate,), _NOW)
    response, request = stamp_seeds()
    message = parts.files[DIGEST_FILE]
    given = (data, message, request) if chance.random() < 0.7 else (response, message, data)
    judged = verifier.verify(*given)
    if isinstance(judged, TimeStamp):
        assert (judged.moment, judged.serial, judged.authority) == _sound_stamp()


@cache
def _sound_stamp() -> tuple[Moment, int, str]:
    parts, _, sealer = _sample()
    response, request = stamp_seeds()
    verifier = StampVerifier((sealer.authority.root.certificate,), _NOW)
    sound = verifier.verify(response, parts.files[DIGEST_FILE], request)
    assert isinstance(sound, TimeStamp)
    return sound.moment, sound.serial, sound.authority
