"""Playing a power cut: what a killed process had not made durable is taken from the disk again.

Theory of operation. The killed process ran with `power_cut.c` preloaded, which logged what it made durable. From that
log this module knows of each file how much is sure, of each name whether its directory was synced since, and of each
overwritten stretch what stood there before. A cut then decides by chance, for everything that is not sure, whether it
reached the disk: files lose part or all of what was appended, overwritten bytes return, new names vanish, removed
files come back, renamings are undone.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SOURCE = Path(__file__).with_name("power_cut.c")


def build(folder: Path) -> Path:
    """Compile the library that is preloaded; it needs the C compiler `cc`."""
    library = folder / "power_cut.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl", "-lpthread"], check=True)
    return library


@dataclass(slots=True)
class _File:
    """What is sure of one file."""

    sure: int
    overwritten: list[tuple[int, int, int]] = field(default_factory=list)
    """Offset and size of what was overwritten since, and where in the undo file the old bytes lie."""


@dataclass(frozen=True, slots=True)
class _Renaming:
    old: Path
    new: Path
    replaced: Path | None


class Disk:
    """A directory on a disk that may lose its power."""

    def __init__(self, root: Path, scratch: Path, library: Path) -> None:
        self.root = root
        self._scratch = scratch
        self._library = library
        self._log = scratch / "log"
        self._files: dict[Path, _File] = {}
        self._new: set[Path] = set()
        self._gone: dict[Path, tuple[Path, _File]] = {}
        self._renamed: list[_Renaming] = []
        self.settle()

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process needs in its environment to be watched."""
        return {
            "LD_PRELOAD": str(self._library),
            "POWER_CUT_ROOT": str(self.root),
            "POWER_CUT_LOG": str(self._log),
        }

    def settle(self) -> None:
        """Take all that is there now for durable, and forget what happened before."""
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)
        self._files = {path: _File(path.stat().st_size) for path in self._present()}
        self._new.clear()
        self._gone.clear()
        self._renamed.clear()

    def cut(self, chance: random.Random) -> None:
        """Lose what is not sure, or some of it, as chance has it."""
        for line in self._lines():
            self._follow(line.split("\t"))
        self._undo_renamings(chance)
        for path in sorted(self._new, key=lambda each: len(each.parts)):
            if chance.random() < 0.5:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path, (kept, known) in self._gone.items():
            if chance.random() < 0.5 and not path.exists() and path.parent.is_dir():
                shutil.copyfile(kept, path)
                self._files[path] = known
        for path in self._present():
            if path.name.endswith("-shm"):
                path.unlink()
            else:
                self._lose(path, self._files.get(path, _File(0)), chance)
        self.settle()

    def _present(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def _lines(self) -> Iterator[str]:
        if self._log.exists():
            whole, _, _ = self._log.read_text().rpartition("\n")
            yield from whole.splitlines()

    def _follow(self, event: list[str]) -> None:
        path = Path(event[1])
        match event[0], event[2:]:
            case "S", [size]:
                self._files[path] = _File(int(size))
            case "D", []:
                self._directory_synced(path)
            case "C", []:
                self._new.add(path)
                self._files[path] = _File(0)
            case "U", [kept]:
                self._removed(path, Path(kept))
            case "R", [new, kept]:
                self._renamed.append(_Renaming(path, Path(new), None if kept == "-" else Path(kept)))
                self._files[Path(new)] = self._files.pop(path, _File(0))
            case "T", [size]:
                known = self._files.setdefault(path, _File(0))
                known.sure = min(known.sure, int(size))
            case "W", [offset, size, at]:
                self._files.setdefault(path, _File(0)).overwritten.append((int(offset), int(size), int(at)))
            case _:
                raise ValueError(f"power_cut.c wrote a line of no known kind: {event}")

    def _directory_synced(self, folder: Path) -> None:
        self._new = {path for path in self._new if path.parent != folder}
        self._gone = {path: kept for path, kept in self._gone.items() if path.parent != folder}
        self._renamed = [each for each in self._renamed if each.new.parent != folder]

    def _removed(self, path: Path, kept: Path) -> None:
        known = self._files.pop(path, _File(0))
        if path in self._new:  # neither its making nor its removal may have reached the disk
            self._new.discard(path)
        elif kept.exists():
            self._gone[path] = (kept, known)

    def _undo_renamings(self, chance: random.Random) -> None:
        for each in reversed(self._renamed):
            if chance.random() < 0.5 and each.new.exists():
                each.new.rename(each.old)
                self._files[each.old] = self._files.pop(each.new, _File(0))
                if each.replaced is not None:
                    shutil.copyfile(each.replaced, each.new)

    def _lose(self, path: Path, known: _File, chance: random.Random) -> None:
        with path.open("r+b") as file, Path(f"{self._log}.undo").open("rb") as undo:
            for offset, size, at in reversed(known.overwritten):
                if chance.random() < 0.5:
                    undo.seek(at)
                    file.seek(offset)
                    file.write(undo.read(size))
        size = path.stat().st_size
        if size > known.sure:
            os.truncate(path, chance.choice((known.sure, size, chance.randint(known.sure, size))))
