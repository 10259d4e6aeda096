"""What the log notes about itself in the WARC files, and how that is read back: which entries it has, in their order,
what was taken down of them, and checkpoints.

A log is rebuilt from the WARC files alone, and takedowns put records into other places and take some away. So before
each checkpoint the entries that came since the last one are listed in metadata records, and a takedown lists the
hashes of what went, and of what was mended the one before and the one after. What no list has yet stands behind all
that is listed, file by file; no checkpoint has ever spoken of it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from webkeep.errors import FormatError, StorageError
from webkeep.formats import read_json
from webkeep.formats.transparency import (
    HASH_BYTES,
    Checkpoint,
    NoteKey,
    ProofSet,
    SignedNote,
    parse_checkpoint,
    parse_note_key,
    parse_proof_set,
)
from webkeep.formats.warc import combine_record_hash
from webkeep.model import RecordPlace, RecordType
from webkeep.store.index.bookkeeping import BookkeepingRecord, CatalogUpdate
from webkeep.store.index.url_index import IndexRange, UrlIndex
from webkeep.store.reading.stored_response import WarcFiles
from webkeep.url import UrlMatch, key_range

LOG_NOTE_TYPE = "application/vnd.webkeep.log+json"
_URN_PREFIX = "urn:webkeep:log:"
_ENTRIES_PER_NOTE = 1 << 16
"""So many make a record of 3 MB, which is still read in one piece."""
_MAX_NOTE_BYTES = 64 << 20
"""A longer one is not ours."""


@dataclass(frozen=True, slots=True)
class LogNote:
    """One record in which a log speaks of itself."""

    origin: str
    first: int = 0
    """The number of the first entry that it lists."""
    entries: bytes = b""
    """The entries it lists, one behind the other."""
    checkpoint: bytes = b""
    """The signed note over all entries up to the last that it lists."""
    key: str = ""
    """The public key that signed it, as text."""
    removed: tuple[bytes, ...] = ()
    """Entries whose records were taken down."""
    mended: tuple[tuple[bytes, bytes], ...] = ()
    """Entries whose records were mended for a takedown, each with what the record is now."""
    proofs: ProofSet | None = None
    """Proofs that records which were exported without the rest are in the log at its checkpoint."""
    record_hash: bytes = field(default=b"", compare=False)
    """The entry that this record itself is."""
    place: RecordPlace = field(default_factory=lambda: RecordPlace("", 0, 0), compare=False)

    @property
    def note_key(self) -> NoteKey | None:
        """The key that it names, if that can be read and is one of this log."""
        try:
            key = parse_note_key(self.key)
        except FormatError:
            return None
        return key if key.name == self.origin else None

    @property
    def is_takedown(self) -> bool:
        """Whether it says that records went."""
        return bool(self.removed or self.mended)

    @property
    def signed_checkpoint(self) -> tuple[Checkpoint, SignedNote] | None:
        """Its checkpoint, if there is one that can be read."""
        try:
            return parse_checkpoint(self.checkpoint) if self.checkpoint else None
        except FormatError:
            return None

    def to_record(self) -> BookkeepingRecord:
        """The record to be written."""
        values: dict[str, object] = {"origin": self.origin}
        if self.entries or self.checkpoint:
            values |= {"first": self.first, "entries": _encode(self.entries)}
        if self.checkpoint:
            values |= {"checkpoint": self.checkpoint.decode(), "key": self.key}
        if self.proofs is not None:
            values["proofs"] = self.proofs.to_json().decode()
        if self.is_takedown:
            values["removed"] = list(map(_encode, self.removed))
            values["mended"] = [[_encode(old), _encode(new)] for old, new in self.mended]
        block = json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode()
        return BookkeepingRecord(log_urn(self.origin), LOG_NOTE_TYPE, block, CatalogUpdate())


def log_urn(origin: str) -> str:
    """The name of the records in which a log speaks of itself."""
    return _URN_PREFIX + origin


def is_log_urn(url: str) -> bool:
    """Whether a record of this name is one in which a log speaks of itself."""
    return url.startswith(_URN_PREFIX)


def list_notes(origin: str, first: int, entries: bytes, checkpoint: bytes = b"", key: str = "") -> Iterator[LogNote]:
    """Notes that list entries; the last of them has the checkpoint, and the key that signed it."""
    step = _ENTRIES_PER_NOTE * HASH_BYTES
    starts = range(0, len(entries), step) or range(1)
    for at in starts:
        signed = (checkpoint, key) if at + step >= len(entries) else (b"", "")
        yield LogNote(origin, first + at // HASH_BYTES, entries[at : at + step], *signed)


def takedown_notes(origin: str, removed: Sequence[bytes], mended: Sequence[tuple[bytes, bytes]]) -> Iterator[LogNote]:
    """Notes that say what was taken down, and what was mended for it."""
    for at in range(0, max(len(removed), len(mended)), _ENTRIES_PER_NOTE):
        end = at + _ENTRIES_PER_NOTE
        yield LogNote(origin, removed=tuple(removed[at:end]), mended=tuple(mended[at:end]))


def parse_log_note(block: bytes) -> LogNote | None:
    """What such a record says; None where it is damaged or none of ours."""
    values = read_json(block)
    try:
        entries = _decode(values.get("entries", ""))
        note = LogNote(
            str(values["origin"]),
            int(values.get("first", 0)),
            entries,
            str(values.get("checkpoint", "")).encode(),
            str(values.get("key", "")),
            tuple(map(_decode_hash, values.get("removed", ()))),
            tuple((_decode_hash(old), _decode_hash(new)) for old, new in values.get("mended", ())),
            parse_proof_set(values["proofs"].encode()) if "proofs" in values else None,
        )
    except (FormatError, AttributeError, KeyError, TypeError, ValueError, OverflowError, binascii.Error):
        return None
    return note if note.first >= 0 and len(entries) % HASH_BYTES == 0 else None


def read_log_notes(index: UrlIndex, files: WarcFiles) -> Iterator[LogNote]:
    """The notes of all logs whose records an archive holds, its own among them."""
    low, high = key_range(_URN_PREFIX, UrlMatch.PREFIX)
    for entry in index.entries(IndexRange(low, high)):
        if entry.record_type != RecordType.METADATA or not is_log_urn(entry.url):
            continue
        try:
            with files.open(entry.place.file) as stream:
                record = files.read_record(entry.place, stream)
                block = record.read() if record.size <= _MAX_NOTE_BYTES else b""
                head, media_type = record.raw_head, record.get("content-type")
        except StorageError:  # what became of it is told by whoever reads all records
            continue
        note = parse_log_note(block) if media_type == LOG_NOTE_TYPE else None
        if note is not None and log_urn(note.origin) == entry.url:
            own = combine_record_hash(head, hashlib.sha256(block).digest())
            yield replace(note, record_hash=own, place=entry.place)


def listed_entries(notes: Iterable[LogNote]) -> bytes:
    """The entries that the notes of one log list, in order, up to the first that none lists."""
    whole = bytearray()
    for note in sorted(notes, key=lambda note: note.first):
        start = note.first * HASH_BYTES
        overlap = whole[start : start + len(note.entries)]
        if start <= len(whole) and note.entries.startswith(overlap):
            whole += note.entries[len(overlap) :]
    return bytes(whole)


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decode(text: object) -> bytes:
    return base64.b64decode(str(text), validate=True)


def _decode_hash(text: object) -> bytes:
    value = _decode(text)
    if len(value) != HASH_BYTES:
        raise ValueError(f"{len(value)} bytes are no hash")
    return value
