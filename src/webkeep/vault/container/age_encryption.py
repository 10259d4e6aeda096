"""Encryption as the age format has it (age-encryption.org/v1), so that what is sealed can be opened by other programs
too: a random file key, wrapped by a passphrase (scrypt) or for recipients (X25519); then ChaCha20-Poly1305 in chunks.

One file key serves all segments of a run, each with a payload key of its own, so that a passphrase is stretched once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from webkeep.errors import FormatError, UsageError

_VERSION_LINE = b"age-encryption.org/v1"
_X25519_INFO = b"age-encryption.org/v1/X25519"
_SCRYPT_LABEL = b"age-encryption.org/v1/scrypt"
_CHUNK_BYTES, _TAG_BYTES, _NONCE_BYTES = 64 << 10, 16, 16
"""Of the payload: what is encrypted at once, its tag, and the nonce before it."""
_FILE_KEY_BYTES = 16
"""As the format has it."""
_ZERO_NONCE = bytes(12)
_WORK_FACTOR_LOG2 = 17
"""134 MB of memory and about half a second for each guess of a passphrase."""
_MAX_WORK_FACTOR_LOG2 = 18
"""What age itself writes; more memory than for that (268 MB) is given to nobody's header."""
_FACTOR = re.compile(r"[1-9][0-9]?")
"""A work factor as the format has it: without zeros before it."""
_MAX_HEADER_BYTES = 16 << 10
"""Room for a hundred recipients."""
_MAX_STRETCHES = 200
"""Headers that a passphrase is tried on in one recovery: each may take a second, and a vault has one for each
passphrase that it ever had."""


@dataclass(frozen=True, slots=True)
class UnsealingKeys:
    """What a person has to open a vault with."""

    passphrase: str | None = None
    identities: tuple[bytes, ...] = ()
    opened: dict[bytes, bytes] = field(default_factory=dict, repr=False, compare=False)
    """File keys by their headers, so that a passphrase is stretched once for each."""
    refused: dict[bytes, UsageError] = field(default_factory=dict, repr=False, compare=False)
    """Headers that these keys do not open, and what was said of it."""


