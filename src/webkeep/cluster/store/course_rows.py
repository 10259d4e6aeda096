"""The courses of sites in the database of a cluster: entered, claimed by workers, told of while they are under way, and
brought in when they are done.

Theory of operation. A course is claimed by a session of a worker, and lasts as long as that. What a worker has begun
lies in its archive, so that it alone can go on with it: for as long as that worker may come back, nobody else gets the
course; after that another one begins it anew. Its turns at hosts are locks of a connection of its own, which is ended
before anybody else gets the course, so that a worker that is frozen holds up nobody. What became of its URLs comes in
when it is done; of a URL that several courses met, what is best holds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from webkeep.cluster.courses.site_courses import SiteCourse
from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.store.batch_writing import clean_text
from webkeep.cluster.store.cluster_database import ClusterDatabase, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState, LinkRow
from webkeep.cluster.store.worker_exchange import reap_lost_workers
from webkeep.model import Fate, UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME, OUTCOMES_BY_CODE, hash_url
from webkeep.url import split_url

_LEASE = f"INTERVAL '{LEASE_SECONDS} s'"
_ROWS_PER_PART = 5000
"""Fates are brought in in parts of so many, each in a transaction of its own that prolongs the lease."""
_ANSWERED = (UrlOutcome.STORED, UrlOutcome.DUPLICATE, UrlOutcome.FAILED)
"""What counts for a limit on URLs."""
_RANKS = {
    outcome: rank
    for rank, outcome in enumerate(
        (
            UrlOutcome.STORED,
            UrlOutcome.DUPLICATE,
            UrlOutcome.FAILED,
            UrlOutcome.REFUSED,
            UrlOutcome.TAKEN_DOWN,
            UrlOutcome.TRAPPED,
            UrlOutcome.CUT,
            UrlOutcome.OUT_OF_SCOPE,
            UrlOutcome.QUEUED,
        )
    )
}
"""Which of several fates of a URL holds: what is out of one site's scope is another one's own."""
CONNECTION_NAME = "webkeep course"
"""How connections are called that hold the turns of a course; its number follows."""

_ENTER = "INSERT INTO course (id, site, course, needs_browser) VALUES (%s, %s, %s, %s)"
_IS_AWAITED = f"""
EXISTS (
    SELECT 1 FROM worker WHERE name = course.keeper AND (state = 'alive' OR expires > clock_timestamp() - {_LEASE})
)
"""
_CLAIM = f"""
WITH free AS (
    SELECT id, owner, keeper FROM course WHERE state <> 'done' AND (%s OR NOT needs_browser)
        AND (owner IS NULL OR owner IN (SELECT id FROM worker WHERE state <> 'alive'))
        AND (keeper IN ('', %s) OR NOT {_IS_AWAITED})
    ORDER BY keeper <> %s, keeper <> '', id LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE course SET owner = %s, state = 'running', keeper = %s,
    begun_anew = begun_anew + (free.keeper NOT IN ('', %s))::INT
FROM free WHERE course.id = free.id RETURNING course.id, course.site, course.course
"""
_END_TURNS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND datname = current_database()
"""
_PROLONG = f"""
UPDATE worker SET expires = clock_timestamp() + {_LEASE}, in_flight = %s WHERE id = %s AND state = 'alive' RETURNING id
"""
_TELL = "UPDATE course SET counts = %s, urls = %s, bytes = %s WHERE id = %s AND owner = %s"
_MERGE_FATES = """
INSERT INTO url (key, url, host, host_group, rank, via, facts, outcome, reason)
SELECT key, url, host, host_group, rank, via, facts, outcome, reason FROM link_in ORDER BY key
ON CONFLICT (key) DO UPDATE SET rank = excluded.rank, outcome = excluded.outcome, reason = excluded.reason,
    via = excluded.via
WHERE excluded.rank < url.rank
"""
_KEEP_LEDGERS = """
INSERT INTO host_text (host_group, name, text) SELECT %s, * FROM unnest(%s::TEXT[], %s::TEXT[])
ON CONFLICT (host_group, name) DO UPDATE SET text = excluded.text
"""
_END = "UPDATE course SET state = 'done', owner = NULL, capture = %s, report = %s WHERE id = %s AND owner = %s"
_CUT_WAITING = """
UPDATE course SET state = 'done' WHERE state <> 'done' AND (
    owner IS NULL OR owner IN (SELECT id FROM worker WHERE state <> 'alive')
) RETURNING course
"""


@dataclass(frozen=True, slots=True)
class CourseNews:
    """What a worker is told that carries a course out."""

    state: CaptureState
    reason: str
    changes: str


@dataclass(frozen=True, slots=True)
class CourseSummary:
    """What came of a course."""

    site: str
    keeper: str
    """The worker whose archive has it."""
    capture: str
    """What it is there; empty where it was never begun."""
    begun_anew: int
    report: Mapping[str, object]


def enter_courses(database: ClusterDatabase, courses: Iterable[SiteCourse], needs_browser: bool) -> None:
    """Have courses wait for workers; within a transaction."""
    for course in courses:
        database.change(_ENTER, (course.number, course.site, course.to_text(), needs_browser))


def cut_waiting_courses(database: ClusterDatabase, reason: str) -> None:
    """End the courses that nobody has, as nothing more is asked for; within a transaction."""
    cut = database.rows(_CUT_WAITING)
    seeds = [seed for (text,) in cut for seed in SiteCourse.from_text(0, "", text).seeds]
    merge_fates(database, (Fate(seed, UrlOutcome.CUT, reason) for seed in seeds))


def merge_fates(database: ClusterDatabase, fates: Iterable[Fate]) -> None:
    """Write down what became of URLs, unless something better did elsewhere; within a transaction."""
    rows = {}
    for fate in fates:
        host = split_url(fate.url).host
        key, via = hash_url(fate.url), hash_url(fate.via) if fate.via else b""
        code = CODES_BY_OUTCOME[fate.outcome]
        rows[key] = LinkRow(
            key, clean_text(fate.url), host, host, _RANKS[fate.outcome], via, 0, code, clean_text(fate.reason)
        )
    if rows:
        database.copy_in("link_in", rows.values())
        database.change(_MERGE_FATES)


def read_course_counts(database: ClusterDatabase) -> dict[UrlOutcome, int]:
    """URLs by outcome in all courses, as far as they have come; within a transaction."""
    rows = database.rows(
        "SELECT each.key, sum(each.value::BIGINT) FROM course, jsonb_each_text(course.counts) each GROUP BY each.key"
    )
    return {UrlOutcome(name): int(count) for name, count in rows}


def read_fate_counts(database: ClusterDatabase) -> dict[UrlOutcome, int]:
    """URLs by what became of them, each once; within a transaction."""
    rows = database.rows("SELECT outcome, count(*) FROM url GROUP BY outcome")
    counts = {OUTCOMES_BY_CODE[code]: int(count) for code, count in rows}
    return {outcome: counts.get(outcome, 0) for outcome in UrlOutcome}


def read_courses(database: ClusterDatabase) -> list[CourseSummary]:
    """What came of all courses; within a transaction."""
    rows = database.rows("SELECT site, keeper, capture, begun_anew, report FROM course ORDER BY id")
    return [
        CourseSummary(site, keeper, capture, anew, json.loads(report)) for site, keeper, capture, anew, report in rows
    ]


class CourseExchange:
    """What one session of a worker and the database tell each other of courses."""

    def __init__(self, database: ClusterDatabase, worker: int, name: str, has_browser: bool) -> None:
        self._database, self._worker = database, worker
        self._name, self._has_browser = name, has_browser

    def claim(self) -> SiteCourse | None:
        """Have the next course: one that was begun here before all others; None where there is none for now."""

        def claim(database: ClusterDatabase) -> SiteCourse | None:
            self._prolong(database, 0)
            reap_lost_workers(database)
            name = self._name
            values = (self._has_browser, name, name, self._worker, name, name)
            for number, site, text in database.rows(_CLAIM, values):
                database.rows(_END_TURNS, (f"{CONNECTION_NAME} {number}",))
                return SiteCourse.from_text(number, site, text)
            return None

        return self._database.transact(claim)

    def _prolong(self, database: ClusterDatabase, in_flight: int) -> None:
        if not database.rows(_PROLONG, (in_flight, self._worker)):
            raise LeaseLostError("this worker was not heard of for too long; what it had is others' now")

    def tell(self, course: SiteCourse, counts: Mapping[UrlOutcome, int], size: int, in_flight: int) -> CourseNews:
        """Tell how a course is doing, and hear of the capture; raises `LeaseLostError` where it is another one's."""
        text = json.dumps({outcome.value: count for outcome, count in counts.items() if count})
        answered = sum(counts.get(each, 0) for each in _ANSWERED)

        def tell(database: ClusterDatabase) -> CourseNews:
            self._prolong(database, in_flight)
            if not database.change(_TELL, (text, answered, size, course.number, self._worker)):
                raise LeaseLostError(f"the course of {course.site} is another worker's now")
            return self._read_news(database)

        return self._database.transact(tell)

    def look(self) -> CourseNews:
        """Hear what is said about the capture, where this worker has no course."""

        def look(database: ClusterDatabase) -> CourseNews:
            self._prolong(database, 0)
            return self._read_news(database)

        return self._database.transact(look)

    @staticmethod
    def _read_news(database: ClusterDatabase) -> CourseNews:
        ((state, reason, changes),) = database.rows("SELECT state, reason, changes FROM capture")
        return CourseNews(CaptureState(state), reason, changes)

    def bring_in(self, fates: Iterable[Fate]) -> None:
        """Write down what became of the URLs of a course; done twice, it is as done once."""
        left = iter(fates)
        while part := list(islice(left, _ROWS_PER_PART)):
            self._bring_in_part(part)

    def _bring_in_part(self, part: list[Fate]) -> None:
        def bring_in(database: ClusterDatabase) -> None:
            self._prolong(database, 0)
            merge_fates(database, part)

        self._database.transact(bring_in)

    def end(
        self, course: SiteCourse, capture: str, ledgers: Mapping[str, object], report: Mapping[str, object]
    ) -> None:
        """A course is done, with all its fates brought in."""
        names = [f"host {clean_text(name)}" for name in ledgers]
        texts = [clean_text(json.dumps({"ledger": ledger})) for ledger in ledgers.values()]

        def end(database: ClusterDatabase) -> None:
            self._prolong(database, 0)
            database.change(_KEEP_LEDGERS, (f"#course {course.number}", names, texts))
            is_done = database.change(_END, (capture, clean_text(json.dumps(report)), course.number, self._worker))
            if not is_done and not database.rows(
                "SELECT 1 FROM course WHERE id = %s AND capture = %s", (course.number, capture)
            ):
                raise LeaseLostError(f"the course of {course.site} is another worker's now")

        self._database.transact(end)

    def leave(self) -> None:
        """End the session; a course that is not done waits for this worker, and after a while for any."""
        self._database.transact(
            lambda database: database.change(
                "UPDATE worker SET state = 'left', in_flight = 0 WHERE id = %s AND state = 'alive'", (self._worker,)
            )
        )
