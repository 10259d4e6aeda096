"""Recoveries of visitors as rows, on SQLite and on a real PostgreSQL server."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from postgres_cluster import cluster_folder, running_cluster
from service_databases import KINDS, service_database

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.jobs import JobKind, JobState
from webkeep.service.recoveries import (
    LostExtent,
    RecoveryYield,
    TooManyRequestsError,
    VisitorLimits,
    VisitorOrder,
    VisitorRecovery,
    VisitorRecoveryState,
)
from webkeep.service.store import JobStore, SqlDatabase, VisitorRecoveryStore

NOW = Moment.parse("2026-05-01T12:00:00Z")
DAY = 86400.0
ORDER = VisitorOrder("http://lost.example/ä", LostExtent.PAGE, ("Our own",), "2004-02-01", "", True)
PENDING, QUEUED, PROCESSING, COMPLETED, FAILED, DELETED = VisitorRecoveryState
FREE = VisitorLimits(100, 100, 100)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "service") as address:
        yield address


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlDatabase]:
    with service_database(request, tmp_path) as opened:
        yield opened


@pytest.fixture
def store(database: SqlDatabase) -> VisitorRecoveryStore:
    return VisitorRecoveryStore(database)


def ask(store: VisitorRecoveryStore, name: str, at: Moment = NOW, limits: VisitorLimits = FREE) -> VisitorRecovery:
    made = VisitorRecovery(name, ORDER, PENDING, at, "Ada@home.example", f"link-{name}", f"code-{name}")
    store.add(made, "192.0.2.1", limits)
    return made


def all_rows(database: SqlDatabase) -> list[object]:
    return [database.rows(f"SELECT * FROM {table}") for table in ("visitor_recovery", "visitor_use", "mail", "job")]


def read(store: VisitorRecoveryStore, name: str) -> VisitorRecovery:
    found = store.find(name)
    assert found is not None
    return found


def test_a_recovery_is_kept_as_it_was_asked_for_and_found_by_its_link(store: VisitorRecoveryStore) -> None:
    made = ask(store, "a")
    store.keep_survey("a", {"held": True})
    assert store.find_by_link("link-a") == replace(made, survey={"held": True}) == store.find("a")
    for wrong in ("", "link-", "link-b", "a", "LINK-A", "\0", "\ud800"):
        assert store.find_by_link(wrong) is None


def test_the_queue_goes_by_confirmation_and_administrators_move_in_it(store: VisitorRecoveryStore) -> None:
    made = {name: ask(store, name) for name in "abcd"}
    for name in "cabd":
        assert store.confirm(made[name], NOW)  # at the same moment: in the order of the calls
        assert not store.confirm(made[name], NOW.plus(1))

    def queue() -> str:
        return "".join(each.id for each in store.list_recoveries([QUEUED]))

    assert queue() == "cabd" and store.count_ahead(read(store, "b")) == 2
    for name, step, expected in (
        ("b", "first", "bcad"),
        ("b", "up", "bcad"),
        ("b", "down", "cbad"),
        ("c", "last", "badc"),
        ("c", "down", "badc"),
        ("d", "up", "bdac"),
        ("d", "sideways", "bdac"),
        ("nobody", "first", "bdac"),
    ):
        store.move_in_queue(name, step)
        assert queue() == expected, (name, step)
    late = ask(store, "e")
    assert store.confirm(late, NOW.plus(-DAY))  # a clock that was set back lets nobody jump the queue
    assert queue() == "bdace"


def test_a_recovery_is_started_once_and_its_job_is_a_recovery(
    database: SqlDatabase, store: VisitorRecoveryStore
) -> None:
    jobs = JobStore(database)
    made = ask(store, "a")
    with pytest.raises(UsageError):
        store.start(made, {}, jobs, NOW)
    store.confirm(made, NOW)
    queued = read(store, "a")
    assert store.start(queued, {"seeds": [ORDER.url]}, jobs, NOW.plus(9))
    assert not store.start(queued, {"seeds": [ORDER.url]}, jobs, NOW.plus(9))
    (job,) = jobs.list_jobs()
    assert (job.order.kind, job.state, job.order.archive) == (JobKind.RECOVER, JobState.QUEUED, "a")
    running = read(store, "a")
    assert (running.state, running.job, running.started) == (PROCESSING, job.id, NOW.plus(9))
    outcome = RecoveryYield(3, 1, 7, {"ia": 3}, {"ia": 9})
    assert store.finish(running, outcome, NOW.plus(99)) and not store.fail(running, "late", NOW)
    done = read(store, "a")
    assert (done.state, done.outcome, done.ended) == (COMPLETED, outcome, NOW.plus(99))
    store.note_pickup(done, NOW.plus(100))
    store.note_pickup(done, NOW.plus(200))
    assert read(store, "a").picked_up == NOW.plus(100)


def test_what_is_deleted_leaves_figures_and_nobody(database: SqlDatabase, store: VisitorRecoveryStore) -> None:
    made = ask(store, "a")
    assert store.delete(made, "never confirmed") and not store.delete(made, "again")
    store.keep_survey("a", {"guesses": ["http://www.lost.example/"]})  # asked before, answered after
    assert store.find_by_link("link-a") is None
    gone = read(store, "a")
    assert (gone.state, gone.mail, gone.link, gone.code, gone.order) == (
        DELETED,
        "",
        "",
        "",
        replace(ORDER, url="*.example"),
    )
    assert not {"home.example", "lost.example"} & set(re.findall(r"\w+\.example", str(all_rows(database))))
    assert ask(store, "b") and store.delete(read(store, "b"), "")
    store.forget_uses(NOW.plus(DAY))
    assert database.rows("SELECT count(*) FROM visitor_use") == [(0,)]


def test_limits_count_what_was_asked_for_in_a_day_and_is_open(store: VisitorRecoveryStore) -> None:
    limits = VisitorLimits(requests_a_day=3, open_requests=2, waiting=4)
    ask(store, "a", NOW, limits)
    ask(store, "b", NOW, limits)
    with pytest.raises(TooManyRequestsError, match="not over"):
        ask(store, "c", NOW.plus(1), limits)
    store.delete(read(store, "a"), "")
    store.forget_uses(NOW.plus(-DAY))
    ask(store, "c", NOW.plus(2), limits)
    with pytest.raises(TooManyRequestsError, match="in a day"):
        ask(store, "d", NOW.plus(3), limits)
    elsewhere = VisitorRecovery("e", ORDER, PENDING, NOW, "other@home.example", "link-e", "code")
    with pytest.raises(TooManyRequestsError):
        store.add(elsewhere, "192.0.2.1", limits)
    store.add(elsewhere, "192.0.2.2", limits)
    same_mail = replace(elsewhere, id="f", link="link-f", mail="ada@HOME.example")
    with pytest.raises(TooManyRequestsError):
        store.add(same_mail, "192.0.2.3", limits)
    assert store.find("f") is None
    store.delete(read(store, "b"), "")
    ask(store, "g", NOW.plus(DAY + 1), limits)


def test_a_reminder_is_noted_once(store: VisitorRecoveryStore) -> None:
    made = ask(store, "a")
    assert store.note_reminder(made, NOW.plus(5)) and not store.note_reminder(made, NOW.plus(6))
    assert (read(store, "a").reminders, read(store, "a").last_reminder) == (1, NOW.plus(5))
