"""`--depth` by several workers: a shorter way counts, whoever finds it, however late, and whoever has the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_calls import ClusterRun, cluster_run, summary_of
from host_web import HostWeb
from linked_hosts import LinkedHosts, serve_linked_hosts
from postgres_cluster import query_sql
from warc_material import webkeep

from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive

# From the first seed it is three steps to the page, from the last, which is answered later, it is one.
PAGES = {
    "0/": ["1/far"],
    "1/far": ["2/far"],
    "2/far": ["3/page", "5/page"],
    "3/page": ["3/one"],
    "3/one": ["3/two"],
    "3/two": ["3/three"],
    "3/three": [],
    "5/page": ["5/one"],
    "5/one": ["5/two"],
    "5/two": [],
    "4/": ["3/page", "5/page"],
    "1/": [],
    "2/": [],
    "3/": [],
    "5/": [],
}
KEPT = [page for page in PAGES if page != "3/three"]
SEEDS = [f"{number}/" for number in range(6)]
"""All hosts: only those that were named may have addresses of this machine."""
OPTIONS = ("--depth", 3, "--delay", 0, "--browser", "off")


@pytest.fixture
def web() -> Iterator[LinkedHosts]:
    with serve_linked_hosts(PAGES, ["4/"]) as served:
        yield served


def fates_of(archive: Path) -> dict[str, UrlOutcome]:
    """What became of each URL, robots.txt files left out; none has two fates."""
    with Archive(archive) as opened:
        (capture,) = opened.captures()
        assert capture.finished is not None
        fates = [fate for _, fate in opened.catalog.log.fates(capture.id) if not fate.url.endswith("/robots.txt")]
    assert len({fate.url for fate in fates}) == len(fates)
    return {fate.url: fate.outcome for fate in fates}


def begin(run: ClusterRun, web: LinkedHosts) -> None:
    """Look after the capture of these pages."""
    run.start("capture", *map(web.url, SEEDS), "--into", run.main, "--on", run.address, *OPTIONS)


def await_page(run: ClusterRun, web: LinkedHosts, page: str) -> str:
    """Wait until a page was stored on the longer way; gives the name of the worker who has it."""
    sql = (
        "SELECT worker.name FROM webkeep_cluster.url JOIN webkeep_cluster.worker ON worker.id = url.holder "
        f"WHERE url.url = '{web.url(page)}' AND url.outcome = 1"
    )
    while not (found := query_sql(run.address, sql)):
        assert run.processes[0].poll() is None
    return found[0]


def test_a_shorter_way_that_another_worker_finds_counts(tmp_path: Path, web: LinkedHosts) -> None:
    with cluster_run(tmp_path, HostWeb(0, 0)) as run:
        begin(run, web)
        workers = [run.worker(number, "--hosts", 2) for number in range(3)]
        for page in ("3/page", "5/page"):
            await_page(run, web, page)
        web.gates["4/"].set()
        assert summary_of(run.processes[0])["finished"]
        for worker in workers:
            assert summary_of(worker)["finished"]
        fates = fates_of(run.main)
        asked = dict(web.asked)
    kept = {url for url, outcome in fates.items() if outcome is not UrlOutcome.CUT}
    assert kept == web.urls(KEPT)
    assert fates[web.url("3/three")] is UrlOutcome.CUT
    # The links of what was there already were read again, and it was not asked for again.
    assert {count for page, count in asked.items() if not page.endswith("robots.txt")} == {1}
    alone = webkeep("capture", *map(web.url, SEEDS), "--into", tmp_path / "alone", *OPTIONS)
    assert alone.code == 0
    assert fates_of(tmp_path / "alone") == fates


def test_what_a_worker_that_is_gone_has_is_asked_for_once_more(tmp_path: Path, web: LinkedHosts) -> None:
    with cluster_run(tmp_path, HostWeb(0, 0)) as run:
        begin(run, web)
        workers = {f"one-{number}": run.worker(number, "--name", f"one-{number}", "--hosts", 2) for number in range(3)}
        gone = await_page(run, web, "3/page")
        workers.pop(gone).kill()
        web.gates["4/"].set()
        assert summary_of(run.processes[0])["finished"]
        for worker in workers.values():
            assert summary_of(worker)["finished"]
        fates = fates_of(run.main)
    assert {url for url, outcome in fates.items() if outcome is not UrlOutcome.CUT} == web.urls(KEPT)
    assert web.asked["3/page"] == 2
