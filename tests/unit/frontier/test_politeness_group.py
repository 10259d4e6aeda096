"""Hosts of one name: whatever their ports, they share the pace, and the proof of it."""

from collections.abc import Callable

import pytest

from frontier_web import START, Page, Request, Web, page, policy_for, web_of
from webkeep.errors import StorageError
from webkeep.formats.site import parse_robots
from webkeep.frontier import Frontier
from webkeep.frontier.hosts import NoRobots, RobotsFile
from webkeep.frontier.policy import HostPolicy
from webkeep.frontier.urls import Candidate, Dispatch, FetchOutcome, WaitUntil
from webkeep.model import UrlOutcome

NAME = "site.example"
PLAIN, SECURE, OTHER = f"http://{NAME}/", f"https://{NAME}/", f"http://{NAME}:8080/"
SEEDS = [PLAIN, SECURE, OTHER]


def pages(seeds: list[str], count: int = 6) -> dict[str, Page]:
    return {seed: Page([page(f"{seed}{number}") for number in range(count)]) for seed in seeds}


def gaps_of(requests: list[Request]) -> list[float]:
    """From the latest end before each request to its beginning, as the server saw it."""
    ends = [max(each.ended for each in requests[:number]) for number in range(1, len(requests))]
    return [after.started.seconds_since(end) for after, end in zip(requests[1:], ends, strict=True)]


def web_with(seeds: list[str], loopback: bool = False, **values: object) -> Web:
    return web_of(pages(seeds), policy_for(seeds, **values), seeds=seeds, loopback=loopback)


def test_the_ports_of_a_name_share_its_delay() -> None:
    web = web_with(SEEDS).run()
    assert len(web.requests) == 3 * 8
    assert min(gaps_of(web.requests)) >= 1.0
    ledgers = dict(web.frontier.host_ledgers())
    assert [ledgers[f"{NAME}:{port}"]["requests"] for port in (80, 443, 8080)] == [8, 8, 8]
    together = ledgers[NAME]
    assert together["requests"] == 24
    assert together["smallest_gap"] == min(gaps_of(web.requests))
    assert together["greatest_concurrency"] == 1
    assert together["too_early"] == 0


def test_a_name_with_a_dot_at_its_end_is_the_same_name() -> None:
    seeds = [PLAIN, f"http://{NAME}./"]
    web = web_with(seeds, hosts={NAME: HostPolicy(delay=3.0)}).run()
    assert len(web.requests) == 2 * 8
    assert min(gaps_of(web.requests)) >= 3.0


def test_a_name_with_one_port_has_no_ledger_of_its_own() -> None:
    assert list(dict(web_with([PLAIN]).run().frontier.host_ledgers())) == [f"{NAME}:80"]


def test_the_ledger_of_a_name_begins_with_what_its_first_host_was_asked() -> None:
    links = [page(f"{PLAIN}{number}") for number in range(4)]
    moved = {f"{PLAIN}{number}": Page(status=301, redirect=f"{SECURE}{number}") for number in range(4)}
    web = web_of({PLAIN: Page(links), **moved}, policy_for([PLAIN, SECURE]), seeds=[PLAIN], loopback=False).run()
    assert min(gaps_of(web.requests)) >= 1.0
    assert dict(web.frontier.host_ledgers())[NAME]["requests"] == len(web.requests) == 11


def test_ports_take_turns() -> None:
    web = web_with(SEEDS).run()
    hosts = [each.candidate.host for each in web.requests]
    assert all(len(set(hosts[first : first + 3])) == 3 for first in range(0, 24, 3))


def test_a_delay_that_a_person_set_is_shared_on_this_machine_too() -> None:
    web = web_with([PLAIN, OTHER], loopback=True, delay=2.0).run()
    assert min(gaps_of(web.requests)) >= 2.0
    assert dict(web.frontier.host_ledgers())[NAME]["too_early"] == 0


