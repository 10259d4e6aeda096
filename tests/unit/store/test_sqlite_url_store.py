"""The URL store of a capture on disk."""

import sqlite3
from pathlib import Path

import pytest

from webkeep.errors import StorageError
from webkeep.frontier.urls import Admission, Candidate, Settlement, UrlRole, UrlStore
from webkeep.lab.coherence.memory_url_store import MemoryUrlStore
from webkeep.model import Fate, Moment, UrlOutcome
from webkeep.store.jobs import SqliteUrlStore
from webkeep.store.jobs.candidate_rows import hash_url, pack_candidate, unpack_candidate
from webkeep.store.jobs.queue_heads import QueueHeads

NOW = Moment.parse("2024-03-01T12:00:00Z")
HOST = "a.example:80"


def note(name: str, rank: int = 5, via: int = 0, host: str = HOST) -> Admission:
    return Admission(Candidate(0, f"http://a.example/{name}", host, UrlRole.NAVIGATE, via, rank=rank))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.sqlite"


def test_what_was_taken_is_queued_again_after_a_crash(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book.add([note("a"), note("b"), note("c")])
        first, second = book.take(HOST, 2, NOW)
        book.settle([Settlement(first.id, UrlOutcome.STORED)])
    with SqliteUrlStore(path) as book:
        assert book.queued_count(HOST) == 2
        assert [each.url for each in book.take(HOST, 9, NOW)] == [second.url, "http://a.example/c"]
        assert book.outcome_counts()[UrlOutcome.STORED] == 1


def test_what_was_not_committed_is_gone_and_what_was_is_there(path: Path) -> None:
    book = SqliteUrlStore(path)
    book.add([note("a")])
    book.commit(at_once=True)
    book.add([note("b")])
    with SqliteUrlStore(path) as other:
        assert [fate.url for fate in other.fates()] == ["http://a.example/a"]
    book.close()


def test_the_smallest_rank_is_taken_first_however_little_is_held_in_memory(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book._heads = QueueHeads(6, 4)
        ranks = [(number * 37) % 100 for number in range(100)]
        book.add([note(f"p{rank}", rank) for rank in ranks])
        taken: list[int] = []
        while batch := book.take(HOST, 3, NOW):
            taken += [each.rank for each in batch]
            if len(taken) == 30:
                book.add([note("early", 1), note("late", 200)])
    assert taken == [*range(30), 1, *range(30, 100), 200]


def test_many_hosts_share_the_memory(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book._heads = QueueHeads(50, 8)
        hosts = [f"h{number}.example:80" for number in range(40)]
        for host in hosts:
            book.add([Admission(Candidate(0, f"http://{host}/{page}", host, rank=page)) for page in range(10)])
        for page in range(10):
            for host in hosts:
                assert [each.rank for each in book.take(host, 1, NOW)] == [page]
        assert book.queued_hosts() == []
        assert sum(len(window.held) for window in book._heads._heads.values()) == 0


def test_a_candidate_put_back_for_later_waits_behind_the_others(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book.add([note("a"), note("b")])
        (first,) = book.take(HOST, 1, NOW)
        book.put_back(first._replace(tries=1), NOW.plus(60))
        assert [each.url[-1] for each in book.take(HOST, 9, NOW)] == ["b"]
        assert book.next_due(HOST) == NOW.plus(60)
        assert [each.tries for each in book.take(HOST, 9, NOW.plus(60))] == [1]
        assert book.next_due(HOST) is None


def test_a_trail_leads_back_to_the_seed(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book.add([note("seed")])
        book.add([note("a", via=1)])
        book.add([Admission(note("b", via=2).candidate, UrlOutcome.OUT_OF_SCOPE, "outside")])
        assert book.trail("http://a.example/b") == [
            Fate("http://a.example/b", UrlOutcome.OUT_OF_SCOPE, "outside", "http://a.example/a"),
            Fate("http://a.example/a", UrlOutcome.QUEUED, "", "http://a.example/seed"),
            Fate("http://a.example/seed", UrlOutcome.QUEUED),
        ]
        assert book.trail("http://a.example/unknown") == []
        assert book.trail("http://a.example/b", 1)[0].reason == "outside"
        assert book.url_of(2) == "http://a.example/a"
        assert book.url_of(0) == ""


def test_a_trail_that_goes_in_circles_ends(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book.add([note("a", via=2), note("b", via=1)])
        assert len(book.trail("http://a.example/a")) == 1000


def test_a_batch_may_name_a_url_twice(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        outside = Admission(note("a").candidate, UrlOutcome.OUT_OF_SCOPE, "outside")
        queued = book.add([outside, note("a"), note("a", 3), note("a", 9)])
        assert [each.rank for each in queued] == [5]
        assert [each.rank for each in book.take(HOST, 9, NOW)] == [3]
        assert sum(book.outcome_counts().values()) == 1


@pytest.mark.parametrize("outcome", [UrlOutcome.QUEUED, UrlOutcome.CUT, UrlOutcome.OUT_OF_SCOPE])
def test_only_renewing_makes_a_robots_txt_of_a_known_url(path: Path, outcome: UrlOutcome) -> None:
    rules = Admission(Candidate(0, "http://a.example/a", HOST, UrlRole.ROBOTS, rank=0))
    with SqliteUrlStore(path) as book:
        for each in (book, MemoryUrlStore()):
            each.add([Admission(note("a").candidate, outcome)])
            assert each.add([rules]) == []
            known = each.find("http://a.example/a")
            assert known is not None
            assert (known.role, known.rank) == (UrlRole.NAVIGATE, 5)
            assert each.outcome_counts()[outcome] == 1
            assert each.requeue(rules.candidate).role is UrlRole.ROBOTS
            assert [taken.role for taken in each.take(HOST, 9, NOW)] == [UrlRole.ROBOTS]


def test_a_million_links_are_entered_in_batches(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        assert len(book.add([note(f"p{number % 3000}") for number in range(6000)])) == 3000


def test_addresses_of_any_characters_are_kept(path: Path) -> None:
    wild = "http://a.example/\udcff\0ü☃?'\""
    with SqliteUrlStore(path) as book:
        book.add([Admission(Candidate(0, "http://a.example/\0ü☃?'\"", HOST))])
        assert book.find("http://a.example/\0ü☃?'\"") is not None
        assert len(hash_url(wild)) == 16


def test_facts_survive_packing() -> None:
    candidate = Candidate(7, "http://a.example/", HOST, UrlRole.EMBED, 3, 1000, 12, 3, True, 4, 20, rank=99)
    assert unpack_candidate(7, candidate.url, HOST, 99, 3, pack_candidate(candidate)) == candidate
    endless = candidate._replace(depth=10**9, tries=10**9)
    assert 0 < pack_candidate(endless) < 1 << 63
    assert unpack_candidate(7, candidate.url, HOST, 99, 3, pack_candidate(endless)).guess is True


def test_a_file_that_is_none_is_told_in_one_line(path: Path) -> None:
    path.write_bytes(b"this is no database, and long enough to be taken for one" * 100)
    with pytest.raises(StorageError, match="delete it and run the same command"):
        SqliteUrlStore(path)


def test_a_file_of_another_version_is_told(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StorageError, match="another version"):
        SqliteUrlStore(path)


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="choose another place"):
        SqliteUrlStore(tmp_path / "missing" / "frontier.sqlite")


def test_settling_all_leaves_what_is_taken(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        book.add([note("a"), note("b"), note("c"), note("d", host="b.example:80")])
        (taken,) = book.take(HOST, 1, NOW)
        assert book.settle_queued(UrlOutcome.FAILED, "gone", HOST) == 2
        assert book.settle_queued(UrlOutcome.CUT, "max-urls: 1") == 1
        book.settle([Settlement(taken.id, UrlOutcome.DUPLICATE)])
        counts = {outcome: count for outcome, count in book.outcome_counts().items() if count}
        assert counts == {UrlOutcome.FAILED: 2, UrlOutcome.CUT: 1, UrlOutcome.DUPLICATE: 1}


def test_kept_texts_are_replaced(path: Path) -> None:
    with SqliteUrlStore(path) as book:
        assert book.load_text("plan") == ""
        book.save_text("plan", "one")
        book.save_text("plan", "two")
    with SqliteUrlStore(path) as book:
        assert book.load_text("plan") == "two"


def test_a_candidate_is_claimed_once_and_only_while_it_is_queued(path: Path) -> None:
    with SqliteUrlStore(path) as on_disk:
        for book in (on_disk, MemoryUrlStore()):
            first, second, third = book.add([note("a"), note("b"), note("c")])
            assert book.take_by_id(second.id) == second
            assert book.take_by_id(second.id) is None
            assert [each.id for each in book.take(HOST, 9, NOW)] == [first.id, third.id]
            book.settle([Settlement(second.id, UrlOutcome.STORED)])
            assert book.take_by_id(second.id) is None
            book.put_back(first)
            assert book.queued_count(HOST) == 1
            assert book.take_by_id(first.id) == first
            assert book.queued_count(HOST) == 0


@pytest.mark.parametrize("is_on_disk", [True, False], ids=["on disk", "in memory"])
def test_shorter_ways_are_written_down_and_told_of_what_was_asked_for(path: Path, is_on_disk: bool) -> None:
    def way(name: str, depth: int, outside: int = 0) -> Candidate:
        return note(name).candidate._replace(depth=depth, outside=outside)

    def where(name: str) -> tuple[int, int]:
        known = book.find(f"http://a.example/{name}")
        assert known is not None
        return known.depth, known.outside

    names = ["taken", "stored", "failed", "queued"]
    with SqliteUrlStore(path) as on_disk:
        book: UrlStore = on_disk if is_on_disk else MemoryUrlStore()
        book.add([Admission(way(name, 4, 2)) for name in names])
        taken, stored, failed = book.take(HOST, 3, NOW)
        book.settle([Settlement(stored.id, UrlOutcome.STORED), Settlement(failed.id, UrlOutcome.FAILED)])
        assert book.shorten([way(name, 4, 2) for name in names]) == []
        assert book.shorten([way(name, 3, 3) for name in names]) == [], "neither is the shorter one"
        shortened = book.shorten([way(name, depth, 1) for depth in (3, 2) for name in names])
        assert set(shortened) == {taken.url, stored.url}
        assert [where(name) for name in names] == [(2, 1)] * 4
        assert book.shorten([way("queued", 1, 1)._replace(via=stored.id)]) == []
        queued = book.find(way("queued", 1).url)
        assert queued is not None
        assert queued.via == stored.id, "what waits is asked for on the shorter way"
        assert book.shorten([way(name, 3, 1) for name in names]) == []
        book.put_back(taken)
        again = book.take(HOST, 9, NOW)
        assert {each.url.rpartition("/")[2]: (each.depth, each.outside) for each in again} == {
            "taken": (2, 1), "queued": (1, 1)}  # fmt: skip
