"""What several people ask for is done once: jobs that wait, schedules and watches that are there already."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from api_program import Program
from people_server import START, PeopleServer, people_server
from postgres_cluster import cluster_folder, running_cluster
from service_databases import KINDS, service_address

from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.jobs import JobEvent, JobOrder, JobState
from webkeep.service.run import submit_orders
from webkeep.service.store import JobQueue, JobStore, open_service_database


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "once") as address:
        yield address


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    return service_address(request)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as serving:
        now = serving.clock.now()
        serving.service.collections.create(CollectionFacts("town", "The town"), now)
        entries = [SeedEntry(f"https://s{number}.example/", {"scope": "page"}) for number in range(3)]
        serving.service.collections.add_seeds("town", entries, now)
        for name, role in (("ada", AccountRole.ADMINISTRATOR), ("ben", AccountRole.CURATOR)):
            serving.add_account(name, role)
        yield serving


def start(server: PeopleServer, who: str, **fields: str) -> str:
    client = server.client(who)
    answer = client.send("/start", client.ask("/"), **({"collection": "town", "preset": "page"} | fields))
    assert answer.status == 303, answer.text
    return answer.headers["location"]


def test_seeds_that_wait_are_not_queued_again_whoever_asks(server: PeopleServer) -> None:
    jobs = server.service.jobs
    for who in ("ada", "ben", "ada"):
        client = server.client(who)
        assert client.send("/collections/town/capture", client.ask("/collections/town")).status == 303
    assert [each.order.plan["seeds"] for each in jobs.list_jobs()] == [[f"https://s{at}.example/"] for at in (2, 1, 0)]
    assert re.search(r'<a href="/jobs\?collection=town&amp;state=queued">3 queued</a>',
                     server.client("ben").ask("/jobs?collection=town").text)  # fmt: skip
    program = Program(server.client(), server.add_token("ben", Permission.CURATE))
    answer = program.send("/collections/town/jobs", {"priority": 7})
    assert (len(answer["jobs"]), answer["waiting"], {each["priority"] for each in answer["jobs"]}) == (3, 3, {7})
    newest = jobs.list_jobs()[0]
    jobs.wish(newest, JobEvent.CANCEL, server.clock.now())
    again = program.send("/collections/town/jobs", {})
    assert (len(jobs.list_jobs()), again["waiting"]) == (4, 2), "what was cancelled waits for nothing"
    assert len(jobs.list_jobs([JobState.QUEUED])) == 3


def test_a_page_that_waits_is_started_once_and_otherwise_where_it_is_wanted_otherwise(server: PeopleServer) -> None:
    first = start(server, "ada", url="https://s0.example/")
    assert start(server, "ada", url="s0.example") == first
    assert start(server, "ada", url="https://s0.example/", depth="2") != first
    for _ in range(2):
        start(server, "ada", url="https://followed.example/", preset="follow")
    assert len(server.service.schedules.list_schedules("town")) == 1


def test_a_schedule_and_a_watch_that_are_there_are_not_added_again(server: PeopleServer) -> None:
    client = server.client("ben")
    schedules, watches = "/collections/town/schedules", "/collections/town/watches"

    def add(path: str, **fields: str) -> int:
        return client.send(path, client.ask(schedules), **fields).status

    assert [add(schedules, times=each, action="add") for each in ("@daily", "0 0 * * *", "@weekly")] == [303, 400, 303]
    assert add(schedules, times="@daily", seed="https://s1.example/", action="add") == 303
    assert len(server.service.schedules.list_schedules("town")) == 3
    feed = {"kind": "feed", "url": "https://s0.example/feed", "poll": "1h"}
    assert [add(watches, **feed), add(watches, **feed), add(watches, **feed | {"kind": "sitemap"})] == [303, 400, 303]


def test_a_password_in_a_url_is_told_to_administrators_too(server: PeopleServer) -> None:
    url = "https://ada:secret@s9.example/"
    client = server.client("ada")
    answer = client.send("/start", client.ask("/"), url=url, preset="page", collection="town")
    assert answer.status == 400 and "give the seed a login" in re.sub(r"\s+", " ", answer.text)
    program = Program(server.client(), server.add_token("ada", Permission.ADMINISTER))
    program.refuse("/collections/town/jobs", {"seeds": [url]})
    assert server.service.jobs.list_jobs() == [] and "secret" not in answer.text


@pytest.mark.parametrize("address", KINDS, indirect=True)
def test_those_who_ask_at_one_moment_are_given_one_job(address: str, tmp_path: Path) -> None:
    orders = [JobOrder("town", "archive-1", {"seeds": [f"https://s{at}.example/"]}, seed=f"s{at}") for at in range(5)]

    def ask(_: int) -> set[str]:
        database = open_service_database(tmp_path / "jobs.sqlite", address)
        try:
            submitted = submit_orders(JobStore(database), orders, START)
            return {job.id for job in submitted.added + submitted.waiting}
        finally:
            database.close()

    database = open_service_database(tmp_path / "jobs.sqlite", address)
    with ThreadPoolExecutor(4) as people:
        told = list(people.map(ask, range(8)))
    jobs = JobStore(database).list_jobs()
    assert all(each == {job.id for job in jobs} for each in told) and len(jobs) == 5
    assert JobQueue(database).count_open() == {JobState.QUEUED: 5}
    assert JobQueue(database).count_open(["town", "press"]) == {JobState.QUEUED: 5}
    assert JobQueue(database).count_open(["press"]) == JobQueue(database).count_open([]) == {}
    database.close()
