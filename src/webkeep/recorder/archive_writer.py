"""The archive writer: takes what is in the queue into the archive, in a thread of its own; when the archive is opened,
given up and tried again, and which answers it holds already and are not written.

Whatever goes wrong with the archive is told once, counted, and tried again after a while; the application never hears
of it. An archive has one writer, so a second worker process on the same archive is refused until the first one ends.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.formats.status import is_error, is_redirection
from webkeep.model import BytesBody, CaptureKind, Clock, Digest, Exchange, Moment
from webkeep.recorder.app_message import request_head, response_head
from webkeep.recorder.body_spool import BodySpool
from webkeep.recorder.counters import OutcomeCounters, RecordingOutcome
from webkeep.recorder.limits import ByteBudget
from webkeep.recorder.recent_responses import RecentResponses
from webkeep.recorder.record_queue import PendingRecord, QueueItem, RecordQueue, SpoolChunks
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.redaction import Redactor
from webkeep.store.archive import OpenCapture, WritableArchive
from webkeep.store.views import MIDDLEWARE_FACTS
from webkeep.store.writing import Acknowledgement
from webkeep.url import surt

_LOG = logging.getLogger("webkeep.recorder")


@dataclass(frozen=True, slots=True)
class _OpenArchive:
    """The archive while it is open, and the capture that is under way in it."""

    archive: WritableArchive
    capture: OpenCapture


@dataclass(frozen=True, slots=True)
class RecorderBooks:
    """What is known of responses while they pass, and after they were written."""

    counters: OutcomeCounters
    recent: RecentResponses
    memory_budget: ByteBudget


class ServedResponseWriter:
    """Writes records into an archive that it opens when there is something to write."""

    def __init__(
        self,
        path: Path,
        rules: RecorderRules,
        retry_seconds: float,
        clock: Clock,
        books: RecorderBooks,
    ) -> None:
        """An archive that failed is tried again after so many seconds."""
        self._path = path
        self._rules = rules
        self._retry = retry_seconds
        self._redactor = Redactor()
        self._clock = clock
        self._counters, self._recent, self._memory_budget = books.counters, books.recent, books.memory_budget
        self._session: _OpenArchive | None = None
        self._failed_at: Moment | None = None
        self._is_failure_logged = False

    def write_all(self, queue: RecordQueue) -> None:
        """Write what comes until the queue is closed and empty, then end the capture."""
        while tasks := queue.take():
            for task in tasks:
                try:
                    self._write(task)
                except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
                    self._fail(task, error)
            del task, tasks  # what they hold is not to be held until the next ones come
        self._end_capture()

    def _write(self, task: QueueItem) -> None:
        if self._session is not None and not self._session.archive.layout.settings.exists():
            self._handle_deleted_archive(self._session)
        session = self._session or self._open_archive()
        if session is None:
            self._fail(task)
        elif isinstance(task, SpoolChunks):
            if not task.spool.has_failed:
                task.spool.write(task.chunks, session.archive.layout.jobs)
            self._memory_budget.give(task.held_bytes)
        elif task.spool is not None and task.spool.has_failed:
            self._fail(task)
        else:
            self._submit_record(task, session)

    def _submit_record(self, record: PendingRecord, session: _OpenArchive) -> None:
        exchange = self._build_exchange(record)
        count = self._outcome_if_held(record, exchange, session.archive) if record.is_unknown_url else None
        if count is not None:
            self._counters.add(count)
            self._memory_budget.give(record.held_bytes)
            return
        try:
            acknowledgement = session.capture.submit(exchange)
        except Exception:
            self._abandon_archive(session.archive)
            raise
        acknowledgement.add_done_callback(partial(self._on_acknowledged, record))

    def _build_exchange(self, record: PendingRecord) -> Exchange:
        url = record.request.url(self._rules.origin) or ""
        body = BytesBody(b"".join(record.chunks)) if record.spool is None else _SpooledBody(record.spool, record.chunks)
        exchange = Exchange(
            url,
            record.moment,
            response_head(record.answer),
            body,
            request_head(record.request, record.answer, self._rules),
            protocols=(record.request.protocol,),
            truncated=record.truncated,
        )
        return self._redactor.redact(exchange).exchange

    def _outcome_if_held(
        self, record: PendingRecord, exchange: Exchange, archive: WritableArchive
    ) -> RecordingOutcome | None:
        """What becomes of an answer that the archive settles: it holds the same already, or never held a good one."""
        latest = archive.index.latest_before(surt(exchange.url), exchange.url, record.moment)
        if latest is None:
            return RecordingOutcome.LEFT_OUT if is_error(record.answer.status) and not self._rules.errors else None
        # Where a redirect leads is not in its body.
        if latest.status != record.answer.status or is_redirection(record.answer.status) or record.truncated:
            return None
        is_same = latest.digest == str(Digest.from_chunks("sha1", exchange.body.chunks()))
        return RecordingOutcome.UNCHANGED if is_same else None

    def _on_acknowledged(self, record: PendingRecord, acknowledgement: Acknowledgement) -> None:
        """The archive has written a record, or has not."""
        try:
            acknowledgement.written  # noqa: B018 - it raises what went wrong
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._fail(record, error)
            return
        self._memory_budget.give(record.held_bytes)
        self._counters.add(RecordingOutcome.RECORDED)
        if self._is_failure_logged:
            self._is_failure_logged = False
            _LOG.info("%s: responses are recorded again", self._path)

    def _fail(self, task: QueueItem, error: Exception | None = None) -> None:
        self._memory_budget.give(task.held_bytes)
        if isinstance(task, SpoolChunks):
            task.spool.fail()
        else:
            self._recent.forget(task.key, task.response)
            self._counters.add(RecordingOutcome.FAILED)
        if error is not None:
            self._log_once(error)

    def _log_once(self, error: Exception) -> None:
        if not self._is_failure_logged:
            self._is_failure_logged = True
            _LOG.error("responses are not recorded for now, and counted as failed: %s", error)

    def _open_archive(self) -> _OpenArchive | None:
        """The archive, unless it failed or was refused a short while ago."""
        if self._failed_at is not None and self._clock.now().seconds_since(self._failed_at) < self._retry:
            return None
        archive = None
        try:
            archive = WritableArchive.open_or_create(self._path, self._clock)
            if self._rules.credentials or self._rules.private:
                archive.make_private()
            gap = {"gap": str(self._rules.gap)} if self._rules.gap else {}
            self._session = _OpenArchive(archive, archive.begin(CaptureKind.RECORD, facts={**MIDDLEWARE_FACTS, **gap}))
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._abandon_archive(archive)
            self._log_once(error)
        return self._session

    def _handle_deleted_archive(self, session: _OpenArchive) -> None:
        """The archive was deleted: whatever it held is to be recorded again, once there is another one."""
        self._log_once(StorageError(f"{self._path} is there no more; a new archive is made after a while"))
        self._abandon_archive(session.archive)
        self._recent.forget_all()

    def _abandon_archive(self, archive: WritableArchive | None) -> None:
        self._session = None
        self._failed_at = self._clock.now()
        if archive is not None:
            try:
                archive.close()
            except Exception as error:  # noqa: BLE001 - it is told as what it is: an archive that failed
                self._log_once(error)

    def _end_capture(self) -> None:
        session = self._session
        if session is None:
            return
        try:
            session.archive.writer.flush()
            counts = self._counters.counts()
            session.capture.end({f"answers-{count}": str(number) for count, number in counts.items()})
            session.archive.close()
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._log_once(error)
            self._abandon_archive(session.archive)


class _SpooledBody:
    """A body of which a part is spooled and the rest is held."""

    def __init__(self, spool: BodySpool, rest: list[bytes]) -> None:
        self._spool = spool
        self._rest = b"".join(rest)
        self.size = spool.size + len(self._rest)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        rest = self._rest[max(0, start - self._spool.size) :]
        return chain(self._spool.chunks(start), (rest,) if rest else ())
