"""An archive held against its log, and the log against checkpoints: what was changed, removed, moved or put in since,
unless a takedown says so that is itself in the log; logs that were rolled back or that fork.

Theory of operation. Every record is looked for in the log by its hash, every entry must find its record, and within a
file records stand in the order in which they were logged. The root of the tree over the entries is computed anew, and
must be that of each checkpoint: those in the archive's own records, and the one that somebody kept elsewhere, which is
the only one that whoever can write to the archive cannot have written anew.

A takedown counts if its record is in the log, and, where checkpoints were signed, if a checkpoint by one of the same
keys covers it. Whose key is believed follows from what was kept elsewhere: the keys that are given, or the one that
signed the checkpoint that is given; where neither is, the one that signed the first checkpoint there is.
"""

from __future__ import annotations

import mmap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from webkeep.errors import FormatError
from webkeep.formats.transparency import HASH_BYTES, Checkpoint, NoteKey, SignedNote, tree_root
from webkeep.model import Finding, RecordPlace
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.log.entry_matching import EntryMatcher
from webkeep.store.log.entry_tree import EntryTree
from webkeep.store.log.log_notes import LogNote, listed_entries, read_log_notes
from webkeep.store.log.log_repair import match_record, mended_entries
from webkeep.store.log.record_log import RecordLog
from webkeep.store.reading.stored_response import WarcFiles

FindingListener = Callable[[Finding], None]

_SOURCE = "log"
"""What findings of the log as a whole are about."""


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint that somebody kept elsewhere, and the keys that they know to be right."""

    checkpoint: Checkpoint | None = None
    note: SignedNote | None = None
    keys: tuple[bytes, ...] = ()
    """Public keys (Ed25519, 32 bytes each)."""


@dataclass(frozen=True, slots=True)
class LoggedEntries:
    """A log to hold records against: the archive's own, or one that came along with imported records."""

    origin: str
    entries: mmap.mmap | bytes
    reach: dict[str, int] | None = None
    """The WARC files that are in the archive's own log, and how many bytes of each; None of any other log."""

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self.entries) // HASH_BYTES


@dataclass(slots=True)
class LogVerification:
    """What holding an archive against its log came to."""

    origin: str
    size: int
    """Entries of the log."""
    records: int = 0
    """Records that are in the log as they are."""
    taken_down: int = 0
    """Entries whose records were taken down, as the log says."""
    proven: int = 0
    """Records that came with a proof that they are in the log, without the rest of it."""
    missing: int = 0
    """Entries whose records are not here; of a log that came along with an import, those that were not imported."""
    mended: int = 0
    """Entries whose records were mended for takedowns, as the log says."""
    checkpoints: int = 0
    """Checkpoints in the archive that are right."""
    signed_size: int = 0
    """Entries that the last of them covers that was signed by a key that is believed."""
    keys: list[str] = field(default_factory=list)
    """The keys that are believed."""
    kept_size: int | None = None
    """Entries that the checkpoint which was kept elsewhere covers; None where none was given."""
    since_kept: int = 0
    """Records that came since that one."""


