"""What several workers of one capture meet alike: stored once for all of them, or by each where that was wanted."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cluster_calls import ClusterRun, cluster_run, summary_of
from host_web import HostWeb, serve_hosts
from postgres_cluster import query_sql
from serve_calls import served
from warc_material import findings_of, webkeep

from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive

_HOSTS = 4
_LIBRARY = random.Random(6).randbytes(50_000)
"""What all hosts have; it cannot be compressed to less than what is worth sharing."""
_PROCESSES = 3
"""Two workers, and who looks after the capture."""
_OWNERS = "SELECT count(DISTINCT owner) FROM webkeep_cluster.host_group WHERE owner IS NOT NULL"
_ENTERED = "SELECT count(*) FROM webkeep_cluster.payload"


@dataclass
class Turns:
    """When hosts give the library away: the first when both workers have hosts, the others once it is entered too."""

    run: ClusterRun | None = None
    first: int = 0
    """The number of the host that does not wait for that; -1 where all do."""
    is_entered: bool = True
    """Whether the others do."""
    have_both: bool = False
    """Whether both workers had hosts at some time."""

    def wait(self, is_first: bool) -> None:
        """Wait until a host may answer."""
        assert self.run is not None
        address, processes = self.run.address, self.run.processes[-_PROCESSES:]
        waits = not is_first and self.is_entered
        while not self.have_both or (waits and int(query_sql(address, _ENTERED)[0]) < 1):
            assert all(process.poll() is None for process in processes)
            self.have_both = self.have_both or int(query_sql(address, _OWNERS)[0]) == 2


@contextmanager
def library_run(folder: Path, turns: Turns, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClusterRun]:
    """A web whose hosts all have the same library, and a database."""

    def answer(web: HostWeb, host: str, path: str) -> tuple[int, bytes]:
        if path == "/":
            return 200, b"<script src='/library'></script>"
        if path == "/library":
            turns.wait(host == web.name(turns.first))
            return 200, _LIBRARY
        return 200, b""

    monkeypatch.setattr(HostWeb, "answer", answer)
    with serve_hosts(_HOSTS, 0) as web, cluster_run(folder, web) as run:
        turns.run = run
        yield run


def capture(run: ClusterRun, *words: object, into: Path | None = None, numbers: tuple[int, ...] = (0, 1)) -> list[str]:
    """Have two workers carry it out; gives what was told meanwhile."""
    looking_after = run.capture("--delay", 0, *words, into=into)
    workers = [run.worker(number, "--hosts", 2) for number in numbers]
    out, told = looking_after.communicate(timeout=180)
    assert looking_after.returncode == 0, told + out
    for worker in workers:
        assert summary_of(worker)["finished"]
    return [*told.splitlines(), *out.splitlines()]


def records_of(path: Path, run: ClusterRun) -> list[str]:
    """Of which type the records of the library are that an archive has."""
    libraries = {f"{run.web.root(number)}library" for number in range(_HOSTS)}
    with Archive(path) as archive:
        return [each.record_type for each in archive.observations(resolve=False) if each.url in libraries]


def test_what_one_worker_has_on_its_disk_others_refer_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with library_run(tmp_path, Turns(), monkeypatch) as run:
        told = capture(run)
        held = {path: records_of(path, run) for path in run.worker_archives()}
        assert sorted(kind for kinds in held.values() for kind in kinds) == ["response", *["revisit"] * 3]
        assert sorted(map(len, held.values())) == [2, 2]
        assert not any("held by several workers" in line for line in told)
        assert all(fate.outcome in (UrlOutcome.STORED, UrlOutcome.DUPLICATE) for fate in run.fates())
        (other,) = [path for path, kinds in held.items() if "response" not in kinds]
        (one,) = held.keys() - {other}
        # Alone it is sound, and says whose payloads it needs.
        assert findings_of(other) == []
        (needed,) = webkeep("verify", other).summary["elsewhere"].items()
        assert needed == (f"{socket.gethostname()} {one.name}", 2)
        said = webkeep("verify", other, as_json=False)
        assert said.code == 0
        assert f"all is well; 2 revisits of payloads in the archive of {needed[0]}, to be kept with" in said.err
        with Archive(other) as archive:
            second, moment = next((each.url, each.moment) for each in archive.observations() if each.is_dangling)
        alone = webkeep("show", other, second, "--output", tmp_path / "alone", as_json=False)
        assert alone.code != 0
        assert "read both together" in alone.err
        assert "may refer to payloads of this one" in webkeep("remove", one, "--url", "http://a/", as_json=False).err
        for words in (("export", other, "--warc", tmp_path / "other.warc.gz"), ("report", other)):
            assert "2 records without payload, which other workers" in webkeep(*words, as_json=False).err, words
            assert "without payload" not in webkeep(*words[:1], one, *words[2:], as_json=False).err
        # Shown as one, and brought together, they have it.
        with served(run.main, other, one) as client:
            assert client.ask(f"/web/{moment.digits()}id_/{second}").body == _LIBRARY
        assert webkeep("import", run.main, other, one, "--into", tmp_path / "whole").code == 0
        assert findings_of(tmp_path / "whole") == []
        assert "elsewhere" not in webkeep("verify", tmp_path / "whole").summary
        assert "without payload" not in webkeep("report", tmp_path / "whole", as_json=False).err
        assert "may refer" not in webkeep("remove", tmp_path / "whole", "--url", "http://a/", as_json=False).err
        assert webkeep("show", tmp_path / "whole", second, "--output", tmp_path / "shown", as_json=False).code == 0
        assert (tmp_path / "shown").read_bytes() == _LIBRARY


def test_what_a_worker_held_before_it_joined_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns()
    with library_run(tmp_path, turns, monkeypatch) as run:
        capture(run)
        (one,) = [path for path in run.worker_archives() if "response" in records_of(path, run)]
        turns.first, turns.have_both = -1, False
        capture(run, into=tmp_path / "again", numbers=(int(one.name.removeprefix("worker-")), 9))
        assert records_of(tmp_path / "worker-9", run) == ["revisit"] * 2
        with Archive(tmp_path / "worker-9") as archive:
            assert not list(archive.catalog.payloads.large(len(_LIBRARY)))


def test_each_holds_all_where_archives_are_to_be_readable_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library_run(tmp_path, Turns(is_entered=False), monkeypatch) as run:
        told = capture(run, "--alone")
        held = [records_of(path, run) for path in run.worker_archives()]
        assert [sorted(kinds) for kinds in held] == [["response", "revisit"]] * 2
        assert any("1 payload of 16 kB or more held by several workers" in line for line in told)
        for path in run.worker_archives():
            assert findings_of(path) == []
            assert "elsewhere" not in webkeep("verify", path).summary
            assert "may refer" not in webkeep("remove", path, "--url", "http://a/", as_json=False).err


def test_an_archive_of_one_machine_is_readable_alone_anyway(tmp_path: Path) -> None:
    wrong = webkeep("capture", "http://localhost/", "--into", tmp_path / "a", "--alone", as_json=False)
    assert wrong.code == 2
    assert "--alone is for captures by many workers" in wrong.err
