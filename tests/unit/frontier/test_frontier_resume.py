"""Going on: after a crash, with another policy, and with more links than fit into memory."""

import tracemalloc
from pathlib import Path

from frontier_web import SEED, START, Page, Web, page, part, policy_for, web_of
from webkeep.formats.site import parse_robots
from webkeep.frontier import Frontier
from webkeep.frontier.admission.link_candidates import LinkClaim, RecentLinks
from webkeep.frontier.hosts import RobotsFile
from webkeep.frontier.traps import TrapKind
from webkeep.frontier.urls import Candidate, Dispatch, FetchOutcome, Settled, UrlRole
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import UrlOutcome
from webkeep.store.jobs import SqliteUrlStore
from webkeep.url.scope import ScopeExtent, exclude_rule, include_rule

TREE = {SEED: Page([page(f"{SEED}{number}") for number in range(30)])}


def taken_up(web: Web, book: SqliteUrlStore) -> Web:
    """The same web with a new frontier, as after a crash."""
    return Web(Frontier(policy_for(), book), book, web.answer, web.robots, web.loopback, web.now)


def test_a_capture_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = set(web_of(lambda candidate, _: TREE.get(candidate.url, Page())).run().asked)
    with SqliteUrlStore(tmp_path / "f.sqlite") as book:
        web = web_of(lambda candidate, _: TREE.get(candidate.url, Page()), book=book).run(room=4, most=10)
        web.frontier.save()
        first = [url for url in web.asked if web.outcome(url) is UrlOutcome.STORED]
    with SqliteUrlStore(tmp_path / "f.sqlite") as book:
        web = taken_up(web, book).run()
        assert web.requests[0].candidate.role is UrlRole.ROBOTS
        assert set(first) | set(web.asked) == whole
        assert not set(first) & set(web.asked)
        assert dict(web.frontier.host_ledgers())["site.example:80"]["requests"] == len(first) + 1 + len(web.requests)


def test_limits_count_what_was_asked_for_before(tmp_path: Path) -> None:
    policy = policy_for(max_urls=10)
    with SqliteUrlStore(tmp_path / "f.sqlite") as book:
        web = web_of(TREE, policy, book=book).run(room=1, most=6)
        web.frontier.save()
        before = web.frontier.totals.urls
        assert 0 < before < 10
        again = Web(Frontier(policy, book), book, web.answer, now=web.now).run()
        assert before + len(again.asked) == 10


def test_what_the_archive_has_and_the_url_store_has_not_is_remembered() -> None:
    book = MemoryUrlStore()
    frontier = Frontier(policy_for(), book)
    frontier.seed([SEED], START)
    stored = FetchOutcome(START, START, 200)
    frontier.restore(SEED, "", stored, [page(f"{SEED}a"), part(f"{SEED}b.png")], START)
    frontier.restore(f"{SEED}a", SEED, FetchOutcome(START, START, 301, redirect=f"{SEED}c"), [], START)
    frontier.restore(f"{SEED}lost", SEED, stored, [], START)
    frontier.restore(f"{SEED}b.png", SEED, FetchOutcome(START, START, 503), [], START)
    frontier.restore(SEED, "", stored, [], START)
    web = Web(frontier, book, lambda candidate, _: Page()).run()
    assert sorted(web.asked) == [f"{SEED}b.png", f"{SEED}c"]
    assert web.outcome(SEED) is web.outcome(f"{SEED}a") is web.outcome(f"{SEED}lost") is UrlOutcome.STORED
    assert frontier.totals.urls == 5


def test_rules_that_had_moved_are_remembered_as_rules() -> None:
    """Where they moved to is no page, and asked for only when the rules are."""
    book = MemoryUrlStore()
    frontier = Frontier(policy_for(), book)
    frontier.seed([SEED], START)
    moved_on = FetchOutcome(START, START, 302, redirect=f"{SEED}rules.txt")
    frontier.restore(f"{SEED}robots.txt", "", moved_on, [], START)
    web = Web(frontier, book, lambda candidate, _: Page()).run()
    assert web.asked == [SEED]
    assert frontier.totals.urls == 1
    frontier.restore(f"{SEED}rules.txt", f"{SEED}robots.txt", FetchOutcome(START, START, 200), [], START)
    found = book.find(f"{SEED}rules.txt")
    assert found is not None
    assert found.role is UrlRole.ROBOTS
    assert frontier.totals.urls == 1


def test_a_narrower_scope_holds_for_what_is_queued() -> None:
    other = "http://other.example/"
    seeds = [SEED, other]
    links = [page(f"{root}{number}") for root in seeds for number in range(10)]
    web = web_of({SEED: Page(links), other: Page(links)}, policy_for(seeds), seeds=seeds).run(room=1, most=6)
    web.frontier.change_policy(policy_for(seeds, rules=[exclude_rule("host:other.example /*")]), web.now)
    before = len(web.requests)
    web.run(room=1)
    assert all(not each.candidate.url.startswith(other) for each in web.requests[before:])
    assert web.outcome(f"{other}9") is UrlOutcome.OUT_OF_SCOPE
    assert web.outcome(f"{SEED}9") is UrlOutcome.STORED


