"""The prepare worker: a process that prepares records for the writer and decides for it which payloads are held
already, so that both cores are used.

Theory of operation. The writer hands over batches of packed work on a pipe and gets back, in the same order, the
records ready to be appended; what is large lies in memory that both share (`shared_buffers`). One process does all of
it, because which payloads are held already is decided in one order: it reads the catalog for what is stored and
remembers what it was handed since. Work that cannot be packed (a body too large for memory) is prepared by the writer
itself, which then asks the prepare worker, in turn, whether the payload is held. It is a program of its own
(`python -m webkeep.store.writing.prepare_worker`), so that nothing of the calling program is copied; when its input
ends, it ends. Nothing depends on it: what it does not answer for is done again by the writer.
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
from webkeep.model import Moment, VisitKind
from webkeep.process import start_worker
from webkeep.store.index.catalog import Catalog
from webkeep.store.index.payloads import StoredPayload
from webkeep.store.index.record_facts import RecordFacts
from webkeep.store.index.url_index import UrlIndex
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.record_draft import PackedTask, PreparedRecord, WriteTask
from webkeep.store.writing.shared_buffers import BufferSlice, SharedBuffer, SharedBuffers
from webkeep.store.writing.write_tasks import ExchangeTask
from webkeep.url import surt

_PIPE_BYTES = 1 << 20
"""What Linux lets an ordinary user widen a pipe to."""
_BATCH, _CLAIM, _DISCLAIM, _READY, _LEARN = range(5)
_MOMENT_FIELD, _VISIT_FIELD = RecordFacts._fields.index("moment"), RecordFacts._fields.index("visit")

PrepareResult = tuple[list[bytes | BufferSlice], list[bytes], tuple[Any, ...] | None, str, Exception | None, object]
"""The records of one piece of work or where they lie, their hashes, what the first one says and its key, what went
wrong, and what was studied."""

_BODY_FIELD = 3
"""Where the body stands in packed work."""


class PrepareWorkerLostError(Exception):
    """The prepare worker is gone; its work must be done by others."""


class PrepareWorker:
    """The writer's end of it."""

    def __init__(self, index: Path, catalog: Path, take: Callable[[list[PrepareResult] | None], None]) -> None:
        """Start one; it says so when it is `ready`. `take` gets the answers to each batch, and None once it is lost.

        Where there is no process, memory or thread to be had for it, that is an OSError or a RuntimeError.
        """
        self.ready = threading.Event()
        self.lost = False
        self._on_answers = take
        self._send_lock = threading.Lock()
        self._claims: SimpleQueue[StoredPayload | PrepareWorkerLostError | None] = SimpleQueue()
        with contextlib.ExitStack() as failing:
            self._buffers = SharedBuffers.create()
            if self._buffers is not None:
                failing.callback(self._buffers.close)
            self._process = _start_process(index, catalog, self._buffers)
            failing.callback(_end_process, self._process)
            self._input = cast("BinaryIO", self._process.stdin)
            self._output = cast("BinaryIO", self._process.stdout)
            for pipe in (self._input, self._output):
                _widen_pipe(pipe)
            self._thread = threading.Thread(target=self._receive, name="webkeep-assistant", daemon=True)
            self._thread.start()
            failing.pop_all()

    def take_buffer(self) -> SharedBuffer | None:
        """Shared memory for the next batch, if some is free; to be given back when its records are on disk."""
        return self._buffers.take() if self._buffers is not None else None

    def send_batch(self, batch: Sequence[PackedTask], buffer: SharedBuffer | None) -> None:
        """Hand over a batch."""
        if buffer is None:
            self._send((_BATCH, (batch, None)))
        else:
            laid = [_put_body_in_buffer(work, buffer) for work in batch]
            self._send((_BATCH, (laid, (buffer.start, buffer.used))))

    def release_buffer(self, buffer: SharedBuffer) -> None:
        """The records of a batch are on disk, and its buffer is free."""
        if self._buffers is not None:
            self._buffers.release(buffer)

    def records_from(self, result: PrepareResult) -> list[PreparedRecord]:
        """The records that an answer brings."""
        members, hashes, flat, key, _, _ = result
        if not members:
            return []
        facts = _facts_from_values(flat) if flat is not None else None
        first, *others = map(self._member_bytes, members)
        rest = zip(others, hashes[1:], strict=True)
        return [
            PreparedRecord((first,), facts, key=key, record_hash=hashes[0]),
            *(PreparedRecord((other,), record_hash=each) for other, each in rest),
        ]

    def _member_bytes(self, member: bytes | BufferSlice) -> bytes:
        if isinstance(member, bytes) or self._buffers is None:
            return cast("bytes", member)
        return cast("bytes", self._buffers.view(member))  # whoever writes it needs no more than a buffer

    def claim(self, payload: StoredPayload) -> StoredPayload | None:
        """The record that holds a payload; None, and from now on this one, where there is none."""
        self._send((_CLAIM, payload))
        answer = self._claims.get()
        if isinstance(answer, PrepareWorkerLostError):
            raise answer
        return answer

    def learn(self, payloads: Sequence[StoredPayload]) -> None:
        """Tell it what other archives hold of the next batch."""
        self._send((_LEARN, payloads))

    def disclaim(self, digest: str) -> None:
        """Tell it that the record which claimed a payload will not be written."""
        with contextlib.suppress(PrepareWorkerLostError):  # then it holds no claims any more
            self._send((_DISCLAIM, digest))

    def close(self) -> None:
        """End it; nothing may be under way."""
        self._process.kill()
        self._thread.join()
        _end_process(self._process)
        if self._buffers is not None:
            self._buffers.close()

    def _send(self, message: tuple[int, object]) -> None:
        try:
            with self._send_lock:
                pickle.dump(message, self._input, pickle.HIGHEST_PROTOCOL)
                self._input.flush()
        except Exception as error:  # what was sent only in part cannot be followed by anything
            self._process.kill()
            raise PrepareWorkerLostError from error

    def _receive(self) -> None:
        try:
            while True:
                kind, content = pickle.load(self._output)
                if kind == _READY:
                    self.ready.set()
                elif kind == _CLAIM:
                    self._claims.put(content)
                else:
                    self._on_answers(content)
        except Exception:  # noqa: BLE001 - whatever it was, no answer that follows can be relied on
            self._process.kill()
            self.lost = True
            self._claims.put(PrepareWorkerLostError())
            self._on_answers(None)


