"""What is asked for, in which order, and what becomes of the rest."""

import pytest

from frontier_web import SEED, START, Page, Request, Web, answer_of, page, part, policy_for, web_of
from webkeep.errors import UsageError
from webkeep.extract.links import Link, LinkRole as LinkRole
from webkeep.frontier import Frontier
from webkeep.frontier.policy import STRATEGIES, RobotsMode
from webkeep.frontier.urls import Candidate, Dispatch, Drained, Settled, UrlRole
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import UrlOutcome
from webkeep.url.scope import ScopeExtent, exclude_rule


def test_a_site_is_asked_for_whole_and_once() -> None:
    pages = {
        SEED: Page([page(f"{SEED}a#top"), page(f"{SEED}b"), part(f"{SEED}logo.png")]),
        f"{SEED}a": Page([page(SEED), page(f"{SEED}b"), part(f"{SEED}logo.png")]),
        f"{SEED}b": Page([page(f"{SEED}a")]),
        f"{SEED}logo.png": Page(),
    }
    web = web_of(pages).run()
    assert sorted(web.asked) == sorted(pages)
    assert {fate.outcome for fate in web.url_store.fates()} == {UrlOutcome.STORED}
    assert web.requests[0].candidate.url == f"{SEED}robots.txt"
    assert web.frontier.next_actions(web.now, 16) == [Drained()]


def test_embeds_go_before_new_pages_and_guesses_last() -> None:
    links = [page(f"{SEED}guess", True), page(f"{SEED}a"), part(f"{SEED}part?", True), part(f"{SEED}style.css")]
    web = web_of({SEED: Page(links)}).run(room=1)
    assert web.asked == [SEED, f"{SEED}style.css", f"{SEED}a", f"{SEED}part?", f"{SEED}guess"]


TREE = {
    SEED: Page([page(f"{SEED}a"), page(f"{SEED}b")]),
    f"{SEED}a": Page([page(f"{SEED}a/x")]),
    f"{SEED}b": Page([page(f"{SEED}b/x")]),
    f"{SEED}a/x": Page(),
    f"{SEED}b/x": Page(),
}


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("breadth-first", ["", "a", "b", "a/x", "b/x"]),
        ("depth-first", ["", "b", "b/x", "a", "a/x"]),
        ("best-first", ["", "a", "b", "a/x", "b/x"]),
    ],
)
def test_strategies_order_pages(name: str, order: list[str]) -> None:
    web = web_of(TREE, strategy=STRATEGIES[name]).run(room=1)
    assert web.asked == [SEED + path for path in order]


def test_best_first_leaves_long_queries_for_later() -> None:
    links = [page(f"{SEED}list?sort=up&page=7&view=grid"), page(f"{SEED}about")]
    web = web_of({SEED: Page(links)}, strategy=STRATEGIES["best-first"]).run(room=1)
    assert web.asked[1:] == [f"{SEED}about", f"{SEED}list?sort=up&page=7&view=grid"]


def test_what_is_out_of_scope_is_noted_with_its_rule() -> None:
    policy = policy_for(rules=[exclude_rule("/private/*")])
    web = web_of({SEED: Page([page("http://other.example/"), page(f"{SEED}private/x")])}, policy).run()
    assert web.asked == [SEED]
    assert web.outcome("http://other.example/") is UrlOutcome.OUT_OF_SCOPE
    assert web.reason("http://other.example/") == "outside the bounds of every seed"
    assert "/private/*" in web.reason(f"{SEED}private/x")


def test_parts_of_a_page_are_fetched_wherever_they_are() -> None:
    style, font, deep, deeper = (f"http://cdn.example/{name}" for name in ("a.css", "b.css", "c.css", "d.css"))
    pages = {
        SEED: Page([part(style)]),
        style: Page([part(font), page("http://cdn.example/home")]),
        font: Page([part(deep)]),
        deep: Page([part(deeper)]),
    }
    web = web_of(pages).run()
    assert web.asked == [SEED, style, font, deep]
    assert web.outcome(deeper) is UrlOutcome.OUT_OF_SCOPE
    assert web.outcome("http://cdn.example/home") is UrlOutcome.OUT_OF_SCOPE


def test_a_page_out_of_scope_is_fetched_once_another_page_embeds_it() -> None:
    frame = "http://other.example/frame"
    pages = {SEED: Page([page(frame), page(f"{SEED}a")]), f"{SEED}a": Page([part(frame)]), frame: Page()}
    web = web_of(pages).run()
    assert web.outcome(frame) is UrlOutcome.STORED


