"""Whatever webkeep does to an archive in whatever order, its log stays sound, and every checkpoint of it holds."""

import random
import shutil
from pathlib import Path

import pytest
from log_tampering import remove_caches, remove_log
from logged_archives import SIGNER, exchange, logged_entries, store

from webkeep.formats.transparency import parse_checkpoint
from webkeep.model import Finding
from webkeep.store.archive import Archive, Selection, WritableArchive
from webkeep.store.log import KeptCheckpoint, make_checkpoint
from webkeep.store.maintenance import rebuild_caches, take_down, verify_archive
from webkeep.store.transfer import RecordImport


class Sequence:
    """Things done to one archive by chance, and the checkpoints that were made on the way."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self._count = 0
        self.path = folder / "a"
        self.notes = [store(self.path, "first", rotate_at=4000)]
        self.prefixes = [logged_entries(self.path)[: parse_checkpoint(self.notes[0])[0].size]]

    def step(self) -> None:
        steps = (self.store, self.store, self.revisit, self.remove, self.drop_in, self.take_in, self.lose, self.recover)
        self._chance.choice(steps)()

    def checkpoint(self) -> None:
        with WritableArchive(self.path, rotate_at=4000) as archive:
            self.notes.append(make_checkpoint(archive, SIGNER))
        self.prefixes.append(logged_entries(self.path)[: parse_checkpoint(self.notes[-1])[0].size])

    def _names(self, count: int) -> list[str]:
        self._count += count
        return [f"{number}" for number in range(self._count - count, self._count)]

    def store(self) -> None:
        store(self.path, *self._names(self._chance.randint(1, 6)), rotate_at=4000)

    def revisit(self) -> None:
        with WritableArchive(self.path, rotate_at=4000) as archive, archive.begin("test") as capture:
            for name in self._names(3):
                capture.submit(exchange(name, b"the same " * 40))

    def remove(self) -> None:
        with Archive(self.path) as archive:
            urls = sorted({each.url for each in archive})
        if urls:
            with WritableArchive(self.path) as archive:
                take_down(archive, Selection(url=self._chance.choice(urls)), "by chance", lambda _: None)

    def _other_files(self) -> list[Path]:
        other = self._folder / f"other-{self._count}"
        if not other.exists():
            with WritableArchive.create(other) as archive:
                for name in self._names(2):
                    archive.append(exchange(name))
        return sorted((other / "warcs").iterdir())

    def drop_in(self) -> None:
        """Files of others, before and behind those that are there, now and then one that is there already."""
        for file in [*self._other_files(), *(self.path / "warcs").glob("dropped-*")][-2:]:
            start = self._chance.choice(("aaa", "dropped", "zzz"))
            shutil.copy(file, self.path / "warcs" / f"{start}-{self._chance.randrange(10**6)}.warc.gz")

    def take_in(self) -> None:
        with WritableArchive(self.path, rotate_at=4000) as archive:
            work = RecordImport(archive, [], lambda _: None)
            for file in self._other_files():
                work.add_file(file)
            work.finish()

    def lose(self) -> None:
        self._chance.choice((remove_log, remove_caches, rebuild_caches))(self.path)

    def recover(self) -> None:
        """A state of the log that is behind, as a crash leaves it."""
        state = (self.path / "log/state.json").read_bytes() if (self.path / "log/state.json").exists() else b""
        self.store()
        if state:
            (self.path / "log/state.json").write_bytes(state)


@pytest.mark.parametrize("seed", range(8))
def test_a_sound_archive_is_never_refused(tmp_path: Path, seed: int) -> None:
    sequence = Sequence(tmp_path, seed)
    for _ in range(6):
        sequence.step()
        sequence.checkpoint()
    entries = logged_entries(sequence.path)
    for note, prefix in zip(sequence.notes, sequence.prefixes, strict=True):
        assert entries[: len(prefix)] == prefix
        findings: list[Finding] = []
        with Archive(sequence.path) as archive:
            verify_archive(archive, findings.append, kept=KeptCheckpoint(*parse_checkpoint(note), (SIGNER.raw,)))
        assert [each for each in findings if each.code.startswith("log-")] == []
