"""A further machine of a service: it runs jobs, is locked, dies and gives its jobs back; hosts have their turns."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dashboard_calls import DashboardClient, dashboard
from postgres_cluster import cluster_folder, new_database, running_cluster
from small_site import Page, SmallSite, linking
from test_dashboard_plans import add, make
from warc_material import webkeep

from webkeep.crawl.run.host_lease_table import HostLeaseTable
from webkeep.errors import StorageError
from webkeep.model import Moment
from webkeep.store.postgres import connect_to_database

NOW = Moment.parse("2026-05-01")
PAGES = {"/": linking("/one", "/two"), "/one": Page(b"one"), "/two": Page(b"two")}


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "machines") as address:
        yield address


@pytest.fixture
def address(cluster: str, request: pytest.FixtureRequest) -> str:
    """Where a database of its own is."""
    return new_database(cluster, request.node.nodeid)


@contextmanager
def joined(folder: Path, address: str, name: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "webkeep", "service", "join", str(folder), "--database", address, "--name", name]
    with subprocess.Popen([*words, "--keep-free", "1MB"], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert f"{name} runs jobs of" in line, line + process.stderr.read()
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=60)


def change(client: DashboardClient, name: str, action: str) -> None:
    assert client.send("/machines", client.ask("/machines"), name=name, action=action).status == 303


def row_of(client: DashboardClient, name: str) -> str:
    rows = re.findall(r"<tr>.*?</tr>", client.ask("/machines").text, re.DOTALL)
    return next((row for row in rows if f'value="{name}"' in row), "")


def wait_for(client: DashboardClient, name: str, words: str) -> str:
    """The row of a machine, once it has some words: each request takes the service some milliseconds."""
    for _ in range(20_000):
        if words in (row := row_of(client, name)):
            return row
    raise AssertionError(f"{words} was never said of {name}: {row_of(client, name)}")


def capture(client: DashboardClient) -> str:
    (seed,) = re.findall(r'href="(/collections/town/seeds/\w+)"', client.ask("/collections/town").text)
    return client.send(f"{seed}/capture", client.ask(seed)).headers["location"]


def test_a_machine_joins_runs_jobs_is_locked_and_gives_back_what_it_had_when_it_dies(
    tmp_path: Path, address: str
) -> None:
    folder = tmp_path / "service"
    with SmallSite(PAGES) as site, dashboard(folder, "--database", address) as client:
        client.enter()
        make(client, "town")
        add(client, "town", table=f"url,delay\n{site.url('/')},0")
        wait_for(client, "", "runs jobs")
        change(client, "", "lock")
        assert webkeep("service", "join", folder, "--name", "second").code == 2, "without a job store that both share"
        with joined(folder, address, "second") as machine:
            wait_for(client, "second", "runs jobs")
            twice = webkeep("service", "join", folder, "--database", address, "--name", "second")
            assert twice.code == 3 and "machine second already" in twice.err
            first = capture(client)
            assert 'data-state="done"' in client.ask(f"{first}/events").text
            site.hold_after(0)
            second = capture(client)
            wait_for(client, "second", "1 of 4")
            change(client, "second", "lock")
            wait_for(client, "second", "locked")
            (job_folder,) = [each for each in (folder / "jobs").iterdir() if each.name == second.rpartition("/")[2]]
            process = int(re.findall(r'"number": (\d+)', (job_folder / "lock").read_text())[0])
            machine.send_signal(signal.SIGKILL)
            machine.wait()
            wait_for(client, "second", "not there")
            assert "1 of 4" in row_of(client, "second"), "a process that goes on keeps its job"
            os.kill(process, signal.SIGKILL)
            wait_for(client, "second", "0 of 4")
            change(client, "", "unlock")
            wait_for(client, "", "1 of 4")
            site.let_go()
            assert 'data-state="done"' in client.ask(f"{second}/events").text
        change(client, "second", "forget")
        assert row_of(client, "second") == ""
        assert client.send("/machines", client.ask("/machines"), name="third", action="lock").status == 400


def test_two_machines_capture_side_by_side_and_ask_a_host_in_turns(tmp_path: Path, address: str) -> None:
    folder = tmp_path / "service"
    with (
        SmallSite(PAGES) as site,
        dashboard(folder, "--database", address, "--running", "1") as client,
        joined(folder, address, "second"),
    ):
        client.enter()
        make(client, "land")
        seeds = "\n".join(f"{site.url(path)},0" for path in ("/", "/one", "/two", "/three"))
        add(client, "land", table=f"url,delay\n{seeds}")
        client.send("/collections/land/capture", client.ask("/collections/land"))
        jobs = re.findall(r'href="(/jobs/\w+)"', client.ask("/jobs?collection=land").text)
        assert len(set(jobs)) == 4
        for job in set(jobs):
            assert 'data-state="done"' in client.ask(f"{job}/events").text
        (archive,) = (folder / "collections" / "land").iterdir()
        assert webkeep("verify", archive).code == 0


def test_a_host_is_one_captures_at_a_time_and_its_delay_is_kept_by_the_database(address: str) -> None:
    ours, theirs = HostLeaseTable(address), HostLeaseTable(address)
    assert ours.acquire("a.example", 0.0, NOW) == NOW
    assert theirs.acquire("a.example", 0.0, NOW) > NOW
    assert theirs.acquire("b.example", 0.0, NOW) == NOW
    ours.release("a.example", NOW.plus(30), NOW)
    assert 25 < theirs.acquire("a.example", 0.0, NOW).seconds_since(NOW) <= 30
    theirs.close()
    tries = (ours.acquire("b.example", 60.0, NOW) for _ in range(5000))  # the server ends a connection in its own time
    assert NOW in tries, "given back with the connection"
    ours.close()
    third = HostLeaseTable(address)
    assert third.acquire("b.example", 0.0, NOW).seconds_since(NOW) > 50, "the delay outlives whoever asked"
    third.close()
    with pytest.raises(StorageError, match="take turns"):
        HostLeaseTable("postgresql:///library?host=/nowhere")


def test_a_machine_that_freezes_or_is_gone_keeps_no_lock_for_long(address: str) -> None:
    connection = connect_to_database(address)
    try:
        assert connection.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("1min",)
        asked = connection.info.get_parameters()
        assert (asked["keepalives_idle"], asked["tcp_user_timeout"]) == ("20", "40000")
    finally:
        connection.close()
    own = connect_to_database(f"{address}&keepalives_idle=7")
    assert own.info.get_parameters()["keepalives_idle"] == "7", "what an address says holds"
    own.close()
