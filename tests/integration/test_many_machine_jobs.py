"""A capture of the service on many machines: begun, watched, steered, paused and gone on with, and in the collection
when it is over; one at a time, and nothing of the database on any page.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dashboard_calls import DashboardClient, PageAnswer, dashboard
from host_web import HostWeb, serve_hosts
from postgres_cluster import cluster_folder, new_database, running_cluster
from warc_material import webkeep

from webkeep.model import BytesBody, CaptureKind, Exchange, Moment, UrlOutcome
from webkeep.store.archive import Archive, WritableArchive

_DELAY = 0.1


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "workers") as address:
        yield address


@pytest.fixture
def address(cluster: str, request: pytest.FixtureRequest) -> str:
    """Where a database of its own is."""
    return new_database(cluster, request.node.nodeid)


def start(client: DashboardClient, web: HostWeb, collection: str, **more: str) -> PageAnswer:
    """Have the whole web captured on many machines."""
    places = ", ".join(f'"{web.name(each)}:{web.port}:{web.name(each)}"' for each in range(web.hosts))
    given = {"collection": collection, "delay": str(_DELAY), "include": "http://127.1.*", "many_machines": "yes",
             "more": f"resolve = [{places}]"}  # fmt: skip
    return client.send("/start", client.ask("/"), url=web.root(0), **(given | more))


def wait_for(client: DashboardClient, path: str, words: str) -> str:
    """A page, once it has some words: each request takes the service some milliseconds."""
    for _ in range(40_000):
        if words in (text := client.ask(path).text):
            return text
    raise AssertionError(f"{words} was never said: {text}")


def steer(client: DashboardClient, job: str, event: str) -> None:
    assert client.send(f"{job}/steering", client.ask(job), event=event).status == 303


def make_damaged_archive(path: Path) -> None:
    """An archive with a record that is not what it says."""
    with WritableArchive.create(path) as archive:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
        body = BytesBody(bytes(range(256)) * 99)
        seen = archive.append(Exchange("http://damaged.example/", Moment.parse("2026-05-01"), head, body))
    file = path / "warcs" / seen.place.file
    content = bytearray(file.read_bytes())
    content[seen.place.offset + seen.place.length // 2] ^= 0xFF
    file.write_bytes(content)


def test_a_capture_on_many_machines_is_watched_steered_and_in_the_collection_when_it_is_over(
    tmp_path: Path, address: str
) -> None:
    folder = tmp_path / "service"
    with (
        serve_hosts(6, 30) as web,
        dashboard(folder, "--database", address, "--workers", "2") as client,
    ):
        client.enter()
        answer = start(client, web, "town")
        assert answer.status == 303, answer.text
        job = answer.headers["location"]
        web.wait_for_requests(12, 40)
        pages = [wait_for(client, job, "</strong> workers</li>"), wait_for(client, job, "asked by worker-")]
        assert "Workers tell of no types" in pages[0]
        # Another one waits for it, and says so.
        other = start(client, web, "land").headers["location"]
        pages.append(wait_for(client, other, "another one comes first"))
        assert f'href="{job}"' in pages[-1]
        # It is steered as one.
        asked = client.ask(f"{job}/rule?exclude=*page-29*")
        assert "is not looked up there" in asked.text
        assert client.send(f"{job}/changes", asked, exclude="*page-29*").status == 303
        wait_for(client, job, "<code>*page-29*</code>")
        steer(client, job, "pause")
        pages.append(wait_for(client, other, "is paused: have it go on, or stop it"))
        count = sum(web.asked().values())
        assert 'data-state="paused"' in client.ask(job).text
        (archive,) = (folder / "collections" / "town").iterdir()
        with Archive(archive) as held:
            (begun,) = [each for each in held.captures() if each.kind == CaptureKind.CAPTURE]
            assert begun.finished is None
            assert held.catalog.observations.totals(begun.id).urls > 0, "what workers had got is there"
        steer(client, job, "resume")
        assert 'data-state="done"' in client.ask(f"{job}/events").text
        steer(client, other, "cancel")
        pages.append(client.ask(job).text)
        assert sum(web.asked().values()) > count
        assert max(web.asked().values()) == 1
        assert web.smallest_gap() >= _DELAY - 0.005
        # What came of it is one capture, with all that pages offer of any.
        with Archive(archive) as held:
            (kept,) = [each for each in held.captures() if each.kind == CaptureKind.CAPTURE]
            assert kept.id == begun.id and kept.finished is not None
            assert kept.facts["job"] == job.rpartition("/")[2]
            stored = {each.url for each in held.observations(kept.id, resolve=False)}
            fates = [fate.url for _, fate in held.catalog.log.fates(kept.id)]
        assert {url for url in web.urls() if not url.endswith("page-29")} <= stored
        assert len(fates) == len(set(fates))
        assert webkeep("verify", archive).code == 0
        assert client.ask(f"{job}/report").status in (200, 202)
        pages.append(wait_for(client, f"{job}/report", "<h1"))
        wait_for(client, f"{job}/downloads", "WARC")
        for _ in range(2000):
            if not (folder / "jobs" / job.rpartition("/")[2] / "workers").exists():
                break
            client.ask("/health")
        else:
            raise AssertionError("archives of workers are left, although all they had is in the collection")
        plan = client.ask(f"{job}/plan.toml").text
        assert "many_machines" not in plan and 'browser = "off"' in plan
        for page in pages:
            assert not re.search(r"postgres|library", page), "the address of the database is nobody's business"


def test_workers_take_turns_with_other_jobs_and_one_that_was_stopped_makes_room_for_the_next(
    tmp_path: Path, address: str
) -> None:
    folder = tmp_path / "service"
    with (
        serve_hosts(1, 200) as web,
        dashboard(folder, "--database", address, "--workers", "1") as client,
    ):
        client.enter()
        job = start(client, web, "town", delay="0.2").headers["location"]
        web.wait_for_requests(3)
        beside = start(client, web, "press", delay="0.2", many_machines="", max_urls="6", browser="off")
        assert 'data-state="done"' in client.ask(f"{beside.headers['location']}/events").text
        before = len(web.asked())
        assert web.smallest_gap() >= 0.195, "workers and the other job asked the host in turns"
        steer(client, job, "cancel")
        assert 'data-state="cancelled"' in client.ask(f"{job}/events").text
        assert "workers of its folder" not in client.ask(job).text
        (archive,) = (folder / "collections" / "town").iterdir()
        with Archive(archive) as held:
            (begun,) = [each for each in held.captures() if each.kind == CaptureKind.CAPTURE]
            assert held.catalog.observations.totals(begun.id).urls >= before - 8
        following = start(client, web, "land", max_urls="5").headers["location"]
        workers = folder / "jobs" / following.rpartition("/")[2] / "workers"
        while not workers.exists():
            client.ask("/health")
        make_damaged_archive(workers / "worker-9")
        assert 'data-state="done"' in client.ask(f"{following}/events").text
        assert "some of what workers wrote is damaged" in client.ask(following).text
        assert (workers / "worker-9").exists(), "what was passed over is nowhere else"
        (archive,) = (folder / "collections" / "land").iterdir()
        with Archive(archive) as held:
            (kept,) = [each for each in held.captures() if each.kind == CaptureKind.CAPTURE]
            assert kept.finished is not None and kept.id != begun.id
            page = next(each.url for each in held.observations(kept.id, resolve=False) if "/page-" in each.url)
        # What was taken down in the collection is not asked for again.
        assert webkeep("remove", archive, "--url", page, "--yes").code == 0
        count = web.asked()[page]
        third = start(client, web, "land", max_urls="5").headers["location"]
        assert 'data-state="done"' in client.ask(f"{third}/events").text
        assert web.asked()[page] == count
        with Archive(archive) as held:
            *_, last = [each for each in held.captures() if each.kind == CaptureKind.CAPTURE]
            assert last.id != kept.id
            (fate,) = [fate for _, fate in held.catalog.log.fates(last.id) if fate.url == page]
            assert fate.outcome is UrlOutcome.TAKEN_DOWN


def test_what_workers_cannot_do_is_refused_before_anything_is_begun(tmp_path: Path, address: str) -> None:
    with serve_hosts(1, 1) as web:
        with dashboard(tmp_path / "service", "--database", address, "--workers", "1") as client:
            client.enter()
            assert "Many machines" in client.ask("/").text
            for more, words in (
                ({"browser": "always"}, "no page is run in a browser"),
                ({"strategy": "sharc-selective"}, "on one machine alone"),
                ({"preset": "evidence"}, "carry captures out and nothing else"),
            ):
                answer = start(client, web, "town", **more)
                assert answer.status == 400, more
                assert words in answer.text
        with dashboard(tmp_path / "alone") as client:
            client.enter()
            assert "Many machines" not in client.ask("/").text
            answer = start(client, web, "town")
            assert answer.status == 400
            assert "this service has no workers" in answer.text
    assert not web.requests
    wrong = ("service", tmp_path / "third", "--workers")
    assert "--database" in webkeep(*wrong, "2").err
    assert "is no number of workers" in webkeep(*wrong, "many", "--database", address).err
    assert "--workers" in webkeep("service", tmp_path / "third", "--ray", "auto").err
