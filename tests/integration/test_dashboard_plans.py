"""Schedules, watches and many seeds by pages alone: shown in words before they hold, switched, deleted, removed."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from dashboard_calls import DashboardClient, PageAnswer, dashboard
from small_site import Page, SmallSite
from warc_material import webkeep

from webkeep.dashboard.pages.seed_timeline import render_timeline
from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.jobs import Job, JobOrder, JobState
from webkeep.service.schedules import (
    WrittenSchedule,
    build_schedule,
    describe_schedule,
    format_local_time,
    preview_runs,
)

NOW = Moment.parse("2026-03-28T12:00:00Z")
SITEMAP = "application/xml"


def make(client: DashboardClient, name: str) -> None:
    made = client.send("/collections", client.ask("/new-collection"), name=name, title=name, purpose="extensive")
    assert made.status == 303, made.text


def add(client: DashboardClient, name: str, **fields: str) -> PageAnswer:
    return client.send(f"/collections/{name}/seeds", client.ask(f"/collections/{name}"), **fields)


def seeds_of(client: DashboardClient, name: str, query: str = "") -> list[str]:
    text = client.ask(f"/collections/{name}{query}").text
    return re.findall(rf'href="/collections/{name}/seeds/\w+">([^<]+)<', text)


def upload(client: DashboardClient, name: str, file: str, content: bytes) -> PageAnswer:
    page = client.ask(f"/collections/{name}")
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{page.field(key)}\r\n'.encode()
        for key in ("csrf_token", "submission")
    ]
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n\r\n'.encode()
    body = b"".join([*parts, head, content, b"\r\n--b--\r\n"])
    return client.ask(f"/collections/{name}/seeds", "POST", body, content_type="multipart/form-data; boundary=b")


def test_schedules_are_told_in_words_and_local_time() -> None:
    schedule = build_schedule("s", WrittenSchedule("30 2 * * mon-sat", "Europe/Berlin", blackouts=["22:00-01:00"]), NOW)
    words = describe_schedule(schedule)
    assert words.startswith("at 02:30 on Monday to Saturday (Europe/Berlin), never 22:00-01:00, left out")
    times = [format_local_time(run.begins, schedule.zone) for run in preview_runs(schedule, NOW, 2)]
    assert times == ["Mon 2026-03-30 02:30:00 CEST", "Tue 2026-03-31 02:30:00 CEST"]
    said = {
        "every 1d": "every day", "every 6h": "every 6 hours", "@daily": "at 00:00 every day",
        "@hourly": "every hour, on the hour", "15 4 1 * *": "at 04:15 on day 1 of every month",
        "0 9 * * sat,sun": "at 09:00 on Saturday and Sunday", "*/7 1-3 * * *": "cron */7 1-3 * * *",
    }  # fmt: skip
    for times_text, expected in said.items():
        assert describe_schedule(build_schedule("s", WrittenSchedule(times_text), NOW)).startswith(expected), times_text
    for wrong in ({"zone": "Nowhere"}, {"overlap": "all"}, {"until": "2020-01-01"}, {"blackouts": ["soon"]}):
        with pytest.raises(UsageError):
            build_schedule("s", WrittenSchedule("@daily", **wrong), NOW)  # type: ignore[arg-type]


def test_a_schedule_is_previewed_added_switched_and_deleted(tmp_path: Path) -> None:
    with dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town")
        add(client, "town", table="https://a.example/")
        place = "/collections/town/schedules"
        values = {"times": "30 2 * * mon-fri", "zone": "Europe/Berlin", "jitter": "20m", "overlap": "queue"}
        page = client.ask(place)
        shown = client.send(place, page, action="preview", **values)
        assert shown.status == 200 and "At 02:30 on Monday to Friday" in shown.text
        assert len(re.findall(r"<li>\w{3} \d{4}-", shown.text)) == 8 and "CE" in shown.text
        assert "Nothing of it is captured" in client.ask(place).text, "a preview begins nothing"
        assert client.send(place, client.ask(place), action="add", **values).status == 303
        assert client.send(place, client.ask(place), action="add", times="nonsense").status == 400
        wrong = client.send(place, client.ask(place), action="add", times="@daily", seed="https://b.example/")
        assert wrong.status == 400 and "no seed of town" in wrong.text
        one = re.search(r'action="(/collections/town/schedules/\w+)"', client.ask("/schedules").text)
        assert one
        client.send(one[1], client.ask(place), action="off")
        assert ">off<" in client.ask(place).text
        assert (
            webkeep("job", "schedule", tmp_path / "service", "--collection", "town").out.count(b'"is_off": true') == 1
        )
        client.send(one[1], client.ask(place), action="on")
        assert ">off<" not in client.ask(place).text
        assert (
            client.send(one[1], client.ask(place), action="delete", **{"from": "all"}).headers["location"]
            == "/schedules"
        )
        assert "captured again and again yet" in client.ask("/schedules").text


def test_a_watch_captures_what_is_new_and_tells_what_it_saw(tmp_path: Path) -> None:
    pages = {"/page": Page(b"<title>new</title>")}
    with SmallSite(pages) as site, dashboard(tmp_path / "service") as client:
        feed = f"<rss><channel><item><link>{site.url('/page')}</link></item></channel></rss>"
        pages["/feed"] = Page(feed.encode(), "application/rss+xml")
        client.enter()
        make(client, "town")
        place = "/collections/town/schedules"
        fields = {"kind": "feed", "url": site.url("/feed"), "poll": "10m", "present": "yes"}
        assert client.send("/collections/town/watches", client.ask(place), **fields).status == 303
        jobs = wait_for_jobs(client, "town")
        assert 'data-state="done"' in client.ask(f"{jobs[0]}/events").text
        assert site.url("/page") in client.ask(place).text
        assert client.send("/collections/town/watches", client.ask(place), kind="gopher", url="x").status == 400
        one = re.search(r'action="(/collections/town/watches/\w+)"', client.ask(place).text)
        assert one
        for action, told in (("off", "Switch on"), ("look", "Look now"), ("delete", "Nothing of it is captured")):
            client.send(one[1], client.ask(place), action=action)
            assert told in client.ask(place).text, action


def wait_for_jobs(client: DashboardClient, name: str) -> list[str]:
    """The jobs of a collection, once there are any: each request takes the service some milliseconds."""
    for _ in range(5000):
        if found := re.findall(r'href="(/jobs/\w+)"', client.ask(f"/jobs?collection={name}").text):
            return found
    raise AssertionError("no job came")


def test_ten_thousand_seeds_with_broken_lines_are_taken_paged_and_searched(tmp_path: Path) -> None:
    lines = ["url,scope,notes", *(f"https://s{at}.example/,page,n{at}" for at in range(10_000))]
    broken = [5, 2000, 9999]
    for number in broken:
        lines[number - 1] = f'"https://open.example/,page,{number}'
    with dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town")
        told = upload(client, "town", "seeds.csv", "\n".join(lines).encode()).text
        assert "9997 seeds taken in" in told
        assert [int(at) for at in re.findall(r'class="number">(\d+)<', told)] == broken
        again = upload(client, "town", "seeds.csv", "\n".join(lines).encode()).text
        assert "0 seeds taken in" in again and "9997 were there before" in again
        text = client.ask("/collections/town?from=200").text
        assert "201 to 400 of 9997" in text and 'rel="prev"' in text and 'rel="next"' in text
        assert seeds_of(client, "town", "?q=S777.EXAMPLE") == ["https://s777.example/"]
        assert seeds_of(client, "town", "?q=%25") == [] and len(seeds_of(client, "town", "?state=never")) == 200
        assert seeds_of(client, "town", "?state=done&q=s1") == []
        many = upload(client, "town", "seeds.csv", b"\n" + b"x y\n" * 1500).text
        assert "1500 lines were refused" in many and "And 500 further lines" in many


def test_seeds_come_from_sitemaps_feeds_repositories_and_archives(tmp_path: Path) -> None:
    def oai(host: str, path: str) -> Page:
        asked = parse_qs(urlsplit(path).query)
        at = int(asked.get("resumptionToken", ["0"])[0])
        record = (
            "<record><header><identifier>oai:{0}</identifier><datestamp>2026-01-01</datestamp></header><metadata>"
            "<dc><identifier>https://rec.example/{0}</identifier></dc></metadata></record>"
        )
        token = f"<resumptionToken>{at + 1}</resumptionToken>" if at < 2 else ""
        return Page(f"<OAI-PMH><ListRecords>{record.format(at)}{token}</ListRecords></OAI-PMH>".encode(), SITEMAP)

    def answer(host: str, path: str) -> Page:
        part = f"<sitemapindex><sitemap><loc>http://{host}/part.xml</loc></sitemap></sitemapindex>"
        fixed = {
            "/sitemap.xml": part,
            "/part.xml": "<urlset><url><loc>https://map.example/1</loc></url><url><loc>file:///etc/passwd</loc></url></urlset>",
            "/feed": "<rss><channel><item><link>https://feed.example/1</link></item></channel></rss>",
            "/empty": "<rss/>",
        }
        return Page(fixed[path].encode(), SITEMAP) if path in fixed else oai(host, path)

    with SmallSite(answer) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town")
        told = add(client, "town", source_url=site.url("/sitemap.xml"), source_kind="sitemap")
        assert told.status == 200 and "1 seeds taken in" in told.text and "not on the web" in told.text
        assert add(client, "town", source_url=site.url("/feed"), source_kind="feed").status == 303
        assert add(client, "town", source_url=site.url("/oai"), source_kind="oai-pmh").status == 303
        assert add(client, "town", source_url=site.url("/empty"), source_kind="feed").status == 400
        assert add(client, "town", source_url="file:///etc/passwd", source_kind="feed").status == 400
        sent = b"<urlset><url><loc>https://sent.example/1</loc></url></urlset>"
        assert upload(client, "town", "sitemap.xml", sent).status == 303
        assert (
            upload(client, "town", "reader.opml", b'<opml><outline htmlUrl="https://opml.example/"/></opml>').status
            == 303
        )
        assert upload(client, "town", "other.wacz", b"PK\x03\x04 broken").status == 400
        hosts = {urlsplit(each).hostname for each in seeds_of(client, "town")}
        assert hosts == {"map.example", "feed.example", "rec.example", "sent.example", "opml.example"}
        assert seeds_of(client, "town", "?q=rec.example") == [f"https://rec.example/{at}" for at in range(3)]
        assert not list((tmp_path / "service" / "spool").glob("seeds-*"))


def test_a_collection_is_removed_only_by_its_name_and_its_archives_are_put_aside(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    with SmallSite({"/": Page(b"<title>here</title>")}) as site, dashboard(folder) as client:
        client.enter()
        make(client, "town")
        make(client, "land")
        add(client, "town", table=f"{site.url('/')}\nhttps://b.example/")
        (seed,) = re.findall(r'href="(/collections/town/seeds/\w+)">http://127', client.ask("/collections/town").text)
        job = client.send(f"{seed}/capture", client.ask(seed)).headers["location"]
        assert 'data-state="done"' in client.ask(f"{job}/events").text
        shown = client.ask(seed).text
        assert "<svg" in shown and "mark-good" in shown
        assert "stays in the archive" in client.ask(f"{seed}/delete").text
        client.send("/collections/town/move-seeds", client.ask("/collections/town/remove"), target="land")
        assert len(seeds_of(client, "land")) == 2 and seeds_of(client, "town") == []
        page = client.ask("/collections/town/remove")
        assert client.send("/collections/town/remove", page, name="tow").status == 400
        assert client.ask("/collections/town").status == 200
        gone = client.send("/collections/town/remove", client.ask("/collections/town/remove"), name="town")
        assert (
            gone.status == 200
            and client.ask("/collections/town").status == 404
            and "No jobs yet" in client.ask("/jobs").text
        )
        (aside,) = (folder / "removed").iterdir()
        assert json.loads((aside / "collection.json").read_text())["title"] == "town"
        assert (aside / "archive-1" / "archive.toml").exists()
        make(client, "town")
        assert not (folder / "collections" / "town").exists(), "a new one of its name begins empty"
        page = client.ask("/collections/town/remove")
        client.send("/collections/town/remove", page, name="town", for_good="yes")
        assert len(list((folder / "removed").iterdir())) == 1


def test_a_timeline_has_a_mark_for_every_job_and_escapes_nothing_into_the_page() -> None:
    order = JobOrder("town", "archive-1", {"seeds": ["https://a.example/"]})
    jobs = [
        Job(str(at), order, state, NOW.plus(86400 * at), NOW, summary=summary)
        for at, (state, summary) in enumerate(
            [
                (JobState.DONE, {"stored": 10, "duplicates": 2, "failed": 1}),
                (JobState.DONE, {"stored": 0, "duplicates": 9, "seeds_missed": 1}),
                (JobState.FAILED, {}),
                (JobState.QUEUED, {"stored": "<b>"}),
            ]
        )
    ]
    drawing = render_timeline(jobs[::-1])
    assert [drawing.count(f'<circle class="mark-{each}"') for each in ("good", "bad", "open")] == [2, 3, 2]
    assert "10 new or changed, 2 as before, 1 failed" in drawing and "not reached" in drawing and "<b>" not in drawing
    assert render_timeline([]) == ""
    alone = render_timeline(jobs[:1])
    assert f"{NOW.iso()[:10]} {NOW.iso()[11:16]}" in alone, "of one day not its date three times"