def _start_process(index: Path, catalog: Path, buffers: SharedBuffers | None) -> subprocess.Popen[bytes]:
    shared = [buffers.descriptor] if buffers is not None else []
    return start_worker("webkeep.store.writing.prepare_worker", [str(index), str(catalog), *map(str, shared)], shared)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was still to be sent is of no use to anyone
                pipe.close()


def _facts_from_values(flat: tuple[Any, ...]) -> RecordFacts:
    values = list(flat)
    values[_MOMENT_FIELD], values[_VISIT_FIELD] = Moment(values[_MOMENT_FIELD]), VisitKind(values[_VISIT_FIELD])
    return RecordFacts._make(values)


def _prepare_batch(content: Any, known: DedupIndex, buffers: SharedBuffers | None) -> list[PrepareResult]:
    """Prepare a batch."""
    batch, place = content
    buffer = None
    if buffers is not None and place is not None:
        buffer = buffers.reopen(*place)
        batch = [_take_body_from_buffer(packed, buffers) for packed in batch]
    works = [ExchangeTask.unpack(packed) for packed in batch]
    examined: list[tuple[str, Exception | None]] = [_digest_task(work) for work in works]
    known.prefetch([digest for digest, _ in examined if digest])
    return [
        _put_records_in_buffer(_prepare_task(work, *each, known), buffer)
        for work, each in zip(works, examined, strict=True)
    ]


