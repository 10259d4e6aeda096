import random
import resource
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from webkeep.errors import StorageError, UsageError
from webkeep.model import Body, BytesBody, Exchange, Finding, Moment
from webkeep.store.archive import Archive, OpenCapture, WritableArchive
from webkeep.store.maintenance import verify_archive
from webkeep.store.writing import Acknowledgement
from webkeep.store.writing.record_draft import DedupLookup, LocalWriteTask, PreparedRecord
from webkeep.store.writing.write_tasks import ExchangeTask

DAY = Moment.parse("2024-03-01")
HEAD = b"HTTP/1.1 200 OK\r\n\r\n"
LARGE = b"large and streamed " * 150_000


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with WritableArchive.create(tmp_path / "archive") as made:
        yield made


def exchange(name: str, body: Body, request_body: Body | None = None) -> Exchange:
    request = b"POST / HTTP/1.1\r\n\r\n" if request_body else b""
    return Exchange(f"http://example.org/{name}", DAY, HEAD, body, request, request_body or BytesBody())


@dataclass
class Deceiving:
    """A body that reads well so many times and then fails, or is shorter than it said."""

    data: bytes
    readings: int
    shorter: bool = False

    @property
    def size(self) -> int:
        return len(self.data)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        self.readings -= 1
        if self.readings >= 0:
            yield self.data[start:]
        elif self.shorter:
            yield self.data[start : len(self.data) // 2]
        else:
            yield self.data[start : len(self.data) // 2]
            raise OSError("the spool is gone")


@dataclass
class Gate(LocalWriteTask):
    """Work that stands still until it is let through."""

    work: ExchangeTask
    before: Callable[[], object]

    def digest_payload(self) -> str:
        self.before()
        return self.work.digest_payload()

    def prepare_records(self, known: DedupLookup) -> Sequence[PreparedRecord]:
        return self.work.prepare_records(known)


def findings(archive: Archive) -> list[Finding]:
    found: list[Finding] = []
    verify_archive(archive, found.append)
    return found


def urls(archive: Archive) -> list[str]:
    return [observation.url.rpartition("/")[2] for observation in archive.observations()]


# The size decides whether a body is read while the record is prepared, or streamed while it is appended.
SPOILT = {
    "when digested": exchange("spoilt", Deceiving(b"x" * 2000, 0)),
    "when prepared": exchange("spoilt", Deceiving(b"x" * 2000, 1)),
    "when sampled": exchange("spoilt", Deceiving(LARGE, 1)),
    "when streamed": exchange("spoilt", Deceiving(LARGE, 2)),
    "when the request is streamed": exchange("spoilt", BytesBody(b"x"), Deceiving(LARGE, 2)),
}


@pytest.mark.parametrize("when", SPOILT)
def test_what_fails_spoils_only_itself(archive: WritableArchive, when: str) -> None:
    with archive.begin("test") as capture:
        before = capture.submit(exchange("before", BytesBody(b"before")))
        spoilt = capture.submit(SPOILT[when])
        after = capture.submit(exchange("after", BytesBody(b"after")))
        assert before.result() is not None
        assert after.result() is not None
        with pytest.raises(OSError, match="the spool is gone"):
            spoilt.result()
    assert urls(archive) == ["before", "after"]
    assert findings(archive) == []


@pytest.mark.parametrize(("data", "readings"), [(b"x" * 2000, 1), (LARGE, 2)])
def test_a_body_shorter_than_it_said_is_not_stored(archive: WritableArchive, data: bytes, readings: int) -> None:
    with archive.begin("test") as capture:
        spoilt = capture.submit(exchange("spoilt", Deceiving(data, readings, shorter=True)))
        with pytest.raises(UsageError, match=r"http://example.org/spoilt is not \d+ bytes long, as it said"):
            spoilt.result()
    assert urls(archive) == []
    assert findings(archive) == []


@pytest.mark.parametrize("data", [b"twice " * 100, LARGE])
def test_nothing_refers_to_what_was_not_written(archive: WritableArchive, data: bytes) -> None:
    with archive.begin("test") as capture:
        readings = 1 if data is not LARGE else 2
        spoilt = capture.submit(exchange("spoilt", Deceiving(data, readings)))
        same = capture.submit(exchange("same", BytesBody(data)))
        with pytest.raises(OSError, match="the spool is gone"):
            spoilt.result()
        stored = _stored_or_told(same)
        later = capture.append(exchange("later", BytesBody(data)))
        last = capture.append(exchange("last", BytesBody(data)))
    assert (later.record_type, last.record_type) == ("revisit" if stored else "response", "revisit")
    assert archive.read(last).read() == data
    assert urls(archive) == [*(["same"] if stored else []), "later", "last"]
    assert findings(archive) == []


def _stored_or_told(promise: Acknowledgement) -> bool:
    """A record that refers to another is not stored without it, and whoever waits for it is told."""
    try:
        observation = promise.result()
    except OSError:
        return False
    assert observation is not None
    assert observation.record_type == "response"
    return True


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_after_a_storage_failure_everyone_is_told(tmp_path: Path) -> None:
    told: list[BaseException | None] = []
    with pytest.raises(StorageError), WritableArchive.create(tmp_path / "archive") as archive:
        capture = archive.begin("test")
        kept = [capture.append(exchange("kept", BytesBody(b"kept")))]
        with files_limited_to(1 << 20):
            threads = [threading.Thread(target=_flood, args=(capture, number, told)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(told) == 4
            assert {type(each) for each in told} == {StorageError}
            assert "\n" not in str(told[0])
            with pytest.raises(StorageError):
                capture.submit(exchange("late", BytesBody(b"late")))
            with pytest.raises(StorageError):
                archive.writer.flush()
        capture.end()
    with WritableArchive(tmp_path / "archive") as archive:
        assert urls(archive)[0] == "kept"
        assert archive.read(kept[0]).read() == b"kept"
        archive.append(exchange("again", BytesBody(b"again")))
        assert findings(archive) == []


def _flood(capture: OpenCapture, number: int, told: list[BaseException | None]) -> None:
    """Hand over more than there is room for, in the file and in memory, until something is said."""
    waiting: list[Acknowledgement] = []
    data = b"%d" % number + bytes(range(256)) * 4000
    try:
        for turn in range(50):
            waiting.append(capture.submit(exchange(f"{number}-{turn}", BytesBody(b"%d" % turn + data))))
        for promise in waiting:
            promise.result()
        told.append(None)
    except StorageError as error:
        told.append(error)
    for promise in waiting:  # whoever waits is not left waiting
        with suppress(StorageError):
            promise.result()


def test_after_closing_nothing_is_taken(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive:
        capture = archive.begin("test")
        promise = capture.submit(exchange("kept", BytesBody(b"kept")))
        archive.writer.close()
        assert promise.done
        with pytest.raises(StorageError, match="the archive is closed; open it again to write"):
            capture.submit(exchange("late", BytesBody(b"late")))
        archive.writer.flush()
        archive.writer.close()
    archive.close()


def test_closing_while_others_wait(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    opened = threading.Event()
    first = archive.submit(Gate(ExchangeTask(exchange("first", BytesBody(b"1")), capture.id), opened.wait), 32 << 20)
    said: list[object] = []

    def wait_for_room() -> None:
        try:
            said.append(capture.append(exchange("second", BytesBody(b"2"))).url)
        except StorageError as error:
            said.append(str(error))

    waiting = threading.Thread(target=wait_for_room)
    closing = threading.Thread(target=archive.writer.close)
    waiting.start()
    closing.start()
    opened.set()
    closing.join()
    waiting.join()
    assert first.done
    assert said in (["http://example.org/second"], ["the archive is closed; open it again to write"])


@dataclass
class Count:
    """How much was handed over and how much of it is settled."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    handed: int = 0
    at_first: int = 0

    def hand_over(self) -> None:
        with self.changed:
            self.handed += 1
            self.changed.notify_all()

    def wait_for_two(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.handed >= 2)


def test_too_much_at_once_has_to_wait(archive: WritableArchive) -> None:
    capture, count = archive.begin("test"), Count()
    archive.writer.flush()
    for number in range(6):
        work = ExchangeTask(exchange(str(number), BytesBody(b"%d" % number)), capture.id)
        promise = archive.submit(Gate(work, count.wait_for_two), 16 << 20)
        if number == 0:
            promise.add_done_callback(lambda _: setattr(count, "at_first", count.handed))
        count.hand_over()
    archive.writer.flush()
    assert count.at_first == 2  # the third was not taken before the first was done
    assert urls(archive) == list("012345")


def test_more_is_handed_over_at_once_than_has_room(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    heavy = [(exchange(f"{number:02}", BytesBody(b"%d" % number * (1 << 20))), _size_of) for number in range(40)]
    promises = capture.submit_all(heavy)
    assert [_url(promise) for promise in promises] == urls(archive) == [f"{number:02}" for number in range(40)]
    assert [promise.analysis() for promise in promises] == [each.body.size for each, _ in heavy]
    assert capture.submit_all([]) == []
    assert findings(archive) == []


def _size_of(taken: Exchange) -> int:
    return taken.body.size


def test_many_threads_and_one_order_each(archive: WritableArchive) -> None:
    capture = archive.begin("test")
    called: list[str] = []

    def store(thread: int) -> None:
        for number in range(150):
            promise = capture.submit(exchange(f"{thread}-{number}", BytesBody(b"%d %d" % (thread, number % 50))))
            promise.add_done_callback(lambda done: called.append(_url(done)))

    threads = [threading.Thread(target=store, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    archive.writer.flush()
    stored = urls(archive)
    for number in range(4):
        assert [url for url in stored if url.startswith(f"{number}-")] == [f"{number}-{each}" for each in range(150)]
    assert sorted(called) == sorted(stored)
    assert findings(archive) == []


def _url(promise: Acknowledgement) -> str:
    observation = promise.result()
    assert observation is not None
    return observation.url.rpartition("/")[2]


def test_callbacks(archive: WritableArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.append(str(args.exc_value)))
    capture, called, opened = archive.begin("test"), list[str](), threading.Event()
    promise = archive.submit(Gate(ExchangeTask(exchange("one", BytesBody(b"1")), capture.id), opened.wait))
    promise.add_done_callback(lambda _: called.remove("what is not there"))
    promise.add_done_callback(lambda _: called.append("second"))
    opened.set()
    archive.writer.flush()
    promise.add_done_callback(lambda _: called.append("third"))
    assert called == ["second", "third"]
    assert shown == ["list.remove(x): x not in list"]
    assert capture.append(exchange("two", BytesBody(b"2"))).url == "http://example.org/two"


def test_an_interrupt_while_waiting_for_room(archive: WritableArchive) -> None:
    capture, opened = archive.begin("test"), threading.Event()
    archive.submit(Gate(ExchangeTask(exchange("first", BytesBody(b"1")), capture.id), opened.wait), 32 << 20)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            capture.submit(exchange("interrupted", BytesBody(b"2")))
    finally:
        signal.signal(signal.SIGALRM, before)
        opened.set()
    archive.writer.flush()
    capture.append(exchange("third", BytesBody(b"3")))
    assert urls(archive) == ["first", "third"]


def test_reading_while_writing_through_one_archive(archive: WritableArchive) -> None:
    """Threads that read share the writer's connection; what is acknowledged is found at once."""
    capture, ended, failed = archive.begin("test"), threading.Event(), list[str]()
    capture.append(exchange("0", BytesBody(b"0" * 100)))

    def read() -> None:
        chance = random.Random(threading.get_ident())
        while not ended.is_set():
            known = len(stored)
            number = chance.randrange(known)
            seen = archive.lookup(f"http://example.org/{number}")
            if seen is None or archive.read(seen).read() != b"%d" % number * 100:
                failed.append(f"{number} of {known}")
            if sum(1 for _ in archive.observations()) < known:
                failed.append(f"fewer than {known}")

    stored = [0]
    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(1, 150):
        capture.append(exchange(str(number), BytesBody(b"%d" % number * 100)))
        stored.append(number)
    ended.set()
    for reader in readers:
        reader.join()
    assert failed == []
    assert findings(archive) == []
