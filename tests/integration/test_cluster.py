"""One capture by several workers on a real PostgreSQL: each URL once, each host at one pace, whatever happens."""

import json
import signal
from collections import Counter
from pathlib import Path

from cluster_calls import KEPT, ClusterRun, cluster_run, summary_of
from host_web import HostWeb, serve_hosts
from postgres_cluster import run_sql
from warc_material import webkeep

from webkeep.model import UrlOutcome

_DELAY = 0.1
_CLOCK_SLACK_SECONDS = 0.005
"""Moments are measured here by another clock than there, and after the answer was sent."""


def check_whole(run: ClusterRun, web: HostWeb) -> None:
    """The capture has all, each with one fate and its record, and no host was asked too fast."""
    fates = run.fates()
    assert max(Counter(fate.url for fate in fates).values()) == 1
    kept = {fate.url for fate in fates if fate.outcome in KEPT}
    assert web.urls() <= kept
    assert kept <= run.stored()
    refused = {fate.url for fate in fates if fate.outcome is UrlOutcome.REFUSED}
    assert refused == {f"{web.root(number)}secret" for number in range(web.hosts)}
    assert not [fate for fate in fates if fate.outcome not in (*KEPT, UrlOutcome.REFUSED)]
    assert web.smallest_gap() >= _DELAY - _CLOCK_SLACK_SECONDS


def test_workers_share_a_capture(tmp_path: Path) -> None:
    with serve_hosts(24, 6, moved_rules=6) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY)
        workers = [run.worker(number, "--hosts", 3) for number in range(3)]
        told = summary_of(looking_after)
        done = [summary_of(worker) for worker in workers]
        check_whole(run, web)
        # Nothing was asked for twice, robots.txt files included, though hosts went from one worker to another.
        assert set(web.asked().values()) == {1}
        assert told["finished"]
        assert told["stored"] + told["duplicates"] == len(web.requests)
        assert sum(ledger["requests"] for host, ledger in told["hosts"].items() if ":" in host) == len(web.requests)
        assert not any(ledger["too_early"] or ledger["overlapping"] for ledger in told["hosts"].values())
        assert all(each["finished"] and each["sessions"] == 1 and not each["lost_sessions"] for each in done)
        kept = sum(each["fates"].get("stored", 0) + each["fates"].get("duplicate", 0) for each in done)
        assert kept == len(web.requests) - web.moved_rules
        for path in (run.main, *run.worker_archives()):
            assert webkeep("verify", path).code == 0
            assert not list((path / "jobs").glob("*/*"))
        why = webkeep("why", run.main, f"{web.root(3)}secret")
        assert b"Disallow: /secret" in why.out
        # Of all archives together there is a report.
        assert webkeep("import", run.main, *run.worker_archives(), "--into", tmp_path / "whole").code == 0
        reported = json.loads(webkeep("report", tmp_path / "whole", "--json").out.splitlines()[-1])
        assert reported["completeness"]["fates"]["stored"] == told["stored"]
        assert reported["completeness"]["fates"]["refused"] == web.hosts
        assert reported["completeness"]["failed"] == 0


def test_whatever_happens_every_url_has_one_fate(tmp_path: Path) -> None:
    with serve_hosts(40, 50) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY)
        workers = [run.worker(number, "--hosts", 16) for number in range(3)]
        web.wait_for_requests(200)
        workers[0].kill()
        web.wait_for_requests(400)
        workers[1].send_signal(signal.SIGSTOP)
        # The hosts of both come to the third once their leases have run out.
        web.wait_for_requests(1500)
        workers[1].send_signal(signal.SIGCONT)
        web.wait_for_requests(1700)
        run.stop_database()
        run.start_database()
        told = summary_of(looking_after)
        awakened, steady = (summary_of(worker) for worker in workers[1:])
        check_whole(run, web)
        assert told["finished"]
        assert awakened["lost_sessions"] == 1
        assert steady["lost_sessions"] == 0
        # What two workers had under way or not handed over yet, and nothing else.
        again = sum(count - 1 for count in web.asked().values())
        assert again <= 2 * 16 * 8
        for path in run.worker_archives():
            assert webkeep("verify", path).code == 0


def test_a_database_that_forgot_the_last_loses_no_url(tmp_path: Path) -> None:
    with serve_hosts(12, 30) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY)
        worker = run.worker(0)
        # All hosts are taken, and hardly a page is known.
        web.wait_for_requests(14)
        run.stop_database()
        run.keep_database()
        run.start_database()
        web.wait_for_requests(200)
        run.stop_database()
        run.bring_back_database()
        run.start_database()
        told = summary_of(looking_after)
        assert summary_of(worker)["finished"]
        check_whole(run, web)
        assert told["finished"]


def test_what_one_worker_finds_in_a_private_network_another_may_ask(tmp_path: Path) -> None:
    with serve_hosts(12, 6) as web, cluster_run(tmp_path, web) as run:
        named = (web.root(0), "--include", "host:127.*")
        looking_after = run.start(
            "capture", *named, "--into", run.main, "--on", run.address, "--browser", "off", "--delay", _DELAY
        )
        workers = [run.worker(number, "--hosts", 2) for number in range(3)]
        assert summary_of(looking_after)["finished"]
        for worker in workers:
            assert summary_of(worker)["finished"]
        check_whole(run, web)


