"""What workers and a real PostgreSQL tell each other, where answers get lost and servers forget."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from postgres_cluster import (
    cluster_folder,
    create_database,
    new_database,
    run_sql,
    running_cluster,
    start_server,
    stop_server,
)

from webkeep.cluster.courses.site_courses import SiteCourse
from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.payload_sharing import ClusterPayloads
from webkeep.cluster.store.capture_joining import find_capture, join_capture
from webkeep.cluster.store.cluster_database import ClusterDatabase, ClusterGoneError, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState, FateRow, GroupRelease, LinkRow, QueueRow, WorkerBatch
from webkeep.cluster.store.cluster_state import ClusterCapture, ClusterTerms
from webkeep.cluster.store.course_rows import CONNECTION_NAME, CourseExchange
from webkeep.cluster.store.held_payloads import LEAST_PAYLOAD_BYTES
from webkeep.cluster.store.worker_exchange import WorkerExchange
from webkeep.errors import UsageError
from webkeep.frontier.urls import Candidate, UrlRole
from webkeep.model import Moment, RecordPlace, UrlOutcome
from webkeep.store.index import StoredPayload
from webkeep.store.jobs import CODES_BY_OUTCOME, hash_url, pack_candidate, unpack_candidate

GROUPS = ("a.example", "b.example", "c.example")
STORED = CODES_BY_OUTCOME[UrlOutcome.STORED]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with cluster_folder() as fresh, running_cluster(fresh, "exchange") as address:
        create_database(address)
        yield address


@pytest.fixture
def database(server: str) -> Iterator[ClusterDatabase]:
    opened = ClusterDatabase(server)
    links = {row.key: row for row in (link(group) for group in GROUPS)}
    ClusterCapture(opened).begin("one", ClusterTerms("{}", "{}"), 0, WorkerBatch(links=links), anew=True)
    yield opened
    opened.close()


def link(group: str, path: str = "") -> LinkRow:
    url = f"http://{group}/{path}"
    return LinkRow(hash_url(url), url, f"{group}:80", group, 1, b"", 0, 0, "")


def payload(name: str, size: int) -> StoredPayload:
    place = RecordPlace("a.warc.gz", 0, size)
    return StoredPayload(f"sha1:{name}", b"check", "", place, "urn:uuid:1", f"http://a.example/{name}", Moment(1))


def fate(group: str) -> FateRow:
    row = link(group)
    return FateRow(row.key, row.url, row.host, group, b"", 0, STORED, "")


def join(database: ClusterDatabase, name: str = "worker") -> WorkerExchange:
    return WorkerExchange(database, join_capture(database, name).worker, None)


def test_an_answer_that_got_lost_is_told_again(database: ClusterDatabase) -> None:
    exchange = join(database)
    batch = WorkerBatch(room=2)
    lost = {each.host_group for each in exchange.hand_over(batch).claimed}
    assert len(lost) == 2
    # Nothing of it came to the worker, which hands the same over again and says that it has nothing.
    news = exchange.hand_over(replace(batch, held=()))
    claimed = {each.host_group: each.lost_seconds_ago for each in news.claimed}
    assert claimed.keys() == set(GROUPS)
    assert {claimed[group] for group in lost} == {-LEASE_SECONDS}
    assert {each.host_group for each in news.pulled} == set(GROUPS)
    assert not exchange.hand_over(WorkerBatch(held=GROUPS)).claimed


def test_a_worker_that_has_what_the_database_does_not_know_of_is_lost(database: ClusterDatabase) -> None:
    exchange = join(database)
    held = tuple(each.host_group for each in exchange.hand_over(WorkerBatch(room=3)).claimed)
    back = [GroupRelease(held[0], 0.0)]
    # What it is about to give back may have been given back already.
    exchange.hand_over(WorkerBatch(releases=back))
    assert not exchange.hand_over(WorkerBatch(releases=back, held=held)).claimed
    with pytest.raises(LeaseLostError, match="without all that it knew"):
        exchange.hand_over(WorkerBatch(held=held))


def test_where_another_server_has_taken_over_nobody_gets_hosts_before_all_leases_have_run_out(
    server: str, database: ClusterDatabase
) -> None:
    run_sql(server, "UPDATE webkeep_cluster.capture SET timeline = 'before'")
    run_sql(server, "UPDATE webkeep_cluster.host_group SET owner = 5 WHERE key = 'a.example'")
    run_sql(
        server,
        "INSERT INTO webkeep_cluster.worker (id, name, expires) VALUES (5, 'gone', now() - INTERVAL '1 hour')",
    )
    exchange = join(database)
    assert not exchange.hand_over(WorkerBatch(room=3)).claimed
    assert ClusterCapture(database).look().lost_workers == 0
    assert not exchange.hand_over(WorkerBatch(room=3, wanted=GROUPS)).claimed
    run_sql(server, "UPDATE webkeep_cluster.capture SET timeline_since = now() - INTERVAL '1 minute'")
    # A server that has just been started leaves workers the time to come back, too.
    assert {each.host_group for each in exchange.hand_over(WorkerBatch(room=3)).claimed} >= {"b.example", "c.example"}


def test_what_is_handed_over_again_counts_once_and_what_is_others_is_told(database: ClusterDatabase) -> None:
    exchange, other = join(database), join(database, "other")
    exchange.hand_over(WorkerBatch(room=3))
    batch = WorkerBatch(fates=[fate("a.example")], links={link("a.example", "x").key: link("a.example", "x")})
    assert exchange.hand_over(batch).fenced == 0
    assert exchange.hand_over(batch).fenced == 0
    assert other.hand_over(WorkerBatch(fates=[fate("b.example")])).fenced == 1
    state = ClusterCapture(database).look()
    assert state.fenced == 1
    assert state.counts[UrlOutcome.STORED] == 1
    assert state.counts[UrlOutcome.QUEUED] == 3


def test_a_shorter_way_counts_whenever_it_is_found(database: ClusterDatabase) -> None:
    exchange = WorkerExchange(database, join_capture(database, "worker").worker, None, counts_ways=True)
    other = WorkerExchange(database, join_capture(database, "other").worker, None, counts_ways=True)
    way = {depth: pack_candidate(Candidate(0, "", "", depth=depth)) for depth in range(5)}
    pages = {group: link(group, "page")._replace(facts=way[4]) for group in GROUPS}
    keys = {group: row.key for group, row in pages.items()}
    exchange.hand_over(WorkerBatch(room=3, links={row.key: row for row in pages.values()}))
    one, two, three = GROUPS

    def settled(group: str) -> FateRow:
        return fate(group)._replace(key=keys[group], facts=way[4])

    # While it is under way here, in one batch with its fate, and after it was answered.
    other.hand_over(WorkerBatch(ways={keys[one]: way[2]}))
    exchange.hand_over(WorkerBatch(fates=[settled(one), settled(two)], ways={keys[two]: way[2]}))
    exchange.hand_over(WorkerBatch(fates=[settled(three)]))
    assert not other.hand_over(WorkerBatch(ways={keys[three]: way[2], keys[one]: way[3]})).read_again
    rows = {row.key: row.facts for row in exchange.hand_over(WorkerBatch()).read_again}
    assert rows == dict.fromkeys(keys.values(), way[2])
    # It is not over before they were read, by the way that counts by then.
    other.hand_over(WorkerBatch(ways={keys[one]: way[1]}))
    again = exchange.hand_over(WorkerBatch(read_again=rows)).read_again
    assert [(row.key, row.facts) for row in again] == [(keys[one], way[1])]
    # What cannot be read is asked for.
    before = ClusterCapture(database).look().counts[UrlOutcome.STORED]
    assert not exchange.hand_over(WorkerBatch(not_held=[keys[one]])).read_again
    assert ClusterCapture(database).look().counts[UrlOutcome.STORED] == before - 1


def test_what_is_found_nearer_stays_what_it_is_asked_for_as(database: ClusterDatabase) -> None:
    exchange, other = join(database), join(database, "other")
    far = Candidate(0, "", "", UrlRole.NAVIGATE, depth=4)
    page = link("a.example", "secret")._replace(rank=9, facts=pack_candidate(far))
    exchange.hand_over(WorkerBatch(room=3, links={page.key: page}))
    exchange.hand_over(WorkerBatch(changes=[QueueRow(page.key, 9, pack_candidate(far._replace(tries=2)))]))
    near = page._replace(rank=5, facts=pack_candidate(far._replace(depth=2)))
    other.hand_over(WorkerBatch(links={page.key: near}))
    rows = exchange.hand_over(WorkerBatch(short=(("a.example", 10),))).pulled
    (kept,) = (unpack_candidate(0, each.url, each.host, each.rank, 0, each.facts) for each in rows if each.rank == 5)
    # With no role left it would count as a robots.txt, which is asked for whatever the rules say.
    assert (kept.role, kept.depth, kept.tries) == (UrlRole.NAVIGATE, 2, 2)


def test_what_a_database_forgot_that_was_handed_out_keeps_its_fate(database: ClusterDatabase) -> None:
    exchange, other = join(database), join(database, "other")
    exchange.hand_over(WorkerBatch(room=1, wanted=("a.example",)))
    forgotten = {name: link("a.example", name) for name in ("x", "y")}
    fates = [fate("a.example")._replace(key=row.key, url=row.url) for row in forgotten.values()]
    assert exchange.hand_over(WorkerBatch(fates=fates[:1])).fenced == 0
    assert other.hand_over(WorkerBatch(fates=fates[1:])).fenced == 1
    # The page that led there is asked for once more, and leads there again.
    exchange.hand_over(WorkerBatch(links={row.key: row for row in forgotten.values()}))
    found = {each.url: each.outcome for each in ClusterCapture(database).fates()}
    assert found["http://a.example/x"] is UrlOutcome.STORED
    assert found["http://a.example/y"] is UrlOutcome.QUEUED


def test_what_came_while_a_batch_did_not_get_there_goes_with_it(database: ClusterDatabase) -> None:
    exchange = join(database)
    exchange.hand_over(WorkerBatch(room=3))
    page, other = link("b.example", "x"), fate("b.example")._replace(reason="later")
    batch = WorkerBatch(fates=[fate("a.example"), fate("b.example")], requeues=[QueueRow(link("b.example").key, 1, 0)])
    whole = batch.with_more(WorkerBatch(fates=[other], links={page.key: page}, urls=3))
    whole = whole.with_more(WorkerBatch(fates=[fate("c.example")], urls=4)).with_more(WorkerBatch(urls=5))
    assert (whole.fate_count, whole.urls, len(whole.more)) == (4, 5, 2)
    for _ in range(2):  # an answer may get lost
        exchange.hand_over(whole)
        fates = {fate.url: (fate.outcome, fate.reason) for fate in ClusterCapture(database).fates()}
        # Each follows from the one before: what was asked for once more has the fate that it came to then.
        assert fates == {
            "http://a.example/": (UrlOutcome.STORED, ""),
            "http://b.example/": (UrlOutcome.STORED, "later"),
            "http://b.example/x": (UrlOutcome.QUEUED, ""),
            "http://c.example/": (UrlOutcome.STORED, ""),
        }
    assert ClusterCapture(database).look().counts[UrlOutcome.STORED] == 3


def test_who_left_and_did_not_hear_it_leaves_again(database: ClusterDatabase) -> None:
    exchange = join(database)
    exchange.hand_over(WorkerBatch(room=3))
    exchange.leave(WorkerBatch(fates=[fate("a.example")]))
    exchange.leave(WorkerBatch(fates=[fate("a.example")]))
    assert ClusterCapture(database).look().counts[UrlOutcome.STORED] == 1
    with pytest.raises(LeaseLostError):
        exchange.hand_over(WorkerBatch())


def test_where_robots_moved_to_has_a_fate_though_its_worker_was_lost(server: str, database: ClusterDatabase) -> None:
    first, second = join(database), join(database, "other")
    cluster = ClusterCapture(database)
    kept, left = (f"http://b.example/{name}" for name in ("rules", "page"))
    failed = {("", f"target {kept}"): target_text(UrlOutcome.FAILED)}
    first.hand_over(WorkerBatch(texts=failed))
    stored = {("", f"target {url}"): target_text(UrlOutcome.STORED) for url in (kept, left)}
    page = link("b.example", "page")
    second.hand_over(WorkerBatch(texts=stored, links={page.key: page}))
    run_sql(server, "UPDATE webkeep_cluster.worker SET state = 'lost'")
    for _ in range(2):  # whoever looks after the capture may be killed while it does that
        cluster.enter_robots_targets()
        fates = {fate.url: fate.outcome for fate in cluster.fates()}
        # What something else led to has the fate that it has as a page.
        assert (fates[kept], fates[left]) == (UrlOutcome.STORED, UrlOutcome.QUEUED)


def target_text(outcome: UrlOutcome) -> str:
    return json.dumps(["b.example:80", "b.example", "", 0, CODES_BY_OUTCOME[outcome], ""])


def test_a_connection_that_is_stuck_is_given_up(server: str) -> None:
    stuck = ClusterDatabase(server, stuck_seconds=0.2)
    with pytest.raises(ClusterGoneError):
        stuck.transact(lambda within: within.rows("SELECT pg_sleep(60)"))
    assert stuck.transact(lambda within: within.rows("SELECT 1")) == [(1,)]
    stuck.close()


def test_who_was_cut_off_leaves_others_the_time_to_come_back(server: str, database: ClusterDatabase) -> None:
    moment = [0]
    seen = ClusterDatabase(server, stuck_seconds=0.2, clock=lambda: moment[0])
    cluster = ClusterCapture(seen)

    def lost_workers(ago: str) -> int:
        run_sql(server, "DELETE FROM webkeep_cluster.worker")
        join_capture(database, "away")
        run_sql(server, f"UPDATE webkeep_cluster.worker SET expires = now() - INTERVAL '{ago}'")
        return cluster.look().lost_workers

    run_sql(server, "UPDATE webkeep_cluster.capture SET timeline_since = now() - INTERVAL '1 minute'")
    while not lost_workers("1 hour"):  # until the server has been up for long enough
        pass
    # It may have been away for all until just now.
    assert not lost_workers("1 s")
    moment[0] += round(LEASE_SECONDS * 1e6)
    assert lost_workers("1 s")
    with pytest.raises(ClusterGoneError):
        seen.transact(lambda within: within.rows("SELECT pg_sleep(60)"))
    assert not lost_workers("1 s")
    seen.close()


def test_tables_of_another_version_make_room_when_their_capture_is_over(
    server: str, database: ClusterDatabase, tmp_path: Path
) -> None:
    cluster = ClusterCapture(database)
    older = "UPDATE webkeep_cluster.capture SET schema_version = 1; DROP TABLE webkeep_cluster.tally"
    run_sql(server, older)
    with pytest.raises(UsageError, match="all that take part need the same version"):
        find_capture(database)
    with pytest.raises(UsageError):
        cluster.begin("two", ClusterTerms("{}", "{}"), 0, WorkerBatch(), anew=False)
    cluster.begin("two", ClusterTerms("{}", "{}"), 0, WorkerBatch(), anew=True)
    run_sql(server, older)
    run_sql(server, "UPDATE webkeep_cluster.capture SET state = 'over'")
    cluster.begin("three", ClusterTerms("{}", "{}"), 0, WorkerBatch(), anew=False)
    assert cluster.find() == ("three", CaptureState.RUNNING)


def test_what_several_workers_hold_is_counted_once_however_often_it_is_told(database: ClusterDatabase) -> None:
    one, other = join(database, "one"), join(database, "other")
    for _ in range(2):
        one.tell_payloads([payload("A", 100), payload("B", 20_000)])
        other.tell_payloads(payload(name, size) for name, size in (("B", 21_000), ("C", 1), ("A", 100)))
    assert ClusterCapture(database).repeated_payloads() == (2, 100 + 21_000)
    one.leave(WorkerBatch())
    with pytest.raises(LeaseLostError):
        one.tell_payloads([payload("C", 1)])


def test_what_a_worker_holds_is_found_by_others_once_it_was_handed_over(server: str, database: ClusterDatabase) -> None:
    one, other = join(database, "one"), join(database, "other")
    mine, others = ClusterPayloads(server, "one", False), ClusterPayloads(server, "other", False)
    try:
        mine.note_stored(payload("A", LEAST_PAYLOAD_BYTES))
        mine.note_stored(payload("B", LEAST_PAYLOAD_BYTES - 1))
        assert others.find(["sha1:A", "sha1:B"]) == []
        batch = WorkerBatch(payloads=mine.take_stored())
        for _ in range(2):
            one.hand_over(batch)
        (found,) = others.find(["sha1:A", "sha1:B"])
        assert (found.digest, found.holder, found.check) == ("sha1:A", "one", b"check")
        assert (found.url, found.moment) == ("http://a.example/A", Moment(1))
        assert mine.find(["sha1:A"]) == []
        assert mine.take_stored() == []
        # An archive that was made anew under the same name holds nothing of it.
        one.tell_payloads([payload("C", LEAST_PAYLOAD_BYTES)], anew=True)
        assert [each.digest for each in others.find(["sha1:A", "sha1:C"])] == ["sha1:C"]
        other.leave(WorkerBatch())
    finally:
        mine.close()
        others.close()


def test_workers_of_one_name_are_seen(database: ClusterDatabase) -> None:
    capture = ClusterCapture(database)
    first = join(database, "one")
    join(database, "other")
    assert capture.look().doubled_name == ""
    join(database, "one")
    assert capture.look().doubled_name == "one"
    first.leave(WorkerBatch())
    assert capture.look().doubled_name == ""


def test_nobody_refers_to_what_a_worker_holds_that_is_lost_until_it_is_back(
    server: str, database: ClusterDatabase
) -> None:
    one, others = join(database, "one"), ClusterPayloads(server, "other", False)
    try:
        one.tell_payloads([payload("A", LEAST_PAYLOAD_BYTES)])
        assert len(others.find(["sha1:A"])) == 1
        run_sql(server, "UPDATE webkeep_cluster.worker SET state = 'lost' WHERE name = 'one'")
        assert others.find(["sha1:A"]) == []
        again = join(database, "one")
        assert len(others.find(["sha1:A"])) == 1
        again.leave(WorkerBatch())
        assert len(others.find(["sha1:A"])) == 1
    finally:
        others.close()


def test_two_that_store_the_same_before_either_is_on_disk_both_hold_it_and_that_is_counted(
    server: str, database: ClusterDatabase
) -> None:
    names = ("one", "other")
    exchanges = [join(database, name) for name in names]
    writers = [ClusterPayloads(server, name, False) for name in names]
    assert [writer.find(["sha1:A"]) for writer in writers] == [[], []]
    for writer, exchange in zip(writers, exchanges, strict=True):
        writer.note_stored(payload("A", 20_000))
        exchange.hand_over(WorkerBatch(payloads=writer.take_stored()))
        writer.close()
    assert ClusterCapture(database).repeated_payloads() == (1, 20_000)


def test_where_the_database_does_not_answer_nothing_is_found_and_it_is_left_alone_for_a_while() -> None:
    with cluster_folder() as fresh, running_cluster(fresh, "gone") as address:
        create_database(address)
        database = ClusterDatabase(address)
        ClusterCapture(database).begin("one", ClusterTerms("{}", "{}"), 0, WorkerBatch(), anew=True)
        join(database, "one").tell_payloads([payload("A", 20_000)])
        others = ClusterPayloads(address, "other", False)
        assert len(others.find(["sha1:A"])) == 1
        database.close()
        stop_server(fresh / "gone")
        assert others.find(["sha1:A"]) == ()
        asked = others.statements
        start_server(fresh / "gone")
        assert others.find(["sha1:A"]) == ()
        assert others.statements == asked
        others.close()


def test_pages_that_may_be_read_once_more_stay_with_their_worker(server: str) -> None:
    for pages_stay in (True, False):
        payloads = ClusterPayloads(server, "one", pages_stay)
        assert payloads.shares("image/png")
        assert [payloads.shares(each) for each in ("text/html", "image/svg+xml", "")] == [not pages_stay] * 3


def test_a_host_that_got_something_just_when_it_was_given_back_is_found(database: ClusterDatabase) -> None:
    exchange = join(database)
    exchange.hand_over(WorkerBatch(room=3))
    database.transact(lambda within: within.change("UPDATE host_group SET owner = NULL, pending = FALSE"))
    assert exchange.hand_over(WorkerBatch(room=3)).claimed == ()
    assert {each.host_group for each in exchange.hand_over(WorkerBatch(room=3)).claimed} == set(GROUPS)


def test_what_takes_turns_for_another_database_of_the_server_goes_on(server: str, database: ClusterDatabase) -> None:
    with (
        psycopg.connect(new_database(server, "another"), application_name=f"{CONNECTION_NAME} 1") as another,
        psycopg.connect(server, application_name=f"{CONNECTION_NAME} 1") as stale,
    ):
        courses = [SiteCourse(1, "a.example", ("http://a.example/",))]
        ClusterCapture(database).begin("two", ClusterTerms("{}", "{}", courses), 0, WorkerBatch(), anew=True)
        exchange = CourseExchange(database, join_capture(database, "worker").worker, "worker", has_browser=False)
        assert exchange.claim() == courses[0]
        assert another.execute("SELECT 1").fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError):
            stale.execute("SELECT pg_sleep(60)")
