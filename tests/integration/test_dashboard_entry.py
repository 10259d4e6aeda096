"""Who comes in to the pages of a service: by the link once, by its own names alone; and what is shown is escaped."""

import json
from pathlib import Path

from dashboard_calls import DashboardClient, dashboard
from warc_material import webkeep

HOSTILE = "<script>alert(1)</script>\"'&"


def test_the_printed_link_lets_in_once(tmp_path: Path) -> None:
    with dashboard(tmp_path / "service") as client:
        assert client.ask("/").status == 401
        assert client.ask("/?token=guessed").status == 403
        moved = client.ask(client.entry)
        assert (moved.status, moved.headers["location"]) == (303, "/")
        assert "HttpOnly" in moved.headers["set-cookie"] and "samesite=lax" in moved.headers["set-cookie"].lower()
        shown = client.ask("/")
        assert shown.status == 200
        assert "script-src 'self'" in shown.headers["content-security-policy"]
        stranger = DashboardClient(client.port, client.entry)
        assert stranger.ask(client.entry).status == 403
        assert json.loads(stranger.ask("/health").body)["status"] == "ok"
        assert stranger.ask("/assets/style.css").status == 200
        assert stranger.ask("/assets/%2e%2e%2fapplication.py").status == 404


def test_other_names_get_no_answer(tmp_path: Path) -> None:
    with dashboard(tmp_path / "service") as client:
        client.enter()
        assert client.ask("/", host=f"localhost:{client.port}").status == 200
        for name in ("rebound.example", f"rebound.example:{client.port}", "127.0.0.1.rebound.example", ""):
            assert client.ask("/", host=name).status == 421


def test_jobs_are_listed_and_titles_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "service"
    assert webkeep("job", "collection", folder, "town", "--title", HOSTILE, "--description", HOSTILE).code == 0
    assert webkeep("job", "submit", folder, f"http://127.0.0.1:9/{HOSTILE}", "--collection", "town").code == 0
    with dashboard(folder) as client:
        client.enter()
        listed = client.ask("/jobs")
        assert "<script>alert" not in listed.text and "127.0.0.1:9/" in listed.text
        job = listed.text.partition('href="/jobs/')[2].partition('"')[0]
        shown = client.ask(f"/jobs/{job}")
        assert shown.status == 200 and "<script>alert" not in shown.text
        assert client.ask("/jobs/nothing").status == 404
        assert client.ask("/nowhere").status == 404
