"""A service whose disk is full: what is asked is refused in a line, pages go on, and so does it once there is room."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_disk
from dashboard_calls import dashboard


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    if not small_disk.IS_ROOT:
        pytest.skip("only root makes a disk of its own")
    with small_disk.mounted(tmp_path / "disk", "4m") as path:
        yield path


def fill(path: Path) -> None:
    with (path / "filling").open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            assert os.statvfs(path).f_bavail == 0


def test_nothing_that_was_asked_of_a_full_disk_is_half_done(disk: Path) -> None:
    with dashboard(disk / "service") as client:
        client.enter()
        sent = {"url": "http://127.0.0.1:1/", "preset": "page", "collection": "town"}
        fill(disk)
        for _ in range(2):
            refused = client.send("/start", client.ask("/"), **sent)
            assert (refused.status, "free some space" in refused.text) == (503, True), refused.text
        assert {client.ask(path).status for path in ("/", "/jobs", "/collections")} == {200}
        assert "town" not in client.ask("/collections").text
        (disk / "filling").unlink()
        assert client.send("/start", client.ask("/"), **sent).status == 303
        assert client.ask("/jobs").text.count('href="/jobs/') == 1
