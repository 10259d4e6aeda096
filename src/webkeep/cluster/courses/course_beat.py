"""How a worker stays in touch with the database while it carries a course out: a thread that prolongs its lease, tells
how the course is doing, and hands on what is said about the capture.

Theory of operation. The course itself is a capture like any other, in the main thread. It asks nothing of a host that
it does not have by a lock of the database, and nothing at all once its lease has ended here, which is some time before
it ends there (see `group_leases`). What people say to the capture as a whole goes to the course as words for its job.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from webkeep.cluster.courses.site_courses import SiteCourse
from webkeep.cluster.database_clock import steady_micros
from webkeep.cluster.group_leases import GroupLeases
from webkeep.cluster.store.cluster_database import ClusterGoneError, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState
from webkeep.cluster.store.course_rows import CourseExchange, CourseNews
from webkeep.crawl.plan import CapturePlan
from webkeep.crawl.run import CaptureProgress, ControlChannel, ControlCommand, ControlMessage, restore_changes

_BEAT_SECONDS = 0.5
"""So often it is in touch."""


class CourseBeat:
    """In touch for one course; its block lasts as long as that."""

    def __init__(
        self, exchange: CourseExchange, course: SiteCourse, plan: CapturePlan, stop: Callable[[], object]
    ) -> None:
        """`stop` has the course stop, and once more, let go of what is under way."""
        self._exchange, self._course, self._stop = exchange, course, stop
        self._original_plan = self._plan = plan
        self._leases = GroupLeases()
        self._progress: CaptureProgress | None = None
        self._channel: ControlChannel | None = None
        self._reason = ""
        self._is_paused = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webkeep course", daemon=True)
        self.has_stopped = False
        """Whether it had the course stop, and not the person before this worker."""
        self.is_lost = False
        """Whether the course is another worker's now."""
        self.failure: BaseException | None = None

    def __enter__(self) -> CourseBeat:
        self._beat()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._thread.join()

    # ---- what the course is told, in its thread ----

    def may_send(self) -> bool:
        """Whether a request may go out that is about to."""
        return self._leases.may_send()

    def limit_reached(self) -> str:
        """Which limit of all courses together was reached."""
        return self._reason

    def note_progress(self, progress: CaptureProgress) -> None:
        """How the course is doing."""
        self._progress = progress

    def note_started(self, channel: ControlChannel) -> None:
        """The course was begun, and hears words here."""
        self._channel = channel

    # ---- the thread ----

    def _run(self) -> None:
        try:
            while not self._ending.wait(_BEAT_SECONDS):
                try:
                    self._beat()
                except ClusterGoneError:
                    if not self._leases.is_valid:
                        self._have_stop()
        except LeaseLostError:
            self.is_lost = True
            self._have_stop()
            self._stop()
        except BaseException as error:  # noqa: BLE001 - raised where the course has ended
            self.failure = error
            self._have_stop()

    def _beat(self) -> None:
        asked_at, progress = steady_micros(), self._progress
        counts = {} if progress is None else progress.counts
        size, in_flight = (0, 0) if progress is None else (progress.bytes, progress.in_flight)
        news = self._exchange.tell(self._course, counts, size, in_flight)
        self._leases.prolong(asked_at)
        self._follow(news)

    def _have_stop(self) -> None:
        if not self.has_stopped:
            self.has_stopped = True
            self._stop()

    def _follow(self, news: CourseNews) -> None:
        if news.state is CaptureState.STOPPED:
            self._have_stop()
        if news.state is CaptureState.ENDING:
            self._reason = news.reason
        if self._channel is None:
            return
        is_paused = news.state is CaptureState.PAUSED
        if is_paused != self._is_paused:
            self._is_paused = is_paused
            self._send(ControlCommand.PAUSE if is_paused else ControlCommand.RESUME)
        plan = restore_changes(self._original_plan, json.loads(news.changes or "{}"))
        if plan != self._plan:
            self._send(ControlCommand.SET, _changes_between(self._plan, plan))
            self._plan = plan

    def _send(self, command: ControlCommand, values: dict[str, Any] | None = None) -> None:
        assert self._channel is not None
        with suppress(FileNotFoundError):  # the course has just ended
            self._channel.send(ControlMessage(command, values or {}))


def _changes_between(before: CapturePlan, now: CapturePlan) -> dict[str, Any]:
    """What a capture is told so that its plan is as it is now."""
    added = [rule for rule in now.rules if rule not in before.rules]
    told: dict[str, Any] = {
        "drop": [rule for rule in before.rules if rule not in now.rules],
        "include": [rule[1:] for rule in added if rule.startswith("+")],
        "exclude": [rule[1:] for rule in added if rule.startswith("-")],
    }
    if now.delay != before.delay:
        told["delay"] = now.delay
    return told
