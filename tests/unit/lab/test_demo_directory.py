"""The site as files."""

from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.lab.demo import HOSTS, DemoAddresses, DemoSite, SitePlan, write_site
from webkeep.model import Moment

START = Moment.parse("2026-05-20T08:00:00Z")
SITE = DemoSite(SitePlan(), START)


def test_files_are_the_versions_of_the_moment(tmp_path: Path) -> None:
    at = START.plus(3600)
    count = write_site(SITE, tmp_path, at, DemoAddresses())
    assert count == len(SITE.resources) == sum(path.is_file() for path in tmp_path.rglob("*"))
    front = tmp_path / "index.html"
    assert front.read_bytes() == SITE.render_version("/", SITE.version_at("/", at))
    assert front.stat().st_mtime_ns == SITE.state_at("/", at).began.micros * 1000
    assert (tmp_path / "history/great-flood/survey/marks/index.html").is_file()
    assert b'url=/history/old-harbour/"' in (tmp_path / "old-harbour/index.html").read_bytes()


def test_a_spread_site_gets_a_directory_to_each_host(tmp_path: Path) -> None:
    write_site(SITE, tmp_path, START, DemoAddresses(spread=True))
    assert {path.name for path in tmp_path.iterdir()} == set(HOSTS)
    assert b"http://static.tidewick.example/static/town.css" in (tmp_path / HOSTS[0] / "index.html").read_bytes()


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file")
    with pytest.raises(StorageError, match="cannot write the site"):
        write_site(SITE, taken, START, DemoAddresses())