def test_depth_counts_steps_of_a_reader() -> None:
    pages = {
        SEED: Page([page(f"{SEED}1")]),
        f"{SEED}1": Page([page(f"{SEED}2"), part(f"{SEED}1.png")]),
        f"{SEED}1.png": Page(),
    }
    web = web_of(pages, policy_for(depth=1)).run()
    assert web.asked == [SEED, f"{SEED}1", f"{SEED}1.png"]
    assert web.outcome(f"{SEED}2") is UrlOutcome.CUT
    assert web.reason(f"{SEED}2") == "depth: more than 1 steps from a seed"


def test_a_shorter_way_found_later_counts() -> None:
    pages = {
        SEED: Page([page(f"{SEED}1"), page(f"{SEED}0")]),
        f"{SEED}1": Page([page(f"{SEED}far")]),
        f"{SEED}0": Page([part(f"{SEED}far")]),
        f"{SEED}far": Page(),
    }
    web = web_of(pages, policy_for(depth=1)).run(room=1)
    assert web.outcome(f"{SEED}far") is UrlOutcome.STORED


def test_external_depth_follows_readers_out_and_no_further() -> None:
    out = [f"http://out.example/{number}" for number in range(3)]
    pages = {
        SEED: Page([page(out[0])]),
        out[0]: Page([page(out[1]), part("http://cdn.example/logo.png"), page(f"{SEED}back")]),
        out[1]: Page([page(out[2])]),
    }
    web = web_of(pages, policy_for(external_depth=2)).run()
    assert set(web.asked) == {SEED, out[0], out[1], "http://cdn.example/logo.png", f"{SEED}back"}
    assert web.outcome(out[2]) is UrlOutcome.OUT_OF_SCOPE


def test_exclusion_is_stronger_than_external_depth() -> None:
    policy = policy_for(rules=[exclude_rule("host:out.example")], external_depth=3)
    web = web_of({SEED: Page([page("http://out.example/")])}, policy).run()
    assert web.asked == [SEED]


def test_max_urls_is_never_exceeded_and_the_rest_is_cut() -> None:
    links = [page(f"{SEED}{number}") for number in range(50)]
    web = web_of({SEED: Page(links)}, policy_for(max_urls=7)).run()
    assert len(web.asked) == 7
    counts = web.url_store.outcome_counts()
    assert counts[UrlOutcome.CUT] == 44
    assert web.reason(f"{SEED}49") == "max-urls: 7"
    assert counts[UrlOutcome.QUEUED] == 0


def test_max_bytes_ends_a_capture() -> None:
    links = [page(f"{SEED}{number}") for number in range(50)]
    web = web_of(lambda candidate, _: Page(links, size=1000), policy_for(max_bytes=4000)).run(room=1)
    # robots.txt counts: its bytes cross the line as well.
    assert len(web.asked) == 3
    assert web.reason(f"{SEED}49") == "max-bytes: 4000"


def test_quota_of_a_host_leaves_other_hosts_alone() -> None:
    other = "http://other.example/"
    links = [page(f"{root}{number}") for root in (SEED, other) for number in range(10)]
    policy = policy_for([SEED, other], max_urls_per_host=4)
    web = web_of({SEED: Page(links), other: Page(links)}, policy, seeds=[SEED, other]).run()
    assert sum(url.startswith(SEED) for url in web.asked) == 4
    assert sum(url.startswith(other) for url in web.asked) == 4
    assert web.reason(f"{SEED}9") == "max-urls-per-host: 4"


def test_redirects_are_followed_and_loops_end() -> None:
    pages = {
        SEED: Page(status=302, redirect=f"{SEED}a"),
        f"{SEED}a": Page(status=302, redirect=f"{SEED}b"),
        f"{SEED}b": Page(status=302, redirect=SEED),
    }
    web = web_of(pages).run()
    assert web.asked == [SEED, f"{SEED}a", f"{SEED}b"]
    assert web.requests[-1].candidate.redirects == 2


def test_a_chain_of_redirects_ends_after_twenty() -> None:
    def onward(candidate: Candidate, _: int) -> Page:
        number = int(candidate.url.rpartition("/")[2] or 0)
        # The Location field and the page that says where it moved to are links as well.
        return Page([page(f"{SEED}{number + 1}")], status=302, redirect=f"{SEED}{number + 1}")

    web = web_of(onward).run()
    assert len(web.asked) == 21
    assert web.outcome(f"{SEED}21") is UrlOutcome.TRAPPED
    assert web.reason(f"{SEED}21").startswith("endless redirects")