def test_a_wider_scope_brings_back_what_was_left_out() -> None:
    other = "http://other.example/page"
    web = web_of(lambda candidate, _: Page([page(other)] if candidate.url == SEED else [])).run()
    assert web.outcome(other) is UrlOutcome.OUT_OF_SCOPE
    web.frontier.change_policy(policy_for(rules=[include_rule("other.example/*")]), web.now)
    web.run()
    assert web.outcome(other) is UrlOutcome.STORED


def test_a_greater_limit_brings_back_what_was_cut() -> None:
    web = web_of(lambda candidate, _: TREE.get(candidate.url, Page()), policy_for(max_urls=5)).run()
    assert web.url_store.outcome_counts()[UrlOutcome.CUT] == 26
    web.frontier.change_policy(policy_for(max_urls=20), web.now)
    web.run()
    assert len(web.asked) == 20
    assert web.url_store.outcome_counts()[UrlOutcome.CUT] == 11


def test_what_is_cut_short_asks_for_nothing_more() -> None:
    web = web_of(TREE).run(room=1, most=4)
    web.frontier.cut_short("max-seconds: 60")
    web.run()
    assert len(web.requests) == 4
    assert web.reason(f"{SEED}29") == "max-seconds: 60"
    assert web.frontier.discover(web.requests[1].candidate, [page(f"{SEED}new")], web.now) == 0


def test_a_page_with_very_many_links_is_taken_in_bit_by_bit(tmp_path: Path) -> None:
    with SqliteUrlStore(tmp_path / "f.sqlite") as book:
        frontier = Frontier(policy_for(), book)
        frontier.seed([SEED], START)
        source = book.find(SEED)
        assert source is not None
        endless = (page(f"{SEED}{number % 20_000}") for number in range(40_000))
        assert frontier.discover(source, endless, START) == 20_000
        assert book.queued_count("site.example:80") == 20_001
        assert sum(len(window.held) for window in book._heads._heads.values()) <= 4000


def test_ten_thousand_hosts_have_their_turns() -> None:
    seeds = [f"http://h{number}.example/" for number in range(10_000)]
    frontier = Frontier(policy_for(seeds), MemoryUrlStore())
    assert frontier.seed(seeds, START) == 10_000
    actions = frontier.next_actions(START, 64)
    hosts = {action.candidate.host for action in actions if isinstance(action, Dispatch)}
    assert len(hosts) == 64


def test_a_host_with_very_many_refused_urls_does_not_hold_up_the_others() -> None:
    links = [page(f"{SEED}private/{number}") for number in range(12_000)]
    news = RobotsFile(parse_robots(b"User-agent: *\nDisallow: /private/\n"))
    web = web_of(lambda candidate, _: Page(links if candidate.url == SEED else []), robots=lambda host: news).run()
    assert web.url_store.outcome_counts()[UrlOutcome.REFUSED] == 12_000
    assert web.asked == [SEED]


def test_traps_are_told_after_a_restart() -> None:
    links = [page(f"{SEED}js/guess-{number}", True) for number in range(100)]
    web = web_of({SEED: Page(links)}).run()
    web.frontier.save()
    (told,) = Frontier(policy_for(), web.url_store).trap_report()
    assert told == web.frontier.trap_report()[0]
    assert told.kind is TrapKind.GUESS


def test_strangers_cannot_be_reached_over_a_prefix_scope() -> None:
    policy = policy_for([f"{SEED}blog/"], ScopeExtent.PREFIX)
    note = Frontier(policy, MemoryUrlStore()).discover(
        Candidate(1, f"{SEED}blog/", "site.example:80"), [page(f"{SEED}shop/")], START
    )
    assert note == 0


def test_links_may_be_taken_in_in_parts_until_their_page_is_stored() -> None:
    links = [page(f"{SEED}{number}") for number in range(50)]
    books = []
    for size in (50, 7):
        web = web_of({}, seeds=[SEED]).run(most=1)
        (dispatch,) = web.frontier.next_actions(web.now, 1)
        assert isinstance(dispatch, Dispatch)
        moved = FetchOutcome(web.now, web.now, 301, redirect=f"http://x:y@site.example/{33}#top")
        verdict = web.frontier.record_outcome(dispatch.candidate, moved, web.now)
        found = sum(
            web.frontier.discover_all([(dispatch.candidate, iter(links[first : first + size]))], web.now)
            for first in range(0, 50, size)
        )
        assert found == 49
        assert isinstance(verdict, Settled)
        web.frontier.settle(dispatch.candidate, verdict)
        target = web.url_store.find(f"{SEED}33")
        assert target is not None
        assert target.redirects == 1
        books.append(list(web.url_store.fates()))
    assert books[0] == books[1]


def test_links_met_lately_cost_no_more_for_being_long() -> None:
    recent, claim = RecentLinks(), LinkClaim(0, 0, 0, False, True)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        assert all(recent.is_new(f"{SEED}{number}?{'A' * 20_000}", claim) for number in range(2000))
        assert tracemalloc.get_traced_memory()[0] - before < 1_000_000
    finally:
        tracemalloc.stop()
    assert not recent.is_new(f"{SEED}{1999}?{'A' * 20_000}", claim)
