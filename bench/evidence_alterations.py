"""Every way in which somebody with or without keys could tamper with a package: each file, each field, each record, the
ZIP file, signatures, stamps, and what the owner of the key might claim that the records do not bear out.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from bench.evidence_forgery import (
    add_comment,
    add_gap,
    add_link,
    add_twin,
    change_field,
    compute_key,
    der_signature,
    flip_bit,
    list_fields,
    negate_signature,
)
from bench.evidence_insider import CERTIFICATE, CONNECTIONS, FACTS, InsiderLies
from bench.evidence_package import DIGEST_FILE, MANIFEST_FILE, Parts, Sealer, split_records
from bench.time_authority import Lie, make_certificate
from webkeep.evidence.verification import PackageTrust
from webkeep.signing import SigningKey

STAMP = "stamps/001-authority"
_UNSENT_LIES = (Lie.ERROR_PAGE, Lie.ENDLESS, Lie.HANGS)
"""They are ways of a server, not of an answer."""
_FLIPS_PER_FILE, _FLIPS_ANYWHERE, _CUTS = 6, 120, 24
_SEED = 20261118
_FREE_FIELDS = (4, 5, 36, 38, 39, 40, 41)
"""Of an entry of a ZIP directory: who made it, whether it is a text, permissions. No file's content hangs on them, and
writers differ."""
_FOUND_OUT = ("changed", "dated otherwise", "of another package")
"""What is found out of records even if the owner of the key signs it: they are not in the log. What the owner shows of
all that is in the log is for the owner to choose."""


@dataclass(frozen=True)
class Alteration:
    """One package that is not what it was, or how to make it."""

    name: str
    content: bytes | Callable[[], bytes]
    trust: PackageTrust | None = None
    """Whom to trust for it, and what has to be there, if that is not as for all others."""

    @property
    def data(self) -> bytes:
        """The package."""
        return self.content if isinstance(self.content, bytes) else self.content()


class Alterations:
    """All that can be made of a sound package, and another one of the same owner."""

    def __init__(self, path: Path, other: Path, sealer: Sealer, stranger: Sealer) -> None:
        self.path, self.parts, self.other = path, Parts.read(path), Parts.read(other)
        self.sealer, self.stranger = sealer, stranger
        self._chance = random.Random(_SEED)

    def list_all(self) -> Iterator[Alteration]:
        """All of them."""
        for family in (
            self._flipped_bytes,
            self._altered_files,
            self._altered_fields,
            self._altered_records,
            self._altered_containers,
            self._moved_signatures,
            self._altered_stamps,
            self._insider_claims,
        ):
            yield from family()

    def _flipped_bytes(self) -> Iterator[Alteration]:
        whole = self.path.read_bytes()
        with zipfile.ZipFile(self.path) as zipped:
            infos = zipped.infolist()
        for info in infos:
            lengths = whole[info.header_offset + 26 : info.header_offset + 30]
            start = (
                info.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
            )
            for at in sorted(self._chance.sample(range(info.compress_size), min(_FLIPS_PER_FILE, info.compress_size))):
                flipped = flip_bit(whole, start + at)
                if not _has_same_files(flipped, self.parts):
                    yield Alteration(f"flip: {info.filename} at {at}", flipped)
        free = {at + field for at in _find_all(whole, b"PK\1\2") for field in _FREE_FIELDS}
        for at in sorted(self._chance.sample(sorted(_header_places(whole, infos) - free), _FLIPS_ANYWHERE)):
            yield Alteration(f"flip: the package at {at}", flip_bit(whole, at))

    def _altered_files(self) -> Iterator[Alteration]:
        parts = self.parts
        listed = [
            name for name, data in parts.files.items() if data and not name.startswith(("stamps/", "datapackage"))
        ]
        for group in (listed, [MANIFEST_FILE, DIGEST_FILE]):
            yield from (each for name in group for each in self._altered_file(name, group))

    def _altered_file(self, name: str, group: list[str]) -> Iterator[Alteration]:
        parts, data = self.parts, self.parts.files[name]
        neighbour = group[group.index(name) - 1]
        changed = {
            "emptied": parts.put({name: b""}),
            "removed": parts.drop(name),
            "longer": parts.put({name: data + b" "}),
            "shorter": parts.put({name: data[:-1]}),
            "flipped": parts.put({name: flip_bit(data, len(data) // 2)}),
            "swapped": parts.put({name: parts.files[neighbour], neighbour: data}),
            "of another package": parts.put({name: self.other.files.get(name, b"another")}),
            "renamed": parts.drop(name).put({f"{name}x": data}),
        }
        for what, altered in changed.items():
            if altered.files == parts.files:  # the other package has the same
                continue
            yield Alteration(f"file: {name} {what}", altered.build)
            if name not in (MANIFEST_FILE, DIGEST_FILE):
                yield Alteration(f"file: {name} {what}, digests mended", altered.rehash().build)
                yield Alteration(f"file: {name} {what}, signed by a stranger", partial(self.resign, altered.rehash()))

    def _altered_fields(self) -> Iterator[Alteration]:
        for name in (MANIFEST_FILE, DIGEST_FILE, FACTS, CERTIFICATE, CONNECTIONS):
            value = self.parts.json(name)
            for way in list_fields(value):
                for what, changed in change_field(value, way):
                    data = json.dumps(changed, indent=2).encode()
                    altered = self.parts.put({name: data})
                    place = f"{name} {'.'.join(map(str, way))} {what}"
                    yield Alteration(f"field: {place}", altered.build)
                    if name == MANIFEST_FILE:
                        yield Alteration(f"field: {place}, digest mended", altered.seal_manifest(data).build)
                    elif name != DIGEST_FILE:
                        yield Alteration(f"field: {place}, digests mended", altered.rehash().build)

    def _altered_records(self) -> Iterator[Alteration]:
        name = next(each for each in self.parts.files if each.startswith("archive/"))
        records = split_records(self.parts.files[name])
        foreign = split_records(next(data for each, data in self.other.files.items() if each.startswith("archive/")))
        for at in range(len(records)):
            before, record, after = records[:at], records[at], records[at + 1 :]
            plain = gzip.decompress(record)
            changed = {
                "removed": [*before, *after],
                "doubled": [*before, record, record, *after],
                "first": [record, *before, *after],
                "changed": [*before, gzip.compress(flip_bit(plain, len(plain) - 6)), *after],
                "dated otherwise": [
                    *before,
                    gzip.compress(plain.replace(b"WARC-Date: 20", b"WARC-Date: 19", 1)),
                    *after,
                ],
                "of another package": [*before, foreign[at % len(foreign)], *after],
                "cut off": [*before, record[: len(record) // 2]],
            }
            for what, altered in changed.items():
                if altered == records:  # the first is first already
                    continue
                parts = self.parts.put({name: b"".join(altered)})
                yield Alteration(f"record: {at} {what}", parts.build)
                yield Alteration(f"record: {at} {what}, digests mended", parts.rehash().build)
                yield Alteration(f"record: {at} {what}, signed by a stranger", partial(self.resign, parts.rehash()))
                if what in _FOUND_OUT and b"urn:webkeep:log:" not in plain:
                    mended = partial(self.resign, parts.rehash(), self.sealer)
                    yield Alteration(f"record: {at} {what}, signed by the owner", mended)

    def _altered_containers(self) -> Iterator[Alteration]:
        whole = self.path.read_bytes()
        for number in range(1, _CUTS):
            yield Alteration(f"container: cut at {number}/{_CUTS}", whole[: len(whole) * number // _CUTS])
        yield Alteration("container: cut by a byte", whole[:-1])
        yield Alteration("container: bytes before", b"#!/bin/sh\n" + whole)
        yield Alteration("container: bytes behind", whole + b"\0")
        yield Alteration("container: another ZIP before", self.other.build() + whole)
        yield Alteration("container: another ZIP behind", whole + self.other.build())
        for name in list(self.parts.files):
            yield Alteration(f"container: {name} comes twice", add_twin(self.parts, name))
        for name in (
            "../evil.txt",
            "/etc/passwd",
            "a\\b",
            "evidence/unlisted.txt",
            "unlisted",
            "stamps/note",
            "stamps/a-tsr",
        ):
            yield Alteration(f"container: {name} put in", self.parts.put({name: b"evil"}).build)
        yield Alteration("container: a comment", add_comment(self.parts))
        yield Alteration("container: a gap", add_gap(self.parts))
        yield Alteration("container: a link", add_link(self.parts))
        yield Alteration("container: a bomb", self.parts.put({"evidence/bomb": bytes(200 << 20)}).build)
        manifest = self.parts.files[MANIFEST_FILE]
        twin = manifest.replace(b"{", b'{"title": "Another",', 1)
        yield Alteration("container: a field twice", partial(self.resign, self.parts.seal_manifest(twin), self.sealer))

    def _moved_signatures(self) -> Iterator[Alteration]:
        own, other = self.parts.json(DIGEST_FILE), self.other.json(DIGEST_FILE)
        yield Alteration("signature: none", self._with_digest({name: own[name] for name in ("path", "hash")}))
        yield Alteration("signature: of another package", self._with_digest({**own, "signedData": other["signedData"]}))
        moved = {**own["signedData"], "signature": other["signedData"]["signature"]}
        yield Alteration("signature: moved", self._with_digest({**own, "signedData": moved}))
        yield Alteration("signature: by a stranger", partial(self.resign, self.parts))
        key = SigningKey(ec.generate_private_key(ec.SECP256R1()))
        yield Alteration("signature: the key exchanged", self._with_signed(publicKey=key.public.base64))
        yield Alteration("signature: a domain put in", self._with_signed(domain="court.example"))
        certificate = make_certificate("court.example", purpose=ExtendedKeyUsageOID.SERVER_AUTH)
        yield Alteration("signature: a certificate put in", self._with_signed(
            domain="court.example", domainCert=certificate.pem.decode()))  # fmt: skip
        yield Alteration("signature: a certificate instead", self._with_signed(
            domain="court.example", domainCert=certificate.pem.decode(), publicKey=None))  # fmt: skip
        yield Alteration(
            "signature: in another form", self._with_signed(signature=der_signature(own["signedData"]["signature"]))
        )
        yield Alteration(
            "signature: its other root", self._with_signed(signature=negate_signature(own["signedData"]["signature"]))
        )
        yield Alteration("signature: under a key made for it", self._forged_by_key())
        for word in ("publicKey", "signature", "hash", "created"):
            yield Alteration(f"signature: no {word}", self._with_signed(**{word: None}))
            yield Alteration(
                f"signature: {word} with blanks", self._with_signed(**{word: f"{own['signedData'][word]} "})
            )

    def _altered_stamps(self) -> Iterator[Alteration]:
        request, response = self.parts.files[f"{STAMP}-tsq"], self.parts.files[f"{STAMP}-tsr"]
        yield Alteration("stamp: removed", self.parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").build)
        yield Alteration("stamp: without its request", self.parts.drop(f"{STAMP}-tsq").build)
        yield Alteration("stamp: without its answer", self.parts.drop(f"{STAMP}-tsr").build)
        for what in ("-tsq", "-tsr"):
            yield Alteration(
                f"stamp: {what} of another package", self._with_stamp(what, self.other.files[STAMP + what])
            )
        moved = {f"{STAMP}{what}": self.other.files[f"{STAMP}{what}"] for what in ("-tsq", "-tsr")}
        yield Alteration("stamp: of another package", self.parts.put(moved).build)
        yield Alteration("stamp: of another package beside its own", self.parts.put(
            {name.replace("001", "002"): data for name, data in moved.items()}).build)  # fmt: skip
        authority, now = self.sealer.authority, datetime.now(UTC)
        for lie in Lie:
            if lie not in _UNSENT_LIES:
                yield Alteration(f"stamp: {lie.value}", self._with_stamp("-tsr", authority.answer(request, lie)))
        for days in (1, 400, 4000):
            dated = authority.sign_as_of(request, now + timedelta(days=days))
            yield Alteration(f"stamp: {days} days ahead", self._with_stamp("-tsr", dated))
            dated = authority.sign_as_of(request, now - timedelta(days=days + 1))
            yield Alteration(f"stamp: {days} days before its certificate", self._with_stamp("-tsr", dated))
        stranger = self.stranger.authority.answer(request)
        yield Alteration("stamp: by a stranger", self._with_stamp("-tsr", stranger))
        for at in sorted(self._chance.sample(authority.find_meaning(response), 60)):
            yield Alteration(f"stamp: answer flipped at {at}", self._with_stamp("-tsr", flip_bit(response, at)))
        for at in range(len(request)):
            yield Alteration(f"stamp: request flipped at {at}", self._with_stamp("-tsq", flip_bit(request, at)))

    def _insider_claims(self) -> Iterator[Alteration]:
        """By the owner of the key, who signs and stamps anew: what follows from the records is found out even so."""
        for what, altered in InsiderLies(self.parts, self.other).list_all():
            yield Alteration(f"insider: {what}", partial(self.resign, altered.rehash(), self.sealer))

    def resign(self, parts: Parts, sealer: Sealer | None = None) -> bytes:
        """The package signed and stamped by a stranger, or by whoever is named."""
        sealer = sealer or self.stranger
        path = self.path.with_name("resigned.wacz")
        path.write_bytes(parts.drop(f"{STAMP}-tsq", f"{STAMP}-tsr").build())
        sealer.sign(path)
        sealer.stamp(path)
        return path.read_bytes()

    def _with_digest(self, value: dict[str, Any]) -> bytes:
        return self.parts.put({DIGEST_FILE: json.dumps(value, indent=2).encode()}).build()

    def _with_signed(self, **fields: str | None) -> bytes:
        value = self.parts.json(DIGEST_FILE)
        signed = {**value["signedData"], **fields}
        value["signedData"] = {name: text for name, text in signed.items() if text is not None}
        return self._with_digest(value)

    def _with_stamp(self, what: str, data: bytes) -> bytes:
        return self.parts.put({f"{STAMP}{what}": data}).build()

    def _forged_by_key(self) -> bytes:
        """Other content under the old signature and a key that was computed to fit: who stamps signatures is fooled."""
        changed = self.parts.put({"evidence/cover.html": b"<h1>It never stood there</h1>"}).rehash()
        value = changed.json(DIGEST_FILE)
        message = value["hash"].encode()
        value["signedData"]["publicKey"] = compute_key(message, value["signedData"]["signature"])
        return changed.put({DIGEST_FILE: json.dumps(value, indent=2).encode()}).build()


def _find_all(data: bytes, wanted: bytes) -> Iterator[int]:
    at = data.find(wanted)
    while at >= 0:
        yield at
        at = data.find(wanted, at + 1)


def _data_start(whole: bytes, info: zipfile.ZipInfo) -> int:
    name_size, extra_size = struct.unpack_from("<HH", whole, info.header_offset + 26)
    return info.header_offset + 30 + int(name_size) + int(extra_size)


def _header_places(whole: bytes, infos: list[zipfile.ZipInfo]) -> set[int]:
    """All places of a ZIP file that are not of the bytes of a member."""
    starts = [(_data_start(whole, info), info.compress_size) for info in infos]
    return set(range(len(whole))) - {place for start, size in starts for place in range(start, start + size)}


def _has_same_files(data: bytes, parts: Parts) -> bool:
    """Whether a package has the same files still: some bits behind the end of what is deflated mean nothing."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as zipped:
            return {info.filename: zipped.read(info) for info in zipped.infolist()} == parts.files
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return False