def _put_body_in_buffer(packed: PackedTask, buffer: SharedBuffer) -> PackedTask:
    """Packed work with its body in the buffer, if there is room."""
    body = packed[_BODY_FIELD]
    stretch = buffer.write(body) if isinstance(body, bytes) else None
    return (*packed[:_BODY_FIELD], stretch, *packed[_BODY_FIELD + 1 :]) if stretch is not None else packed


def _take_body_from_buffer(packed: tuple[Any, ...], buffers: SharedBuffers) -> tuple[Any, ...]:
    """Packed work with its body from the buffer."""
    body = packed[_BODY_FIELD]
    return (
        (*packed[:_BODY_FIELD], bytes(buffers.view(body)), *packed[_BODY_FIELD + 1 :])
        if isinstance(body, tuple)
        else packed
    )


def _put_records_in_buffer(result: PrepareResult, buffer: SharedBuffer | None) -> PrepareResult:
    """An answer with its records in the buffer, as far as there is room."""
    if buffer is None:
        return result
    members, hashes, flat, key, error, studied = result
    laid: list[bytes | BufferSlice] = [
        (buffer.write(member) if isinstance(member, bytes) else None) or member for member in members
    ]
    return laid, hashes, flat, key, error, studied


def _digest_task(work: ExchangeTask) -> tuple[str, Exception | None]:
    try:
        return work.digest_payload(), None
    except Exception as error:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
        return "", _picklable_error(error)


def _prepare_task(work: ExchangeTask, digest: str, error: Exception | None, known: DedupIndex) -> PrepareResult:
    studied = run_analysis(work)
    if error is not None:
        return [], [], None, "", error, studied
    try:
        prepared = work.prepare_records(known)
        members: list[bytes | BufferSlice] = [b"".join(each.pieces) for each in prepared]
    except Exception as failed:  # noqa: BLE001 - what the work raises belongs to whoever submitted it
        known.disclaim(digest)
        return [], [], None, "", _picklable_error(failed), studied
    hashes = [each.record_hash for each in prepared]
    facts = prepared[0].facts
    if facts is None:
        return members, hashes, None, "", None, studied
    return members, hashes, _plain_values(facts), surt(facts.url), None, studied


def run_analysis(work: WriteTask) -> object:
    """What an analysis found, or what went wrong with it."""
    try:
        return work.analyse()
    except Exception as error:  # noqa: BLE001 - the record is kept all the same, and the one who asked is told
        return _picklable_error(error)


def _plain_values(facts: RecordFacts) -> tuple[Any, ...]:
    """Plain values pass between processes in a fraction of the time."""
    values = list(facts)
    values[_MOMENT_FIELD], values[_VISIT_FIELD] = facts.moment.micros, str(facts.visit)
    return tuple(values)


def _picklable_error(error: Exception) -> Exception:
    """An error that arrives at the other side."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever it is that keeps it from passing, its words do pass
        return StorageError(str(error))
    return error


def _widen_pipe(pipe: BinaryIO) -> None:
    """Let more lie in a pipe than it is made with, where the system allows it."""
    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _serve(index: Path, catalog: Path, buffers: SharedBuffers | None, source: BinaryIO, target: BinaryIO) -> None:
    """Be the prepare worker until the input ends."""
    gc.disable()  # what is made here hangs together in no circles
    known = DedupIndex(UrlIndex(index), Catalog(catalog))

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
            tell(_BATCH, _prepare_batch(content, known, buffers))
        elif kind == _CLAIM:
            known.prefetch([content.digest])
            tell(_CLAIM, known.claim(content))
        elif kind == _LEARN:
            known.learn(content)
        else:
            known.disclaim(content)


if __name__ == "__main__":
    # Values must be those of the module as others import it, not of the program that is running.
    from webkeep.store.writing import prepare_worker as assistant, shared_buffers as trays

    shared = trays.SharedBuffers(int(sys.argv[3])) if len(sys.argv) > 3 else None
    with contextlib.suppress(BrokenPipeError):
        assistant._serve(Path(sys.argv[1]), Path(sys.argv[2]), shared, sys.stdin.buffer, sys.stdout.buffer)
