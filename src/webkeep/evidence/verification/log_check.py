"""The log that a package's records were taken from: whether its checkpoint is signed, and which records are in it; of
packages that `evidence` makes all must be, of parts of an archive those are that it had already.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace

from webkeep.errors import FormatError
from webkeep.evidence.verification.claims_check import CLAIMS_PATH
from webkeep.evidence.verification.record_check import CheckedRecords
from webkeep.evidence.verification.verdict import LogJudgement
from webkeep.formats import Flaws, read_json
from webkeep.formats.transparency import (
    Checkpoint,
    NoteKey,
    SignedNote,
    parse_checkpoint,
    parse_log_proofs,
    parse_note_key,
)
from webkeep.store.log import KeptCheckpoint

CHECKPOINT_PATH, PROOFS_PATH = "evidence/log-checkpoint.txt", "evidence/log-proofs.json"
CARRIED_PATH = "log/checkpoint"
"""The checkpoint of a log that came along with an export, among whose records it is noted or proven."""
_ABSENT_CODE = "log-absent"
_KEPT_CODES = frozenset({_ABSENT_CODE, "log-forked", "log-incomplete", "log-rolled-back", "log-record-missing"})
"""Findings which say that a log does not go on from the checkpoint that was kept."""
_KEY_FIELD = "log_key"
"""Of evidence.json: the key of the log, in the form of signed notes."""


def is_log_path(path: str) -> bool:
    """Whether a file of a package is of the log."""
    return path in (CHECKPOINT_PATH, PROOFS_PATH)


def check_log(
    files: Mapping[str, bytes], hashes: Mapping[bytes, str], source: str, flaws: Flaws
) -> LogJudgement | None:
    """What the log proves of records by their hashes; None where the package has none of it.

    Records in which this log speaks of itself come with its checkpoint or after it, so that it cannot have them.
    """
    if not any(map(is_log_path, files)):
        return None
    try:
        checkpoint, note = parse_checkpoint(files.get(CHECKPOINT_PATH, b""))
        proofs = parse_log_proofs(files.get(PROOFS_PATH, b""))
        is_signed = _is_signed(checkpoint, note, files.get(CLAIMS_PATH, b""))
    except FormatError as error:
        flaws.report("log-unreadable", source, 0, f"what it has of a log is damaged: {error.args[0]}")
        return None
    logged = [each for each, log in hashes.items() if log != checkpoint.origin]
    unproven = proofs.list_unproven(logged, checkpoint)
    if unproven:
        message = f"{len(unproven)} of its records are not in the log: they were changed or put in since"
        flaws.report("log-inclusion", source, 0, message)
    if is_signed is False:
        flaws.report("log-signature", source, 0, "the checkpoint of the log is not signed by the key that it names")
    root = base64.b64encode(checkpoint.root).decode()
    return LogJudgement(checkpoint.origin, checkpoint.size, root, len(logged) - len(unproven), bool(is_signed))


def judge_carried_log(files: Mapping[str, bytes], records: CheckedRecords) -> LogJudgement | None:
    """What a log proves that came along with an export, as of the checkpoint beside it; None where none did.

    What is damaged of it was told with the records.
    """
    try:
        checkpoint, note = parse_checkpoint(files.get(CARRIED_PATH, b""))
        carried = next((each for each in records.carried_logs if each.origin == checkpoint.origin), None)
        if carried is None:
            return None
        is_signed = bool(note.signers_among(map(parse_note_key, carried.keys)))
    except FormatError:
        return None
    root = base64.b64encode(checkpoint.root).decode()
    return LogJudgement(checkpoint.origin, checkpoint.size, root, carried.records + carried.proven, is_signed)


def hold_against_kept(
    log: LogJudgement | None, files: Mapping[str, bytes], kept: KeptCheckpoint, source: str, flaws: Flaws
) -> LogJudgement | None:
    """The same with what is known from elsewhere: the key that must have signed, a checkpoint that somebody kept.

    How the records follow from that checkpoint was found out with them.
    """
    if log is None:
        if kept.keys or kept.checkpoint is not None:
            flaws.report(_ABSENT_CODE, source, 0, "it has no log to hold against the checkpoint or key that was given")
        return None
    checkpoint, note = parse_checkpoint(files[CHECKPOINT_PATH])
    is_kept = _follows_kept(checkpoint, kept.checkpoint, source, flaws) if kept.checkpoint is not None else None
    if not kept.keys:
        return replace(log, is_kept=is_kept)
    is_expected = _has_signer(note, [NoteKey(checkpoint.origin, key) for key in kept.keys])
    if not is_expected:
        message = "the checkpoint of its log is not signed by the key that was given"
        flaws.report("log-signature-wrong", source, checkpoint.size, message)
    return replace(log, is_kept=is_kept, is_expected=is_expected)


def _follows_kept(checkpoint: Checkpoint, kept: Checkpoint, source: str, flaws: Flaws) -> bool:
    """Whether a checkpoint is of the log of another, as far as the records say nothing against it."""
    if checkpoint.origin != kept.origin:
        message = f"its log is {checkpoint.origin}, and the checkpoint that was given is one of {kept.origin}"
        flaws.report(_ABSENT_CODE, source, kept.size, message)
    elif checkpoint.size == kept.size and checkpoint != kept:
        flaws.report("log-forked", source, kept.size, "its log is another than that of the checkpoint that was given")
    return not any(each.code in _KEPT_CODES for each in flaws.findings)


def _has_signer(note: SignedNote, keys: list[NoteKey]) -> bool:
    try:
        return bool(note.signers_among(keys))
    except FormatError:
        return False


def _is_signed(checkpoint: Checkpoint, note: SignedNote, claims: bytes) -> bool | None:
    """Whether the key that the package names signed a checkpoint; None where it names none."""
    value = read_json(claims)
    named = value.get(_KEY_FIELD) if isinstance(value, dict) else None
    if not isinstance(named, str) or not named:
        return None
    key = parse_note_key(named)
    return key.name == checkpoint.origin and bool(note.signers_among([key]))
