"""Collections and seeds by pages alone: made, filled by a table with broken lines, captured, moved; shown in public."""

import time
from pathlib import Path

from dashboard_calls import DashboardClient, dashboard
from small_site import Page, SmallSite, linking
from warc_material import webkeep

HOSTILE = "<script>alert(1)</script>\"'&"


def make(client: DashboardClient, name: str, **fields: str) -> None:
    form = client.ask("/new-collection")
    values = {"title": name, "purpose": "extensive"} | fields
    made = client.send("/collections", form, name=name, **values)
    assert (made.status, made.headers["location"]) == (303, f"/collections/{name}"), made.text


def add(client: DashboardClient, name: str, table: str) -> str:
    answer = client.send(f"/collections/{name}/seeds", client.ask(f"/collections/{name}"), table=table)
    assert answer.status in (200, 303), answer.text
    return answer.text


def first_seed(client: DashboardClient, name: str) -> str:
    text = client.ask(f"/collections/{name}").text
    return f"/collections/{name}/seeds/" + text.partition(f'href="/collections/{name}/seeds/')[2].partition('"')[0]


def test_good_lines_are_taken_and_broken_ones_told_by_number(tmp_path: Path) -> None:
    lines = ["url,scope,notes", *(f"https://s{at}.example/,page,n{at}" for at in range(2000))]
    lines[7], lines[900] = '"https://open.example/,page', "https://s.example/,nowhere,"
    with dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town")
        told = add(client, "town", "\n".join(lines))
        assert "1998 seeds taken in" in told
        assert '<td class="number">8</td>' in told and '<td class="number">901</td>' in told
        assert "1,998 seeds" in client.ask("/collections/town").text


def test_hostile_texts_are_shown_as_they_are_written(tmp_path: Path) -> None:
    with dashboard(tmp_path / "service") as client:
        client.enter()
        fields = dict.fromkeys(("title", "description", "subjects", "creator", "rights"), HOSTILE)
        make(client, "town", **fields, is_public="yes")
        make(client, "closed")
        add(client, "town", "https://a.example/?<script>alert(1)</script>")
        seed = first_seed(client, "town")
        client.send(seed, client.ask(seed), notes=HOSTILE, scope="page")
        stranger = DashboardClient(client.port, client.entry)
        shown = [client.ask(path) for path in ("/collections", "/collections/town", "/collections/town/edit", seed)]
        shown.append(stranger.ask("/public/town"))
        assert all(each.status == 200 and "<script>alert" not in each.text for each in shown)
        assert stranger.ask("/public/closed").status == 404
        assert stranger.ask("/collections/town").status == 401


def test_a_seed_moves_with_its_history_and_is_captured(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<title>here</title>")}) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town")
        make(client, "land")
        add(client, "town", site.url("/"))
        begun = client.send("/collections/town/capture", client.ask("/collections/town"))
        assert begun.headers["location"] == "/jobs?collection=town"
        seed = first_seed(client, "town")
        moved = client.send(f"{seed}/move", client.ask(seed), target="land")
        assert moved.status == 303 and moved.headers["location"] == seed.replace("town", "land")
        assert "/jobs/" in client.ask(moved.headers["location"]).text
        assert client.ask(seed).status == 404
        deleted = client.send(moved.headers["location"] + "/delete", client.ask(moved.headers["location"]))
        assert deleted.status == 303 and "0 seeds" in client.ask("/collections/land").text


def test_what_another_collection_holds_is_left_out(tmp_path: Path) -> None:
    pages = {"/": linking("/news", "/sport"), "/news": linking(), "/sport": linking()}
    with SmallSite(pages) as site, dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "press", title="The press")
        make(client, "town", left_out="press")
        assert 'value="press" checked' in client.ask("/collections/town/edit").text
        assert "Left out is what" in client.ask("/collections/town").text
        refused = client.send(
            "/collections/press/edit", client.ask("/collections/press/edit"), title="x", left_out="town"
        )
        assert refused.status == 400 and "captured by neither" in refused.text
        for name, url in (("press", site.url("/news")), ("town", site.url("/"))):
            add(client, name, f"url,browser,scope\n{url},off,{'page' if name == 'press' else 'host'}")
            client.send(f"/collections/{name}/capture", client.ask(f"/collections/{name}"))
            await_jobs(client, name)
        asked = [path for path in site.paths if path != "/robots.txt"]
        assert sorted(asked) == ["/", "/news", "/sport"]
        fates = webkeep("list", tmp_path / "service/collections/town/archive-1", "--fates").out
        assert b"held in The press" in fates
        changed = client.send("/collections/town/edit", client.ask("/collections/town/edit"), title="town")
        assert changed.status == 303 and "Left out is what" not in client.ask("/collections/town").text


def await_jobs(client: DashboardClient, name: str) -> None:
    """Wait until every job of a collection has ended."""
    for _ in range(600):
        shown = client.ask(f"/jobs?collection={name}").text
        if "state-done" in shown and not any(f"state-{each}" in shown for each in ("running", "queued", "pending")):
            return
        time.sleep(0.05)
    raise AssertionError(shown)


def test_a_seed_that_was_not_reached_is_not_told_as_captured(tmp_path: Path) -> None:
    with SmallSite({"/": linking()}) as site:
        dead = site.url("/")
    with dashboard(tmp_path / "service") as client:
        client.enter()
        make(client, "town", is_public="yes")
        add(client, "town", f"url,retries\n{dead},0")
        seed = first_seed(client, "town")
        job = client.send(f"{seed}/capture", client.ask(seed)).headers["location"]
        client.ask(f"{job}/events")
        shown = client.ask(job).text
        assert "done, not captured" in shown and f"{dead} was not captured: nobody listens there" in shown
        assert "See it" not in shown and f'href="{seed}"' in shown, "there is nothing to see, and a way to its settings"
        assert "state-missed" in client.ask("/collections/town").text
        public = client.ask("/public/town").text
        assert "not captured yet" in public and "/view/" not in public
