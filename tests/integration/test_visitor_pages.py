"""Recovery for visitors by its pages: from the form over mail, status and download to the end of the term; limits,
hostile input, and what administrators do.
"""

import csv
import io
import json
import re
import socket
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_program import Program
from dashboard_calls import DashboardClient, dashboard
from mail_server import MailServer, running_mail_server
from people_server import people_server
from serve_calls import served
from visitor_service import LOST, held_site, mail_settings, visited_service
from warc_material import webkeep

from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.jobs import JobState
from webkeep.service.recoveries import VisitorLimits, VisitorRecoveryState

PENDING, QUEUED, PROCESSING, COMPLETED, FAILED, DELETED = VisitorRecoveryState


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return held_site(tmp_path_factory.mktemp("held") / "archive")


@pytest.fixture
def holder(held: Path) -> Iterator[str]:
    """How an archive on loopback is named that holds the site."""
    with served(held) as client:
        yield f"cdx=http://127.0.0.1:{client.port}/cdx"


def text_of_mail(server: MailServer) -> str:
    content = server.mails[-1].get_payload(decode=True)
    assert isinstance(content, bytes)
    return content.decode().replace("\r\n", "\n")


def test_from_the_form_over_mail_to_the_result_and_the_end_of_its_term(tmp_path: Path, holder: str) -> None:
    with (
        running_mail_server() as mails,
        visited_service(tmp_path, {"Our library": holder}, mail_settings(mails.port)) as site,
    ):
        client = site.visitor()
        path = site.asked(client, since="2009-01-01", until="2011-12-31", windows_names="yes")
        assert "are asked what they hold" in client.ask(path).text
        site.work_until(lambda: site.recovery(path).survey is not None and bool(mails.mails))
        told = client.ask(path).text
        assert "There is something to recover" in told and "2010-02-01" in told
        assert "ada@home.example" in told and "/confirm/" not in told, "only the mail has what confirms it"
        found = re.search(r"http://keep\.example(/recover/\S+/confirm/\S+)", text_of_mail(mails))
        assert found and mails.recipients == ["ada@home.example"] and LOST in text_of_mail(mails)
        confirmation = client.ask(found[1])
        assert site.recovery(path).state is PENDING, "a program that looks at mails confirms nothing"
        assert client.send(found[1], confirmation).headers["location"] == path
        assert client.send(found[1], confirmation, submission="again").status == 303, "once more does nothing"
        assert "It is next" in client.ask(path).text
        site.work_until(lambda: len(mails.mails) == 2)
        assert "are back" in text_of_mail(mails) and path in text_of_mail(mails)
        done = client.ask(path).text
        assert "5 of 5 resources" in done and "Our library" in done
        assert b'data-state="completed"' in client.ask(f"{path}/events").body
        check_downloads(client, path)
        check_look(client, path)
        assert site.recovery(path).picked_up is not None
        job, folder = site.recovery(path).job, site.service.folder
        site.pass_days(27)
        site.work()
        assert client.ask(path).status == 200 and len(mails.mails) == 2, "who has fetched it is not reminded"
        site.pass_days(2)
        site.work()
        assert {client.ask(each).status for each in (path, f"{path}/downloads/zip", f"{path}/look/")} == {404}
        assert not folder.workspace(job).folder.exists() and not list(folder.collection("_visitors").iterdir())
        kept = str([site.service.recoveries.list_recoveries(), site.service.jobs.list_jobs()])
        kept += str([site.service.notices.list_mail(), site.service.jobs.journal(job)])
        assert "lost.example" not in kept and "home.example" not in kept
        assert site.service.jobs.get(job).state is JobState.EXPIRED
        (gone,) = site.service.recoveries.list_recoveries()
        assert gone.outcome is not None and (gone.outcome.recovered, gone.order.url) == (5, "*.example")