def test_without_a_delay_each_port_has_all_its_connections() -> None:
    seeds = [f"http://{NAME}:{port}/" for port in (8001, 8002, 8003)]
    links = pages(seeds, 40)
    web = web_of(links, policy_for(seeds, connections_per_host=4), seeds=seeds).run(room=64)
    ledgers = dict(web.frontier.host_ledgers())
    assert [ledgers[f"{NAME}:{port}"]["greatest_concurrency"] for port in (8001, 8002, 8003)] == [4, 4, 4]
    assert int(str(ledgers[NAME]["greatest_concurrency"])) > 8
    assert web.requests[-1].ended.seconds_since(START) < 2.5


def test_a_port_with_another_exception_shares_the_pace_of_its_name() -> None:
    hosts = {NAME: HostPolicy(delay=3.0), f"{NAME}:8080": HostPolicy(connections=2)}
    web = web_with([PLAIN, OTHER], hosts=hosts).run()
    assert min(gaps_of(web.requests)) >= 3.0


def test_a_port_whose_delay_a_person_set_goes_its_own_pace() -> None:
    web = web_with([PLAIN, OTHER], hosts={f"{NAME}:8080": HostPolicy(delay=0.0)}).run()
    of_plain, of_other = ([each for each in web.requests if each.candidate.host.endswith(p)] for p in (":80", ":8080"))
    assert min(gaps_of(of_plain)) >= 1.0
    assert of_other[-1].ended.seconds_since(START) < 0.5
    assert NAME not in dict(web.frontier.host_ledgers())


def test_a_port_whose_delay_a_person_sets_later_goes_its_own_pace_from_then_on() -> None:
    web = web_with([PLAIN, OTHER]).run(most=4)
    web.frontier.change_policy(policy_for([PLAIN, OTHER], hosts={f"{NAME}:8080": HostPolicy(delay=9.0)}), web.now)
    changed = web.now
    web.run()
    after = [each for each in web.requests if each.started >= changed and each.candidate.host.endswith(":8080")]
    assert min(gaps_of(after)) >= 9.0
    assert after[0].started.seconds_since(web.requests[3].ended) >= 9.0
    web.frontier.change_policy(policy_for([PLAIN, OTHER]), web.now)
    together = len(web.requests)
    web.frontier.seed([f"{PLAIN}new", f"{OTHER}new", f"{OTHER}newer"], web.now)
    web.run()
    assert min(gaps_of(web.requests[together:])) >= 1.0


def rules_of(text: bytes) -> Callable[[str], RobotsFile | NoRobots]:
    return lambda host: RobotsFile(parse_robots(text)) if host.endswith(":80") else NoRobots()


def test_rules_are_those_of_a_port_and_a_crawl_delay_is_the_name_s() -> None:
    robots = rules_of(b"User-agent: *\nDisallow: /3\nCrawl-delay: 5\n")
    web = web_of(pages([PLAIN, SECURE]), policy_for([PLAIN, SECURE]), [PLAIN, SECURE], robots, loopback=False).run()
    assert web.outcome(f"{PLAIN}3") is UrlOutcome.REFUSED
    assert web.outcome(f"{SECURE}3") is UrlOutcome.STORED
    known = next(number for number, each in enumerate(web.requests) if each.candidate.url == f"{PLAIN}robots.txt")
    assert min(gaps_of(web.requests[known:])) >= 5.0
    ledgers = dict(web.frontier.host_ledgers())
    assert ledgers[f"{NAME}:443"]["delays"][-1][1:] == [5.0, "crawl-delay"]
    assert ledgers[NAME]["refusals"] == {"Disallow: /3 (line 2)": 1}


def test_patience_that_one_port_asks_for_all_ports_have() -> None:
    given = pages([PLAIN, SECURE])

    def busy(candidate: Candidate, times: int) -> Page:
        if candidate.url == f"{SECURE}2" and times == 1:
            return Page(status=429, retry_after=60.0)
        return given.get(candidate.url, Page())

    for loopback in (False, True):
        web = web_of(busy, policy_for([PLAIN, SECURE]), seeds=[PLAIN, SECURE], loopback=loopback).run(room=4)
        turned = next(each for each in web.requests if each.candidate.url == f"{SECURE}2")
        after = [each.started.seconds_since(turned.ended) for each in web.requests if each.started > turned.ended]
        assert after
        assert min(after) >= 60.0
        assert web.url_store.outcome_counts()[UrlOutcome.STORED] == len({each.candidate.url for each in web.requests})


