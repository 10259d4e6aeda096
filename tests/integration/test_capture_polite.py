"""Twenty hosts and more, each with its own rules: none is broken by its own log, and the ledger says the same."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from polite_servers import DELAY, HOSTS, PAGES, ROBOTS, Manners, PoliteServers, Seen

EACH = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)


@dataclass(frozen=True, slots=True)
class Crawl:
    """What came of the crawl."""

    servers: PoliteServers
    summary: dict[str, Any]
    fates: dict[str, tuple[str, str]]

    def seen(self, host: Manners) -> list[Seen]:
        """What a host was asked, in order."""
        return sorted(self.servers.seen[host.name], key=lambda each: each.began)

    def ledger(self, host: Manners) -> dict[str, Any]:
        """What the crawler says of it."""
        entry: dict[str, Any] = self.summary["hosts"][self.servers.authority(host)]
        return entry

    def fate(self, host: Manners, path: str) -> tuple[str, str]:
        """What became of one of its pages, and why."""
        return self.fates[self.servers.url(host, path)]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    archive = tmp_path_factory.mktemp("polite") / "archive"
    with PoliteServers() as servers:
        resolves = [word for each in servers.resolves for word in ("--resolve", each)]
        limits = ("--delay", str(DELAY), "--retries", "1", "--connections", "32", "--max-seconds", "60")
        said = webkeep("capture", *servers.seeds, "--into", archive, *limits, *resolves)
    listed = map(json.loads, webkeep("list", archive, "--fates"))
    fates = {each["url"]: (each["outcome"], each["reason"]) for each in listed if each.get("event") == "fate"}
    yield Crawl(servers, json.loads(said[-1]), fates)


def webkeep(*arguments: object) -> list[str]:
    command = [sys.executable, "-m", "webkeep", *map(str, arguments), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stdout.splitlines()


def test_there_are_hosts_enough() -> None:
    assert len({host.name for host in HOSTS}) == len(HOSTS) >= 20


@EACH
def test_nothing_forbidden_is_asked_and_all_else_is(crawl: Crawl, host: Manners) -> None:
    asked = {each.path for each in crawl.seen(host)} & set(PAGES)
    if set(host.forbidden) >= set(PAGES):
        assert not asked
    else:
        assert asked == set(PAGES) - set(host.forbidden)


@EACH
def test_the_rules_are_asked_for_first(crawl: Crawl, host: Manners) -> None:
    assert crawl.seen(host)[0].path == ROBOTS


@EACH
def test_gaps_are_no_shorter_than_the_delay(crawl: Crawl, host: Manners) -> None:
    gaps = [after.began - before.ended for before, after in pairwise(crawl.seen(host))]
    assert min(gaps, default=host.delay) >= host.delay


@EACH
def test_requests_come_one_at_a_time(crawl: Crawl, host: Manners) -> None:
    assert all(before.ended <= after.began for before, after in pairwise(crawl.seen(host)))
    assert crawl.ledger(host)["greatest_concurrency"] <= 1


@pytest.mark.parametrize("host", [each for each in HOSTS if each.turns_away], ids=lambda host: host.name)
def test_a_host_that_asks_for_patience_gets_it(crawl: Crawl, host: Manners) -> None:
    seen = crawl.seen(host)
    (at,) = [number for number, each in enumerate(seen) if each.status in (429, 503)]
    assert seen[at + 1].began - seen[at].ended >= 1
    assert seen[at].path in {each.path for each in seen[at + 1 :]}


@EACH
def test_the_ledger_agrees_with_the_log(crawl: Crawl, host: Manners) -> None:
    ledger, seen = crawl.ledger(host), crawl.seen(host)
    assert ledger["requests"] == len(seen)
    assert ledger["too_early"] == 0
    gaps = [after.began - before.ended for before, after in pairwise(seen)]
    # The crawler counts from what it received, so it may think a gap shorter than the host does, never longer.
    assert (ledger["smallest_gap"] is None) == (not gaps)
    assert not gaps or host.delay <= ledger["smallest_gap"] <= min(gaps)


@pytest.mark.parametrize(
    "host",
    [each for each in HOSTS if each.forbidden and each.robots.count(b"isallow")],
    ids=lambda host: host.name,
)
def test_every_refusal_names_its_rule(crawl: Crawl, host: Manners) -> None:
    # Of a host that forbids everything nothing but the front page is ever heard of.
    refused = {"/"} if set(host.forbidden) >= set(PAGES) else set(host.forbidden)
    for path in refused:
        outcome, reason = crawl.fate(host, path)
        assert outcome == "refused"
        assert "Disallow: /" in reason
    assert sum(crawl.ledger(host)["refusals"].values()) == len(refused)


@pytest.mark.parametrize("name", ["rules-broken", "rules-never-come"])
def test_a_host_whose_rules_cannot_be_had_is_left_alone(crawl: Crawl, name: str) -> None:
    host = next(each for each in HOSTS if each.name == name)
    assert {each.path for each in crawl.seen(host)} == {ROBOTS}
    assert crawl.fate(host, "/")[0] in ("failed", "refused")
