"""What was taken down is not asked for again: by an update, by another capture, by a recording; it is told."""

import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import KEPT, capture, fates, kept
from record_calls import recording
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
