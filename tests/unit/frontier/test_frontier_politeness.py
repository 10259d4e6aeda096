"""How gently hosts are asked, and the ledger that proves it."""

from collections.abc import Callable

import pytest

from frontier_web import SEED, START, Page, Request, Web, answer_of, page, policy_for, web_of
from webkeep.formats.site import parse_robots
from webkeep.frontier.hosts import HostPace, NoRobots, RobotsFile
from webkeep.frontier.hosts.backoff import FailureStreaks, HostReaction, reaction_of
from webkeep.frontier.hosts.host_ledger import HostLedger
from webkeep.frontier.policy import HostPolicy, RobotsMode
from webkeep.frontier.urls import Candidate, Dispatch, Drained, FetchOutcome, WaitUntil
from webkeep.model import UrlOutcome

HOST = "site.example:80"
LINKS = [page(f"{SEED}{number}") for number in range(12)]


def ledger_of(web: Web, host: str = HOST) -> dict[str, object]:
    return dict(web.frontier.host_ledgers())[host]


def gaps_of(web: Web) -> list[float]:
    """The gaps as the servers saw them, of one host with one request at a time."""
    pairs = zip(web.requests, web.requests[1:], strict=False)
    return [after.started.seconds_since(before.ended) for before, after in pairs]


def test_a_host_is_left_in_peace_for_a_second_after_each_response() -> None:
    web = web_of({SEED: Page(LINKS)}, loopback=False).run()
    assert min(gaps_of(web)) >= 1.0
    ledger = ledger_of(web)
    assert ledger["greatest_concurrency"] == 1
    assert ledger["requests"] == len(web.requests) == 14
    assert ledger["smallest_gap"] == min(gaps_of(web))
    assert ledger["too_early"] == 0
    assert [each[1:] for each in ledger["delays"]] == [[1.0, "default"]]


def test_this_machine_is_asked_without_delay_once_its_address_is_known() -> None:
    web = web_of({SEED: Page(LINKS)}).run(room=8)
    first, second = web.requests[:2]
    assert second.started >= first.ended
    assert 1 < int(str(ledger_of(web)["greatest_concurrency"])) <= 8
    assert web.requests[-1].ended.seconds_since(START) < 1


def test_a_delay_that_a_person_set_holds_on_this_machine_too() -> None:
    web = web_of({SEED: Page(LINKS)}, policy_for(delay=3.0)).run()
    assert min(gaps_of(web)) >= 3.0
    assert ledger_of(web)["delays"][0][1:] == [3.0, "plan"]


def test_no_delay_at_all_can_be_set() -> None:
    web = web_of({SEED: Page(LINKS)}, policy_for(delay=0.0), loopback=False).run()
    assert web.requests[-1].ended.seconds_since(START) < 1


def test_connections_to_a_host_are_limited() -> None:
    policy = policy_for(connections_per_host=3, hosts={"other.example": HostPolicy(connections=2)})
    assert ledger_of(web_of({SEED: Page(LINKS)}, policy).run())["greatest_concurrency"] == 3
    assert policy.connections_for("other.example:80") == 2


def test_one_host_may_have_a_delay_of_its_own() -> None:
    policy = policy_for(hosts={"site.example": HostPolicy(delay=7.0)})
    assert min(gaps_of(web_of({SEED: Page(LINKS)}, policy).run())) >= 7.0


def test_a_crawl_delay_is_kept_and_bounded() -> None:
    def asks(seconds: int) -> Callable[[str], RobotsFile]:
        return lambda host: RobotsFile(parse_robots(b"User-agent: *\nCrawl-delay: %d\n" % seconds))

    web = web_of({SEED: Page(LINKS)}, robots=asks(5)).run()
    assert min(gaps_of(web)) >= 5.0
    assert ledger_of(web)["delays"][-1][1:] == [5.0, "crawl-delay"]
    web = web_of({SEED: Page(LINKS)}, policy_for(max_delay=8.0), robots=asks(1000)).run()
    assert 8.0 <= min(gaps_of(web)) < 9.0
    web = web_of({SEED: Page(LINKS)}, policy_for(robots=RobotsMode.IGNORE), robots=asks(1000)).run()
    assert web.requests[-1].ended.seconds_since(START) < 1