def check_downloads(client: DashboardClient, path: str) -> None:
    packed = client.ask(f"{path}/downloads/zip")
    assert packed.headers["content-disposition"] == 'attachment; filename="lost.example.zip"'
    with zipfile.ZipFile(io.BytesIO(packed.body)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert {"sites/lost.example/i.png", "sites/lost.example/sub/p3", "nginx.conf"} <= set(names), names
    with tarfile.open(fileobj=io.BytesIO(client.ask(f"{path}/downloads/tar.gz").body)) as tar:
        assert sorted(tar.getnames()) == sorted(names)
        assert {(each.uid, each.uname, each.mtime) for each in tar.getmembers()} == {(0, "", 0)}
    with zipfile.ZipFile(io.BytesIO(client.ask(f"{path}/downloads/copy.zip").body)) as copy:
        assert "lost.example/sub/p3.html" in copy.namelist()
    with zipfile.ZipFile(io.BytesIO(client.ask(f"{path}/downloads/wacz").body)) as wacz:
        assert "datapackage.json" in wacz.namelist()
    assert client.ask(f"{path}/downloads/warc.gz").body.startswith(b"\x1f\x8b")
    part = client.ask(f"{path}/downloads/zip", range="bytes=10-19")
    assert (part.status, part.body) == (206, packed.body[10:20])
    assert client.ask(f"{path}/downloads/exe").status == 404


def check_look(client: DashboardClient, path: str) -> None:
    seen = client.ask(f"{path}/look/lost.example/index.html")
    assert seen.status == 200 and b"alert(document.domain)" in seen.body
    policy = seen.headers["content-security-policy"]
    assert policy.startswith("sandbox;") and "allow" not in policy and "script-src" not in policy
    assert seen.headers["referrer-policy"] == "no-referrer"
    assert client.ask(f"{path}/look/lost.example/i.png").headers["content-type"] == "image/png"
    assert client.ask(f"{path}/look/").status == 200
    for trick in (
        "../files/nginx.conf",
        "%2e%2e/%2e%2e/call.json",
        "..%2f..%2fplan.toml",
        "/etc/passwd",
        "x%00",
        "a" * 300,
    ):
        assert client.ask(f"{path}/look/{trick}").status in (404, 400), trick


def test_without_mail_it_is_confirmed_on_the_page_and_guesses_are_made(tmp_path: Path, holder: str) -> None:
    with visited_service(tmp_path, {"Ours": holder}) as site:
        client = site.visitor()
        path = site.asked(client, url="wwww.lost.example/nothing-here", extent="page")
        site.work_until(lambda: site.recovery(path).survey is not None)
        told = client.ask(path).text
        assert "Nothing is held under this address" in told
        assert re.search(
            r'href="/recover\?url=http%3A//lost\.example/&amp;extent=page"|>http://lost.example/</a>', told
        ), told
        site.confirm_on_page(client, path)
        site.work_until(lambda: site.recovery(path).ended is not None)
        assert "Nothing could be recovered" in client.ask(path).text
        assert client.ask(f"{path}/downloads/zip").status == 404
        one = site.recover(client, url=f"{LOST}p1", extent="page")
        assert "1 of 1 resource" in client.ask(one).text


def test_where_nobody_switched_it_on_there_is_none(tmp_path: Path) -> None:
    with people_server(tmp_path) as server:
        client = server.client()
        assert client.ask("/recover").status == 404 and client.post("/recover", url=LOST).status == 404
        assert "Recover" not in client.ask("/login").text


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"url": "file:///etc/passwd"}, "is not on the web"),
        ({"url": "http://127.0.0.1:8060/"}, "private address"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "private address"),
        ({"url": "http://2130706433/"}, "private address"),
        ({"url": "http://intranet/"}, "private address"),
        ({"url": "http://me:secret@lost.example/"}, "name or password"),
        ({"url": "--proxy=http://x.example/"}, "not a URL"),
        ({"url": "http://"}, "not a URL"),
        ({"url": "http://lost.example/" + "a" * 3000}, "more than 2,000 characters"),
        ({"repository": "cdx=http://127.0.0.1:1/cdx"}, "choose at least one"),
        ({"repository": "/etc"}, "choose at least one"),
        ({"repository": []}, "choose at least one"),
        ({"extent": "everything"}, "whole site is wanted"),
        ({"since": "2010-01-01", "until": "2009-01-01"}, "before it begins"),
        ({"since": "yesterday; rm -rf /"}, "not a day"),
        ({"mail": "a@b.example\r\nBcc: c@d.example"}, "not a mail address"),
        ({"mail": "a@b.example, c@d.example"}, "not a mail address"),
        ({"mail": ""}, "not a mail address"),
    ],
)
def test_what_nobody_may_name_is_refused_in_one_line(
    tmp_path: Path, fields: dict[str, str | list[str]], said: str
) -> None:
    with visited_service(tmp_path, {"Ours": "wayback"}, mail_settings(1)) as site:
        answer = site.ask(site.visitor(), **fields)
        assert answer.status == 400
        (line,) = re.findall(r'role="alert">([^\n]*)</p>', answer.text)
        assert said in line
        assert site.service.recoveries.list_recoveries() == [] and site.service.notices.list_mail() == []