class LogVerifier:
    """Takes the records of an archive one after the other, and then says what does not fit."""

    def __init__(
        self,
        log: LoggedEntries,
        notes: Iterable[LogNote],
        listener: FindingListener,
        kept: KeptCheckpoint | None = None,
    ) -> None:
        self._log = log
        self._listener = listener
        self._kept = kept or KeptCheckpoint()
        self._entries = log.entries
        self._matcher = EntryMatcher(self._entries)
        self._tree = EntryTree(self._read_entries)
        self._tree.grow(log.size)
        self._notes = [note for note in notes if note.origin == log.origin]
        self._keys = self._believed_keys()
        # Without the key that signed, nothing in the archive is signed.
        self._is_signed = bool(self._keys or (self._kept.note and self._kept.note.signatures))
        self._last_two = (-1, -1)
        self._is_in_order = True
        self.result = LogVerification(log.origin, log.size, keys=[key.text for key in self._keys])
        self._check_checkpoints()
        self._check_kept()
        self._proven = self._check_proofs()
        takedowns = [note for note in self._notes if note.is_takedown and self._is_in_force(note)]
        self._mended = mended_entries(takedowns)
        self._removed = Counter(entry for note in takedowns for entry in note.removed)

    def add_record(self, place: RecordPlace, record_hash: bytes) -> None:
        """Look for a record in the log."""
        reach = self._log.reach
        if reach is not None and place.offset >= reach.get(place.file, 0):  # somebody is writing
            return
        found = match_record(self._matcher, self._mended, record_hash)
        if found is None and reach is None:
            self.result.proven += record_hash in self._proven
            return
        if found is None:
            what = "a record is not in the log as it is: it was changed, or put in; compare it with another copy"
            self._report("log-record-unknown", place.file, place.offset, what)
            return
        if reach is not None:
            self._check_order(place, found)
        if self._matcher.entry(found) == record_hash:
            self.result.records += 1
        else:
            self.result.mended += 1
        if self.result.kept_size is not None and found >= self.result.kept_size:
            self.result.since_kept += 1

    def begin_file(self) -> None:
        """What is added from now on is of another file."""
        self._matcher.begin_file()
        self._last_two = (-1, -1)
        self._is_in_order = True

    def _check_order(self, place: RecordPlace, index: int) -> None:
        """Within a file entries come one behind the other; of a file where they do not, that is told once."""
        earlier, before = self._last_two
        self._last_two = (before, index)
        if index > before or not self._is_in_order:
            return
        # A record that the log has several times may have been given an entry that is another one's.
        matcher = self._matcher
        if not matcher.could_be_between(before, earlier, index) and not matcher.could_be_between(
            index, before, matcher.count
        ):
            self._is_in_order = False
            what = "a record stands behind one that was logged after it: records were moved or put in"
            self._report("log-order-changed", place.file, place.offset, what)

    def finish(self) -> LogVerification:
        """Say which entries found no record; nothing can be added any more."""
        becomes = {old: new for new, old in self._mended.items()}
        for index in self._matcher.left_over():
            entry = self._matcher.entry(index)
            if self._was_removed(entry, becomes):
                self.result.taken_down += 1
                continue
            self.result.missing += 1
            kept = self.result.kept_size
            if self._log.reach is None and kept is None:
                continue
            when = " and was there at the checkpoint" if kept is not None and index < kept else ""
            what = f"the record of entry {index} ({entry.hex()[:16]}…) is not here{when}: it was changed or removed"
            self._report("log-record-missing", _SOURCE, index, what)
        if not isinstance(self._entries, bytes):
            self._entries.close()
        return self.result

    def _was_removed(self, entry: bytes, becomes: dict[bytes, bytes]) -> bool:
        """Whether a takedown says that a record went, as it was or as it was mended before."""
        for _ in range(len(becomes) + 1):
            if self._removed[entry] > 0:
                self._removed[entry] -= 1
                return True
            if entry not in becomes:
                return False
            entry = becomes[entry]
        return False

    def _read_entries(self, start: int, count: int) -> bytes:
        return self._entries[start * HASH_BYTES : (start + count) * HASH_BYTES]

    def _believed_keys(self) -> list[NoteKey]:
        origin = self._log.origin
        given = [NoteKey(origin, key) for key in self._kept.keys]
        if given:
            return given
        named = list(dict.fromkeys(key for note in self._notes if (key := note.note_key)))
        if self._kept.note is not None:
            return _signers(self._kept.note, named)
        for _, signed in sorted(self._checkpoints(), key=lambda each: each[0].size):
            if signers := _signers(signed, named):
                return signers
        return []

    def _checkpoints(self) -> Iterator[tuple[Checkpoint, SignedNote]]:
        return (signed for note in self._notes if (signed := note.signed_checkpoint))

    def _check_checkpoints(self) -> None:
        for checkpoint, note in self._checkpoints():
            if self._log.reach is None and checkpoint.size > self._log.size:
                continue  # it did not come along as a whole; what did has proofs
            if not self._is_of_tree(checkpoint):
                what = (
                    f"the archive's own checkpoint over {checkpoint.size} entries is not of this log, which was changed"
                )
                self._report("log-checkpoint-wrong", _SOURCE, checkpoint.size, what)
                continue
            self.result.checkpoints += 1
            if self._signers(note, checkpoint.size):
                self.result.signed_size = max(self.result.signed_size, checkpoint.size)
        if self._kept.keys and self._kept.checkpoint is None and not self.result.signed_size:
            what = "no checkpoint in the archive is signed by the key that was given, so that nothing is vouched for"
            self._report("log-signature-wrong", _SOURCE, self._log.size, what)

    def _check_proofs(self) -> set[bytes]:
        """The entries that are proven to be in the log; proofs that prove nothing are told."""
        proven: set[bytes] = set()
        for note in self._notes:
            signed, proofs = note.signed_checkpoint, note.proofs
            if signed is None or proofs is None:
                continue
            wrong = proofs.list_unproven(proofs.proofs, signed[0])
            if wrong:
                what = f"{len(wrong)} of {len(proofs.proofs)} proofs that came along with records prove nothing"
                self._report("log-proof-wrong", note.place.file, note.place.offset, what)
            if self._kept.checkpoint in (None, signed[0]):
                proven |= proofs.proofs.keys() - set(wrong)
        return proven

    def _check_kept(self) -> None:
        checkpoint, note = self._kept.checkpoint, self._kept.note
        if checkpoint is None or note is None:
            return
        self.result.kept_size = checkpoint.size
        if self._log.reach is None and checkpoint.size > self._log.size:
            if checkpoint not in [each for each, _ in self._checkpoints()]:
                what = f"only {self._log.size} entries of the log came along, too few for the checkpoint"
                self._report("log-incomplete", _SOURCE, checkpoint.size, what)
        elif checkpoint.size > self._log.size:
            what = f"the log was rolled back to {self._log.size} entries; it had {checkpoint.size} at the checkpoint"
            self._report("log-rolled-back", _SOURCE, checkpoint.size, what)
        elif not self._is_of_tree(checkpoint):
            what = f"the log is another than at the checkpoint: its first {checkpoint.size} entries are not the same"
            self._report("log-forked", _SOURCE, checkpoint.size, what)
        if self._kept.keys and not self._signers(note, checkpoint.size):
            what = "the checkpoint that was given is not signed by the key that was given"
            self._report("log-signature-wrong", _SOURCE, checkpoint.size, what)

    def _is_of_tree(self, checkpoint: Checkpoint) -> bool:
        size = checkpoint.size
        return (
            checkpoint.origin == self._log.origin
            and size <= self._log.size
            and (tree_root(self._tree, size) == checkpoint.root)
        )

    def _signers(self, note: SignedNote, size: int) -> list[NoteKey]:
        try:
            return note.signers_among(self._keys)
        except FormatError as error:
            self._report(
                "log-signature-wrong", _SOURCE, size, f"of the checkpoint over {size} entries, {error.args[0]}"
            )
            return []

    def _is_in_force(self, note: LogNote) -> bool:
        """Whether a takedown is one: in the log, and signed for where there are signatures."""
        index = self._matcher.find(note.record_hash)
        if index < 0:
            return False  # its own record is told as one that is not in the log
        kept = self.result.kept_size or 0
        if self._is_signed and index >= max(self.result.signed_size, kept):
            what = (
                "a takedown is covered by no checkpoint of the key that signed before; webkeep log checkpoint signs it"
            )
            self._report("log-takedown-unsigned", note.place.file, note.place.offset, what)
            return False
        return True

    def _report(self, code: str, source: str, offset: int, message: str) -> None:
        self._listener(Finding(code, source, offset, message))