def test_retry_after_holds_the_whole_host() -> None:
    def busy(candidate: Candidate, times: int) -> Page:
        if candidate.url == f"{SEED}3" and times == 1:
            return Page(status=429, retry_after=50.0)
        return Page(LINKS)

    web = web_of(busy).run()
    turned = next(each for each in web.requests if each.candidate.url == f"{SEED}3")
    after = [each.started.seconds_since(turned.ended) for each in web.requests if each.started > turned.ended]
    assert after
    assert min(after) >= 50.0
    assert web.times[f"{SEED}3"] == 2
    assert web.outcome(f"{SEED}3") is UrlOutcome.STORED
    assert "turned away" in {change[2] for change in ledger_of(web)["delays"]}


def test_a_host_that_wants_too_much_patience_is_given_up() -> None:
    def busy(candidate: Candidate, _: int) -> Page:
        return Page(LINKS) if candidate.url == SEED else Page(status=503, retry_after=9000.0)

    web = web_of(busy, policy_for(max_wait=3600.0)).run(room=1)
    assert len(web.asked) == 2
    assert web.outcome(f"{SEED}11") is UrlOutcome.FAILED
    assert web.reason(f"{SEED}11") == "host asked to wait 9000 s, longer than 3600 s"
    assert web.url_store.outcome_counts()[UrlOutcome.QUEUED] == 0


def test_without_retry_after_the_wait_grows_and_the_host_is_given_up_in_the_end() -> None:
    web = web_of(lambda candidate, _: Page(LINKS) if candidate.url == SEED else Page(status=429)).run(room=1)
    waits = gaps_of(web)[2:]
    assert waits[:5] == pytest.approx([2, 4, 8, 16, 32], abs=1.0)
    assert max(waits) <= 301
    assert web.reason(f"{SEED}11") == "host turned requests away 11 times in a row (status 429)"


def test_one_page_that_is_never_available_does_not_cost_the_others() -> None:
    def one_broken(candidate: Candidate, _: int) -> Page:
        return Page(status=503) if candidate.url == f"{SEED}5" else Page(LINKS)

    web = web_of(one_broken).run()
    assert web.times[f"{SEED}5"] == 4
    assert web.outcome(f"{SEED}5") is UrlOutcome.STORED
    assert web.reason(f"{SEED}5") == "status 503, asked 4 times"
    assert web.url_store.outcome_counts()[UrlOutcome.STORED] == 14


def test_spacing_is_halved_after_successes() -> None:
    pace = HostPace(None, 1.0, 120.0, loopback=True)
    moment = START
    turned = FetchOutcome(moment, moment.plus(0.1), 429, address="127.0.0.1", loopback=True)
    pace.update_from(turned, HostReaction.TURNED_AWAY)
    assert pace.delay == 1.0
    assert not pace.is_parallel
    for _ in range(20):
        moment = moment.plus(10)
        served = FetchOutcome(moment, moment.plus(0.1), 200, address="127.0.0.1", loopback=True)
        pace.update_from(served, HostReaction.SERVED)
    assert pace.delay == 0.0
    assert pace.is_parallel


def test_what_was_under_way_when_a_host_turned_away_tells_nothing_new() -> None:
    pace, setbacks = HostPace(None, 1.0, 120.0), FailureStreaks()
    for seconds in (1.0, 1.1, 1.2):
        answer = FetchOutcome(START, START.plus(seconds), 429)
        pace.update_from(answer, HostReaction.TURNED_AWAY)
        setbacks.update_from(answer, HostReaction.TURNED_AWAY)
    assert setbacks.rejections == 1
    assert pace.spacing == 2.0


