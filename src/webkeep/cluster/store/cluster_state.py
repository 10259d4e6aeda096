"""The capture of a cluster as one: begun with its seeds, watched and steered, ended by its limits, and what became of
its URLs. What whoever looks after it asks of the database.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webkeep.cluster.courses.site_courses import SiteCourse
from webkeep.cluster.group_leases import LEASE_SECONDS
from webkeep.cluster.host_texts import ROBOTS_TARGET_PREFIX
from webkeep.cluster.store.batch_writing import BatchWriter
from webkeep.cluster.store.cluster_database import ClusterDatabase, check_version, prepare_schema
from webkeep.cluster.store.cluster_rows import CaptureState, LinkRow, WorkerBatch
from webkeep.cluster.store.course_rows import (
    CourseSummary,
    cut_waiting_courses,
    enter_courses,
    read_course_counts,
    read_courses,
    read_fate_counts,
)
from webkeep.cluster.store.held_payloads import RepeatedPayloads, count_repeated
from webkeep.cluster.store.schema import EMPTY_TABLES, SCHEMA_VERSION
from webkeep.cluster.store.shown_hosts import read_shown
from webkeep.cluster.store.worker_exchange import TIMELINE, note_timeline, reap_lost_workers
from webkeep.errors import UsageError
from webkeep.frontier.urls import MAX_TRAIL_STEPS, Candidate
from webkeep.model import Fate, UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME, OUTCOMES_BY_CODE, hash_url, unpack_candidate
from webkeep.version import __version__

_QUEUED = CODES_BY_OUTCOME[UrlOutcome.QUEUED]
_NOBODY = 0
"""Stands for whoever looks after the capture, where workers have their numbers."""
_ROWS_PER_READ = 5000
"""Long lists are read in parts of so many rows, in transactions of their own."""
_READ_TARGETS = f"""
SELECT name, text FROM host_text WHERE starts_with(name, '{ROBOTS_TARGET_PREFIX}') AND name > %s
    AND name <= (SELECT max(name) FROM (
        SELECT DISTINCT name FROM host_text WHERE starts_with(name, '{ROBOTS_TARGET_PREFIX}') AND name > %s
        ORDER BY name LIMIT {_ROWS_PER_READ}
    ) part)
ORDER BY name
"""
_READ_STATE = f"""
SELECT state, reason, changes, extract(epoch FROM clock_timestamp() - started)::DOUBLE PRECISION,
    (SELECT coalesce(sum(urls), 0) FROM worker) + (SELECT coalesce(sum(urls), 0) FROM course),
    (SELECT coalesce(sum(bytes), 0) FROM worker) + (SELECT coalesce(sum(bytes), 0) FROM course),
    (SELECT coalesce(sum(in_flight), 0) FROM worker WHERE state = 'alive'),
    (SELECT count(*) FROM worker WHERE state = 'alive'), (SELECT count(*) FROM worker WHERE state = 'lost'),
    (SELECT coalesce(sum(fenced), 0) FROM worker),
    EXISTS (SELECT 1 FROM url WHERE outcome = 0) OR EXISTS (SELECT 1 FROM course WHERE course.state <> 'done'),
    EXISTS (SELECT 1 FROM host_group WHERE owner IS NOT NULL) OR EXISTS (
        SELECT 1 FROM course JOIN worker ON worker.id = course.owner
        WHERE course.state <> 'done' AND worker.state = 'alive'
    ),
    EXISTS (SELECT 1 FROM url WHERE read_again),
    EXISTS (SELECT 1 FROM course WHERE needs_browser AND course.state = 'waiting')
        AND NOT EXISTS (SELECT 1 FROM worker WHERE state = 'alive' AND has_browser),
    (SELECT coalesce(min(name), '') FROM (
        SELECT name FROM worker WHERE state = 'alive' AND expires > clock_timestamp() + INTERVAL '{LEASE_SECONDS - 1} s'
        GROUP BY name HAVING count(*) > 1
    ) doubled)