def test_limits_blocks_and_forms_that_are_sent_twice(tmp_path: Path) -> None:
    limits = VisitorLimits(requests_a_day=3, open_requests=2, waiting=100)
    with visited_service(tmp_path, {"Ours": "wayback"}, mail_settings(1), limits) as site:
        client = site.visitor()
        form = client.ask("/recover")
        fields = {"url": LOST, "extent": "site", "repository": "Ours", "mail": "ada@home.example"}
        first = client.send("/recover", form, **fields)
        again = client.send("/recover", form, **fields)
        assert first.headers["location"] == again.headers["location"], "a second click asks for nothing more"
        site.asked(client)
        refused = site.ask(client)
        assert refused.status == 429 and "2 recoveries that are not over yet" in refused.text
        path = first.headers["location"]
        status = client.ask(path)
        assert client.send(f"{path}/withdraw", status, submission="w").headers["location"] == "/recover?said=withdrawn"
        assert client.ask(path).status == 404 and "was withdrawn" in client.ask("/recover?said=withdrawn").text
        site.asked(client, mail="bob@home.example")
        assert site.ask(client, mail="cem@home.example").status == 429
        site.pass_days(1.1)
        (newest, *_) = site.service.recoveries.list_recoveries([PENDING])
        assert site.service.blocks.block_asker(newest.id, site.clock.now()) == 2
        blocked = site.ask(client, mail="dia@home.example")
        assert blocked.status == 403 and "nothing is taken from your address" in blocked.text
        (mail, *_) = [each for each in site.service.audit.list_entries(20) if "withdraw" in each.action]
        assert path.split("/")[2] not in str(mail), "links that let in stand in no log"


def test_guessed_links_and_codes_lead_nowhere(tmp_path: Path) -> None:
    with visited_service(tmp_path, {"Ours": "wayback"}) as site:
        client = site.visitor()
        path = site.asked(client)
        recovery = site.recovery(path)
        for wrong in (f"{path}x", path[:-1], f"/recover/{recovery.id}", "/recover/%00", "/recover/" + "a" * 5000):
            assert client.ask(wrong).status == 404
            assert client.ask(f"{wrong}/events").status == 404
        for code in ("", "x", recovery.code[:-1], recovery.link):
            assert client.ask(f"{path}/confirm/{code}", "POST", b"").status in (404, 405)
        assert client.ask(f"{path}/confirm/{recovery.code}", "POST", b"", origin="http://evil.example").status == 403
        assert site.recovery(path).state is PENDING
        assert client.ask(f"{path}/downloads/zip").status == 404 and client.ask(f"{path}/look/").status == 404


