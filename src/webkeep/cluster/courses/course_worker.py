"""A worker of a capture that goes by sites: takes one course after the other, and carries each out as a capture into
its own archive.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg

from webkeep.cluster.courses.course_beat import CourseBeat
from webkeep.cluster.courses.site_courses import SiteCourse, course_plan
from webkeep.cluster.store.cluster_database import ClusterDatabase, ClusterGoneError, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState
from webkeep.cluster.store.course_rows import CONNECTION_NAME, CourseExchange
from webkeep.cluster.store.held_payloads import enter_payloads, large_payloads
from webkeep.cluster.store.schema import SCHEMA_NAME
from webkeep.crawl import CaptureResult, CertifyCapture, capture_part
from webkeep.crawl.run import ControlChannel, LargerCapture, fates_of
from webkeep.errors import StorageError
from webkeep.model import UrlOutcome
from webkeep.process import RunLoop, StopSwitch, current_stop_switch, stop_on_interrupt, use_stop_switch
from webkeep.store.jobs import job_path

if TYPE_CHECKING:
    from webkeep.cluster.store.capture_joining import JoinedCapture
    from webkeep.crawl.plan import CapturePlan
    from webkeep.crawl.run import CaptureObserver, CaptureProgress
    from webkeep.frontier.urls import Candidate
    from webkeep.store.archive import WritableArchive

_POLL_SECONDS = 1.0
"""So often it is looked for a course where there is none for now."""
_MAX_FAILURES_TOLD = 20
"""Pages that could not be run are handed on by name up to this number."""


@dataclass(frozen=True, slots=True)
class CourseMember:
    """Who takes part, and where."""

    address: str
    """Of the database."""
    name: str
    has_browser: bool
    certify: CertifyCapture | None = None


@dataclass(slots=True)
class CoursesEnd:
    """What a session by sites came to."""

    state: CaptureState = CaptureState.RUNNING
    is_told_to_stop: bool = False
    is_lost: bool = False
    counts: Counter[UrlOutcome] = field(default_factory=Counter)
    bytes: int = 0


class _CourseObserver:
    """Hands on, and has whoever is in touch with the database know how the course is doing."""

    def __init__(self, observer: CaptureObserver, archive: WritableArchive, beat: CourseBeat) -> None:
        self._observer, self._archive, self._beat = observer, archive, beat

    def on_started(self, capture: str, resumed: bool) -> None:  # noqa: ARG002 - the whole was begun, of which it is a part
        """The course was begun, or is gone on with."""
        # Its record may be on its way to the disk; its folder is there.
        self._beat.note_started(ControlChannel(job_path(self._archive, capture)))

    def on_settled(self, candidate: Candidate, outcome: UrlOutcome, reason: str, status: int) -> None:
        """A candidate has come to its end."""
        self._observer.on_settled(candidate, outcome, reason, status)

    def on_note(self, text: str) -> None:
        """Something that a person should know."""
        self._observer.on_note(text)

    def on_progress(self, progress: CaptureProgress) -> None:
        """How it is doing now."""
        self._beat.note_progress(progress)
        self._observer.on_progress(progress)


class CourseWorker:
    """Takes part in one session."""

    def __init__(
        self, database: ClusterDatabase, archive: WritableArchive, observer: CaptureObserver, member: CourseMember
    ) -> None:
        self._database, self._archive, self._observer = database, archive, observer
        self._member = member
        self._end = CoursesEnd()
        self._is_told_waiting = False

    def run(self, joined: JoinedCapture, plan: CapturePlan) -> CoursesEnd:
        """Carry courses out until there is none left, or somebody says stop."""
        exchange = CourseExchange(self._database, joined.worker, self._member.name, self._member.has_browser)
        try:
            while self._take_next(exchange, joined, plan):
                pass
            if self._end.state is CaptureState.OVER:
                enter_payloads(self._database, joined.worker, large_payloads(self._archive))
            exchange.leave()
        except LeaseLostError as error:
            self._end.is_lost = True
            self._observer.on_note(f"{error}; taking part anew")
        except ClusterGoneError as error:
            self._end.is_lost = True
            self._observer.on_note(f"{error}; taking part anew when it is back")
        return self._end

    def _take_next(self, exchange: CourseExchange, joined: JoinedCapture, plan: CapturePlan) -> bool:
        """Carry the next course out; gives whether to go on."""
        news = exchange.look()
        self._end.state = news.state
        if news.state in (CaptureState.OVER, CaptureState.STOPPED):
            return False
        course = exchange.claim() if news.state is CaptureState.RUNNING else None
        if course is None:
            return self._wait()
        self._is_told_waiting = False
        address = _turns_address(self._member.address, course.number)
        return self._carry_out(exchange, course, course_plan(plan, course, joined.capture, address))

    def _wait(self) -> bool:
        """Wait a little, with an ear for signals; gives whether to go on."""
        if not self._is_told_waiting:
            self._is_told_waiting = True
            self._observer.on_note("no site is left for this worker for now; waiting for one, or for the end")

        async def wait() -> bool:
            loop = RunLoop()
            with stop_on_interrupt(loop, self._observer.on_note):
                await loop.wait(_POLL_SECONDS)
            return loop.is_stopping

        self._end.is_told_to_stop = asyncio.run(wait())
        return not self._end.is_told_to_stop

    def _carry_out(self, exchange: CourseExchange, course: SiteCourse, plan: CapturePlan) -> bool:
        switch = StopSwitch()
        beat = CourseBeat(exchange, course, plan, switch.press)
        with beat, current_stop_switch().connect(switch.press), use_stop_switch(switch):
            result = self._capture(plan, beat)
        if beat.failure is not None:
            raise beat.failure
        if beat.is_lost:
            raise LeaseLostError(f"this worker was not heard of for too long, and {course.site} is another one's now")
        if result is not None and result.finished:
            self._bring_in(exchange, course, result)
            return True
        self._end.is_told_to_stop = switch.is_pressed and not beat.has_stopped
        if not self._end.is_told_to_stop:
            self._end.state = exchange.look().state
        return not self._end.is_told_to_stop and self._end.state is not CaptureState.STOPPED

    def _capture(self, plan: CapturePlan, beat: CourseBeat) -> CaptureResult | None:
        """Carry a course out, or go on with it; None where the database was gone meanwhile."""
        observer = _CourseObserver(self._observer, self._archive, beat)
        larger = LargerCapture(beat.may_send, beat.limit_reached)
        try:
            return capture_part(plan, self._archive, observer, self._member.certify, larger)
        except StorageError as error:
            # Of the database by which turns are taken; a disk that is full ends this worker.
            if not isinstance(error.__cause__, psycopg.Error):
                raise
            self._observer.on_note(f"{error}; going on when it is back")
            return None

    def _bring_in(self, exchange: CourseExchange, course: SiteCourse, result: CaptureResult) -> None:
        exchange.bring_in(fates_of(self._archive, result.capture))
        exchange.end(course, result.capture, result.hosts, _report_of(result))
        self._end.counts.update(result.counts)
        self._end.bytes += result.bytes


def _turns_address(address: str, number: int) -> str:
    """The address at which a course takes turns at hosts: a connection of its own, among the tables of the cluster."""
    words = [f"application_name={quote(f'{CONNECTION_NAME} {number}')}"]
    if "options=" not in address:
        words.append(f"options={quote(f'-c search_path={SCHEMA_NAME}')}")
    return f"{address}{'&' if '?' in address else '?'}{'&'.join(words)}"


def _report_of(result: CaptureResult) -> dict[str, object]:
    """What is told of a course beside its fates and ledgers."""
    browsed: dict[str, object] | None = None
    if result.browsed is not None:
        failures = dict(islice(result.browsed.failures.items(), _MAX_FAILURES_TOLD))
        browsed = {**asdict(result.browsed), "tiers": None, "failures": failures}
    return {"missed": result.missed, "not_seen_again": result.not_seen_again, "browsed": browsed}
