"""Signed notes and checkpoints: published ones are read, and what is no note, or is signed by others, is told."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from webkeep.errors import FormatError
from webkeep.formats.transparency import Checkpoint, NoteKey, parse_checkpoint, parse_note_key
from webkeep.formats.transparency.signed_note import SignedNote, parse_note

VECTOR = json.loads(Path("tests/data/transparency/signed_note.json").read_text("utf-8"))
NOTE = VECTOR["note"].encode()
KEY = parse_note_key(VECTOR["key"])


class Signer:
    def __init__(self, seed: int = 1) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.raw = self._key.public_key().public_bytes_raw()
        self.public = self

    def sign(self, text: bytes) -> bytes:
        return self._key.sign(text)


def test_a_published_note_is_signed_by_its_key_and_written_as_it_was() -> None:
    note = parse_note(NOTE)
    assert note.signers_among([KEY]) == [KEY]
    assert note.render() == NOTE
    assert KEY.text == VECTOR["key"]


def test_a_note_whose_text_was_changed_is_not_signed() -> None:
    note = parse_note(NOTE.replace(b"problem", b"problen"))
    with pytest.raises(FormatError, match="is not of this text"):
        note.signers_among([KEY])


def test_signatures_of_unknown_keys_prove_nothing() -> None:
    assert parse_note(NOTE).signers_among([NoteKey("PeterNeumann", Signer().raw)]) == []


def test_a_note_may_have_empty_lines_in_its_text() -> None:
    note = SignedNote("one\n\ntwo\n", parse_note(NOTE).signatures)
    assert parse_note(note.render()) == note


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text",
        b"text\n",
        b"\n\n",
        b"text\n\nno dash\n",
        NOTE[:-1],
        NOTE.replace(b" x08", b" x0"),
        NOTE.replace(b"AM=", b"AN="),
        NOTE + b"\x00\n",
        b"\xff" + NOTE,
        b"a\n" * (1 << 20),
        NOTE + NOTE.splitlines(keepends=True)[-1] * 100,
    ],
)
def test_what_is_no_note_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_note(data)


@pytest.mark.parametrize(
    "text",
    ["", "name", "name+c74f20a3", VECTOR["key"].replace("c74f", "c75f"), VECTOR["key"][:-4], "a b" + VECTOR["key"]],
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse_note_key(text)


def test_a_checkpoint_is_read_as_it_was_signed() -> None:
    made = Checkpoint("example.org/log", 7, bytes(range(32)))
    found, note = parse_checkpoint(made.sign(Signer()).render())
    assert found == made
    assert note.signers_among([NoteKey("example.org/log", Signer().raw)])
    assert parse_checkpoint(made.sign(None).render())[0] == made


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n7\n", "\n07\n"), ("\n7\n", "\n-7\n"), ("\n7\n", "\n٧\n"), ("\n7\n", "\n0\n"), ("\n7\n", f"\n{1 << 63}\n"),
     ("=\n", "\n"), ("example", "exam ple"), ("AAEC", "AAE")],
)  # fmt: skip
def test_what_is_no_checkpoint_is_refused(old: str, new: str) -> None:
    text = Checkpoint("example.org/log", 7, bytes(range(32))).text
    assert old in text
    with pytest.raises(FormatError):
        parse_checkpoint(SignedNote(text.replace(old, new, 1)).render())


def test_no_change_of_one_bit_leaves_a_checkpoint_signed() -> None:
    made = Checkpoint("example.org/log", 7, bytes(range(32)))
    note, key = made.sign(Signer()).render(), NoteKey("example.org/log", Signer().raw)
    accepted = []
    for at in range(len(note)):
        for bit in range(8):
            changed = note[:at] + bytes([note[at] ^ 1 << bit]) + note[at + 1 :]
            try:
                if parse_checkpoint(changed)[1].signers_among([key]):
                    accepted.append((at, bit))
            except FormatError:
                continue
    assert accepted == []