def test_with_a_new_cookie_a_page_is_asked_for_once_more() -> None:
    web = web_of({SEED: Page(status=302, redirect=SEED, set_cookie=True)}).run()
    assert web.asked == [SEED, SEED]
    assert web.outcome(SEED) is UrlOutcome.STORED


def test_a_redirect_out_of_scope_is_not_followed() -> None:
    web = web_of({SEED: Page(status=301, redirect="http://elsewhere.example/")}).run()
    assert web.asked == [SEED]
    assert web.outcome("http://elsewhere.example/") is UrlOutcome.OUT_OF_SCOPE


def test_a_redirected_part_of_a_page_is_fetched_elsewhere() -> None:
    target = "http://cdn.example/real.png"
    pages = {SEED: Page([part(f"{SEED}logo.png")]), f"{SEED}logo.png": Page(status=302, redirect=target)}
    assert web_of(pages).run().asked == [SEED, f"{SEED}logo.png", target]


def test_no_page_leads_to_files_of_this_machine() -> None:
    policy = policy_for(places=("file:///home/",))
    pages = {SEED: Page([page("file:///home/secret"), page("ftp://a.example/x")])}
    web = web_of(pages, policy).run()
    assert web.asked == [SEED]
    assert web.outcome("file:///home/secret") is UrlOutcome.OUT_OF_SCOPE
    assert web.outcome("ftp://a.example/x") is UrlOutcome.OUT_OF_SCOPE


def test_files_are_followed_from_a_seed_of_theirs() -> None:
    seed = "file:///home/site/index.html"
    pages = {seed: Page([page("file:///home/site/a.html"), page("file:///etc/passwd")])}
    web = web_of(pages, policy_for(places=("file:///home/site/",)), seeds=[seed]).run()
    assert web.asked == [seed, "file:///home/site/a.html"]
    assert web.outcome("file:///etc/passwd") is UrlOutcome.OUT_OF_SCOPE


def test_what_is_no_address_is_not_noted() -> None:
    web = web_of({SEED: Page([page("mailto:a@example.org"), page("javascript:void(0)"), page("data:,x")])}).run()
    assert {fate.url for fate in web.url_store.fates()} == {SEED, f"{SEED}robots.txt"}


def test_a_seed_must_be_an_address() -> None:
    with pytest.raises(UsageError, match="no web address"):
        web_of({}, policy_for(), seeds=["mailto:someone"])


def test_an_answer_is_given_once() -> None:
    web = web_of({SEED: Page()}).run()
    request = Request(web.requests[-1].candidate, START, START)
    with pytest.raises(UsageError, match="not under way"):
        web.frontier.record_outcome(request.candidate, answer_of(request, Page(), True), START)


def test_pausing_dispatches_nothing() -> None:
    web = web_of({SEED: Page()})
    web.frontier.pause()
    assert web.frontier.next_actions(START, 4) == []
    assert web.frontier.is_paused
    web.frontier.resume()
    assert len(web.frontier.next_actions(START, 4)) == 1


def test_nothing_is_drained_while_an_answer_is_not_on_disk() -> None:
    book = MemoryUrlStore()
    frontier = Frontier(policy_for(record_robots=False, robots=RobotsMode.IGNORE), book)
    frontier.seed([SEED], START)
    web = Web(frontier, book, lambda candidate, _: Page())
    (dispatch,) = frontier.next_actions(START, 1)
    assert isinstance(dispatch, Dispatch)
    _, number, candidate, given = web._asked(dispatch.candidate)
    verdict = frontier.record_outcome(candidate, answer_of(web.requests[number], given, True), START)
    assert frontier.next_actions(START, 1) == []
    frontier.discover(candidate, [page(f"{SEED}a")], START)
    assert isinstance(verdict, Settled)
    frontier.settle(candidate, verdict)
    assert len(frontier.next_actions(START, 1)) == 1


def test_sitemaps_of_an_index_are_read_beyond_the_bounds() -> None:
    seed = f"{SEED}blog/"
    index = Link(f"{SEED}maps/2.xml", LinkRole.NAVIGATE, "sitemap index")
    frontier = Frontier(policy_for([seed], ScopeExtent.PREFIX), book := MemoryUrlStore())
    frontier.seed([seed], START)
    sitemap = Candidate(1, f"{SEED}sitemap.xml", "site.example:80", UrlRole.SITEMAP)
    assert frontier.discover(sitemap, [index, page(f"{SEED}shop/")], START) == 1
    found = book.find(f"{SEED}maps/2.xml")
    assert found is not None
    assert found.role is UrlRole.SITEMAP