FROM capture FOR UPDATE
"""

_READ_UNREADABLE = f"""
SELECT key FROM url WHERE read_again AND holder NOT IN (
    SELECT id FROM worker WHERE name IN (
        SELECT name FROM worker WHERE state = 'alive' OR expires > clock_timestamp() - {LEASE_SECONDS} * INTERVAL '1 s'
    )
) LIMIT {_ROWS_PER_READ}
"""


def merge_ledgers(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """How a host was treated by its worker, and by one that asked something of it while it was lent."""
    gaps = [gap for gap in (one["smallest_gap"], other["smallest_gap"]) if gap is not None]
    refusals = Counter(one["refusals"]) + Counter(other["refusals"])
    summed = ("requests", "overlapping", "too_early", "delays_omitted", "unproven")
    return {
        **one,
        **{name: one[name] + other[name] for name in summed},
        "greatest_concurrency": max(one["greatest_concurrency"], other["greatest_concurrency"]),
        "smallest_gap": min(gaps, default=None),
        "gaps": [mine + more for mine, more in zip(one["gaps"], other["gaps"], strict=True)],
        "delays": sorted([*one["delays"], *other["delays"]]),
        "refusals": dict(refusals),
    }


@dataclass(frozen=True, slots=True)
class ClusterState:
    """The capture of a cluster as it is now."""

    state: CaptureState
    reason: str
    changes: str
    seconds: float
    """Since it began, by the database's clock."""
    urls: int
    bytes: int
    in_flight: int
    workers: int
    lost_workers: int
    fenced: int
    """Fates that were not taken, as others had the hosts by then."""
    has_queue: bool
    has_owned: bool
    """Whether any worker has a host, or a site."""
    lacks_browser: bool = False
    """Whether sites wait for a browser, and no worker that takes part has one."""
    doubled_name: str = ""
    """By which several workers that were heard of in the last second are known, where that is so."""
    asked_again: int = 0
    """Pages that are asked for once more, as links of theirs count and the worker that has them is gone."""
    counts: dict[UrlOutcome, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusterTerms:
    """By what a capture goes."""

    plan: str
    taken_down: str
    """URLs that are not asked for, and why."""
    courses: Sequence[SiteCourse] = ()
    """The sites by which it goes, where it does."""
    needs_browser: bool = False
    """Whether these go to workers that have a browser."""
    shares_payloads: bool = False
    """Whether a worker refers to what another one holds, and does not store it once more."""


class ClusterCapture:
    """Looks after the one capture of a database."""

    def __init__(self, database: ClusterDatabase) -> None:
        self._database = database

    def begin(self, capture: str, terms: ClusterTerms, started_micros: int, batch: WorkerBatch, anew: bool) -> None:
        """Have a capture in the database, with what it begins with; refused while another is under way there."""
        prepare_schema(self._database, anew)

        def begin(database: ClusterDatabase) -> None:
            for other, state, version, program in database.rows(
                "SELECT id, state, schema_version, program FROM capture FOR UPDATE"
            ):
                if state != CaptureState.OVER and not anew:
                    check_version(version, program)
                    raise UsageError(
                        f"the database has capture {other[:8]} under way, of another plan or archive; go on with that "
                        "one, begin --new in its place, or use another database"
                    )
            database.change(EMPTY_TABLES)
            database.change(
                "INSERT INTO capture VALUES (TRUE, %s, %s, %s, %s, %s, to_timestamp(%s / 1000000.0), %s, '', '', "
                f"{TIMELINE}, 'epoch', %s)",
                (
                    SCHEMA_VERSION,
                    __version__,
                    capture,
                    terms.plan,
                    terms.taken_down,
                    started_micros,
                    CaptureState.RUNNING,
                    terms.shares_payloads,
                ),
            )
            self._write(database, batch)
            enter_courses(database, terms.courses, terms.needs_browser)

        self._database.transact(begin)

    def _write(self, database: ClusterDatabase, batch: WorkerBatch) -> None:
        writer = BatchWriter(database, _NOBODY)
        writer.enter_links(batch.links.values())
        writer.finish()

    def enter(self, batch: WorkerBatch) -> None:
        """Enter more of what was found."""
        self._database.transact(lambda database: self._write(database, batch))

    def find(self) -> tuple[str, CaptureState] | None:
        """The capture that the database has."""
        prepare_schema(self._database)
        rows = self._database.transact(lambda database: database.rows("SELECT id, state FROM capture"))
        return (str(rows[0][0]), CaptureState(rows[0][1])) if rows else None

    def resume(self) -> str:
        """Go on with the capture that is there; gives what was changed about its plan."""

        def resume(database: ClusterDatabase) -> str:
            ((state, changes, version, program),) = database.rows(
                "SELECT state, changes, schema_version, program FROM capture FOR UPDATE"
            )
            check_version(version, program)
            if state != CaptureState.OVER:
                database.change("UPDATE capture SET state = %s", (CaptureState.RUNNING,))
            return str(changes)

        return self._database.transact(resume)

    def shares_payloads(self) -> bool:
        """Whether workers of the capture that is there refer to what others hold."""
        return bool(
            self._database.transact(lambda database: database.rows("SELECT shares_payloads FROM capture"))[0][0]
        )

    def set_state(self, state: CaptureState, reason: str = "") -> None:
        """Say what is to go on with the capture; one that ends or is over stays so."""
        self._database.transact(
            lambda database: database.change(
                "UPDATE capture SET state = %s, reason = %s WHERE state NOT IN ('over', 'ending')", (state, reason)
            )
        )

    def set_changes(self, changes: str) -> None:
        """Say what is changed about the plan."""
        self._database.transact(lambda database: database.change("UPDATE capture SET changes = %s", (changes,)))

    def look(self) -> ClusterState:
        """How the capture is doing; workers that are lost lose their hosts, and one that is over is told to be so."""
        return self._database.transact(self._look)

    def _look(self, database: ClusterDatabase) -> ClusterState:
        note_timeline(database)
        reap_lost_workers(database)
        rows = database.rows(_READ_STATE)
        if not rows:
            raise UsageError("the capture is no longer in the database; somebody began another one in its place")
        ((state, reason, changes, *facts),) = rows
        seconds, urls, size, in_flight, workers, lost, fenced, has_queue, has_owned, *more = facts
        has_to_read, lacks_browser, doubled_name = more
        now = CaptureState(state)
        if now is CaptureState.ENDING and not has_owned:
            self._cut_rest(database, reason)
            now = CaptureState.OVER
        elif now in (CaptureState.RUNNING, CaptureState.ENDING) and not (has_queue or has_to_read):
            now = CaptureState.OVER
        asked_again = self._ask_again(database) if has_to_read and now is CaptureState.RUNNING else 0
        if now != state:
            database.change("UPDATE capture SET state = %s", (now,))
        tally = database.rows("SELECT outcome, sum(count) FROM tally GROUP BY outcome")
        counts = {OUTCOMES_BY_CODE[code]: int(count) for code, count in tally} or read_course_counts(database)
        return ClusterState(
            now,
            reason,
            changes,
            float(seconds),
            int(urls),
            int(size),
            int(in_flight),
            int(workers),
            int(lost),
            int(fenced),
            has_queue,
            has_owned,
            lacks_browser,
            doubled_name,
            asked_again,
            {outcome: counts.get(outcome, 0) for outcome in UrlOutcome},
        )

    def read_shown(self) -> dict[str, list[dict[str, Any]]]:
        """Some hosts that are asked now, and what could not be had, for people who watch."""
        return self._database.transact(read_shown)

    def _ask_again(self, database: ClusterDatabase) -> int:
        """Have pages asked for whose links are to be entered again and whose worker is gone; gives how many."""
        keys = [key for (key,) in database.rows(_READ_UNREADABLE)]
        writer = BatchWriter(database, _NOBODY)
        writer.note_read({}, keys)
        writer.finish()
        return len(keys)

    def _cut_rest(self, database: ClusterDatabase, reason: str) -> None:
        """Cut what is left, as nothing more is asked for."""
        cut_waiting_courses(database, reason)
        cut = CODES_BY_OUTCOME[UrlOutcome.CUT]
        count = database.change(f"UPDATE url SET outcome = %s, reason = %s WHERE outcome = {_QUEUED}", (cut, reason))
        for outcome, more in ((cut, count), (_QUEUED, -count)) if count else ():
            database.change(
                "INSERT INTO tally VALUES (%s, %s, %s) ON CONFLICT (worker, outcome) "
                "DO UPDATE SET count = tally.count + excluded.count",
                (_NOBODY, outcome, more),
            )

    def _read_targets(self, after: str) -> list[tuple[Any, ...]]:
        return self._database.transact(lambda database: database.rows(_READ_TARGETS, (after, after)))

    def enter_robots_targets(self) -> None:
        """Enter where robots.txt files had moved to, unless it was found otherwise too."""
        last = ""
        while rows := self._read_targets(last):
            links: dict[bytes, LinkRow] = {}
            for name, text in rows:
                url = str(name).removeprefix(ROBOTS_TARGET_PREFIX)
                host, group, via, facts, outcome, reason = json.loads(text)
                key = hash_url(url)
                # Of what several workers found there the better one holds: what is stored has the smallest code.
                if key not in links or outcome < links[key].outcome:
                    links[key] = LinkRow(key, url, host, group, 0, bytes.fromhex(via), facts, outcome, reason)
            self.enter(WorkerBatch(links=links))
            last = str(rows[-1][0])

    # ---- what became of URLs ----

    def fates(self) -> Iterator[Fate]:
        """What became of every URL, in the order in which they were found."""
        sql = f"""
        SELECT url.serial, url.url, url.outcome, url.reason, coalesce(source.url, '')
        FROM url LEFT JOIN url source ON source.key = url.via
        WHERE url.serial > %s ORDER BY url.serial LIMIT {_ROWS_PER_READ}
        """
        for _, url, code, reason, via in self._read_in_parts(sql):
            yield Fate(url, OUTCOMES_BY_CODE[code], reason, via)

    def candidates_with(self, outcome: UrlOutcome) -> Iterator[Candidate]:
        """The URLs of one outcome, in the order in which they were found; by whom they were led to is left out."""
        sql = f"""
        SELECT serial, url, host, rank, facts FROM url WHERE serial > %s AND outcome = {CODES_BY_OUTCOME[outcome]}
        ORDER BY serial LIMIT {_ROWS_PER_READ}
        """
        for serial, url, host, rank, facts in self._read_in_parts(sql):
            yield unpack_candidate(serial, url, host, rank, 0, facts)

    def _read_in_parts(self, sql: str) -> Iterator[tuple[Any, ...]]:
        last = 0
        while rows := self._database.transact(lambda database, after=last: database.rows(sql, (after,))):  # type: ignore[misc]
            yield from rows
            last = rows[-1][0]

    def trail(self, url: str, most: int = MAX_TRAIL_STEPS) -> list[Fate]:
        """The fate of a URL, then of the one that led to it, and so on to a seed."""
        sql = """
        SELECT url.url, url.outcome, url.reason, coalesce(source.url, ''), url.via
        FROM url LEFT JOIN url source ON source.key = url.via WHERE url.key = %s
        """

        def read(database: ClusterDatabase) -> list[Fate]:
            found: list[Fate] = []
            key = hash_url(url)
            while len(found) < most and (rows := database.rows(sql, (key,))):
                ((known, code, reason, via, key),) = rows
                found.append(Fate(known, OUTCOMES_BY_CODE[code], reason, via))
            return found

        return self._database.transact(read)

    def courses(self) -> list[CourseSummary]:
        """What came of sites, where the capture goes by these."""
        return self._database.transact(read_courses)

    def repeated_payloads(self) -> RepeatedPayloads:
        """What more than one worker holds, where it is large."""
        return self._database.transact(count_repeated)

    def count_fates(self) -> dict[UrlOutcome, int]:
        """URLs by what became of them."""
        return self._database.transact(read_fate_counts)

    def ledgers(self) -> dict[str, Any]:
        """How every host was treated by all workers, and every name of several hosts."""
        found: dict[str, Any] = {}
        for prefix in ("host ", "name "):
            for name, text in self._texts(prefix):
                ledger, key = json.loads(text)["ledger"], name.removeprefix(prefix)
                if ledger is not None:
                    found[key] = merge_ledgers(found[key], ledger) if key in found else ledger
        return found

    def trap_texts(self) -> list[tuple[str, str]]:
        """What all workers together left out, by kind of URL."""
        sums: dict[str, tuple[int, int]] = {}
        for name, text in self._texts("trap "):
            asked, _, left_out = text.partition(" ")
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + int(asked), before[1] + int(left_out))
        return [(name, f"{asked} {left_out}") for name, (asked, left_out) in sums.items()]

    def _texts(self, prefix: str) -> list[tuple[str, str]]:
        sql = "SELECT name, text FROM host_text WHERE starts_with(name, %s) ORDER BY name"
        return [
            (str(name), str(text))
            for name, text in self._database.transact(lambda database: database.rows(sql, (prefix,)))
        ]
