"""Work beside jobs that somebody waits for at a page: files to be taken along, a look at a site before it is captured.

Theory of operation. Each piece is a process of its own that calls the command, in a folder of its own, and two run at a
time: whatever it reads and however long that takes, the pages answer. What a process makes is there once it has ended
well, never before. Pieces are kept for a while, so that who asks again has the same, within a budget of the disk: what
was asked for longest ago goes first. Nothing of it outlives the service.
"""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.service.notices import PASSWORD_VARIABLE
from webkeep.service.run.disk_budget import folder_bytes

_PROGRAM = (sys.executable, "-P", "-m", "webkeep")
_FOR_PROGRAMS = ("--json",)
ZIP_PROGRAM = (sys.executable, "-P", "-m", "zipfile")
"""What packs a folder into one file."""
_RUNNING_AT_ONCE = 2
"""So many processes, beside those of jobs."""
_MAX_PIECES = 200
"""Pieces at a time, those that are kept among them: each is a folder, and all are looked through for room."""
_KEPT_SECONDS = 3600.0
"""So long what was made is kept after somebody asked for it last."""
DEFAULT_SIDE_BYTES = 20_000_000_000
"""What all pieces may take of the disk together."""
_MAX_OUTPUT_BYTES = 1 << 20
"""Of what a command tells programs: a summary and some events."""
_FINISHED_CODES = (0, 1)
"""Exit codes: done, be it with findings."""


class SideStage(enum.StrEnum):
    """Where a piece of work is."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@dataclass(slots=True)
class SidePiece:
    """One piece of work; its fields are changed by its own thread alone."""

    folder: Path
    call: Sequence[str]
    """Its program and words."""
    seconds: float
    """So long it may take."""
    asked: float
    """When somebody asked for it last."""
    stage: SideStage = SideStage.WAITING
    message: str = ""
    """Why it failed."""
    process: subprocess.Popen[bytes] | None = None
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def bytes(self) -> int:
        """What it takes of the disk by now."""
        return folder_bytes(self.folder)

    def read_output(self) -> list[Mapping[str, Any]]:
        """What its process told for programs so far, the newest last; whole lines alone."""
        try:
            with (self.folder / "output.jsonl").open("rb") as stream:
                text = stream.read(_MAX_OUTPUT_BYTES)
        except OSError:
            return []
        told = (read_json(line) for line in text.split(b"\n")[:-1])
        return [each for each in told if isinstance(each, dict)]


class SideWork:
    """All pieces of one service."""

    def __init__(self, folder: Path, has_room: Callable[[], bool], clock: Callable[[], float]) -> None:
        """`has_room` says whether more may be written to the disk; `clock` gives seconds that only grow."""
        self._folder, self._has_room, self._clock = folder, has_room, clock
        self._pieces: OrderedDict[str, SidePiece] = OrderedDict()
        self._turns = threading.BoundedSemaphore(_RUNNING_AT_ONCE)
        self._lock = threading.Lock()
        self._is_closed = False
        shutil.rmtree(folder, ignore_errors=True)  # what an earlier service left is of no use to anybody

    def find(self, name: str) -> SidePiece | None:
        """A piece that was begun, which is kept for longer by that."""
        with self._lock:
            piece = self._pieces.get(name)
            if piece is not None:
                piece.asked = self._clock()
                self._pieces.move_to_end(name)
            return piece

    def begin(
        self,
        name: str,
        make_words: Callable[[Path], Sequence[str]],
        seconds: float,
        program: Sequence[str] = _PROGRAM,
    ) -> SidePiece:
        """Have the command, or another program, called with words for a folder; a piece that is there stays."""
        known = self.find(name)
        if known is not None and known.stage is not SideStage.FAILED:
            return known
        if not self._has_room():
            raise UsageError("the disk is too full to make a file; make room, or wait until captures are done")
        with self._lock:
            self._make_room()
            folder = self._folder / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            told = _FOR_PROGRAMS if program is _PROGRAM else ()
            call = (*program, *make_words(folder), *told)
            piece = self._pieces[name] = SidePiece(folder, call, seconds, self._clock())
            self._pieces.move_to_end(name)
        threading.Thread(target=self._work, args=(piece,), daemon=True).start()
        return piece

    def _make_room(self) -> None:
        """Take away what nobody asked for lately, and of the rest the oldest while it is too much."""
        now = self._clock()
        for name, piece in list(self._pieces.items()):
            if piece.over.is_set() and now - piece.asked > _KEPT_SECONDS:
                self._remove(name)
        ended = [name for name, piece in self._pieces.items() if piece.over.is_set()]
        total = sum(piece.bytes for piece in self._pieces.values())
        while ended and (total > DEFAULT_SIDE_BYTES or len(self._pieces) >= _MAX_PIECES):
            total -= self._pieces[ended[0]].bytes
            self._remove(ended.pop(0))
        if len(self._pieces) >= _MAX_PIECES:
            raise UsageError("too much is being made at this moment; try again in a few minutes")

    def _remove(self, name: str) -> None:
        shutil.rmtree(self._pieces.pop(name).folder, ignore_errors=True)

    # ---- in the thread of a piece ----

    def _work(self, piece: SidePiece) -> None:
        try:
            with self._turns:
                if not self._is_closed:
                    piece.stage = SideStage.WORKING
                    self._run(piece)
        except OSError as error:
            piece.message = f"it cannot be made ({error.strerror}); look for room on the disk"
            piece.stage = SideStage.FAILED
        finally:
            piece.over.set()

    def _run(self, piece: SidePiece) -> None:
        with self._start(piece) as process:
            piece.process = process
            try:
                code = process.wait(piece.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                piece.message = f"it took longer than {piece.seconds:g} seconds, and was ended"
                piece.stage = SideStage.FAILED
                return
            finally:
                piece.process = None
        if code in _FINISHED_CODES:
            piece.stage = SideStage.DONE
        else:
            piece.message = _failure_of(piece)
            piece.stage = SideStage.FAILED

    @staticmethod
    def _start(piece: SidePiece) -> subprocess.Popen[bytes]:
        environment = {name: value for name, value in os.environ.items() if name != PASSWORD_VARIABLE}
        with (piece.folder / "output.jsonl").open("xb") as output, (piece.folder / "log").open("xb") as log:
            return subprocess.Popen(
                piece.call,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                env=environment,
                cwd=piece.folder,
            )

    def close(self) -> None:
        """End what is under way, and take all of it away."""
        self._is_closed = True
        for piece in self._list():
            if (process := piece.process) is not None:
                with suppress(ProcessLookupError):
                    process.terminate()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _list(self) -> Iterator[SidePiece]:
        with self._lock:
            yield from list(self._pieces.values())


def _failure_of(piece: SidePiece) -> str:
    told = piece.read_output()
    said = str(told[-1].get("error", "")) if told else ""
    return said or "it could not be made, and its process did not say why"
