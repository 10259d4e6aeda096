"""`webkeep service` and `webkeep job` from end to end: real processes, a real site, killed and restarted."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from capture_calls import capture, running
from serve_calls import served
from small_site import Page, SmallSite, linking
from warc_material import Done, webkeep

from webkeep.service.jobs import Job, JobState
from webkeep.service.store import JobStore, open_service_database
from webkeep.store.archive import Archive

SITE = {
    "/": linking("/a", "/b", "/c.png", title="home"),
    "/a": linking("/", title="a"),
    "/b": linking("/a", title="b"),
    "/c.png": Page(b"\x89PNG", "image/png"),
}
PLAN = 'browser = "off"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "service"


def service_words(folder: Path, *more: object) -> list[str]:
    words = [sys.executable, "-m", "webkeep", "service", str(folder), "--port", "0", "--keep-free", "1MB"]
    return [*words, *map(str, more)]


def run_service(folder: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """Let the service do all there is to do."""
    return subprocess.run(service_words(folder, "--until-idle", *more), capture_output=True, text=True, timeout=120)


@contextmanager
def service(folder: Path, *more: object) -> Iterator[subprocess.Popen[str]]:
    """A service that runs for as long as the block does; it is up when the block begins."""
    with subprocess.Popen(service_words(folder, *more), stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert "/health" in process.stderr.readline()
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.communicate(timeout=60)


def submit(folder: Path, *seeds: str) -> Done:
    return webkeep("job", "submit", folder, *seeds, "--plan", folder.parent / "plan.toml")


def events(done: Done) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.out.splitlines()[:-1]]


def read_jobs(folder: Path) -> list[Job]:
    database = open_service_database(folder / "jobs.sqlite")
    try:
        return JobStore(database).list_jobs()
    finally:
        database.close()


def wait_for(folder: Path, is_so: Callable[[Job], bool]) -> Job:
    """The one job, once something is so of it."""
    deadline = time.monotonic() + 60
    while True:
        (job,) = read_jobs(folder)
        if is_so(job):
            return job
        assert time.monotonic() < deadline, job
        time.sleep(0.05)


def test_a_collection_out_of_a_table_is_captured_listed_and_replayed(folder: Path) -> None:
    with SmallSite(SITE) as site, SmallSite({"/": linking("/x", title="other"), "/x": Page(b"x")}) as other:
        table = folder.parent / "seeds.csv"
        other_url = other.url(host="localhost")
        table.write_text(
            f'url,browser,notes\n{site.url()},off,town\n"broken,1\n{other_url},off,other\nhttp://[,off,x\n'
        )
        assert webkeep("job", "collection", folder, "town", "--title", "The town", "--subject", "towns").code == 0
        taken = webkeep("job", "seeds", folder, "--collection", "town", "--from", table)
        assert (taken.code, taken.summary["added"], taken.summary["refused"]) == (1, 2, 2)
        assert [(each["line"], bool(each["reason"])) for each in events(taken)] == [(3, True), (5, True)]
        assert webkeep("job", "seeds", folder, "--collection", "town", "--from", table).summary["known"] == 2
        assert webkeep("job", "submit", folder, "--collection", "town").summary["jobs"] == 2
        done = run_service(folder)
    assert (done.returncode, done.stderr.count("\n")) == (0, 2), done.stderr
    listed = webkeep("job", "list", folder, "--collection", "town")
    assert [(each["state"], each["exit"]) for each in events(listed)] == [("done", 0), ("done", 0)]
    assert listed.summary["counts"]["done"] == 2
    shown = webkeep("job", "show", folder, events(listed)[0]["job"][:6])
    assert [each["what"] for each in events(shown)] == ["submit", "start", "finish"]
    history = webkeep("job", "list", folder, "--collection", "town", "--seed", site.url())
    assert [each["plan"]["seeds"] for each in events(history)] == [[site.url()]]
    facts = webkeep("job", "collection", folder, "town").summary
    assert (facts["title"], facts["subjects"], facts["seeds"]) == ("The town", ["towns"], 2)
    figures = {"held": 8, "wanted": 8, "share": 1.0}  # robots.txt files included
    assert facts["completeness"] == figures | {"together": 0, "looked_at_twice": 0, "seeds_missed": 0}
    with served(*map(Path, facts["archives"])) as client:
        for url, title in ((site.url(), b"home"), (other_url, b"other")):
            moved = client.ask(f"/web/2030/{url}")
            assert moved.status == 302 or title in moved.body
            assert url in client.ask(f"/timemap/link/{url}").body.decode()


def test_a_seed_keeps_its_settings_until_it_is_deleted(folder: Path) -> None:
    assert submit(folder, "https://example.org/").err.count("keeps its settings") == 0
    (folder.parent / "plan.toml").write_text("depth = 3\n")
    told = submit(folder, "https://example.org/")
    assert "https://example.org/ was a seed before, and keeps its settings" in told.err
    assert (
        webkeep("job", "seeds", folder, "--delete", "https://example.org/").summary["deleted"] == "https://example.org/"
    )
    assert "is no seed of main" in webkeep("job", "seeds", folder, "--delete", "https://example.org/").err
    submit(folder, "https://example.org/")
    (seed,) = events(webkeep("job", "seeds", folder))
    assert seed["settings"] == {"depth": 3}


def test_a_job_outlives_its_service_and_is_found_again_by_the_next(folder: Path) -> None:
    with SmallSite(SITE) as site:
        site.hold_after(1)
        submit(folder, site.url())
        with service(folder):
            site.wait_for_requests(2)
            first = wait_for(folder, lambda job: job.state is JobState.RUNNING)
        assert first.process is not None
        os.kill(first.process.number, 0)  # it is there
        assert read_jobs(folder) == [first]
        site.let_go()
        with service(folder):
            job = wait_for(folder, lambda job: job.state is JobState.DONE)
        assert (job.attempts, job.exit_code, job.summary["stored"]) == (1, 0, 5)


def test_a_killed_job_is_noticed_and_goes_on_where_it_was(folder: Path) -> None:
    with SmallSite(SITE) as site, service(folder):
        site.hold_after(2)
        submit(folder, site.url())
        site.wait_for_requests(3)
        first = wait_for(folder, lambda job: job.state is JobState.RUNNING)
        assert first.process is not None
        os.kill(first.process.number, signal.SIGKILL)
        site.let_go()
        job = wait_for(folder, lambda job: job.state is JobState.DONE)
        assert (job.attempts, job.losses, job.summary["stored"], job.summary["resumed"]) == (2, 0, 5, True)
    assert site.paths.count("/") == 1, "what is in the archive is not asked for again"


def test_a_service_killed_with_its_jobs_leaves_nothing_undone(folder: Path) -> None:
    with SmallSite(SITE) as site:
        site.hold_after(1)
        submit(folder, site.url())
        with service(folder) as process:
            site.wait_for_requests(2)
            job = wait_for(folder, lambda job: job.state is JobState.RUNNING)
            process.kill()
            assert job.process is not None
            os.kill(job.process.number, signal.SIGKILL)
        site.let_go()
        assert run_service(folder).returncode == 0
    (job,) = read_jobs(folder)
    assert (job.state, job.attempts, job.summary["stored"]) == (JobState.DONE, 2, 5)


def test_jobs_are_paused_resumed_and_cancelled_while_they_run(folder: Path) -> None:
    with SmallSite(SITE) as site, service(folder):
        site.hold_after(1)
        submit(folder, site.url())
        site.wait_for_requests(2)
        wait_for(folder, lambda job: job.state is JobState.RUNNING)
        job_id = read_jobs(folder)[0].id
        asked = webkeep("job", "pause", folder, job_id[:8])
        assert events(asked)[0]["wish"] == "pause"
        log = folder / "jobs" / job_id / "log"
        wait_for(folder, lambda _: "stopping" in log.read_text())
        site.let_go()
        paused = wait_for(folder, lambda job: job.state is JobState.PAUSED)
        assert (paused.process, paused.ended, paused.message) == (None, None, "")
        assert webkeep("job", "resume", folder, job_id).code == 0
        done = wait_for(folder, lambda job: job.state is JobState.DONE)
        assert (done.attempts, done.summary["stored"]) == (2, 5)
        again = webkeep("job", "cancel", folder, job_id)
    assert again.code == 2
    assert "a job that is done cannot cancel; what can be asked of it is: nothing" in again.err


def test_a_service_that_has_no_room_says_so_and_does_not_wait_for_it_where_it_was_to_end(folder: Path) -> None:
    submit(folder, "http://127.0.0.1:9/")
    done = run_service(folder, "--keep-free", "1000000TB")
    assert done.returncode == 0
    assert "no job may run; make room, or say less with --keep-free" in done.stderr
    webkeep("job", "collection", folder, "main", "--quota", "0")
    done = run_service(folder)
    assert done.returncode == 0
    assert "the quota of main is used up; give it more\n" in done.stderr
    assert [job.state for job in read_jobs(folder)] == [JobState.QUEUED]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["submit", "--collection", "twon"], "there is no collection 'twon'; webkeep job collection FOLDER lists them"),
        (["list", "--collection", "twon"], "there is no collection 'twon'"),
        (["schedule", "--times", "@daily", "--until", "2001"], "is at no time any more before 2001"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(folder: Path, words: list[str], said: str) -> None:
    webkeep("job", "collection", folder, "main")
    done = webkeep("job", words[0], folder, *words[1:])
    assert (done.code, said in done.err, done.err.count("\n")) == (2, True, 1), done.err
    assert webkeep("job", "collection", folder).summary["listed"] == 1
    assert webkeep("job", "schedule", folder).summary["listed"] == 0


def test_a_service_that_may_run_nothing_is_refused(folder: Path) -> None:
    done = run_service(folder, "--running", "0")
    assert (done.returncode, "at least one job at a time" in done.stderr) == (2, True)


def test_two_services_on_one_folder_are_refused_in_one_line(folder: Path) -> None:
    with service(folder) as first:
        second = run_service(folder)
    assert second.returncode == 3
    assert f"has a service already (process {first.pid}); stop that first" in second.stderr
    assert second.stderr.count("\n") == 1


def test_the_service_tells_how_it_is_and_ends_cleanly_when_asked(folder: Path) -> None:
    words = service_words(folder)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(word for word in process.stderr.readline().split() if word.startswith("http"))
        with urllib.request.urlopen(address.partition("?")[0] + "health", timeout=30) as answer:
            health = json.loads(answer.read())
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert health["status"] == "ok"
    assert health["jobs"]["running"] == 0
    assert (process.returncode, said) == (0, "the service has ended; jobs that run go on\n")


def test_a_plan_that_is_wrong_is_told_when_it_is_submitted_and_a_job_that_fails_says_why(folder: Path) -> None:
    (folder.parent / "plan.toml").write_text("depth = 'deep'\n")
    refused = submit(folder, "https://example.org/")
    assert (refused.code, "depth cannot be 'deep'" in refused.err) == (2, True)
    assert webkeep("job", "list", folder).code == 2, "nothing was begun"
    (folder.parent / "plan.toml").write_text(PLAN)
    assert submit(folder, "http://127.0.0.1:9/").code == 0


def test_a_capture_with_the_name_of_its_job_is_made_once(tmp_path: Path) -> None:
    with SmallSite({**SITE, "/b": Page(b"gone", status=404)}) as site:
        first = capture(tmp_path / "archive", site.url(), "--job", "one")
        asked = len(site.asked)
        again = capture(tmp_path / "archive", site.url(), "--job", "one")
        assert len(site.asked) == asked
        other = capture(tmp_path / "archive", site.url(), "--job", "two")
        assert len(site.asked) > asked
    assert "was captured before; nothing is asked for again" in again.err
    same = ("capture", "finished", "stored", "duplicates", "failed", "refused", "fates", "seeds_missed", "hosts")
    assert {name: again.summary[name] for name in same} == {name: first.summary[name] for name in same}
    assert again.code == first.code
    assert other.summary["capture"] != first.summary["capture"]
    with Archive(tmp_path / "archive") as archive:
        assert sorted(each.facts["job"] for each in archive.captures()) == ["one", "two"]


def test_captures_that_share_a_file_ask_a_host_one_at_a_time(tmp_path: Path) -> None:
    """While one has a request under way, the other asks nothing; both come to their end."""
    pages = {"/": linking(*(f"/{number}" for number in range(8))), **{f"/{number}": Page(b"x") for number in range(8)}}
    words = ["--share-hosts", tmp_path / "hosts", "--delay", "0.05"]
    with SmallSite(pages) as site:
        site.hold_after(0)
        with running(tmp_path / "one", site.url(), *words) as one, running(tmp_path / "two", site.url(), *words) as two:
            site.wait_for_requests(1)
            for each in ("one", "two"):
                wait_for_capture(tmp_path / each)
            assert len(site.asked) == 1
            site.let_go()
            assert (one.wait(60), two.wait(60)) == (0, 0)
    for each in ("one", "two"):
        hosts = webkeep("list", tmp_path / each, "--hosts")
        assert all(host.get("too_early", 0) == 0 for host in events(hosts))
    assert len(site.paths) == 18


def wait_for_capture(archive: Path) -> None:
    """Wait until a capture is under way and had its first looks for a turn."""
    deadline = time.monotonic() + 60
    while not list(archive.glob("jobs/*/state.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_with_public_only_not_even_a_seed_may_be_private(tmp_path: Path) -> None:
    with SmallSite(SITE) as site:
        done = capture(tmp_path / "archive", site.url(), "--public-only", "--retries", "0")
        assert site.asked == []
    assert done.code != 0