def _signers(note: SignedNote, keys: Iterable[NoteKey]) -> list[NoteKey]:
    """Those of the keys that signed, where a key that is merely named may be anybody's."""
    found: list[NoteKey] = []
    for key in keys:
        try:
            found += note.signers_among([key])
        except FormatError:
            continue
    return found


class LogVerifiers:
    """The archive's own log, and those that came along with imported records, each with its verifier."""

    def __init__(
        self,
        log: RecordLog | None,
        caches: tuple[UrlIndex, WarcFiles],
        listener: FindingListener,
        kept: KeptCheckpoint | None,
    ) -> None:
        notes: dict[str, list[LogNote]] = {}
        for note in read_log_notes(*caches):
            notes.setdefault(note.origin, []).append(note)
        logs = [LoggedEntries(log.origin, log.map_entries(), log.covered_files)] if log is not None else []
        own = log.origin if log is not None else ""
        logs += [LoggedEntries(origin, listed_entries(each)) for origin, each in notes.items() if origin != own]
        asked = kept.checkpoint.origin if kept is not None and kept.checkpoint is not None else own
        self._has_own = log is not None
        self._all = [
            LogVerifier(each, notes.get(each.origin, ()), listener, kept if each.origin == asked else None)
            for each in logs
        ]
        if asked not in {each.origin for each in logs} and asked:
            held = f"; it has that of {own}" if own else ", and keeps none; was archive.toml changed?"
            listener(Finding("log-absent", _SOURCE, 0, f"the archive has no log of the name {asked}{held}"))

    def __bool__(self) -> bool:
        return bool(self._all)

    def begin_file(self) -> None:
        """What is added from now on is of another file."""
        for each in self._all:
            each.begin_file()

    def add_record(self, place: RecordPlace, record_hash: bytes) -> None:
        """Look for a record in all of them."""
        for each in self._all:
            each.add_record(place, record_hash)

    def finish(self) -> tuple[LogVerification | None, list[LogVerification]]:
        """What is said of the archive's own log, and of the others."""
        found = [each.finish() for each in self._all]
        return (found[0], found[1:]) if self._has_own else (None, found)
