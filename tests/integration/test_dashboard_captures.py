"""What people start on the pages of a service: a capture from its form to its replay, report and files; steered."""

import http.client
import io
import json
import tarfile
import urllib.parse
import zipfile
from pathlib import Path

from dashboard_calls import DashboardClient, PageAnswer, dashboard
from small_site import Page, SmallSite, linking

PAGES = {"/": linking("/one", "/two", title="<script>alert(1)</script>"), "/one": Page(b"one"), "/two": Page(b"two")}


def begin(client: DashboardClient, site: SmallSite, **fields: str) -> str:
    moved = client.send("/start", client.ask("/"), url=site.url("/"), **fields)
    assert moved.status == 303, moved.text
    return moved.headers["location"]


def watch(client: DashboardClient, path: str) -> str:
    """All that is told of a job until it is over."""
    return client.ask(f"{path}/events").text


def made(client: DashboardClient, path: str) -> PageAnswer:
    """What a path leads to once it is made; an answer that it is not yet is held back for some seconds by itself."""
    while (answer := client.ask(path)).status == 202:
        assert "refresh" in answer.headers and "disposition" not in str(answer.headers)
    return answer


def check_downloads(client: DashboardClient, job: str, page: str) -> None:
    assert made(client, f"{job}/downloads/wacz").body[:2] == b"PK"
    assert made(client, f"{job}/downloads/warc").body[:2] == b"\x1f\x8b"
    with zipfile.ZipFile(io.BytesIO(made(client, f"{job}/downloads/zip").body)) as pack:
        names = pack.namelist()
    with tarfile.open(fileobj=io.BytesIO(made(client, f"{job}/downloads/tar").body), mode="r:gz") as pack:
        assert "index.html" in names and sorted(pack.getnames()) == sorted(names)
    single = made(client, f"{job}/downloads/page?url={urllib.parse.quote(page, safe='')}")
    assert single.body == b"one" or b"one" in single.body
    assert "attachment" in single.headers["content-disposition"]
    assert client.ask(f"{job}/downloads/page?url=--help").status == 400, "no word of it is taken for an option"
    assert client.ask(f"{job}/downloads/other").status == 404
    assert "ready" in client.ask(f"{job}/downloads").text


def replayed(location: str) -> int:
    parts = urllib.parse.urlsplit(location)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
    connection.request("GET", parts.path or "/", headers={"host": parts.netloc})
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_capture_from_the_form_to_its_replay_report_and_files(tmp_path: Path) -> None:
    with SmallSite(PAGES) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        job = begin(client, site, preset="site", collection="town", delay="0")
        assert 'data-state="done"' in watch(client, job)
        shown = client.ask(job)
        assert "See it" in shown.text and "<script>alert" not in shown.text
        moved = client.ask(f"{job}/replay")
        assert moved.status == 303 and f":{client.port}/" not in moved.headers["location"]
        assert replayed(moved.headers["location"]) == 200
        for page in ("report", "certificate"):
            shown = made(client, f"{job}/{page}")
            assert shown.status == 200 and shown.headers["content-security-policy"].startswith("sandbox")
        check_downloads(client, job, site.url("/one"))
        assert site.url("/") in client.ask(f"{job}/plan.toml").text


def test_a_form_that_is_sent_twice_starts_once_and_a_wrong_one_nothing(tmp_path: Path) -> None:
    with SmallSite(PAGES) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        page = client.ask("/")
        sent = [client.send("/start", page, url=site.url("/"), preset="page") for _ in range(2)]
        assert sent[0].headers["location"] == sent[1].headers["location"]
        here = site.url("/")
        wrongs = [{"url": ""}, {"url": "a b://"}, {"url": here, "preset": "nothing"}, {"url": here, "depth": "many"}]
        for wrong in [
            *wrongs,
            {"url": here, "delay": "nan"},
            {"url": here, "collection": "../up"},
            {"url": f"{here} {here}"},
        ]:
            assert client.send("/start", client.ask("/"), **wrong).status == 400, wrong
        assert client.ask("/jobs").text.count('href="/jobs/') == 1
        assert client.post("/start", url=site.url("/")).status == 403


def test_a_capture_is_changed_paused_and_stopped_while_it_runs(tmp_path: Path) -> None:
    with SmallSite(PAGES) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        job = begin(client, site, preset="site", delay="3600")
        shown = wait_for_progress(client, job)
        assert "waiting" in shown.text or "asking" in shown.text
        changed = client.post(f"{job}/changes", csrf_token=shown.field("csrf_token"), delay="1800", exclude="*/two")
        assert changed.status == 303
        assert client.post(f"{job}/changes", csrf_token=shown.field("csrf_token"), delay="-1").status == 400
        assert client.post(f"{job}/steering", csrf_token=shown.field("csrf_token"), event="explode").status == 400
        assert client.send(f"{job}/steering", shown, event="cancel").status == 303
        assert 'data-state="cancelled"' in watch(client, job)
        assert json.loads(client.ask("/health").body)["jobs"]["cancelled"] == 1


def wait_for_progress(client: DashboardClient, job: str) -> PageAnswer:
    """The page of a job as soon as its capture tells of itself, which the stream of events says."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    connection.request("GET", f"{job}/events", headers={"cookie": cookie})
    stream = connection.getresponse()
    while b"asked for now" not in stream.readline():
        pass
    connection.close()
    return client.ask(job)
