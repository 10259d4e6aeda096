"""Turns at hosts between processes: one at a time, the delay kept also after a kill, and nobody left waiting."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from webkeep.crawl.run.host_lease_file import HostLeaseFile
from webkeep.errors import StorageError
from webkeep.model import Moment

NOW = Moment.parse("2026-05-01")
OTHER = """
import sys, time
from pathlib import Path
from webkeep.crawl.run.host_lease_file import HostLeaseFile
from webkeep.model import Moment
leases = HostLeaseFile(Path(sys.argv[1]))
now = Moment.parse("2026-05-01")
for line in sys.stdin:
    word, name, seconds = line.split()
    if word == "acquire":
        print(leases.acquire(name, float(seconds), now).seconds_since(now), flush=True)
    else:
        leases.release(name, now.plus(float(seconds)), now)
        print("released", flush=True)
"""


class Other:
    """Another process that has the file open."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def tell(self, words: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


@contextmanager
def other_process(path: Path) -> Iterator[Other]:
    command = [sys.executable, "-c", OTHER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Other(process)
        process.kill()


@pytest.fixture
def leases(tmp_path: Path) -> Iterator[HostLeaseFile]:
    made = HostLeaseFile(tmp_path / "hosts")
    yield made
    made.close()


def test_a_host_is_lent_to_one_process_at_a_time(leases: HostLeaseFile, tmp_path: Path) -> None:
    with other_process(tmp_path / "hosts") as other:
        assert other.tell("acquire example.org 0") == "0.0"
        assert other.tell("acquire example.org 0") == "0.0", "for as many requests as it has under way"
        assert leases.acquire("example.org", 0, NOW) > NOW
        assert leases.acquire("example.net", 0, NOW) == NOW, "others are free"
        assert float(other.tell("acquire example.net 0")) > 0
        assert other.tell("release example.org 0") == "released"
        assert leases.acquire("example.org", 0, NOW) == NOW


def test_the_delay_behind_a_request_is_kept_by_others_too(leases: HostLeaseFile, tmp_path: Path) -> None:
    with other_process(tmp_path / "hosts") as other:
        other.tell("acquire example.org 1000")
        other.tell("release example.org 1000")
        waiting = leases.acquire("example.org", 1000, NOW).seconds_since(NOW)
        assert 900 < waiting <= 1000


def test_a_process_that_is_killed_leaves_the_host_and_its_delay(leases: HostLeaseFile, tmp_path: Path) -> None:
    with other_process(tmp_path / "hosts") as other:
        other.tell("acquire slow.example 1000")
        other.tell("acquire quick.example 0")
        other.process.kill()
        other.process.wait()
    assert leases.acquire("quick.example", 0, NOW) == NOW
    assert 900 < leases.acquire("slow.example", 1000, NOW).seconds_since(NOW) <= 1000


def test_a_host_without_a_delay_is_given_back_after_a_while(leases: HostLeaseFile, tmp_path: Path) -> None:
    assert leases.acquire("example.org", 0, NOW) == NOW
    later = NOW.plus(2)
    assert leases.acquire("example.org", 0, later) > later, "what is under way comes to its end"
    leases.release("example.org", later, later)
    assert leases.acquire("example.org", 0, later.plus(0.1)) > later.plus(0.1), "others have their chance"
    with other_process(tmp_path / "hosts") as other:
        assert other.tell("acquire example.org 0") == "0.0"
        assert leases.acquire("example.org", 0, later.plus(0.3)) > later.plus(0.3)
    assert leases.acquire("example.org", 0, later.plus(0.6)) == later.plus(0.6)


def test_a_file_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="by which captures take turns; make it writable"):
        HostLeaseFile(tmp_path)
