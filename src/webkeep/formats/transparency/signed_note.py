"""Signed notes (C2SP signed-note): a text, and the lines of those who signed it; keys that sign them by Ed25519, as
their text form has them (`name+hash+key`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from webkeep.errors import FormatError

MAX_NOTE_BYTES = 1 << 20
"""Far more than a checkpoint with all the signatures that anybody puts below it."""
_MAX_SIGNATURES = 100
"""Notes with 16 must be read; each that is checked takes a tenth of a millisecond."""
_ED25519_TYPE = b"\x01"
_KEY_BYTES = 32
"""Of the public half of an Ed25519 key (RFC 8032)."""
_SIGNATURE_START = "\N{EM DASH} "
_CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f]")
_KEY_TEXT = re.compile(r"([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")


class NotePublicKey(Protocol):
    """The half of a key that may be known."""

    @property
    def raw(self) -> bytes:
        """The 32 bytes of an Ed25519 key."""
        ...


class NoteSigner(Protocol):
    """Whoever signs notes: a key of Ed25519, wherever it is kept."""

    @property
    def public(self) -> NotePublicKey:
        """The half of it that may be known."""
        ...

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        ...


@dataclass(frozen=True, slots=True)
class NoteKey:
    """The public half of a key that signs notes, and the name it signs by."""

    name: str
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that stand for it in signatures."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519_TYPE + self.public_key).digest()[:4]

    @property
    def text(self) -> str:
        """The key as people hand it on."""
        encoded = base64.b64encode(_ED25519_TYPE + self.public_key).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"

    def verifies(self, text: str, signature: bytes) -> bool:
        """Whether this key made a signature of a text."""
        # Every archive that is opened knows of notes; few ever check one, and this is much to load.
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


def parse_note_key(text: str) -> NoteKey:
    """A key out of its text form; FormatError where it is none, or its parts do not belong together."""
    match = _KEY_TEXT.fullmatch(text.strip())
    data = _decode_base64(match[3]) if match else None
    if match is None or data is None or data[:1] != _ED25519_TYPE or len(data) != 1 + _KEY_BYTES:
        raise FormatError("this is no Ed25519 key of signed notes (name+hash+key); copy all of it", "note key", 0)
    key = NoteKey(match[1], data[1:])
    if key.key_id.hex() != match[2]:
        raise FormatError(f"the key of {key.name} is not the one its hash is of; copy all of it", "note key", 0)
    return key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One line below a note: who signed, by which key, and the signature."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        """The line, with its end."""
        return f"{_SIGNATURE_START}{self.name} {base64.b64encode(self.key_id + self.signature).decode()}\n"


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends with a line end, and its signatures."""

    text: str
    signatures: tuple[NoteSignature, ...] = ()

    def render(self) -> bytes:
        """The note as it is kept and sent."""
        return "".join((self.text, "\n", *(each.line for each in self.signatures))).encode()

    def signers_among(self, keys: Iterable[NoteKey]) -> list[NoteKey]:
        """Those of the keys that signed it; FormatError where a signature in the name of one is wrong."""
        known = {(key.name, key.key_id): key for key in keys}
        found: dict[NoteKey, None] = {}
        for each in self.signatures:
            key = known.get((each.name, each.key_id))
            if key is None:  # of somebody unknown, who proves nothing and disproves nothing
                continue
            if not key.verifies(self.text, each.signature):
                raise FormatError(f"the signature of {key.name} is not of this text", "note", 0)
            found[key] = None
        return list(found)


def sign_note(text: str, name: str, signer: NoteSigner) -> SignedNote:
    """A text, signed in a name."""
    key = NoteKey(name, signer.public.raw)
    return SignedNote(text, (NoteSignature(name, key.key_id, signer.sign(text.encode())),))


def is_key_name(name: str) -> bool:
    """Whether a name can stand in a signature."""
    return bool(name) and name.isprintable() and not any(each.isspace() or each == "+" for each in name)


def parse_note(data: bytes) -> SignedNote:
    """A note out of its bytes, also one that nobody signed; FormatError where it is none.

    Nothing is said of the signatures yet.
    """
    if len(data) > MAX_NOTE_BYTES:
        raise FormatError("this is too long for a signed note", "note", 0)
    try:
        whole = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError("this is no signed note: it is not UTF-8", "note", error.start) from error
    text, empty_line, lines = whole.rpartition("\n\n")
    if not empty_line or not text or _CONTROL_CHARACTER.search(whole) or (lines and not lines.endswith("\n")):
        raise FormatError("this is no signed note: a text, an empty line, and lines of signatures", "note", 0)
    signed = lines.split("\n")[:-1]
    if len(signed) > _MAX_SIGNATURES:
        raise FormatError("this note has more signatures than anybody would check", "note", 0)
    return SignedNote(text + "\n", tuple(map(_parse_signature, signed)))


def _parse_signature(line: str) -> NoteSignature:
    name, blank, encoded = line.removeprefix(_SIGNATURE_START).rpartition(" ")
    data = _decode_base64(encoded)
    if not line.startswith(_SIGNATURE_START) or not blank or not is_key_name(name) or data is None or len(data) < 5:
        raise FormatError(f"{line[:80]!r} is no signature of a note", "note", 0)
    return NoteSignature(name, data[:4], data[4:])


def _decode_base64(text: str) -> bytes | None:
    """What is encoded, if it is in the one way there is."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None
