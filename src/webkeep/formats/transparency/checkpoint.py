"""Checkpoints (C2SP tlog-checkpoint): the size and root of a log at one time, as a signed note that can be stamped,
printed, mailed and published.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from webkeep.errors import FormatError
from webkeep.formats.transparency.merkle_proofs import MAX_TREE_SIZE
from webkeep.formats.transparency.merkle_tree import EMPTY_ROOT, HASH_BYTES
from webkeep.formats.transparency.signed_note import NoteSigner, SignedNote, is_key_name, parse_note, sign_note

_SIZE = re.compile(r"0|[1-9]\d{0,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log was at one time."""

    origin: str
    """Which log."""
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    def sign(self, signer: NoteSigner | None) -> SignedNote:
        """The checkpoint as a note, signed in the name of its log; or by nobody."""
        return SignedNote(self.text) if signer is None else sign_note(self.text, self.origin, signer)


def parse_checkpoint(data: bytes) -> tuple[Checkpoint, SignedNote]:
    """A checkpoint, and the note that it is; FormatError where it is none. Nothing is said of its signatures yet."""
    note = parse_note(data)
    return read_checkpoint(note), note


def read_checkpoint(note: SignedNote) -> Checkpoint:
    """The checkpoint that a note is; FormatError where it is none."""
    lines = note.text.split("\n")[:-1]
    if len(lines) < 3 or not all(lines) or not is_key_name(lines[0]) or not _SIZE.fullmatch(lines[1]):
        raise FormatError("this is no checkpoint of a log: its name, its size, its root", "checkpoint", 0)
    size, root = int(lines[1]), _decode_hash(lines[2])
    if root is None or size > MAX_TREE_SIZE or (size == 0 and root != EMPTY_ROOT):
        raise FormatError("the root or size of this checkpoint cannot be one", "checkpoint", 0)
    return Checkpoint(lines[0], size, root)


def _decode_hash(text: str) -> bytes | None:
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return value if len(value) == HASH_BYTES and base64.b64encode(value).decode() == text else None
