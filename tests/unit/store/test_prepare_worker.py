"""The writer with a prepare worker writes the same archive as without, and does not miss it when it is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from prepare_worker_material import HEAD, START, Spooled, exchange, findings, with_assistant

from webkeep.model import BytesBody, Exchange
from webkeep.store.archive import WritableArchive
from webkeep.store.writing import batch_preparation as preparation

length_of = attrgetter("body.size")
complaining = attrgetter("no_such_thing")


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WritableArchive]:
    with WritableArchive.create(tmp_path / "archive") as made:
        yield made


def test_a_prepare_worker_is_started_when_much_is_handed_over(tmp_path: Path) -> None:
    with WritableArchive.create(tmp_path / "archive") as archive, archive.begin("test") as capture:
        for number in range(preparation.TASKS_WORTH_A_WORKER + 100):
            capture.submit(exchange(number))
        archive.writer.flush()
        assert archive.writer._preparation._worker is not None
    with WritableArchive.create(tmp_path / "small") as archive:
        archive.append(exchange(1))
        assert archive.writer._preparation._worker is None


def test_records_are_deduplicated_across_all_ways_of_preparing(archive: WritableArchive) -> None:
    large = os.urandom(3 << 20)
    with archive.begin("test") as capture:
        before = capture.append(exchange(7))
        with_assistant(archive)
        after = capture.append(exchange(97))
        first_large = capture.append(exchange(200, Spooled(large)))
        again_large = capture.append(exchange(201, Spooled(large)))
        small = [capture.submit(exchange(300 + number)) for number in range(300)]
        stored = [each.result() for each in small]
    assert before.record_type == "response"
    assert after.record_type == "revisit"
    assert first_large.record_type == "response"
    assert again_large.record_type == "revisit"
    kinds = [each.record_type for each in stored if each is not None]
    assert kinds.count("response") == 90 - 3  # pages 0, 1 and 7 were there before
    assert kinds.count("revisit") == 300 - 87
    assert findings(archive) == []


def test_what_is_studied_comes_with_the_acknowledgement(archive: WritableArchive) -> None:
    with archive.begin("test") as capture:
        here = capture.submit(exchange(2), length_of)
        here.result()
        with_assistant(archive)
        there = capture.submit(exchange(3), length_of)
        spooled = capture.submit(exchange(4, Spooled(b"x" * 5000)), length_of)
        wrong = capture.submit(exchange(5), complaining)
        for each in (there, spooled):
            each.result()
        assert (here.analysis(), there.analysis(), spooled.analysis()) == (13, 13, 5000)
        observation = wrong.result()
        assert observation is not None
        assert observation.url == "http://example.org/5"
        with pytest.raises(AttributeError, match="no_such_thing"):
            wrong.analysis()


@pytest.mark.parametrize("stopped", [True, False])
def test_a_lost_prepare_worker_is_not_missed(archive: WritableArchive, stopped: bool) -> None:
    with archive.begin("test") as capture:
        assistant = with_assistant(archive)
        if stopped:  # so that work certainly is with it when it is lost
            assistant._process.send_signal(signal.SIGSTOP)
        promises = [capture.submit(exchange(1000 + number), length_of) for number in range(500)]
        assistant._process.kill()
        spooled = capture.submit(exchange(2000, Spooled(b"y" * 5000)))
        more = [capture.submit(exchange(3000 + number), length_of) for number in range(100)]
        urls = {each.url for promise in [*promises, spooled, *more] if (each := promise.result()) is not None}
        assert len(urls) == 601
        assert all(isinstance(promise.analysis(), int) for promise in promises + more)
    assert findings(archive) == []
    assert sum(1 for _ in archive.observations()) == 603


def test_what_goes_wrong_with_one_is_told_to_it_alone(archive: WritableArchive) -> None:
    with archive.begin("test") as capture:
        with_assistant(archive)
        missing = capture.submit(Exchange("", START, HEAD, BytesBody(b"no url")))
        good = capture.submit(exchange(9))
        assert good.result() is not None
        assert missing.result() is None
