"""Captures on many machines that go by sites: each site's course is one worker's, whatever happens to that."""

import json
import signal
from collections import Counter
from pathlib import Path

from cluster_calls import KEPT, ClusterRun, cluster_run, summary_of
from host_web import HostWeb, serve_hosts
from warc_material import webkeep

from webkeep.model import UrlOutcome
from webkeep.store.archive import Archive

_DELAY = 0.1
_CLOCK_SLACK_SECONDS = 0.005


def check_whole(run: ClusterRun, web: HostWeb) -> None:
    """The capture has all, each with one fate and its record, and no host was asked too fast."""
    fates = run.fates()
    assert max(Counter(fate.url for fate in fates).values()) == 1
    kept = {fate.url for fate in fates if fate.outcome in KEPT}
    assert web.urls() <= kept
    assert kept <= run.stored()
    assert {fate.url for fate in fates if fate.outcome is UrlOutcome.REFUSED} == {
        f"{web.root(number)}secret" for number in range(web.hosts)
    }
    assert web.smallest_gap() >= _DELAY - _CLOCK_SLACK_SECONDS


def captures_of(path: Path) -> list[tuple[str, ...]]:
    """The seeds of the captures in an archive that came to their end."""
    with Archive(path) as archive:
        return [each.seeds for each in archive.captures() if each.finished is not None]


def test_each_site_is_made_coherent_by_one_worker(tmp_path: Path) -> None:
    with serve_hosts(6, 5) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY, "--for", "evidence")
        shared = tmp_path / "shared"
        shared.mkdir()
        workers = [run.worker(number, "--store", shared, "--name", f"w{number}") for number in range(2)]
        told = summary_of(looking_after)
        done = [summary_of(worker) for worker in workers]
        check_whole(run, web)
        assert told["finished"]
        assert not any(ledger["too_early"] or ledger["overlapping"] for ledger in told["hosts"].values())
        assert sum(ledger["requests"] for host, ledger in told["hosts"].items() if ":" in host) == len(web.requests)
        assert all(each["finished"] and not each["lost_sessions"] for each in done)
        # Pages of every site were looked at twice, by the worker that has the site.
        seen_again = {url for url, count in web.asked().items() if "/page-" in url and count == 2}
        assert all(any(url.startswith(web.root(number)) for url in seen_again) for number in range(6))
        assert max(web.asked().values()) == 2
        sites = [captures_of(path) for path in run.worker_archives()]
        assert sorted(seed for each in sites for (seed,) in each) == sorted(web.root(number) for number in range(6))
        assert all(sites)
        for path in run.worker_archives():
            assert b"coherent" in webkeep("report", path, "--json").out
            assert webkeep("verify", path).code == 0
        # Full files and the last one lie in the shared folder, and make one archive.
        assert {path.parent.name for path in shared.glob("*/*.warc.gz")} == {"w0", "w1"}
        assert not [path for path in tmp_path.glob("worker-*/warcs/*.warc.gz") if not path.is_symlink()]
        assert webkeep("import", *shared.glob("*/*.warc.gz"), "--into", tmp_path / "whole").code == 0
        with Archive(tmp_path / "whole") as whole:
            assert web.urls() <= {each.url for each in whole.observations(resolve=False)}
        with Archive(run.main) as archive:
            (capture,) = archive.captures()
            courses = json.loads(capture.facts["courses"])
        assert len(courses) == 6
        assert len({keeper for _, keeper, _ in courses}) == 2


def test_a_site_goes_on_where_its_worker_comes_back_and_begins_anew_where_it_does_not(tmp_path: Path) -> None:
    with serve_hosts(2, 40) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY, "--for", "evidence")
        workers = [run.worker(number) for number in range(2)]
        web.wait_for_requests(40)
        workers[0].kill()
        workers[1].send_signal(signal.SIGSTOP)
        back = run.worker(0)
        # The other one's site is begun anew, for it does not come back in time.
        with web.changed:
            assert web.changed.wait_for(lambda: min(Counter(each[0] for each in web.requests).values()) >= 50, 120)
        workers[1].send_signal(signal.SIGCONT)
        told = summary_of(looking_after)
        assert summary_of(back)["finished"]
        assert summary_of(workers[1])["lost_sessions"] == 1
        check_whole(run, web)
        assert told["finished"]
        # What was killed went on where it was: of its site nothing was asked for more often than twice, but for
        # what was under way.
        first, second = (
            Counter(path for host, path, _, _ in web.requests if host == web.name(number)) for number in range(2)
        )
        anew = [sum(count - 2 for path, count in each.items() if "/page-" in path) for each in (first, second)]
        assert min(anew) <= 3
        assert max(anew) > 3


def test_a_limit_holds_over_all_sites_and_a_database_that_restarts_is_waited_for(tmp_path: Path) -> None:
    with serve_hosts(5, 40) as web, cluster_run(tmp_path, web) as run:
        looking_after = run.capture("--delay", _DELAY, "--for", "evidence", "--max-urls", 120)
        workers = [run.worker(number) for number in range(2)]
        web.wait_for_requests(60)
        run.stop_database()
        run.start_database()
        # Second visits were cut, which is not all that was wanted.
        told = summary_of(looking_after, 1)
        for worker in workers:
            assert summary_of(worker)["finished"]
        assert told["finished"]
        # Beyond it what two workers do in the time from one look to the next.
        assert 120 <= len([path for _, path, _, _ in web.requests if path != "/robots.txt"]) <= 120 + 2 * 30
        assert told["fates"]["cut"] > 0
        assert told["fates"]["queued"] == 0
        assert {fate.reason for fate in run.fates() if fate.outcome is UrlOutcome.CUT} == {"max-urls: 120"}
