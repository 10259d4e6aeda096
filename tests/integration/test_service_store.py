"""The job store, the same tests on SQLite and on a real PostgreSQL server."""

import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from postgres_cluster import cluster_folder, run_sql, running_cluster
from service_databases import KINDS, service_address

from webkeep.errors import StorageError, UsageError
from webkeep.model import Moment
from webkeep.service.collections import CollectionFacts, CollectionPurpose, SeedEntry
from webkeep.service.jobs import Job, JobEvent, JobKind, JobOrder, JobState, ProcessIdentity
from webkeep.service.run import Service, ServiceSettings
from webkeep.service.store import (
    CollectionStore,
    DatabaseGoneError,
    JobQueue,
    JobResult,
    JobStore,
    SqlDatabase,
    open_service_database,
)
from webkeep.service.store.migrations import MIGRATIONS

NOW = Moment.parse("2026-05-01T12:00:00Z")
ORDER = JobOrder("town", "archive-1", {"seeds": ["https://example.org/"], "depth": 2})
PROCESS = ProcessIdentity("machine", "boot", 4711, 99)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "service") as address:
        yield address


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest) -> str:
    return service_address(request)


@pytest.fixture
def database(address: str, tmp_path: Path) -> Iterator[SqlDatabase]:
    opened = open_service_database(tmp_path / "jobs.sqlite", address)
    yield opened
    opened.close()


@pytest.fixture
def store(database: SqlDatabase) -> JobStore:
    return JobStore(database)


def submit(store: JobStore, order: JobOrder = ORDER, at: Moment = NOW) -> Job:
    job = store.submit(order, at)
    assert job is not None
    return job


def start(store: JobStore, job: Job) -> Job:
    begun = store.start(job, PROCESS, NOW.plus(1))
    assert begun is not None
    return begun


def test_a_job_is_kept_as_it_was_ordered(store: JobStore, tmp_path: Path, address: str) -> None:
    due = NOW.plus(-5)
    order = replace(
        ORDER, priority=-3, schedule="weekly", due=due, plan={"seeds": ["https://ä.example/?a=%25"], "x": None}
    )
    job = submit(store, order)
    assert job.order == order
    assert (job.state, job.created, job.attempts, job.process) == (JobState.QUEUED, NOW, 0, None)
    again = open_service_database(tmp_path / "jobs.sqlite", address)
    assert JobStore(again).get(job.id) == job
    again.close()


def test_a_result_is_recorded_once_whoever_reports_it(store: JobStore) -> None:
    job = start(store, submit(store))
    assert (job.state, job.attempts, job.process, job.started) == (JobState.RUNNING, 1, PROCESS, NOW.plus(1))
    done = store.record(job, JobResult(JobEvent.FINISH, 0, {"stored": 7}), NOW.plus(9))
    assert done is not None
    assert (done.state, done.exit_code, done.summary, done.ended) == (JobState.DONE, 0, {"stored": 7}, NOW.plus(9))
    assert (done.process, done.wish) == (None, None)
    assert store.record(job, JobResult(JobEvent.FAIL, 3, {"stored": 8}), NOW.plus(10)) is None
    assert store.get(job.id) == done
    assert [(line.event, line.state) for line in store.journal(job.id)] == [
        ("submit", JobState.QUEUED),
        ("start", JobState.RUNNING),
        ("finish", JobState.DONE),
    ]


def test_what_an_earlier_attempt_reports_late_changes_nothing(store: JobStore) -> None:
    first = start(store, submit(store))
    lost = store.record(first, JobResult(JobEvent.LOSE, message="its process is gone", not_before=NOW.plus(60)), NOW)
    assert lost is not None
    assert (lost.state, lost.not_before, lost.message) == (JobState.QUEUED, NOW.plus(60), "its process is gone")
    assert store.next_in_queue(NOW.plus(59), 9) == []
    assert [each.id for each in store.next_in_queue(NOW.plus(60), 9)] == [lost.id]
    second = start(store, lost)
    assert second.attempts == 2
    assert store.record(first, JobResult(JobEvent.FINISH, 0), NOW) is None
    assert store.get(first.id).state is JobState.RUNNING


