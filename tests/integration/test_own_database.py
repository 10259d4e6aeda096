"""A site's PostgreSQL database beside its pages: a real server, dumped by its own program."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import capture
from postgres_cluster import cluster_folder, run_sql, running_cluster
from small_site import Page, SmallSite

from webkeep.formats import DUMP_PREFIX
from webkeep.store.archive import Archive

PASSWORD = "tidal-5ecret"


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A server with one table; gives the URL of its database, with the password."""
    with cluster_folder(PASSWORD) as folder, running_cluster(folder, "shop") as address:
        url = address.replace(":///library?", f"://library:{PASSWORD}@/postgres?").replace("&user=library", "")
        run_sql(url, "CREATE TABLE item (name text); INSERT INTO item VALUES ('kettle — blue')")
        yield url


def test_a_database_that_stood_still_is_dumped_twice_to_the_same_bytes(database: str, tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"<p>kettle", "text/html")}) as site:
        done = capture(tmp_path / "archive", site.url(), "--dump", f"shop={database}")
    assert done.code == 0, done.err
    (told,) = done.summary["data"]
    assert (told["name"], told["unchanged"]) == ("shop", True)
    with Archive(tmp_path / "archive") as archive:
        dumps = [seen for seen in archive.observations() if seen.url.startswith(DUMP_PREFIX)]
        assert [(seen.record_type, seen.media_type) for seen in dumps] == [
            ("resource", "application/sql"),
            ("revisit", "application/sql"),
        ]
        text = archive.read(dumps[0]).read().decode()
    assert "kettle — blue" in text
    written = b"".join(each.read_bytes() for each in (tmp_path / "archive").rglob("*") if each.is_file())
    assert PASSWORD.encode() not in written


def test_a_database_that_cannot_be_had_is_told_without_its_password(database: str, tmp_path: Path) -> None:
    wrong = database.replace("/postgres?", "/nothing?")
    done = capture(tmp_path / "archive", "http://127.0.0.1:9/", "--dump", f"shop={wrong}")
    assert done.code == 2
    assert 'database "nothing" does not exist' in done.err
    assert PASSWORD not in done.err
