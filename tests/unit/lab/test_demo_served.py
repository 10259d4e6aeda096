"""The log of what was served: bounded in memory, whole in a file."""

from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.lab.demo.served_log import ServedLogFile, ServedResponse, ServedRing
from webkeep.model import Moment


def served(number: int) -> ServedResponse:
    return ServedResponse(Moment(number), "www.tidewick.example", "/é/", number or None, 200, number % 2 == 0)


def test_the_ring_keeps_the_last() -> None:
    ring = ServedRing(3)
    for number in range(5):
        ring.add(served(number))
    assert list(ring) == [served(2), served(3), served(4)]


def test_the_file_keeps_all_across_runs(tmp_path: Path) -> None:
    for numbers in (range(3), range(3, 5)):
        log = ServedLogFile(tmp_path / "served.jsonl")
        for number in numbers:
            log.add(served(number))
        log.close()
    assert list(log) == [served(number) for number in range(5)]


def test_a_log_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write the log"):
        ServedLogFile(tmp_path / "missing" / "served.jsonl")