def test_two_that_start_one_job_start_it_once(address: str, tmp_path: Path, store: JobStore) -> None:
    jobs = [submit(store) for _ in range(10)]
    started: list[str] = []

    def start_all() -> None:
        other = open_service_database(tmp_path / "jobs.sqlite", address)
        for job in jobs:
            if JobStore(other).start(job, PROCESS, NOW) is not None:
                started.append(job.id)
        other.close()

    threads = [threading.Thread(target=start_all) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(started) == sorted(job.id for job in jobs)


def test_a_run_of_a_schedule_has_one_job(store: JobStore) -> None:
    order = replace(ORDER, schedule="weekly", due=NOW)
    assert store.submit(order, NOW) is not None
    assert store.submit(order, NOW.plus(1)) is None
    assert store.submit(replace(order, due=NOW.plus(7)), NOW) is not None
    assert store.submit(replace(order, seed="other"), NOW) is not None, "one for each seed"
    assert store.submit(replace(order, schedule="daily"), NOW) is not None
    assert [each.order.due for each in store.open_of_schedule("daily")] == [NOW]
    for job in store.open_of_schedule("weekly"):
        store.wish(job, JobEvent.CANCEL, NOW)
    assert store.open_of_schedule("weekly") == []


def test_jobs_wait_for_their_archive_and_for_collections_that_are_barred(store: JobStore) -> None:
    first, second = submit(store), submit(store, at=NOW.plus(1))
    other = submit(store, replace(ORDER, archive="archive-2"), NOW.plus(2))
    elsewhere = submit(store, replace(ORDER, collection="harbour"), NOW.plus(3))
    start(store, first)
    assert [each.id for each in store.next_in_queue(NOW.plus(9), 9)] == [other.id, elsewhere.id]
    assert [each.id for each in store.next_in_queue(NOW.plus(9), 9, ["town"])] == [elsewhere.id]
    store.record(store.get(first.id), JobResult(JobEvent.FINISH, 0), NOW)
    assert store.next_in_queue(NOW.plus(9), 1) == [second]


def test_what_is_kept_with_its_job_waits_for_no_archive(store: JobStore) -> None:
    alone = replace(ORDER, archive="", kind=JobKind.EVIDENCE)
    start(store, submit(store))
    start(store, submit(store, alone))
    second = submit(store, alone)
    assert [job.id for job in store.next_in_queue(NOW, 5)] == [second.id]


def test_what_stands_before_a_job_is_counted(store: JobStore, database: SqlDatabase) -> None:
    queue, writer = JobQueue(database), start(store, submit(store))
    same, other = submit(store, at=NOW.plus(1)), submit(store, replace(ORDER, archive="archive-2"), NOW.plus(2))
    urgent = submit(store, replace(ORDER, archive="archive-2", priority=1), NOW.plus(3))
    assert [queue.find_writer(job) for job in (writer, same, other)] == [None, writer.id, None]
    assert [queue.count_before(job) for job in (same, other, urgent)] == [1, 2, 0]
    assert queue.count_running() == 1


def test_a_clock_that_was_set_back_keeps_no_lost_job_waiting(store: JobStore) -> None:
    job = start(store, submit(store))
    store.record(job, JobResult(JobEvent.LOSE, not_before=NOW.plus(200)), NOW)
    assert store.next_in_queue(NOW, 1) == []
    assert [each.id for each in store.next_in_queue(NOW.plus(-86400), 1)] == [job.id]
    assert (store.count_queued(), store.count_queued(["town"])) == (1, 0)


def test_seeds_of_a_site_share_an_archive_and_archives_fill_evenly(database: SqlDatabase) -> None:
    collections = CollectionStore(database)
    collections.create(CollectionFacts("town", "Town", subjects=("a", "b"), archives=3), NOW)
    entries = [SeedEntry(f"https://s{number}.example/{path}") for number in range(30) for path in ("", "x")]
    added = collections.add_seeds("town", entries, NOW)
    assert len(added) == 60
    archives = {number: {each.archive for each in added if f"//s{number}." in each.url} for number in range(30)}
    assert all(len(each) == 1 for each in archives.values())
    assert Counter(each.archive for each in added) == {f"archive-{number}": 20 for number in (1, 2, 3)}
    assert collections.add_seeds("town", entries, NOW) == []
    (later,) = collections.add_seeds("town", [SeedEntry("https://www.s7.example/", {"depth": "1"}, "notes")], NOW)
    assert {later.archive} == archives[7]
    assert collections.seed(later.id) == collections.find_seed("town", later.url) == later
    assert later.plan == {"depth": "1", "seeds": ["https://www.s7.example/"]}
    collections.delete_seed(later)
    assert collections.seed(later.id) is None


def test_collections_are_kept_changed_and_never_lose_archives(database: SqlDatabase) -> None:
    collections = CollectionStore(database)
    facts = CollectionFacts("town", "Ti'tle", "d", ("a",), "c", "r", CollectionPurpose.EXTENSIVE, 3, 10**12)
    collections.create(facts, NOW)
    assert collections.get("town") == facts
    with pytest.raises(UsageError, match="there is a collection town already"):
        collections.create(facts, NOW)
    collections.update(replace(facts, title="New", archives=4, quota=None))
    assert collections.list_collections() == [replace(facts, title="New", archives=4, quota=None)]
    with pytest.raises(UsageError, match="has 4 archives, and keeps what is in them"):
        collections.update(facts)
    with pytest.raises(UsageError, match="there is no collection 'x'"):
        collections.get("x")


def test_collections_leave_out_what_others_hold_and_never_each_other(database: SqlDatabase) -> None:
    collections = CollectionStore(database)
    for name, left_out in (("town", ()), ("press", ("town",)), ("land", ("press", "town"))):
        collections.create(CollectionFacts(name, name, left_out=left_out), NOW)
    assert collections.get("land").left_out == ("press", "town")
    for name, left_out in (("town", ("press",)), ("town", ("land",)), ("town", ("none",))):
        with pytest.raises(
            UsageError, match="captured by neither" if left_out != ("none",) else "no collection 'none'"
        ):
            collections.update(CollectionFacts(name, name, left_out=left_out))
    with pytest.raises(UsageError, match="what it holds itself"):
        CollectionFacts("town", "town", left_out=("town",))
    collections.remove("town", lambda: None)
    assert (collections.get("press").left_out, collections.get("land").left_out) == ((), ("press",))


def test_the_newest_job_of_each_seed_and_its_history(store: JobStore) -> None:
    old, new = (submit(store, replace(ORDER, seed="s"), NOW.plus(number)) for number in (1, 2))
    other = submit(store, replace(ORDER, seed="t"), NOW)
    submit(store)
    assert store.latest_of(["s", "t", "u"]) == {"s": new, "t": other}
    assert [each.id for each in store.jobs_of_seed("s")] == [new.id, old.id]


def test_what_is_held_of_a_seed_stays_told_while_it_is_captured_again(database: SqlDatabase) -> None:
    store, collections = JobStore(database), CollectionStore(database)
    collections.create(CollectionFacts("town", "The town"), NOW)
    seed, _ = collections.add_seeds("town", [SeedEntry("https://a.example/"), SeedEntry("https://b.example/")], NOW)
    held = [submit(store, replace(ORDER, seed=seed.id, archive=f"archive-{at}"), NOW.plus(at)) for at in range(3)]
    for job, missed in zip(held, (0, 1, None), strict=True):
        started = start(store, job)
        if missed is not None:
            result = JobResult(JobEvent.FINISH, missed, {"stored": 4, "seeds_missed": missed}, "as it ended")
            assert store.record(started, result, NOW.plus(9)) is not None
    assert {name: job.id for name, job in store.latest_captures_of([seed.id, "none"]).items()} == {seed.id: held[0].id}
    assert store.latest_captures_of([]) == {}
    (outcome,) = store.latest_outcomes(["town"])
    assert (outcome.state, outcome.summary["seeds_missed"]) == (JobState.DONE, 1), (
        "one that runs has come to nothing yet"
    )


def test_turns_go_by_priority_then_by_confirmation(store: JobStore) -> None:
    pending = submit(store, replace(ORDER, is_confirmed=False), NOW)
    second, third = submit(store, at=NOW.plus(2)), submit(store, at=NOW.plus(3))
    urgent = submit(store, replace(ORDER, priority=5), NOW.plus(4))
    assert [each.id for each in store.next_in_queue(NOW.plus(9), 9)] == [urgent.id, second.id, third.id]
    store.wish(pending, JobEvent.CONFIRM, NOW.plus(5))
    store.change_priority(third, 9)
    assert [each.id for each in store.next_in_queue(NOW.plus(9), 9)] == [third.id, urgent.id, second.id, pending.id]
    assert [each.id for each in store.next_in_queue(NOW.plus(9), 1)] == [third.id]


def test_what_is_asked_of_a_job_that_runs_waits_for_its_process(store: JobStore) -> None:
    job = start(store, submit(store))
    assert store.wish(job, JobEvent.PAUSE, NOW).wish is JobEvent.PAUSE
    asked = store.wish(job, JobEvent.CANCEL, NOW)
    assert (asked.state, asked.wish) == (JobState.RUNNING, JobEvent.CANCEL)
    assert store.wish(job, JobEvent.PAUSE, NOW).wish is JobEvent.CANCEL, "who cancelled is not overruled"
    ended = store.record(asked, JobResult(JobEvent.CANCEL, 3, message="as asked"), NOW)
    assert ended is not None
    assert (ended.state, ended.wish, ended.ended) == (JobState.CANCELLED, None, NOW)
    with pytest.raises(UsageError, match="runs, and ends by itself"):
        store.wish(start(store, submit(store)), JobEvent.FINISH, NOW)


def test_a_job_that_waits_is_paused_resumed_and_cancelled_at_once(store: JobStore) -> None:
    job = submit(store)
    paused = store.wish(job, JobEvent.PAUSE, NOW)
    assert paused.state is JobState.PAUSED
    with pytest.raises(UsageError, match="queued no longer"):
        store.wish(job, JobEvent.CANCEL, NOW)
    resumed = store.wish(paused, JobEvent.RESUME, NOW)
    assert (resumed.state, resumed.queued) == (JobState.QUEUED, job.queued), "it keeps its place"
    cancelled = store.wish(resumed, JobEvent.CANCEL, NOW.plus(1))
    assert (cancelled.state, cancelled.ended) == (JobState.CANCELLED, NOW.plus(1))
    with pytest.raises(UsageError, match="a job that is cancelled cannot resume; what can be asked of it is: nothing"):
        store.wish(cancelled, JobEvent.RESUME, NOW)


def test_jobs_are_listed_counted_and_found(store: JobStore) -> None:
    jobs = [submit(store, replace(ORDER, collection=f"c{number % 2}"), NOW.plus(number)) for number in range(5)]
    start(store, jobs[0])
    assert [each.id for each in store.list_jobs()] == [each.id for each in reversed(jobs)]
    assert [each.id for each in store.list_jobs([JobState.QUEUED], "c0", 1)] == [jobs[4].id]
    assert {state: count for state, count in store.counts().items() if count} == {
        JobState.QUEUED: 4,
        JobState.RUNNING: 1,
    }
    assert store.find(jobs[2].id[:12]) == jobs[2]
    for wrong, said in (("zz", "no job begins"), ("", "not the id"), ("' OR 1=1", "not the id")):
        with pytest.raises(UsageError, match=said):
            store.find(wrong)
    with pytest.raises(UsageError, match="there is no job 'x'"):
        store.get("x")


def test_a_database_of_a_later_version_is_left_alone(database: SqlDatabase, address: str, tmp_path: Path) -> None:
    known = [(number,) for number in range(1, len(MIGRATIONS) + 1)]
    assert database.rows("SELECT version FROM schema_version ORDER BY version") == known
    database.change("INSERT INTO schema_version (version) VALUES (?)", (len(MIGRATIONS) + 1,))
    with pytest.raises(StorageError, match="install the newer webkeep that made it"):
        open_service_database(tmp_path / "jobs.sqlite", address)


def test_a_database_of_the_first_version_is_brought_up_to_date_with_its_jobs(address: str, tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    first = open_service_database(path, address)
    job = submit(JobStore(first))
    for statement in (each for step in MIGRATIONS[:0:-1] for each in reversed(step)):
        if made := re.match(r"\s*CREATE TABLE (\w+)", statement):
            first.change(f"DROP TABLE {made[1]}")
        elif added := re.match(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", statement):
            first.change(f"ALTER TABLE {added[1]} DROP COLUMN {added[2]}")
        elif index := re.match(r"CREATE (?:UNIQUE )?INDEX (\w+)", statement):
            first.change(f"DROP INDEX IF EXISTS {index[1]}")
    first.change("DELETE FROM schema_version WHERE version > 1")
    first.close()
    again = open_service_database(path, address)
    assert again.rows("SELECT count(*) FROM watch") == [(0,)]
    assert JobStore(again).get(job.id) == job
    again.close()


@pytest.mark.parametrize(
    "order", [replace(ORDER, priority=1 << 63), replace(ORDER, collection="a\udcff"), replace(ORDER, seed="a\0")]
)
def test_what_not_every_database_can_keep_is_refused_by_all(store: JobStore, order: JobOrder) -> None:
    with pytest.raises(UsageError, match=r"too large a number|no text in UTF-8"):
        store.submit(order, NOW)
    assert store.list_jobs() == []


def test_whatever_a_process_says_at_its_end_is_kept(store: JobStore) -> None:
    job = start(store, submit(store))
    ended = store.record(job, JobResult(JobEvent.FAIL, 2, {"error": "a\udcff\0"}, "a\udcff\0"), NOW)
    assert ended is not None
    assert (ended.state, ended.summary, ended.message) == (JobState.FAILED, {"error": "a\udcff\0"}, "a??")


def test_a_change_that_fails_takes_the_others_of_its_transaction_back(database: SqlDatabase, store: JobStore) -> None:
    job = submit(store)
    with pytest.raises(StorageError), database.transaction():
        database.change("UPDATE job SET priority = 7 WHERE id = ?", (job.id,))
        database.change("UPDATE nothing SET x = 1")
    assert store.get(job.id) == job


def test_a_server_that_is_gone_for_a_while_is_found_again(tmp_path: Path) -> None:
    with cluster_folder() as folder:
        with running_cluster(folder, "first") as address:
            database = open_service_database(tmp_path / "unused", address.replace(":///library?", ":///postgres?"))
            store = JobStore(database)
            job = submit(store)
            server = int((folder / "first" / "postmaster.pid").read_text().split()[0])
            (backend,) = database.rows("SELECT pg_backend_pid()")[0]
            os.kill(int(backend or 0), signal.SIGTERM)
            with pytest.raises(DatabaseGoneError, match=r"PostgreSQL is gone .*; see that it runs"):
                store.get(job.id)
            assert store.get(job.id) == job, "connected anew"
            assert server
        with pytest.raises(DatabaseGoneError, match="PostgreSQL is gone"):
            store.get(job.id)
        with pytest.raises(DatabaseGoneError, match="PostgreSQL cannot be reached"):
            store.submit(ORDER, NOW)
        database.close()


def test_a_service_goes_on_when_its_job_store_is_there_again(cluster: str, tmp_path: Path) -> None:
    address = cluster.replace(":///library?", ":///postgres?")
    with Service(ServiceSettings(tmp_path / "service", address)) as service:
        assert not service.look()
        assert service.describe_health()["status"] == "ok"
        run_sql(address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        assert service.look()
        assert service.trouble.startswith("PostgreSQL is gone")
        assert not service.look()
        assert service.trouble == ""


def test_a_mistake_of_the_service_is_told_and_ends_nothing(tmp_path: Path) -> None:
    with Service(ServiceSettings(tmp_path / "service")) as service:
        opened = open_service_database(tmp_path / "service" / "jobs.sqlite")
        columns = "id, collection, seed, kind, url, poll, facts, state, next_look"
        opened.change(f"INSERT INTO watch ({columns}) VALUES ('a', '', '', 'feed', '', 60, 'no JSON', '{{}}', 1)")
        service.look_at_watches()
        assert "watches cannot be looked after" in service.trouble and "JSONDecodeError" in service.trouble
        service.look()
        assert service.describe_health()["status"] == "trouble", "also while jobs are well"
        opened.change("DELETE FROM watch")
        service.look_at_watches()
        assert service.trouble == ""
        opened.close()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://me:tidal-5ecret@host/db", "put it into ~/.pgpass"),
        ("postgresql:///db?password=tidal-5ecret", "put it into ~/.pgpass"),
        ("mysql://host/db", "not the address of a database"),
        ("postgresql://host/db?nonsense=tidal-5ecret", "not the address of a PostgreSQL database"),
    ],
)
def test_an_address_that_others_could_read_a_password_from_is_refused(address: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        open_service_database(tmp_path / "jobs.sqlite", address)
    assert "5ecret" not in str(caught.value)