@pytest.mark.parametrize(
    ("answer", "is_known_refuser", "reception"),
    [
        (FetchOutcome(START, START, 200), False, HostReaction.SERVED),
        (FetchOutcome(START, START, 404), True, HostReaction.SERVED),
        (FetchOutcome(START, START, 429), True, HostReaction.TURNED_AWAY),
        (FetchOutcome(START, START, 503), False, HostReaction.TURNED_AWAY),
        (FetchOutcome(START, START, 503), True, HostReaction.UNTOLD),
        (FetchOutcome(START, START, 503, retry_after=1.0), True, HostReaction.TURNED_AWAY),
        (FetchOutcome(START, START, failure="timeout"), False, HostReaction.UNTOLD),
        (FetchOutcome(START, START, failure="cannot-connect", connected=False), False, HostReaction.UNREACHED),
    ],
)
def test_an_answer_tells_how_its_host_received_the_request(
    answer: FetchOutcome, is_known_refuser: bool, reception: HostReaction
) -> None:
    assert reaction_of(answer, is_known_refuser) is reception


def test_a_host_that_gets_slow_is_asked_more_slowly_until_it_is_quick_again() -> None:
    pace = HostPace(0.0, 1.0, 120.0)
    moment = START

    def served(seconds: float, times: int) -> None:
        nonlocal moment
        for _ in range(times):
            moment = moment.plus(100)
            answer = FetchOutcome(moment, moment.plus(seconds), 200, address="192.0.2.1", first_byte_seconds=seconds)
            pace.update_from(answer, HostReaction.SERVED)

    served(0.1, 10)
    assert pace.delay == 0.0
    served(8.0, 20)
    assert 7.0 < pace.delay <= 8.0
    assert pace.reason == "slow server"
    served(0.1, 30)
    assert pace.delay == 0.0


def test_a_host_that_was_never_quick_is_not_slowed_down_for() -> None:
    pace = HostPace(0.0, 1.0, 120.0)
    for number in range(20):
        moment = START.plus(number)
        answer = FetchOutcome(moment, moment.plus(3.0), 200, address="192.0.2.1", first_byte_seconds=3.0)
        pace.update_from(answer, HostReaction.SERVED)
    assert pace.delay == 0.0


def test_failures_that_may_pass_are_tried_again_behind_everything_else() -> None:
    def flaky(candidate: Candidate, times: int) -> Page:
        if candidate.url == f"{SEED}2" and times < 3:
            return Page(failure="timeout", temporary=True)
        if candidate.url == f"{SEED}4":
            return Page(failure="disconnected", temporary=True)
        if candidate.url == f"{SEED}6":
            return Page(failure="certificate: expired")
        return Page(LINKS)

    web = web_of(flaky).run()
    assert web.outcome(f"{SEED}2") is UrlOutcome.STORED
    assert web.asked[:13].count(f"{SEED}2") == 1
    assert web.reason(f"{SEED}4") == "disconnected, asked 4 times"
    assert web.outcome(f"{SEED}4") is UrlOutcome.FAILED
    assert web.reason(f"{SEED}6") == "certificate: expired"
    assert web.times[f"{SEED}6"] == 1


def test_what_was_not_sent_does_not_count_as_asked_for() -> None:
    def held_back(candidate: Candidate, times: int) -> Page:
        is_first = candidate.url == f"{SEED}2" and times < 2
        return Page(failure="withheld", temporary=True, is_unsent=True) if is_first else Page(LINKS, status=404)

    web = web_of(held_back).run()
    assert (web.times[f"{SEED}2"], web.reason(f"{SEED}2")) == (2, "status 404")
    ((_, ledger),) = web.frontier.host_ledgers()
    assert ledger["requests"] == len(web.requests) - 1


