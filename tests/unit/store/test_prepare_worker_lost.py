"""However a prepare worker is lost, or cannot be had: all is written, in order, and nobody waits for ever."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prepare_worker_material import START, Spooled, exchange, findings, with_assistant

from webkeep.model import BytesBody, Observation
from webkeep.store.archive import Archive, OpenCapture, WritableArchive
from webkeep.store.writing import Acknowledgement, prepare_worker as assisting
from webkeep.store.writing.batch_preparation import TASKS_WORTH_A_WORKER
from webkeep.store.writing.dedup_index import DedupIndex
from webkeep.store.writing.prepare_worker import PrepareResult, PrepareWorker
from webkeep.store.writing.shared_buffers import SharedBuffers
from webkeep.store.writing.write_tasks import ExchangeTask, ResourceTask

UNRELIABLE = """
import pickle, sys
pickle.dump((3, None), sys.stdout.buffer)
sys.stdout.flush()
sys.stdin.buffer.read(1)
sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))
sys.stdout.flush()
sys.stdin.buffer.read()
"""
"""Says that it is ready, gives one answer whatever it is asked, and then none."""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with WritableArchive.create(tmp_path / "archive") as made:
        yield made


def out_of_order(archive: Archive) -> list[str]:
    """The revisits that stand before the record with their payload."""
    held: set[str] = set()
    early: list[str] = []
    for record in archive.records():
        digest = record.get("warc-payload-digest")
        if record.type in ("response", "resource"):
            held.add(digest)
        elif record.type == "revisit" and digest not in held:
            early.append(record.url)
    return early


def test_what_comes_after_the_loss_does_not_overtake_what_was_passed_on(archive: WritableArchive) -> None:
    body, writer = BytesBody(b"the same"), archive.writer
    assistant = with_assistant(archive)
    assistant._process.send_signal(signal.SIGSTOP)
    take, lost = assistant._on_answers, threading.Event()

    def take_late(answers: list[PrepareResult] | None) -> None:
        """Act on the loss only when the second batch is prepared."""
        lost.set()
        with writer._changed:
            writer._changed.wait_for(lambda: not writer._batches or writer._batches[-1].ready)
        take(answers)

    assistant._on_answers = take_late
    with archive.begin("test") as capture:
        writer.flush()
        first = capture.submit(exchange(10, body))
        until(lambda: bool(writer._preparation._unanswered))
        assistant._process.kill()
        assert lost.wait(60)
        second = capture.submit(exchange(11, body))
        assert (kind(first), kind(second)) == ("response", "revisit")
    assert out_of_order(archive) == []


def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        os.sched_yield()


def kind(promise: Acknowledgement) -> str:
    return stored(promise).record_type


def stored(promise: Acknowledgement) -> Observation:
    observation = promise.result()
    assert observation is not None
    return observation


@pytest.mark.parametrize("stopped", [True, False])
@pytest.mark.parametrize("killed_at", [40, 150])
def test_resources_large_and_small_bodies_around_a_loss(
    archive: WritableArchive, killed_at: int, stopped: bool
) -> None:
    with archive.begin("test") as capture:
        assistant = with_assistant(archive)
        promises = []
        for number in range(240):
            if stopped and number == killed_at - 20:  # so that work certainly is with it when it is lost
                assistant._process.send_signal(signal.SIGSTOP)
            if number == killed_at:
                assistant._process.kill()
            promises.append(submitted(capture, number))
        for number, promise in enumerate(promises):
            assert archive.read(stored(promise)).read() == payload(number)
    assert assistant.lost
    assert out_of_order(archive) == []
    assert findings(archive) == []


def submitted(capture: OpenCapture, number: int) -> Acknowledgement:
    """Hand over one of three kinds, a few of each at a time."""
    body = payload(number)
    match number // 3 % 3:
        case 0:
            return capture.submit(exchange(number, BytesBody(body)))
        case 1:
            return capture.submit(exchange(number, Spooled(body)))
        case _:
            return capture.submit_resource(f"http://example.org/file/{number}", START, "text/plain", BytesBody(body))


def payload(number: int) -> bytes:
    """One of a few payloads, which all kinds share; some are too large to be held in memory."""
    return b"%d " % (number % 40) * (400_000 if number % 40 == 17 else 300)


@pytest.mark.parametrize("content", ["exchange", "resource"])
def test_work_can_be_done_again_from_the_start(archive: WritableArchive, content: str) -> None:
    body = BytesBody(b"known already")
    held = archive.append(exchange(1, body))
    known = DedupIndex(archive.index, archive.catalog)
    work = (
        ExchangeTask(exchange(2, body), "")
        if content == "exchange"
        else ResourceTask("http://example.org/2", START, "text/plain", body, "")
    )
    for _ in range(2):
        known.prefetch([work.digest_payload()])
        sight = work.prepare_records(known)[0].facts
        assert sight is not None
        assert (sight.record_type, sight.payload_digest) == ("revisit", str(held.payload_digest))


ANSWERS = {
    "of no kind": pickle.dumps(7),
    "to another batch": pickle.dumps((0, [])),
    "of nothing": pickle.dumps((0, [None])),
    "of an unknown class": b"cno_such_module\nNothing\n.",
    "in no format": b"\xff" * 100,
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_that_makes_no_sense_is_a_loss(
    archive: WritableArchive, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    command = [sys.executable, "-c", UNRELIABLE, answer.hex()]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    monkeypatch.setattr(assisting, "start_worker", lambda *_: started)
    archive.writer.expect_many_records()
    archive.append(exchange(0))
    assistant = archive.writer._preparation._worker
    assert assistant is not None
    assert assistant.ready.wait(60)
    with archive.begin("test") as capture:
        promises = [capture.submit(exchange(number)) for number in range(1, 90)]
        promises.append(capture.submit(exchange(90, Spooled(b"y" * 5000))))
        assert [stored(promise).url for promise in promises] == [exchange(number).url for number in range(1, 91)]
    assert assistant.lost
    assert findings(archive) == []


def test_what_cannot_be_passed_on_is_prepared_here(archive: WritableArchive) -> None:
    with archive.begin("test") as capture:
        with_assistant(archive)
        promises = [capture.submit(exchange(10 + number), lambda each: each.body.size) for number in range(100)]
        for promise in promises:
            stored(promise)
        assert {promise.analysis() for promise in promises} == {13, 14}
    assert findings(archive) == []


def test_where_none_can_be_started_it_goes_without(archive: WritableArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with archive.begin("test") as capture:
        promises = [capture.submit(exchange(number)) for number in range(TASKS_WORTH_A_WORKER + 200)]
        assert len({stored(promise).url for promise in promises}) == len(promises)
    assert archive.writer._preparation._worker is None


def test_without_memory_to_share_there_are_no_shared_buffers() -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    open_before = os.listdir("/proc/self/fd")
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        assert SharedBuffers.create() is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert os.listdir("/proc/self/fd") == open_before


def test_a_preparing_thread_that_fails_tells_everyone(tmp_path: Path) -> None:
    def unable(_: object) -> PrepareWorker:
        raise ZeroDivisionError

    archive = WritableArchive.create(tmp_path / "archive")
    archive.writer._preparation._starter = unable
    archive.writer.expect_many_records()
    capture = archive.begin("test")
    with pytest.raises(ZeroDivisionError):
        for promise in [capture.submit(exchange(number)) for number in range(10)]:
            promise.result()
    with pytest.raises(ZeroDivisionError):
        archive.writer.flush()
    archive.close()
