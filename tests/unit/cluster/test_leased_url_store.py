"""The URL store of a worker: what is handed over, and what is queued when the database has told it."""

from webkeep.cluster.leased_url_store import LeasedUrlStore
from webkeep.cluster.robots_targets import RobotsTargetTexts
from webkeep.cluster.store.cluster_rows import QueuedUrl
from webkeep.frontier.urls import Admission, Candidate, Settlement, UrlRole
from webkeep.model import Moment, UrlOutcome
from webkeep.store.jobs import WAY_BITS, hash_url, pack_candidate

NOW = Moment.parse("2026-05-01T12:00:00Z")
ROOT = "http://example.org/"
HOST = "example.org:80"


def name_of(host: str) -> str:
    return host.rpartition(":")[0]


def queued(url: str, rank: int = 5, via: str = "") -> QueuedUrl:
    facts = pack_candidate(Candidate(0, url, HOST))
    return QueuedUrl(hash_url(url), url, HOST, "example.org", rank, via, facts)


def store_with(*urls: str) -> LeasedUrlStore:
    store = LeasedUrlStore(name_of)
    store.lease("example.org")
    for url in urls:
        assert store.enqueue(queued(url)) is not None
    return store


def test_what_is_found_is_handed_over_and_not_queued() -> None:
    store = store_with(ROOT)
    (page,) = store.take(HOST, 1, NOW)
    assert store.add([Admission(Candidate(0, f"{ROOT}a", HOST, via=page.id))]) == []
    assert store.queued_count(HOST) == 0
    # A server that takes over may not know the last batches: the page's fate must not be there without its links.
    assert not store.take_batch().links
    store.settle([Settlement(page.id, UrlOutcome.STORED)])
    batch = store.take_batch()
    assert [fate.url for fate in batch.fates] == [ROOT]
    (row,) = batch.links.values()
    assert (row.url, row.host_group, row.via) == (f"{ROOT}a", "example.org", hash_url(ROOT))
    assert not store.take_batch().links


def test_the_same_is_not_told_twice_but_a_better_claim_is() -> None:
    store = store_with()
    late = Candidate(0, ROOT, HOST, rank=9)
    store.add([Admission(late)])
    store.take_batch()
    store.add([Admission(late), Admission(late, UrlOutcome.OUT_OF_SCOPE, "elsewhere")])
    assert not store.take_batch().links
    store.add([Admission(late._replace(rank=3))])
    assert [row.rank for row in store.take_batch().links.values()] == [3]
    store.add([Admission(late._replace(rank=3, role=UrlRole.EMBED))])
    assert len(store.take_batch().links) == 1


def test_where_robots_moved_to_is_handed_over_once_it_is_on_disk() -> None:
    store = store_with()
    rules = Candidate(0, f"{ROOT}rules", HOST, UrlRole.ROBOTS)
    targets = RobotsTargetTexts(store, name_of)
    targets.await_target(rules.url)
    assert targets.awaits_any
    assert not store.take_batch().texts
    targets.keep_target(Admission(rules, UrlOutcome.STORED))
    assert not targets.awaits_any
    ((group, name),) = store.take_batch().texts
    # Of no host: it holds whoever has that host by then, and is nobody's queue.
    assert (group, name) == ("", f"target {ROOT}rules")


def test_a_url_that_was_settled_is_not_queued_by_news_that_are_older() -> None:
    store = store_with(ROOT)
    (page,) = store.take(HOST, 1, NOW)
    store.settle([Settlement(page.id, UrlOutcome.STORED)])
    assert store.enqueue(queued(ROOT)) is None
    (fate,) = store.take_batch().fates
    assert fate.url == ROOT
    # Now the database has been told: what it says of the URL is news.
    assert store.enqueue(queued(ROOT)) is not None


def test_queues_go_by_rank_and_are_let_go_of_with_their_group() -> None:
    store = store_with()
    for number, rank in enumerate((7, 3, 5)):
        store.enqueue(queued(f"{ROOT}{number}", rank))
    assert [each.url for each in store.take(HOST, 2, NOW)] == [f"{ROOT}1", f"{ROOT}2"]
    assert store.held_count("example.org") == 1
    store.let_go("example.org")
    assert store.held_count("example.org") == 0
    assert store.enqueue(queued(f"{ROOT}9")) is None


def test_what_is_put_back_waits_for_its_moment() -> None:
    store = store_with(ROOT)
    (page,) = store.take(HOST, 1, NOW)
    store.put_back(page._replace(tries=1), NOW.plus(30))
    assert store.take(HOST, 1, NOW) == []
    assert [each.tries for each in store.take(HOST, 1, NOW.plus(31))] == [1]
    (change,) = store.take_batch().changes
    assert change.key == hash_url(ROOT)


def test_what_was_withheld_has_no_fate() -> None:
    store = store_with(ROOT)
    (page,) = store.take(HOST, 1, NOW)
    store.settle([Settlement(page.id, UrlOutcome.FAILED, "withheld: aborted")])
    assert not store.take_batch().fates


def test_a_host_that_is_given_up_is_cut_but_for_what_is_under_way() -> None:
    store = store_with(ROOT, f"{ROOT}a")
    (page,) = store.take(HOST, 1, NOW)
    assert store.settle_queued(UrlOutcome.FAILED, "gone", HOST) == 1
    (cut,) = store.take_batch().cuts
    assert cut.taken == (hash_url(page.url),)


def test_what_is_known_of_a_host_goes_with_its_group_and_of_a_borrowed_one_beside_it() -> None:
    store = store_with(ROOT)
    store.save_text("host example.org:80", "one")
    store.save_text("host other.example:80", "two")
    store.save_text("totals", "never")
    assert store.take_batch().texts == {
        ("example.org", "host example.org:80"): "one",
        ("", "host other.example:80"): "two",
    }


def test_a_shorter_way_is_handed_over_once_and_counts_for_what_is_queued_here() -> None:
    store = LeasedUrlStore(name_of)
    store.lease("example.org")
    far = Candidate(0, ROOT, HOST, depth=4, outside=1)
    store.enqueue(queued(ROOT)._replace(facts=pack_candidate(far)))
    assert store.shorten([far._replace(depth=2)]) == []
    store.shorten([far._replace(depth=3), far._replace(depth=2)])
    assert store.take_batch().ways == {hash_url(ROOT): pack_candidate(far._replace(depth=2)) & WAY_BITS}
    store.shorten([far._replace(depth=2)])
    assert not store.take_batch().ways
    # What another worker found comes with the queue.
    store.enqueue(queued(ROOT)._replace(facts=pack_candidate(far._replace(depth=1))))
    (page,) = store.take(HOST, 1, NOW)
    assert (page.depth, page.outside) == (1, 1)


def test_a_stored_page_is_known_while_it_is_read_again() -> None:
    store = store_with()
    row = queued(ROOT)._replace(facts=pack_candidate(Candidate(0, ROOT, HOST, depth=1)))
    with store.stored_page(row):
        page = store.find(ROOT)
        assert page is not None
        assert page.depth == 1
        assert store.url_of(page.id) == ROOT
        assert [fate.outcome for fate in store.trail(ROOT)] == [UrlOutcome.STORED]
    assert store.find(ROOT) is None
    store.note_read_again(row, True)
    store.note_read_again(row, False)
    batch = store.take_batch()
    assert (batch.read_again, batch.not_held) == ({row.key: row.facts}, [row.key])