def test_a_host_that_cannot_be_reached_is_given_up() -> None:
    links = [page(f"{SEED}{number}") for number in range(100)]

    def gone(candidate: Candidate, _: int) -> Page:
        if candidate.url == SEED:
            return Page(links)
        return Page(failure="cannot-connect", temporary=True, connected=False)

    web = web_of(gone).run()
    assert len(web.requests) < 40
    assert web.outcome(f"{SEED}99") is UrlOutcome.FAILED
    assert "cannot-connect" in web.reason(f"{SEED}99")
    assert web.frontier.discover(web.requests[1].candidate, [page(f"{SEED}more")], web.now) == 0
    assert web.outcome(f"{SEED}more") is UrlOutcome.FAILED


def test_wrong_guesses_are_not_repeated() -> None:
    links = [page(f"{SEED}guess", True)]
    pages = {SEED: Page(links), f"{SEED}guess": Page(failure="timeout", temporary=True)}
    assert web_of(pages).run().times[f"{SEED}guess"] == 1


def test_changing_the_delay_counts_at_once() -> None:
    web = web_of({SEED: Page(LINKS)}, policy_for(delay=100.0)).run(most=3)
    web.frontier.change_policy(policy_for(delay=2.0), web.now)
    web.run()
    assert max(gaps_of(web)[3:]) < 3.0
    assert [change[1] for change in ledger_of(web)["delays"]] == [100.0, 2.0]


def test_hosts_take_turns() -> None:
    seeds = [f"http://h{number}.example/" for number in range(4)]
    links = {seed: Page([page(f"{seed}{number}") for number in range(5)]) for seed in seeds}
    web = web_of(links, policy_for(seeds), seeds=seeds, loopback=False).run(room=2)
    first = [each.candidate.host for each in web.requests[:8]]
    assert all(first.count(host) == 2 for host in set(first))
    assert web.requests[-1].ended.seconds_since(START) < 8.5


def test_waiting_names_the_moment() -> None:
    web = web_of({SEED: Page()}, loopback=False)
    (first,) = web.frontier.next_actions(START, 1)
    assert isinstance(first, Dispatch)
    assert web.frontier.next_actions(START, 1) == []
    request = Request(first.candidate, START, START.plus(2))
    web.frontier.record_outcome(first.candidate, answer_of(request, Page(), False), request.ended)
    assert web.frontier.next_actions(request.ended, 1) == []
    web.frontier.update_robots(first.candidate.host, NoRobots(), request.ended)
    assert web.frontier.next_actions(request.ended, 1) == [WaitUntil(START.plus(3))]
    assert web.frontier.next_actions(START.plus(2.999), 1) == [WaitUntil(START.plus(3))]
    assert isinstance(web.frontier.next_actions(START.plus(3), 1)[0], Dispatch)


def test_the_ledger_tells_concurrency_and_gaps_from_what_was_reported() -> None:
    ledger = HostLedger()
    ledger.add_request(START, START.plus(10), 0.0)
    ledger.add_request(START.plus(2), START.plus(11), 0.0)
    ledger.add_request(START.plus(1), START.plus(12), 0.0)
    assert ledger.greatest_concurrency == 3
    assert ledger.smallest_gap is None
    ledger.add_request(START.plus(14), START.plus(15), 1.0)
    assert ledger.smallest_gap == 2.0
    assert ledger.too_early == 0
    ledger.add_request(START.plus(15.25), START.plus(16), 1.0)
    assert ledger.too_early == 1
    assert ledger.gaps == [0, 1, 0, 0, 1, 0, 0, 0, 0]
    assert ledger.overlapping == 2


def test_a_ledger_outlasts_the_process() -> None:
    web = web_of({SEED: Page(LINKS)}, loopback=False).run(most=5)
    web.frontier.save()
    told = ledger_of(web)
    again = type(web.frontier)(policy_for(), web.url_store)
    assert dict(again.host_ledgers())[HOST] == told
    assert HostLedger.from_json(told).to_json() == told