def test_a_port_that_cannot_be_reached_holds_up_no_other() -> None:
    given = pages([PLAIN])

    def half_dead(candidate: Candidate, _: int) -> Page:
        if candidate.host.endswith(":8080"):
            return Page(failure="cannot-connect", temporary=True, connected=False)
        return given.get(candidate.url, Page())

    web = web_of(half_dead, policy_for([PLAIN, OTHER], retries=2), seeds=[PLAIN, OTHER], loopback=False).run()
    last = max(each.ended for each in web.requests if each.candidate.host.endswith(":80"))
    assert last.seconds_since(START) < 14
    assert web.outcome(OTHER) is UrlOutcome.FAILED
    assert min(gaps_of(web.requests)) >= 1.0


def test_a_name_keeps_pace_and_proof_after_a_restart() -> None:
    web = web_with([PLAIN, SECURE]).run(most=6)
    web.frontier.save()
    told = dict(web.frontier.host_ledgers())
    again = Frontier(policy_for([PLAIN, SECURE]), web.url_store)
    assert dict(again.host_ledgers()) == told
    assert again.next_actions(web.now, 4) == [WaitUntil(web.requests[-1].ended.plus(1))]


def test_a_name_outlasts_its_hosts_in_memory() -> None:
    others = [f"http://h{number}.example/" for number in range(40)]
    web = web_with([PLAIN]).run()
    web.frontier._hosts._most = 1
    web.frontier.change_policy(policy_for([PLAIN, SECURE, *others]), web.now)
    ended = web.now
    web.frontier.seed([others[0], SECURE], ended)
    assert f"{NAME}:80" not in {host.key for host in web.frontier.hosts()}
    web.run()
    asked = [each for each in web.requests if each.candidate.host == f"{NAME}:443"]
    assert asked[0].started.seconds_since(ended) >= 1.0
    assert dict(web.frontier.host_ledgers())[NAME]["requests"] == 8 + len(asked)


def test_what_is_asked_for_beside_the_queues_gets_its_turn_before_them() -> None:
    web = web_with([PLAIN, SECURE]).run(most=4)
    moved = f"{SECURE}moved.txt"
    turn = web.frontier.unqueued.reserve(moved, web.now)
    assert turn > web.now
    assert web.frontier.next_actions(turn, 4) == [WaitUntil(turn.plus(0.25))]
    assert web.frontier.unqueued.reserve(moved, turn) == turn
    assert not any(isinstance(each, Dispatch) for each in web.frontier.next_actions(turn, 4))
    ended = turn.plus(0.1)
    web.frontier.unqueued.record_outcome(moved, FetchOutcome(turn, ended, 200, address="192.0.2.1"), ended)
    assert web.frontier.next_actions(ended, 4) == [WaitUntil(ended.plus(1))]
    assert isinstance(web.frontier.next_actions(ended.plus(1), 4)[0], Dispatch)


@pytest.mark.parametrize(("url", "host"), [(f"http://{NAME}:443/", "443/http"), (f"https://{NAME}:80/", "80/https")])
def test_another_scheme_at_a_port_has_other_rules_and_the_same_pace(url: str, host: str) -> None:
    seeds = [PLAIN, SECURE, url]
    web = web_with(seeds).run()
    asked = {each.candidate.url for each in web.requests}
    assert {f"{PLAIN}robots.txt", f"{SECURE}robots.txt", f"{url}robots.txt"} <= asked
    assert min(gaps_of(web.requests)) >= 1.0
    assert dict(web.frontier.host_ledgers())[f"{NAME}:{host}"]["requests"] == 8


@pytest.mark.parametrize("text", ["", "{", "[]", '{"ledger": 1}', '{"ledger": {}}'])
@pytest.mark.parametrize("kept", [f"host {NAME}:80", f"name {NAME}"])
def test_what_was_kept_and_cannot_be_read_is_told_in_one_line(kept: str, text: str) -> None:
    web = web_with([PLAIN, SECURE]).run(most=4)
    web.frontier.save()
    web.url_store.save_text(kept, text or "?")
    with pytest.raises(StorageError, match="begin the capture anew"):
        dict(Frontier(policy_for([PLAIN, SECURE]), web.url_store).host_ledgers())
