"""The assistant: a process that prepares records for the writer, so that both cores are used.

Theory of operation. The writer hands over batches of packed work on a pipe and gets back, in the same order, the
records ready to be appended; what is large lies in memory that both share (`trays`). One process does all of it,
because which payloads are held already is decided in one order: it reads the catalog for what is stored and remembers
what it was handed since. Work that cannot be packed (a body too large for memory) is prepared by the writer itself,
which then asks the assistant, in turn, whether the payload is held. It is a program of its own
(`python -m webkeep.store.assistant`), so that nothing of the calling program is copied; when its input ends, it ends.
Nothing depends on it: what it does not answer for is done again by the writer.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, cast

from webkeep.errors import StorageError
from webkeep.model import Moment, Visit
from webkeep.store.catalog import Catalog
from webkeep.store.drafting import Packed, Prepared, Work
from webkeep.store.index import Index
from webkeep.store.payload import Payload
from webkeep.store.preparing import ExchangeWork
from webkeep.store.recollection import Recollection
from webkeep.store.side_program import started_beside
from webkeep.store.sight import Sight
from webkeep.store.trays import Stretch, Tray, Trays
from webkeep.url.key import surt

_PIPE = 1 << 20
_BATCH, _CLAIM, _DISCLAIM, _READY = range(4)
_MOMENT, _VISIT = Sight._fields.index("moment"), Sight._fields.index("visit")

Answer = tuple[list[bytes | Stretch], tuple[Any, ...] | None, str, Exception | None, object]
"""The records of one piece of work or where they lie, what the first one says and its key, what went wrong, and what
was studied."""

_BODY = 3
"""Where the body stands in packed work."""


class AssistantLostError(Exception):
    """The assistant is gone; its work must be done by others."""


class Assistant:
    """The writer's end of it."""

    def __init__(self, index: Path, catalog: Path, take: Callable[[list[Answer] | None], None]) -> None:
        """Start one; it says so when it is `ready`. `take` gets the answers to each batch, and None once it is lost.

        Where there is no process, memory or thread to be had for it, that is an OSError or a RuntimeError.
        """
        self.ready = threading.Event()
        self.lost = False
        self._take = take
        self._sending = threading.Lock()
        self._claims: SimpleQueue[Payload | AssistantLostError | None] = SimpleQueue()
        with contextlib.ExitStack() as failing:
            self._trays = Trays.made()
            if self._trays is not None:
                failing.callback(self._trays.close)
            self._process = _started(index, catalog, self._trays)
            failing.callback(_end, self._process)
            self._input = cast("BinaryIO", self._process.stdin)
            self._output = cast("BinaryIO", self._process.stdout)
            for pipe in (self._input, self._output):
                _widen(pipe)
            self._thread = threading.Thread(target=self._receive, name="webkeep-assistant", daemon=True)
            self._thread.start()
            failing.pop_all()

    def tray(self) -> Tray | None:
        """Shared memory for the next batch, if some is free; to be given back when its records are on disk."""
        return self._trays.take() if self._trays is not None else None

    def prepare(self, batch: Sequence[Packed], tray: Tray | None) -> None:
        """Hand over a batch."""
        if tray is None:
            self._send((_BATCH, (batch, None)))
        else:
            laid = [_laid_down(work, tray) for work in batch]
            self._send((_BATCH, (laid, (tray.start, tray.used))))

    def give_back(self, tray: Tray) -> None:
        """The records of a batch are on disk, and its tray is free."""
        if self._trays is not None:
            self._trays.give_back(tray)

    def prepared_from(self, answer: Answer) -> list[Prepared]:
        """The records that an answer brings."""
        members, flat, key, _, _ = answer
        if not members:
            return []
        sight = _sight(flat) if flat is not None else None
        first, *others = map(self._piece, members)
        return [Prepared((first,), sight, key=key), *(Prepared((other,)) for other in others)]

    def _piece(self, member: bytes | Stretch) -> bytes:
        if isinstance(member, bytes) or self._trays is None:
            return cast("bytes", member)
        return cast("bytes", self._trays.view(member))  # whoever writes it needs no more than a buffer

    def claim(self, payload: Payload) -> Payload | None:
        """The record that holds a payload; None, and from now on this one, where there is none."""
        self._send((_CLAIM, payload))
        answer = self._claims.get()
        if isinstance(answer, AssistantLostError):
            raise answer
        return answer

    def disclaim(self, digest: str) -> None:
        """Tell it that the record which claimed a payload will not be written."""
        with contextlib.suppress(AssistantLostError):  # then it holds no claims any more
            self._send((_DISCLAIM, digest))

    def close(self) -> None:
        """End it; nothing may be under way."""
        self._process.kill()
        self._thread.join()
        _end(self._process)
        if self._trays is not None:
            self._trays.close()

    def _send(self, message: tuple[int, object]) -> None:
        try:
            with self._sending:
                pickle.dump(message, self._input, pickle.HIGHEST_PROTOCOL)
                self._input.flush()
        except Exception as error:  # what was sent only in part cannot be followed by anything
            self._process.kill()
            raise AssistantLostError from error

    def _receive(self) -> None:
        try:
            while True:
                kind, content = pickle.load(self._output)
                if kind == _READY:
                    self.ready.set()
                elif kind == _CLAIM:
                    self._claims.put(content)
                else:
                    self._take(content)
        except Exception:  # noqa: BLE001 - whatever it was, no answer that follows can be relied on
            self._process.kill()
            self.lost = True
            self._claims.put(AssistantLostError())
            self._take(None)


