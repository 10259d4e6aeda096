"""What was taken down is not asked for again: by an update, by another capture, by a recording; it is told."""

import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import KEPT, capture, ended, fates, kept, running
from record_calls import recording
from serve_calls import archive_of, page, served
from small_site import Page, SmallSite, linking
from warc_material import webkeep

PAGES = {"/": linking("/secret.html", "/other.html"), "/secret.html": Page(b"secret"), "/other.html": Page(b"other")}


@pytest.fixture
def site() -> Iterator[SmallSite]:
    with SmallSite(PAGES) as server:
        yield server


@pytest.fixture
def taken_down(site: SmallSite, tmp_path: Path) -> Path:
    """An archive of the site, out of which the secret was taken."""
    path = tmp_path / "archive"
    assert capture(path, site.url()).code == 0
    done = webkeep("remove", path, "--url", site.url("/secret.html"), "--reason", "court order", "--yes")
    assert done.summary["removed"] == 1
    site.asked.clear()
    return path


@pytest.mark.parametrize("command", ["update", "capture"])
def test_it_is_not_asked_for_and_that_is_told(site: SmallSite, taken_down: Path, command: str) -> None:
    secret = site.url("/secret.html")
    words = ("update", taken_down) if command == "update" else ("capture", site.url(), "--into", taken_down)
    done = webkeep(*words, "--browser", "off")
    assert (done.code, done.summary["taken_down"], done.summary["fates"]["taken-down"]) == (0, 1, 1)
    assert "/secret.html" not in site.paths
    assert "/other.html" in site.paths
    outcome, reason = fates(taken_down, done.summary["capture"])[secret]
    assert (outcome, reason.startswith("taken down 20")) == ("taken-down", True)
    assert "(court order)" in reason
    assert "1 URL taken down here before is not asked for; --include URL" in done.err
    assert secret not in kept(taken_down)
    assert webkeep("why", taken_down, secret).code == 0


def test_a_seed_that_was_taken_down_is_told(site: SmallSite, taken_down: Path) -> None:
    done = capture(taken_down, site.url("/secret.html"), "--scope", "page")
    assert done.code == 1
    assert f"--include {site.url('/secret.html')} asks for it again" in done.err
    assert "/secret.html" not in site.paths


def test_it_is_asked_for_where_a_rule_names_it(site: SmallSite, taken_down: Path) -> None:
    secret = site.url("/secret.html")
    done = webkeep("update", taken_down, "--browser", "off", "--include", secret)
    assert (done.code, done.summary["taken_down"]) == (0, 0)
    assert secret in kept(taken_down)
    # It is held again, and is brought up to date like anything else.
    again = webkeep("update", taken_down, "--browser", "off")
    assert again.summary["taken_down"] == 0
    assert fates(taken_down, again.summary["capture"])[secret][0] in KEPT


def test_what_is_held_in_another_version_is_asked_for(site: SmallSite, tmp_path: Path) -> None:
    path = tmp_path / "archive"
    first = capture(path, site.url()).summary["capture"]
    webkeep("update", path, "--browser", "off", "--unconditional")
    done = webkeep("remove", path, "--url", site.url("/secret.html"), "--capture", first, "--yes")
    assert done.summary["removed"] == 1
    assert webkeep("update", path, "--browser", "off").summary["taken_down"] == 0


def test_a_recording_passes_it_on_and_does_not_keep_it(site: SmallSite, taken_down: Path, tmp_path: Path) -> None:
    secret = site.url("/secret.html")
    with recording(tmp_path, "--private") as run:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": run.proxy}))
        with opener.open(secret, timeout=30) as answer:
            assert answer.read() == b"secret"
        summary = run.end()
    assert (summary["taken_down"], summary["stored"]) == (1, 0)
    assert secret not in kept(taken_down)


def test_comparisons_and_lists_say_what_was_taken_down(site: SmallSite, taken_down: Path, tmp_path: Path) -> None:
    secret = site.url("/secret.html")
    webkeep("update", taken_down, "--browser", "off")
    whole = webkeep("diff", taken_down, as_json=False)
    assert "1 URL taken down since is left out; webkeep list" in whole.err
    assert "taken down" not in webkeep("diff", taken_down, site.url("/other.html"), as_json=False).err
    alone = webkeep("diff", taken_down, secret, as_json=False)
    assert alone.code == 1
    for done in (alone, webkeep("list", taken_down, secret, as_json=False), webkeep("show", taken_down, secret)):
        assert f"{secret} of 20" in done.err
        assert "was taken down 20" in done.err
        assert "(court order)" in done.err
    assert webkeep("list", taken_down, site.url("/*")).summary["taken_down"] == 1


def test_all_versions_that_were_taken_down_are_told(tmp_path: Path) -> None:
    moments = [f"202403{day:02}120000" for day in range(1, 6)]
    url = "http://example.org/secret"
    path = archive_of(tmp_path / "archive", *(page(url, each, f"version {each}") for each in moments))
    archive_of(path, page("http://example.org/", moments[0], "front"))
    assert webkeep("remove", path, "--url", url, "--yes", "--until", "2024-03-03").summary["removed"] == 3
    told = webkeep("list", path, url, as_json=False)
    assert f"3 observations of {url}, of 2024-03-01 12:00:00 to 2024-03-03 12:00:00, were taken down" in told.err
    assert webkeep("remove", path, "--url", url, "--reason", "a court", "--yes").summary["removed"] == 2
    shown = webkeep("show", path, url, as_json=False)
    assert f"all 5 observations of {url}, of 2024-03-01 12:00:00 to 2024-03-05 12:00:00, were" in shown.err
    with served(path) as client:
        words = client.ask(f"/web/{moments[0]}/{url}").body.decode()
    assert (
        "All that was seen of it, 5 times from 2024-03-01 12:00:00 UTC to 2024-03-05 12:00:00 UTC, was taken" in words
    )


def test_what_was_queued_before_it_was_taken_down_is_not_asked_for_either(site: SmallSite, tmp_path: Path) -> None:
    path, secret = tmp_path / "archive", site.url("/secret.html")
    archive_of(path, page(secret, "20240301120000", "secret"))
    with running(path, site.url(), secret, "--delay", "60") as process:
        site.wait_for_requests(1)  # for its rules; all else waits
        process.send_signal(signal.SIGINT)
        assert ended(process)["finished"] is False
    assert "/secret.html" not in site.paths
    assert webkeep("remove", path, "--url", secret, "--yes").summary["removed"] == 1
    done = capture(path, site.url(), secret, "--delay", "0")
    assert (done.summary["resumed"], done.summary["taken_down"]) == (True, 1)
    assert "/secret.html" not in site.paths