def test_repositories_that_are_down_or_hang_are_said_to_be(tmp_path: Path, holder: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        silent = f"cdx=http://127.0.0.1:{hanging.getsockname()[1]}/cdx"
        with visited_service(
            tmp_path, {"Down": "cdx=http://127.0.0.1:9/cdx", "Silent": silent, "Ours": holder}
        ) as site:
            client = site.visitor()
            both, silence = site.asked(client), site.asked(client, repository=["Down", "Silent"])
            site.work_until(lambda: site.recovery(silence).survey is not None)
            assert client.ask(both).text.count("did not answer in time") == 2
            assert "There is something to recover" in client.ask(both).text
            assert "No archive answered in time" in client.ask(silence).text
            site.confirm_on_page(client, silence)


def test_unconfirmed_ones_are_reminded_once_and_deleted_after_ten_days(tmp_path: Path) -> None:
    with visited_service(tmp_path, {"Ours": "/nowhere-at-all/x"}, mail_settings(9)) as site:
        path = site.asked(site.visitor())
        for _ in range(5):
            site.pass_days(1.9)
            site.work()
        assert site.recovery(path).reminders == 1
        waiting = [each.draft.subject for each in site.service.notices.list_mail()]
        assert sorted(waiting) == ["A recovery waits for your confirmation", "Confirm your recovery"], "mail is down"
        site.pass_days(1)
        site.work()
        (gone,) = site.service.recoveries.list_recoveries()
        assert (gone.state, gone.mail, gone.message) == (DELETED, "", "never confirmed")
        assert site.service.notices.list_mail() == [] and site.visitor().ask(path).status == 404


def test_a_service_that_is_killed_in_the_middle_recovers_once_and_tells_once(tmp_path: Path, holder: str) -> None:
    mail = mail_settings(9)
    slow = {"Ours": f"{holder} limit=4/second"}
    with visited_service(tmp_path, slow, mail) as site:
        path = site.asked(site.visitor())
        site.service.recoveries.confirm(site.recovery(path), site.clock.now())
        site.work_until(lambda: site.recovery(path).state is PROCESSING)
        job = site.recovery(path).job
        site.work_until(lambda: site.service.jobs.get(job).process is not None)
        clock = site.clock  # with the block the service ends, and the process of its job is killed
    with visited_service(tmp_path, slow, mail, clock=clock) as site:
        site.work_until(lambda: site.recovery(path).ended is not None)
        clock = site.clock
    with visited_service(tmp_path, slow, mail, clock=clock) as site:
        site.work()
        done = site.recovery(path)
        assert done.outcome is not None and (done.state, done.outcome.recovered) == (COMPLETED, 5)
        assert len(site.service.jobs.list_jobs()) == 1
        subjects = [each.draft.subject for each in site.service.notices.list_mail()]
        assert subjects.count("Your recovered site is ready") == 1


def test_administrators_see_search_move_stop_and_count(tmp_path: Path, holder: str) -> None:
    with visited_service(tmp_path, {"Ours": f"{holder} limit=2/second"}, limits=VisitorLimits(running=1)) as site:
        client, head = site.visitor(), site.server.client("")
        assert client.ask("/recoveries").status == 401
        site.recover(client)
        paths = [site.asked(client, url=f"http://{name}.example/") for name in ("one", "two", "three")]
        for path in paths:
            site.confirm_on_page(client, path)
        first, second, third = (site.recovery(each) for each in paths)
        page = head.ask("/recoveries?state=queued")
        assert page.text.index("one.example") < page.text.index("two.example") < page.text.index("three.example")
        assert head.send(f"/recoveries/{third.id}/queue", page, step="first").status == 303
        page = head.ask("/recoveries?state=queued")
        assert page.text.index("three.example") < page.text.index("one.example")
        found = head.ask("/recoveries?q=TWO.example")
        assert "two.example" in found.text and "one.example" not in found.text
        site.work_until(lambda: site.recovery(paths[2]).state is PROCESSING)
        job = site.recovery(paths[2]).job
        assert head.send(f"/recoveries/{third.id}/delete", page, submission="x").status == 303
        assert head.send(f"/recoveries/{second.id}/block", page, submission="y").status == 303
        assert site.ask(client).status == 403
        page = head.ask("/recoveries")
        key = re.search(r"/recoveries/blocked/(\w+)/delete", page.text)
        assert key and head.send(f"/recoveries/blocked/{key[1]}/delete", page, submission="z").status == 303
        assert head.send("/recoveries/blocked", page, submission="a", address="no address").status == 400
        assert head.send("/recoveries/blocked", page, submission="b", address="eve@home.example").status == 303
        site.work_until(lambda: site.service.recoveries.list_remains() == [])
        assert client.ask(paths[2]).status == 404 and site.service.jobs.get(job).ended is not None
        assert not site.service.folder.workspace(job).folder.exists()
        table = list(csv.DictReader(io.StringIO(head.ask("/recoveries/history.csv").text)))
        assert {each["url"] for each in table} == {LOST, "http://one.example/", "http://two.example/", "*.example"}
        history = head.ask("/recoveries/history.json").text
        assert first.link not in history and first.code not in history
        assert json.loads(history)["recoveries"][-1]["outcome"]["recovered"] == 5
        usage = head.ask("/recoveries/usage").text
        assert "1 completed recovery, 5 recovered resources" in usage and "<svg" in usage and "Ours" in usage


def test_programs_ask_and_administer_by_calls(tmp_path: Path, holder: str) -> None:
    with visited_service(tmp_path, {"Ours": holder}) as site:
        site.server.add_account("head", AccountRole.ADMINISTRATOR)
        site.server.add_account("reader", AccountRole.READER)
        nobody = Program(site.visitor())
        head = Program(site.visitor(), site.server.add_token("head", Permission.ADMINISTER))
        reader = Program(site.visitor(), site.server.add_token("reader", Permission.READ))
        assert "private" in nobody.refuse("/recover", {"url": "http://127.0.0.1/", "repository": ["Ours"]})
        asked = nobody.send("/recover", {"url": LOST, "repository": ["Ours"], "windows_names": True})
        link = asked["link"]
        code = site.recovery(f"/recover/{link}").code
        nobody.refuse(f"/recover/{link}/confirm/x", {}, status=404)
        assert nobody.send(f"/recover/{link}/confirm/{code}")["state"] == "queued"
        site.work_until(lambda: nobody.get(f"/recover/{link}")["state"] == "completed")
        assert nobody.call("GET", f"/recover/{link}/downloads/zip").body.startswith(b"PK")
        (row,) = head.get("/recoveries?state=completed&q=lost")["recoveries"]
        assert row["outcome"]["recovered"] == 5 and link not in str(row)
        assert head.get("/recoveries/usage")["domains"] == [{"end": "example", "recoveries": 1, "mean_share": 1.0}]
        assert reader.refuse("/recoveries", None, "GET", 403) and reader.get("/jobs")["jobs"] == []
        assert reader.refuse(f"/jobs/{row['job']}", None, "GET", 404), "what strangers asked for is theirs"
        assert len(head.get("/jobs")["jobs"]) == 1
        head.send("/blocked-addresses", {"address": "192.0.2.7"})
        (blocked,) = head.get("/blocked-addresses")["blocked"]
        assert head.send(f"/blocked-addresses/{blocked['key']}", None, "DELETE") is None
        assert head.send(f"/recoveries/{row['id']}", None, "DELETE") is None
        nobody.refuse(f"/recover/{link}", None, "GET", 404)


def test_the_file_of_the_administrator_switches_it_on_and_is_checked_at_the_start(tmp_path: Path, held: Path) -> None:
    file = tmp_path / "visitors.toml"
    for said, line in (
        ('[repositories]\n"Ours" = "no-such-archive"\n', "the repository 'Ours' for visitors: 'no-such-archive' names"),
        ('[repositories]\n"The web" = "live"\n', "leave live out"),
        ('keep-days = 0\n[repositories]\n"Ours" = "wayback"\n', "keep-days is a whole number"),
        ("", "has no table [repositories]"),
    ):
        file.write_text(said)
        done = webkeep("service", tmp_path / "service", "--port", 0, "--visitors", file)
        assert done.code == 2 and line in done.err and done.err.count("\n") == 1, done.err
    file.write_text(f'keep-days = 3\n[repositories]\n"Ours" = "archive={held}"\n')
    with dashboard(tmp_path / "service", "--visitors", file) as client:
        form = client.ask("/recover")
        assert "kept for 3 days" in form.text and str(held) not in form.text, "visitors see names alone"
        client.enter()
        assert f"archive={held}" in client.ask("/recoveries").text