def _started(index: Path, catalog: Path, trays: Trays | None) -> subprocess.Popen[bytes]:
    shared = [trays.descriptor] if trays is not None else []
    return started_beside("webkeep.store.assistant", [str(index), str(catalog), *map(str, shared)], shared)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was still to be sent is of no use to anyone
                pipe.close()


def _sight(flat: tuple[Any, ...]) -> Sight:
    values = list(flat)
    values[_MOMENT], values[_VISIT] = Moment(values[_MOMENT]), Visit(values[_VISIT])
    return Sight._make(values)


def _answers(content: Any, known: Recollection, trays: Trays | None) -> list[Answer]:
    """Prepare a batch."""
    batch, place = content
    tray = None
    if trays is not None and place is not None:
        tray = trays.filled(*place)
        batch = [_lifted(packed, trays) for packed in batch]
    works = [ExchangeWork.unpacked(packed) for packed in batch]
    examined: list[tuple[str, Exception | None]] = [_examined(work) for work in works]
    known.recall([digest for digest, _ in examined if digest])
    return [_laid(_answer(work, *each, known), tray) for work, each in zip(works, examined, strict=True)]


def _laid_down(packed: Packed, tray: Tray) -> Packed:
    """Packed work with its body on the tray, if there is room."""
    body = packed[_BODY]
    stretch = tray.put(body) if isinstance(body, bytes) else None
    return (*packed[:_BODY], stretch, *packed[_BODY + 1 :]) if stretch is not None else packed


def _lifted(packed: tuple[Any, ...], trays: Trays) -> tuple[Any, ...]:
    """Packed work with its body from the tray."""
    body = packed[_BODY]
    return (*packed[:_BODY], bytes(trays.view(body)), *packed[_BODY + 1 :]) if isinstance(body, tuple) else packed


def _laid(answer: Answer, tray: Tray | None) -> Answer:
    """An answer with its records on the tray, as far as there is room."""
    if tray is None:
        return answer
    members, flat, key, error, studied = answer
    laid: list[bytes | Stretch] = [
        (tray.put(member) if isinstance(member, bytes) else None) or member for member in members
    ]
    return laid, flat, key, error, studied


def _examined(work: ExchangeWork) -> tuple[str, Exception | None]:
    try:
        return work.examine(), None
    except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
        return "", _portable(error)


def _answer(work: ExchangeWork, digest: str, error: Exception | None, known: Recollection) -> Answer:
    studied = studied_of(work)
    if error is not None:
        return [], None, "", error, studied
    try:
        prepared = work.prepare(known)
        members: list[bytes | Stretch] = [b"".join(each.pieces) for each in prepared]
    except Exception as failed:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
        known.disclaim(digest)
        return [], None, "", _portable(failed), studied
    sight = prepared[0].sight
    if sight is None:
        return members, None, "", None, studied
    return members, _flat(sight), surt(sight.url), None, studied


def studied_of(work: Work) -> object:
    """What a study found, or what went wrong with it."""
    try:
        return work.study()
    except Exception as error:  # noqa: BLE001 - the record is kept all the same, and the one who asked is told
        return _portable(error)


def _flat(sight: Sight) -> tuple[Any, ...]:
    """Plain values pass between processes in a fraction of the time."""
    values = list(sight)
    values[_MOMENT], values[_VISIT] = sight.moment.micros, str(sight.visit)
    return tuple(values)


def _portable(error: Exception) -> Exception:
    """An error that arrives at the other side."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever it is that keeps it from passing, its words do pass
        return StorageError(str(error))
    return error


def _widen(pipe: BinaryIO) -> None:
    """Let more lie in a pipe than it is made with, where the system allows it."""
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)


def _assist(index: Path, catalog: Path, trays: Trays | None, source: BinaryIO, target: BinaryIO) -> None:
    """Be the assistant until the input ends."""
    gc.disable()  # what is made here hangs together in no circles
    known = Recollection(Index(index), Catalog(catalog))

    def tell(kind: int, content: object) -> None:
        pickle.dump((kind, content), target, pickle.HIGHEST_PROTOCOL)
        target.flush()

    tell(_READY, None)
    while True:
        try:
            kind, content = pickle.load(source)
        except (EOFError, pickle.UnpicklingError):  # cut off where whoever sent it was killed
            return
        if kind == _BATCH:
            tell(_BATCH, _answers(content, known, trays))
        elif kind == _CLAIM:
            known.recall([content.digest])
            tell(_CLAIM, known.claim(content))
        else:
            known.disclaim(content)


if __name__ == "__main__":
    # Values must be those of the module as others import it, not of the program that is running.
    from webkeep.store import assistant, trays

    shared = trays.Trays(int(sys.argv[3])) if len(sys.argv) > 3 else None
    with contextlib.suppress(BrokenPipeError):
        assistant._assist(Path(sys.argv[1]), Path(sys.argv[2]), shared, sys.stdin.buffer, sys.stdout.buffer)