def test_files_that_the_shared_folder_does_not_take_are_told(tmp_path: Path) -> None:
    with serve_hosts(1, 2) as web, cluster_run(tmp_path, web) as run:
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared" / "w0").write_text("a file where a folder is to be")
        looking_after = run.capture("--delay", _DELAY)
        done = summary_of(run.worker(0, "--store", tmp_path / "shared", "--name", "w0"), 1)
        assert summary_of(looking_after)["finished"]
        assert done["finished"] and done["files_left"] == 1
        check_whole(run, web)


def test_limits_hold_over_all_workers(tmp_path: Path) -> None:
    with serve_hosts(12, 30) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY, "--max-urls", 100, "--max-urls-per-host", 15)
        workers = [run.worker(number, "--hosts", 4) for number in range(2)]
        told = summary_of(looking_after)
        for worker in workers:
            assert summary_of(worker)["finished"]
        pages = [path for _, path, _, _ in web.requests if path != "/robots.txt"]
        assert len(pages) == 100
        assert max(Counter(host for host, path, _, _ in web.requests if path != "/robots.txt").values()) <= 15
        assert told["finished"]
        assert told["fates"]["queued"] == 0
        assert {fate.reason for fate in run.fates() if fate.outcome is UrlOutcome.CUT} <= {
            "max-urls: 100",
            "max-urls-per-host: 15",
        }


def test_steered_stopped_and_gone_on_with(tmp_path: Path) -> None:
    with serve_hosts(8, 40) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY)
        worker = run.worker(0)
        web.wait_for_requests(40)
        assert webkeep("control", run.main, "pause").code == 0
        wait_for_state(run.main, paused=True, in_flight=0)
        # What has become of URLs so far is in the database, and is told of the archive.
        why = webkeep("why", run.main, web.root(3)).summary
        assert {each["outcome"] for each in why["captures"]} <= {outcome.value for outcome in KEPT}
        listed = map(json.loads, webkeep("list", "--fates", run.main).out.splitlines())
        so_far = {each["url"]: each["outcome"] for each in listed if each.get("event") == "fate"}
        assert web.urls() <= so_far.keys()
        assert set(so_far.values()) >= {"stored", "queued"}
        assert webkeep("control", run.main, "set", "--exclude", "*page-39").code == 0
        assert webkeep("control", run.main, "resume").code == 0
        web.wait_for_requests(len(web.requests) + 8)
        assert webkeep("control", run.main, "stop").code == 0
        assert not summary_of(looking_after, 3)["finished"]
        asked = len(web.requests)
        again = run.capture("--delay", _DELAY)
        web.wait_for_requests(len(web.requests) + 8)
        # One that leaves in the middle, and another one in its place.
        worker.send_signal(signal.SIGINT)
        assert not summary_of(worker, 3)["finished"]
        worker = run.worker(1)
        told = summary_of(again)
        assert told["resumed"]
        assert told["finished"]
        assert summary_of(worker)["finished"]
        assert len(web.requests) > asked
        assert set(web.asked().values()) == {1}
        left_out = [fate for fate in run.fates() if fate.outcome is UrlOutcome.OUT_OF_SCOPE]
        # Those that were not asked for before.
        assert left_out
        assert {fate.url for fate in left_out} <= {f"{web.root(number)}page-39" for number in range(8)}


def test_calls_that_are_wrong_are_one_line(tmp_path: Path) -> None:
    with serve_hosts(1, 1) as web, cluster_run(tmp_path, web) as run:
        into = ("--into", tmp_path / "main", web.root(0), "--browser", "off")
        on = ("--on", run.address)
        wrong = [
            ("capture", *into, "--on", "postgresql://someone:secret@localhost/library"),
            ("capture", *into, "--on", "somewhere"),
            ("capture", *into, *on, "--auth", "127.1.0.1=me:secret"),
            ("capture", *into, *on, "--header", "Cookie: session=secret"),
            ("worker", "--join", run.address, "--into", tmp_path / "w"),
            ("worker", "--join", run.address, "--into", tmp_path / "w", "--hosts", "0"),
            ("worker", "--join", run.address.replace("host=/", "host=/nowhere/"), "--into", tmp_path / "w"),
        ]
        for words in wrong:
            done = webkeep(*words)
            assert done.code in (2, 3), words
            assert len(done.err.strip().splitlines()) == 1, done.err
            assert "secret" not in done.err
        looking_after = run.capture("--max-seconds", 600)
        wait_for_capture(run)
        run_sql(run.address, "UPDATE webkeep_cluster.capture SET program = '0.0.1'")
        done = webkeep("worker", "--join", run.address, "--into", tmp_path / "w")
        assert done.code == 2
        assert "was begun by webkeep 0.0.1" in done.err
        run_sql(run.address, f"UPDATE webkeep_cluster.capture SET program = '{version()}'")
        other = webkeep("capture", "--into", tmp_path / "other", f"{web.root(0)}other", "--browser", "off", *on)
        assert other.code == 2
        assert "under way, of another plan or archive" in other.err
        assert summary_of(run.worker(1))["finished"]
        assert summary_of(looking_after)["finished"]


def wait_for_state(archive: Path, **values: object) -> None:
    """Ask until the capture is in a state, which it tells twice a second."""
    while True:
        told = webkeep("control", archive, "status").summary["state"]
        if all(told.get(name) == value for name, value in values.items()):
            return


def wait_for_capture(run: ClusterRun) -> None:
    """Wait until the capture lies in the database."""
    process = run.processes[-1]
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line).get("event") == "capture":
            return
    raise AssertionError


def version() -> str:
    from webkeep.version import __version__

    return __version__