def test_a_long_request_is_counted_beside_what_is_forgotten() -> None:
    ledger = HostLedger()
    for number in range(200):
        ledger.add_request(START.plus(number), START.plus(number + 0.5), 0.0)
    assert ledger.greatest_concurrency == 1
    ledger.add_request(START, START.plus(500), 0.0)
    assert ledger.greatest_concurrency == 2


def test_robots_without_rules_allow_all() -> None:
    assert web_of({SEED: Page()}, robots=lambda host: NoRobots()).run().asked == [SEED]


def test_of_very_many_hosts_the_idle_ones_are_in_the_url_store_alone() -> None:
    seeds = [f"http://h{number}.example/" for number in range(60)]
    web = web_of(lambda candidate, _: Page(), policy_for(seeds), seeds=seeds[:20])
    web.frontier._hosts._most = 20
    web.run()
    web.frontier.seed(seeds[20:], web.now)
    web.run()
    assert len(list(web.frontier.hosts())) <= 40
    ledgers = dict(web.frontier.host_ledgers())
    assert len(ledgers) == 60
    assert all(ledger["requests"] == 2 for ledger in ledgers.values())


def test_a_host_given_up_stays_so_after_a_restart() -> None:
    def busy(candidate: Candidate, _: int) -> Page:
        return Page(LINKS) if candidate.url == SEED else Page(status=429, retry_after=9000.0)

    web = web_of(busy).run(room=1)
    web.frontier.save()
    again = type(web.frontier)(policy_for(), web.url_store)
    again.seed([f"{SEED}new"], web.now)
    assert again.next_actions(web.now, 1) == [Drained()]
    assert web.outcome(f"{SEED}new") is UrlOutcome.FAILED


def test_a_host_that_asked_for_patience_has_it_after_a_restart() -> None:
    def busy(candidate: Candidate, times: int) -> Page:
        return Page(status=503, retry_after=500.0) if times == 1 else Page()

    web = web_of(busy).run(room=1, most=2)
    web.frontier.save()
    again = type(web.frontier)(policy_for(), web.url_store)
    (wait,) = again.next_actions(web.now, 1)
    assert wait == WaitUntil(web.requests[-1].ended.plus(500))


def test_what_a_rule_turned_away_after_its_head_came_is_out_of_scope() -> None:
    web = web_of({SEED: Page()}).run(most=1)
    (dispatch,) = web.frontier.next_actions(web.now, 1)
    assert isinstance(dispatch, Dispatch)
    answer = FetchOutcome(web.now, web.now, 200, excluded="the rule 'type:video/*' excludes it")
    web.frontier.record_outcome(dispatch.candidate, answer, web.now)
    assert web.frontier.next_actions(web.now, 1) == [Drained()]
    assert web.outcome(SEED) is UrlOutcome.OUT_OF_SCOPE
    assert web.reason(SEED) == "the rule 'type:video/*' excludes it"


def test_every_request_that_an_answer_took_is_in_the_ledger() -> None:
    web = web_of({SEED: Page()}, loopback=False).run(most=1)
    web.now = web.now.plus(10)
    (dispatch,) = web.frontier.next_actions(web.now, 1)
    assert isinstance(dispatch, Dispatch)
    first, second = (web.now, web.now.plus(1)), (web.now.plus(1.5), web.now.plus(2))
    web.frontier.record_outcome(
        dispatch.candidate, FetchOutcome(web.now, web.now.plus(2), 200, spans=(first, second)), web.now
    )
    ledger = ledger_of(web)
    assert ledger["requests"] == 3
    assert ledger["smallest_gap"] == 0.5
    assert ledger["too_early"] == 1


def test_requests_that_only_their_records_tell_of_are_counted() -> None:
    ledger = HostLedger()
    ledger.add_unproven()
    assert (ledger.requests, ledger.unproven, ledger.smallest_gap) == (1, 1, None)
    assert HostLedger.from_json(ledger.to_json()) == ledger