@dataclass(frozen=True, slots=True)
class SealingKey:
    """A file key with its header, for all that one run encrypts."""

    file_key: bytes = field(repr=False)
    header: bytes

    @classmethod
    def from_passphrase(cls, passphrase: str, work_factor: int = _WORK_FACTOR_LOG2) -> SealingKey:
        """A key that whoever knows the passphrase opens."""
        file_key, salt = os.urandom(_FILE_KEY_BYTES), os.urandom(16)
        wrapped = ChaCha20Poly1305(_stretch(passphrase, salt, work_factor)).encrypt(_ZERO_NONCE, file_key, None)
        return cls._with_stanzas(file_key, [(f"scrypt {_b64(salt)} {work_factor}", wrapped)])

    @classmethod
    def for_recipients(cls, recipients: Sequence[bytes]) -> SealingKey:
        """A key that the holders of these public keys' other halves open."""
        file_key = os.urandom(_FILE_KEY_BYTES)
        return cls._with_stanzas(file_key, [_x25519_stanza(file_key, each) for each in recipients])

    @classmethod
    def reopen(cls, header: bytes, passphrase: str) -> SealingKey:
        """The key of an earlier run by its header; raises UsageError where the passphrase is another."""
        return cls(_open_file_key(header, UnsealingKeys(passphrase)), header)

    @classmethod
    def _with_stanzas(cls, file_key: bytes, stanzas: Sequence[tuple[str, bytes]]) -> SealingKey:
        lines = [_VERSION_LINE, *(f"-> {said}\n{_b64(body)}".encode() for said, body in stanzas), b"---"]
        head = b"\n".join(lines)
        return cls(file_key, head + b" " + _b64(_header_mac(file_key, head)).encode() + b"\n")

    def encrypt(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """An age file of bytes that come in pieces."""
        nonce = os.urandom(_NONCE_BYTES)
        yield self.header + nonce
        cipher = ChaCha20Poly1305(_derive(self.file_key, nonce, b"payload"))
        held, number = bytearray(), 0
        for chunk in chunks:
            held += chunk
            while len(held) > _CHUNK_BYTES:
                yield cipher.encrypt(_chunk_nonce(number, last=False), bytes(held[:_CHUNK_BYTES]), None)
                del held[:_CHUNK_BYTES]
                number += 1
        yield cipher.encrypt(_chunk_nonce(number, last=True), bytes(held), None)


def decrypt(chunks: Iterable[bytes], keys: UnsealingKeys) -> Iterator[bytes]:
    """What was encrypted; raises UsageError where the keys do not fit, FormatError where it is damaged."""
    source = iter(chunks)
    held = bytearray()
    header = _read_header(source, held)
    file_key = _open_file_key(header, keys)
    while len(held) < _NONCE_BYTES and (chunk := next(source, None)) is not None:
        held += chunk
    cipher = ChaCha20Poly1305(_derive(file_key, bytes(held[:_NONCE_BYTES]), b"payload"))
    del held[:_NONCE_BYTES]
    size, number = _CHUNK_BYTES + _TAG_BYTES, 0
    try:
        for chunk in source:
            held += chunk
            while len(held) > size:
                yield cipher.decrypt(_chunk_nonce(number, last=False), bytes(held[:size]), None)
                del held[:size]
                number += 1
        while len(held) > size:
            yield cipher.decrypt(_chunk_nonce(number, last=False), bytes(held[:size]), None)
            del held[:size]
            number += 1
        yield cipher.decrypt(_chunk_nonce(number, last=True), bytes(held), None)
    except InvalidTag as error:
        raise FormatError("what is encrypted is damaged") from error


def _read_header(source: Iterator[bytes], held: bytearray) -> bytes:
    """The header up to the end of its line of dashes; what follows stays held."""
    while True:
        dashes = held.find(b"\n--- ")
        end = held.find(b"\n", dashes + 1) if dashes >= 0 else -1
        if end >= 0:
            header = bytes(held[: end + 1])
            del held[: end + 1]
            return header
        chunk = next(source, None)
        if chunk is None or len(held) > _MAX_HEADER_BYTES:
            raise FormatError("what is encrypted has no header of age")
        held += chunk


def _open_file_key(header: bytes, keys: UnsealingKeys) -> bytes:
    if header in keys.refused:
        raise keys.refused[header]
    if header not in keys.opened:
        head, _, said = header.rpartition(b" ")
        stanzas = _parse_stanzas(head)
        try:
            file_key = _unwrap(stanzas, keys)
        except UsageError as error:
            keys.refused[header] = error
            raise
        if not hmac.compare_digest(_b64(_header_mac(file_key, head)).encode(), said.strip()):
            raise FormatError("the header of what is encrypted was altered")
        keys.opened[header] = file_key
    return keys.opened[header]


def _parse_stanzas(head: bytes) -> list[tuple[list[str], bytes]]:
    lines = head.split(b"\n")
    if lines[0] != _VERSION_LINE or lines[-1] != b"---":
        raise FormatError("what is encrypted has no header of age")
    stanzas: list[tuple[list[str], bytes]] = []
    for line in lines[1:-1]:
        if line.startswith(b"-> "):
            stanzas.append((line[3:].decode("ascii", "replace").split(" "), b""))
        elif stanzas:
            stanzas[-1] = (stanzas[-1][0], stanzas[-1][1] + line)
    return [(said, _unb64(body)) for said, body in stanzas]


def _unwrap(stanzas: Sequence[tuple[list[str], bytes]], keys: UnsealingKeys) -> bytes:
    for said, body in stanzas:
        match said:
            case ["scrypt", salt, factor]:
                if len(keys.opened) + len(keys.refused) >= _MAX_STRETCHES:
                    raise FormatError(f"the passphrase was tried on {_MAX_STRETCHES} others already")
                return _unwrap_by_passphrase(_unb64(salt.encode()), factor, body, keys.passphrase)
            case ["X25519", share]:
                for identity in keys.identities:
                    if (file_key := _unwrap_by_identity(_unb64(share.encode()), body, identity)) is not None:
                        return file_key
    if not keys.identities:
        raise UsageError("this vault is encrypted for the holder of a key; give its file by --identity FILE")
    raise UsageError("none of these identities is the right one; the vault itself is whole")


def _unwrap_by_passphrase(salt: bytes, factor: str, body: bytes, passphrase: str | None) -> bytes:
    if passphrase is None:
        raise UsageError("this vault is encrypted by a passphrase; give it by --passphrase-file FILE")
    if not _FACTOR.fullmatch(factor) or int(factor) > _MAX_WORK_FACTOR_LOG2:
        raise FormatError(f"its passphrase is stretched more than is safe to do here ({factor[:20]!r})")
    try:
        return ChaCha20Poly1305(_stretch(passphrase, salt, int(factor))).decrypt(_ZERO_NONCE, body, None)
    except InvalidTag as error:
        raise UsageError("the passphrase is wrong; the vault itself is whole") from error


def _unwrap_by_identity(share: bytes, body: bytes, identity: bytes) -> bytes | None:
    key = X25519PrivateKey.from_private_bytes(identity)
    try:
        shared = key.exchange(X25519PublicKey.from_public_bytes(share))
        wrap_key = _derive(shared, share + key.public_key().public_bytes_raw(), _X25519_INFO)
        return ChaCha20Poly1305(wrap_key).decrypt(_ZERO_NONCE, body, None)
    except (InvalidTag, ValueError):
        return None


def _x25519_stanza(file_key: bytes, recipient: bytes) -> tuple[str, bytes]:
    ephemeral = X25519PrivateKey.generate()
    share = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(recipient))
    wrapped = ChaCha20Poly1305(_derive(shared, share + recipient, _X25519_INFO)).encrypt(_ZERO_NONCE, file_key, None)
    return f"X25519 {_b64(share)}", wrapped


def _stretch(passphrase: str, salt: bytes, factor: int) -> bytes:
    return Scrypt(salt=_SCRYPT_LABEL + salt, length=32, n=1 << factor, r=8, p=1).derive(passphrase.encode())


def _derive(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(key)


def _header_mac(file_key: bytes, head: bytes) -> bytes:
    return hmac.new(_derive(file_key, b"", b"header"), head, hashlib.sha256).digest()


def _chunk_nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\1" if last else b"\0")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode().rstrip("=")


def _unb64(text: bytes) -> bytes:
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError("the header of what is encrypted cannot be read") from error
