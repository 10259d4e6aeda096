"""The log that a package's records were taken from: whether its checkpoint is signed, and which records are in it; of
packages that `evidence` makes all must be, of parts of an archive those are that it had already.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from webkeep.errors import FormatError
from webkeep.evidence.verification.claims_check import CLAIMS_PATH
from webkeep.evidence.verification.record_check import CheckedRecords
from webkeep.evidence.verification.verdict import LogJudgement
from webkeep.formats import Flaws, read_json
from webkeep.formats.transparency import Checkpoint, SignedNote, parse_checkpoint, parse_note_key, parse_proof_set

CHECKPOINT_PATH, PROOFS_PATH = "evidence/log-checkpoint.txt", "evidence/log-proofs.json"
CARRIED_PATH = "log/checkpoint"
"""The checkpoint of a log that came along with an export, among whose records it is noted or proven."""
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
        proofs = parse_proof_set(files.get(PROOFS_PATH, b""))
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


def _is_signed(checkpoint: Checkpoint, note: SignedNote, claims: bytes) -> bool | None:
    """Whether the key that the package names signed a checkpoint; None where it names none."""
    value = read_json(claims)
    named = value.get(_KEY_FIELD) if isinstance(value, dict) else None
    if not isinstance(named, str) or not named:
        return None
    key = parse_note_key(named)
    return key.name == checkpoint.origin and bool(note.signers_among([key]))
