"""Logins kept, handed to jobs and told to hold or not: with a real store, real descriptors and a site on loopback."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from webkeep.clock import SystemClock
from webkeep.crawl.plan import read_login
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.browsing import check_login
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.jobs import Job, JobEvent, JobKind, JobOrder, JobState, ProcessIdentity
from webkeep.service.logins import LOGIN_OPTION, LoginContent, LoginKeyFile, LoginLockedError, LoginProfile, LoginState
from webkeep.service.run.login_desk import LoginDesk
from webkeep.service.store import (
    CollectionStore,
    JobResult,
    JobStore,
    LoginStore,
    open_service_database,
)

NOW = Moment.parse("2026-05-01")
SECRET = "c00kie-of-a-member"
CONTENT = LoginContent(
    ({"name": "member", "value": SECRET, "domain": "127.0.0.1", "path": "/", "expires": -1},),
    {"http://127.0.0.1": {"token": "stored"}},
)


@dataclass
class Desk:
    root: Path

    def __post_init__(self) -> None:
        self.database = open_service_database(self.root / "jobs.sqlite")
        self.jobs, self.collections = JobStore(self.database), CollectionStore(self.database)
        self.logins = LoginStore(self.database)
        for name in ("town", "press"):
            self.collections.create(CollectionFacts(name, name), NOW)
        self.desk = LoginDesk(
            self.logins, self.jobs, self.collections, LoginKeyFile(self.root / "logins.key", {}), SystemClock()
        )
        self.desk.keep(profile(), CONTENT)

    def submit(self, collection: str = "town", kind: JobKind = JobKind.CAPTURE) -> Job:
        job = self.jobs.submit(JobOrder(collection, "archive-1", {"seeds": [], LOGIN_OPTION: "1"}, kind), NOW)
        assert job is not None
        return job


def profile(url: str = "https://town.example/") -> LoginProfile:
    return LoginProfile("1", "town", "Ada", f"{url}login", url, url, NOW, NOW, is_local_allowed=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.database.close()


def test_a_job_has_its_login_in_memory_and_nowhere_else(desk: Desk, tmp_path: Path) -> None:
    job, links = desk.submit(), tmp_path / "links"
    with desk.desk.hand_over(job, links) as (words, handles):
        assert words == ["--browser-profile", str(links)]
        login = read_login(links)
        assert [each["value"] for each in login.cookies] == [SECRET]
        assert login.stores == CONTENT.stores
        assert SECRET in Path(login.cookie_file).read_text()
        assert all(path.is_symlink() for path in links.iterdir())
        assert not any(os.get_inheritable(handle) for handle in handles)
    with pytest.raises(UsageError, match="holds no login"):
        read_login(links)
    assert not any(SECRET.encode() in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    with desk.desk.hand_over(desk.submit(kind=JobKind.PATCH), links) as (words, _):
        assert words[0] == "--redact-login"


def test_a_login_is_for_its_own_collection_alone(desk: Desk, tmp_path: Path) -> None:
    with (
        pytest.raises(LoginLockedError, match="belongs to another collection"),
        desk.desk.hand_over(desk.submit("press"), tmp_path / "links"),
    ):
        pass
    moved = replace(profile(), collection="press")
    with pytest.raises(LoginLockedError, match="does not open"):
        desk.desk.open(moved)


def test_names_are_taken_once_and_what_is_used_is_not_deleted(desk: Desk) -> None:
    with pytest.raises(UsageError, match="has a login 'Ada' already"):
        desk.desk.keep(replace(profile(), id="2"), CONTENT)
    desk.desk.keep(replace(profile(), id="2", name="Ben"), CONTENT)
    with pytest.raises(UsageError, match="has a login 'Ada' already"):
        desk.logins.rename(desk.logins.get("2"), "Ada")
    desk.logins.rename(desk.logins.get("2"), "Eve")
    assert [each.name for each in desk.logins.list_profiles("town")] == ["Ada", "Eve"]
    (seed,) = desk.collections.add_seeds("town", [SeedEntry("https://town.example/", {LOGIN_OPTION: "1"})], NOW)
    with pytest.raises(UsageError, match="uses this login; choose another one"):
        desk.desk.delete(profile())
    desk.collections.delete_seed(seed)
    job = desk.submit()
    with pytest.raises(UsageError, match=f"job {job.id} uses this login"):
        desk.desk.delete(profile())
    desk.jobs.wish(job, JobEvent.CANCEL, NOW)
    desk.desk.delete(profile())
    with pytest.raises(UsageError, match="may have been deleted"):
        desk.logins.get("1")
    with pytest.raises(UsageError, match="deleted meanwhile"):
        desk.desk.renew(profile(), CONTENT)


def test_jobs_wait_for_a_login_until_it_is_renewed(desk: Desk) -> None:
    started = desk.jobs.start(desk.submit(), ProcessIdentity("m", "b", 1, 1), NOW)
    assert started is not None
    message = desk.desk.note_ended(started, "https://town.example/login")
    waiting = desk.jobs.record(started, JobResult(JobEvent.NEED_LOGIN, 3, {}, message), NOW)
    assert waiting is not None and waiting.state is JobState.WAITING
    assert waiting.message == ("the login 'Ada' has ended at https://town.example/login; renew it, and the job goes on")
    assert desk.logins.get("1").state is LoginState.ENDED
    assert desk.desk.renew(desk.logins.get("1"), LoginContent(({"name": "member", "value": "new"},))) == 1
    assert desk.jobs.get(waiting.id).state is JobState.QUEUED
    kept = desk.logins.get("1")
    assert (kept.state, kept.checked) == (LoginState.UNKNOWN, None)
    assert desk.desk.open(kept).cookies[0]["value"] == "new"


@contextmanager
def gate_site(members: tuple[int, str], strangers: tuple[int, str], body: bytes = b"hello") -> Iterator[str]:
    """A site that answers members so, and others otherwise."""

    class Gate(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, location = members if SECRET in self.headers.get("Cookie", "") else strangers
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Gate) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("members", "strangers", "state", "words"),
    [
        ((200, ""), (302, "/login?next=/"), LoginState.HOLDS, "lets it in, and turns others away"),
        ((200, ""), (302, "https://sso.example/"), LoginState.HOLDS, "lets it in, and turns others away"),
        ((200, ""), (401, ""), LoginState.HOLDS, "lets it in, and turns others away"),
        ((302, "/login"), (302, "/login"), LoginState.ENDED, "leads to where one logs in"),
        ((401, ""), (401, ""), LoginState.ENDED, "answers 401"),
        ((200, ""), (200, ""), LoginState.UNKNOWN, "answers everybody alike"),
        ((302, "/home"), (302, "/home"), LoginState.UNKNOWN, "leads to"),
        ((500, ""), (200, ""), LoginState.UNKNOWN, "answers 500"),
    ],
)
def test_a_login_is_said_to_hold_only_where_that_is_known(
    tmp_path: Path, members: tuple[int, str], strangers: tuple[int, str], state: LoginState, words: str
) -> None:
    with gate_site(members, strangers) as home:
        checked = asyncio.run(check_login(profile(home), CONTENT, tmp_path))
    assert checked.state is state
    assert words in checked.message


def test_a_page_that_asks_for_a_password_and_one_that_is_gone(tmp_path: Path) -> None:
    with gate_site((200, ""), (200, ""), b'<form><input name=a type="password">') as home:
        assert asyncio.run(check_login(profile(home), CONTENT, tmp_path)).message == "its page asks for a password"
    checked = asyncio.run(check_login(profile(home), CONTENT, tmp_path))
    assert checked.state is LoginState.UNKNOWN and "cannot be told" in checked.message
    closed = replace(profile(home), is_local_allowed=False)
    checked = asyncio.run(check_login(closed, CONTENT, tmp_path))
    assert checked.state is LoginState.UNKNOWN and "private address" in checked.message
    stored = asyncio.run(check_login(profile(home), LoginContent((), {"http://a.example": {"a": "b"}}), tmp_path))
    assert stored.state is LoginState.UNKNOWN and "local storage cannot be checked" in stored.message
