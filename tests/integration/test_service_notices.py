"""Notices: mail by a server that is down at first, webhooks signed and tried again; on SQLite and PostgreSQL."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest
from dashboard_calls import dashboard
from mail_server import running_mail_server
from postgres_cluster import cluster_folder, running_cluster
from service_databases import KINDS, service_database
from warc_material import webkeep

from webkeep.errors import UsageError
from webkeep.fetch import FetchLimits
from webkeep.model import Moment
from webkeep.service.jobs import Job, JobEvent, JobOrder, JobSelection, JobState
from webkeep.service.notices import (
    MailDraft,
    MailSecurity,
    MailSettings,
    check_mail_address,
    new_webhook,
    read_mail_settings,
    sign_body,
)
from webkeep.service.run.notice_runner import NoticeRunner
from webkeep.service.store import JobStore, NoticeStore, SqlDatabase, open_service_database

START = Moment.parse("2026-05-01T12:00:00Z")
DAY = 86400.0


@dataclass
class HandClock:
    moment: Moment = START

    def now(self) -> Moment:
        return self.moment

    def pass_by(self, seconds: float) -> None:
        self.moment = self.moment.plus(seconds)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "service") as address:
        yield address


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlDatabase]:
    with service_database(request, tmp_path) as opened:
        yield opened


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def settings(port: int) -> MailSettings:
    return MailSettings("127.0.0.1", port, MailSecurity.NONE, "keep@library.example", "http://localhost:1")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def cancelled_job(database: SqlDatabase, now: Moment, collection: str = "town") -> Job:
    jobs = JobStore(database)
    job = jobs.submit(JobOrder(collection, "archive-1", {}), now)
    assert job is not None
    return jobs.wish(job, JobEvent.CANCEL, now)


def test_a_mail_server_that_is_down_loses_nothing(database: SqlDatabase, clock: HandClock, tmp_path: Path) -> None:
    store, port = NoticeStore(database), free_port()
    runner = NoticeRunner(tmp_path / "spool", store, settings(port), clock)
    for name in ("one", "two"):
        store.queue_mail(MailDraft(f"{name}@example.org", f"For {name}", "grüß dich\n.\nend"), clock.now())
    runner.look()
    assert {each.sent for each in store.list_mail()} == {None}
    assert store.count_waiting()["mail"] == 2
    with running_mail_server(port) as server:
        clock.pass_by(DAY)
        assert runner.look() == 2
        clock.pass_by(DAY)
        assert runner.look() == 0, "each is sent once"
    assert sorted(server.recipients) == ["one@example.org", "two@example.org"]
    assert server.mails[0].get_payload(decode=True).decode().split() == ["grüß", "dich", ".", "end"]
    assert store.count_waiting()["mail"] == 0


def test_an_address_that_the_server_refuses_is_given_up_and_others_go_on(
    database: SqlDatabase, clock: HandClock, tmp_path: Path
) -> None:
    store = NoticeStore(database)
    store.queue_mail(MailDraft("gone@example.org", "x", "x"), clock.now())
    store.queue_mail(MailDraft("here@example.org", "x", "x"), clock.now())
    with running_mail_server() as server:
        server.refused.add("gone@example.org")
        NoticeRunner(tmp_path / "spool", store, settings(server.port), clock).look()
    assert server.recipients == ["here@example.org"]
    assert store.count_waiting()["mail"] == 0
    assert ["given up" in each.message for each in store.list_mail()].count(True) == 1


@pytest.mark.parametrize("security", [MailSecurity.TLS, MailSecurity.STARTTLS])
def test_no_mail_goes_in_the_clear_where_it_is_to_be_private(
    security: MailSecurity, clock: HandClock, tmp_path: Path
) -> None:
    database = open_service_database(tmp_path / "jobs.sqlite")
    store = NoticeStore(database)
    store.queue_mail(MailDraft("a@example.org", "x", "x"), clock.now())
    with running_mail_server() as server:
        private = replace(settings(server.port), security=security)
        NoticeRunner(tmp_path / "spool", store, private, clock).look()
    (mail,) = store.list_mail()
    database.close()
    assert (server.mails, mail.sent) == ([], None)
    assert mail.next_try is not None and "took no mail" in mail.message


@pytest.mark.parametrize(
    "address", ["a@b.example\r\nBcc: c@d.example", "a b@c.example", "a@b.example, c@d.example", "x"]
)
def test_no_address_brings_headers_of_its_own(address: str) -> None:
    with pytest.raises(UsageError):
        check_mail_address(address)


def test_no_subject_brings_headers_of_its_own(clock: HandClock, tmp_path: Path) -> None:
    database = open_service_database(tmp_path / "jobs.sqlite")
    store = NoticeStore(database)
    store.queue_mail(MailDraft("a@example.org", "x\r\nBcc: c@d.example", "x"), clock.now())
    with running_mail_server() as server:
        NoticeRunner(tmp_path / "spool", store, settings(server.port), clock).look()
    database.close()
    assert (server.mails[0]["Bcc"], server.recipients) == (None, ["a@example.org"])


def test_a_password_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mail.toml"
    path.write_text('server = "mail.example"\nfrom = "a@b.example"\naddress = "https://k.example/"\npassword = "p"\n')
    path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        read_mail_settings(path)
    path.chmod(0o600)
    read = read_mail_settings(path)
    assert (read.port, read.password, read.address) == (587, "p", "https://k.example")
    assert "'p'" not in repr(read)


class Receiver(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _ReceiverHandler)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 204
        self.arrived = threading.Event()


class _ReceiverHandler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.arrived.set()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_webhook_is_told_once_and_signed(
    database: SqlDatabase, clock: HandClock, tmp_path: Path, receiver: Receiver
) -> None:
    store = NoticeStore(database)
    hook = new_webhook(f"http://127.0.0.1:{receiver.server_port}/hook", "town", clock.now(), is_local_allowed=True)
    store.add_webhook(hook)
    job = cancelled_job(database, clock.now())
    cancelled_job(database, clock.now(), "other")
    runner = NoticeRunner(tmp_path / "spool", store, None, clock)
    receiver.status = 500
    assert (runner.look(), runner.look()) == (1, 0)
    receiver.status = 204
    clock.pass_by(DAY / 2)
    assert (runner.look(), runner.look()) == (1, 0)
    (_, first), (headers, body) = receiver.got
    assert first == body
    told = json.loads(body)
    assert (told["job"], told["event"], told["collection"]) == (job.id, "cancel", "town")
    signature = sign_body(hook.secret, int(headers["x-webkeep-timestamp"]), body)
    assert headers["x-webkeep-signature"] == f"sha256={signature}"
    (delivery,) = store.list_deliveries()
    assert (delivery.attempts, delivery.delivered, delivery.message) == (2, clock.now(), "status 204")


def test_a_webhook_at_a_private_address_is_refused_and_never_asked(
    database: SqlDatabase, clock: HandClock, tmp_path: Path, receiver: Receiver
) -> None:
    with pytest.raises(UsageError):
        new_webhook(f"http://127.0.0.1:{receiver.server_port}/", "", clock.now())
    store = NoticeStore(database)
    hook = new_webhook(f"http://127.0.0.1:{receiver.server_port}/", "", clock.now(), is_local_allowed=True)
    store.add_webhook(type(hook)(hook.id, "", hook.url, hook.secret, hook.created))
    cancelled_job(database, clock.now())
    NoticeRunner(tmp_path / "spool", store, None, clock).look()
    assert receiver.got == []
    assert "forbidden-address" in store.list_deliveries()[0].message


def test_a_webhook_that_never_answers_is_given_up_in_the_end(
    database: SqlDatabase, clock: HandClock, tmp_path: Path
) -> None:
    store = NoticeStore(database)
    store.add_webhook(new_webhook(f"http://127.0.0.1:{free_port()}/", "", clock.now(), is_local_allowed=True))
    cancelled_job(database, clock.now())
    runner = NoticeRunner(tmp_path / "spool", store, None, clock)
    tries = 0
    while runner.look():
        tries += 1
        clock.pass_by(DAY)
    assert tries == 9
    assert store.list_deliveries()[0].message.startswith("given up")


def test_a_webhook_that_hangs_holds_up_no_other(
    database: SqlDatabase, clock: HandClock, tmp_path: Path, receiver: Receiver
) -> None:
    store = NoticeStore(database)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        for port in (hanging.getsockname()[1], receiver.server_port):
            store.add_webhook(new_webhook(f"http://127.0.0.1:{port}/", "", clock.now(), is_local_allowed=True))
        cancelled_job(database, clock.now())
        limits = FetchLimits(connect_seconds=0.3, seconds=0.3, max_stall_seconds=0.3, size=1000)
        NoticeRunner(tmp_path / "spool", store, None, clock, limits).look()
    assert len(receiver.got) == 1
    assert sorted(each.delivered is not None for each in store.list_deliveries()) == [False, True]
    assert store.count_waiting()["webhook"] == 1


def test_a_webhook_with_much_to_be_told_holds_up_no_other(database: SqlDatabase, clock: HandClock) -> None:
    store = NoticeStore(database)
    busy = new_webhook("https://a.example/", "busy", clock.now())
    store.add_webhook(busy)
    for _ in range(40):
        cancelled_job(database, clock.now(), "busy")
    assert store.queue_deliveries(clock.now()) == 40
    clock.pass_by(1)
    quiet = new_webhook("https://b.example/", "quiet", clock.now())
    store.add_webhook(quiet)
    cancelled_job(database, clock.now(), "quiet")
    store.queue_deliveries(clock.now())
    due = store.due_deliveries(clock.now(), 16)
    assert [each.webhook for each in due].count(quiet.id) == 1 and len({each.id for each in due}) == 16


def test_nothing_waits_for_a_clock_that_was_set_back(
    database: SqlDatabase, clock: HandClock, tmp_path: Path, receiver: Receiver
) -> None:
    store = NoticeStore(database)
    url = f"http://127.0.0.1:{receiver.server_port}/"
    store.add_webhook(new_webhook(url, "", clock.now(), is_local_allowed=True))
    store.queue_mail(MailDraft("a@example.org", "Before", "Text"), clock.now())
    cancelled_job(database, clock.now())
    store.queue_deliveries(clock.now())
    clock.pass_by(-400 * DAY)
    with running_mail_server() as server:
        runner = NoticeRunner(tmp_path / "spool", store, settings(server.port), clock)
        assert runner.look() == 2, "what was queued before"
        clock.pass_by(1)
        cancelled_job(database, clock.now())
        assert runner.look() == 1, "and what happens from then on"
        assert runner.look() == 0
    assert len(receiver.got) == 2 and len(server.mails) == 1
    receiver.status = 500
    cancelled_job(database, clock.now())
    runner.look()
    clock.pass_by(-400 * DAY)
    receiver.status = 204
    assert runner.look() == 1, "what is to be tried again"


def test_a_feed_has_what_ended_last_and_not_what_was_begun_last(database: SqlDatabase, clock: HandClock) -> None:
    store = JobStore(database)
    long = store.submit(JobOrder("town", "archive-1", {"seeds": ["https://a.example/"]}), clock.now())
    assert long is not None
    for _ in range(20):
        clock.pass_by(60)
        cancelled_job(database, clock.now())
    clock.pass_by(60)
    other = cancelled_job(database, clock.now(), "other")
    clock.pass_by(60)
    store.wish(long, JobEvent.CANCEL, clock.now())
    in_town = store.list_ended(JobSelection((JobState.CANCELLED,), ("town",)), 5)
    assert [each.id == long.id for each in in_town] == [True, False, False, False, False]
    assert [each.id for each in store.list_ended(JobSelection(), 2)] == [long.id, other.id]
    assert store.list_ended(JobSelection(collections=()), 5) == []


def test_pages_tell_programs_what_became_of_jobs(tmp_path: Path, receiver: Receiver) -> None:
    folder = tmp_path / "service"
    assert webkeep("job", "collection", folder, "town").code == 0
    assert webkeep("job", "collection", folder, "other").code == 0
    with dashboard(folder) as client:
        assert client.ask("/feed.atom").status == client.ask("/notices").status == 401
        client.enter()
        page = client.ask("/notices")
        url = f"http://127.0.0.1:{receiver.server_port}/hook"
        assert client.send("/notices/webhooks", page, url=url).status == 400
        assert client.send("/notices/webhooks", page, url=url, local="yes").status == 303
        assert client.send("/notices/webhooks", page, url=url, local="yes").status == 303, "sent twice, done once"
        # A page with a wrong call: the job fails, and its title is as hostile as can be.
        words = ("job", "submit", folder, "http://127.0.0.1:9/<&\x01>", "--collection", "town")
        assert webkeep(*words).code == 0
        assert receiver.arrived.wait(60)
        told = json.loads(receiver.got[0][1])
        feed = ElementTree.fromstring(client.ask("/collections/town/feed.atom").body)
        atom = "{http://www.w3.org/2005/Atom}"
        assert [each.findtext(f"{atom}id") for each in feed.iter(f"{atom}entry")] == [f"urn:webkeep:job:{told['job']}"]
        assert told["job"] in client.ask("/feed.atom").text
        assert told["job"] not in client.ask("/collections/other/feed.atom").text
        metrics = client.ask("/metrics").text
        assert f'webkeep_jobs{{state="{told["state"]}"}} 1' in metrics
        assert 'webkeep_runner_age_seconds{runner="jobs"}' in metrics and "webkeep_stored_bytes " in metrics
        assert "town" not in metrics
        hook = client.ask("/notices").text.partition("/notices/webhooks/")[2].partition("/")[0]
        assert client.send(f"/notices/webhooks/{hook}/delete", client.ask("/notices")).status == 303
        assert url not in client.ask("/notices").text
