"""The scribe: takes what lies on the desk into the archive, in a thread of its own.

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
from webkeep.model import BytesBody, Clock, Digest, Exchange, Moment
from webkeep.recorder.desk import Desk, Pieces, Record, Task
from webkeep.recorder.limits import Budget, Limits
from webkeep.recorder.memory import Memory
from webkeep.recorder.message import request_head, response_head
from webkeep.recorder.rules import Rules
from webkeep.recorder.spool import Spool
from webkeep.recorder.tally import Count, Tally
from webkeep.redaction import Redactor
from webkeep.store.acknowledgement import Acknowledgement
from webkeep.store.served_history import MIDDLEWARE
from webkeep.store.writable import OpenCapture, WritableArchive
from webkeep.url import surt

_LOG = logging.getLogger("webkeep.recorder")


@dataclass(frozen=True, slots=True)
class _Session:
    """The archive while it is open, and the capture that is under way in it."""

    archive: WritableArchive
    capture: OpenCapture


class Scribe:
    """Writes records into an archive that it opens when there is something to write."""

    def __init__(
        self, path: Path, rules: Rules, limits: Limits, clock: Clock, tally: Tally, memory: Memory, held: Budget
    ) -> None:
        self._path = path
        self._rules = rules
        self._retry = limits.retry
        self._redactor = Redactor()
        self._clock = clock
        self._tally = tally
        self._memory = memory
        self._held = held
        self._session: _Session | None = None
        self._failed_at: Moment | None = None
        self._is_told = False

    def write_all(self, desk: Desk) -> None:
        """Write what comes until the desk is closed and empty, then end the capture."""
        while tasks := desk.take():
            for task in tasks:
                try:
                    self._write(task)
                except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
                    self._fail(task, error)
            del task, tasks  # what they hold is not to be held until the next ones come
        self._close()

    def _write(self, task: Task) -> None:
        if self._session is not None and not self._session.archive.layout.settings.exists():
            self._miss(self._session)
        session = self._session or self._opened()
        if session is None:
            self._fail(task)
        elif isinstance(task, Pieces):
            if not task.spool.failed:
                task.spool.write(task.chunks, session.archive.layout.jobs)
            self._held.give(task.held)
        elif task.spool is not None and task.spool.failed:
            self._fail(task)
        else:
            self._record(task, session)

    def _record(self, record: Record, session: _Session) -> None:
        exchange = self._exchange(record)
        count = self._known(record, exchange, session.archive) if record.is_news else None
        if count is not None:
            self._tally.add(count)
            self._held.give(record.held)
            return
        try:
            acknowledgement = session.capture.submit(exchange)
        except Exception:
            self._lose(session.archive)
            raise
        acknowledgement.add_done_callback(partial(self._settle, record))

    def _exchange(self, record: Record) -> Exchange:
        url = record.request.url(self._rules.origin) or ""
        body = BytesBody(b"".join(record.chunks)) if record.spool is None else _Spooled(record.spool, record.chunks)
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

    def _known(self, record: Record, exchange: Exchange, archive: WritableArchive) -> Count | None:
        """What becomes of an answer that the archive settles: it holds the same already, or never held a good one."""
        latest = archive.index.latest(surt(exchange.url), exchange.url, record.moment)
        if latest is None:
            return Count.LEFT_OUT if record.answer.status >= 400 and not self._rules.errors else None
        # Where a redirect leads is not in its body.
        if latest.status != record.answer.status or 300 <= record.answer.status < 400 or record.truncated:
            return None
        is_same = latest.digest == str(Digest.of("sha1", exchange.body.chunks()))
        return Count.UNCHANGED if is_same else None

    def _settle(self, record: Record, acknowledgement: Acknowledgement) -> None:
        """The archive has written a record, or has not."""
        try:
            acknowledgement.written  # noqa: B018 - it raises what went wrong
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._fail(record, error)
            return
        self._held.give(record.held)
        self._tally.add(Count.RECORDED)
        if self._is_told:
            self._is_told = False
            _LOG.info("%s: answers are recorded again", self._path)

    def _fail(self, task: Task, error: Exception | None = None) -> None:
        self._held.give(task.held)
        if isinstance(task, Pieces):
            task.spool.failed = True
        else:
            self._memory.forget(task.key, task.remembered)
            self._tally.add(Count.FAILED)
        if error is not None:
            self._tell(error)

    def _tell(self, error: Exception) -> None:
        if not self._is_told:
            self._is_told = True
            _LOG.error("answers are not recorded for now, and counted as failed: %s", error)

    def _opened(self) -> _Session | None:
        """The archive, unless it failed or was refused a short while ago."""
        if self._failed_at is not None and self._clock.now().seconds_since(self._failed_at) < self._retry:
            return None
        archive = None
        try:
            archive = WritableArchive.open_or_create(self._path, self._clock)
            if self._rules.credentials or self._rules.private:
                archive.make_private()
            gap = {"gap": str(self._rules.gap)} if self._rules.gap else {}
            self._session = _Session(archive, archive.begin("record", facts={**MIDDLEWARE, **gap}))
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._lose(archive)
            self._tell(error)
        return self._session

    def _miss(self, session: _Session) -> None:
        """The archive was deleted: whatever it held is to be recorded again, once there is another one."""
        self._tell(StorageError(f"{self._path} is there no more; a new archive is made after a while"))
        self._lose(session.archive)
        self._memory.forget_all()

    def _lose(self, archive: WritableArchive | None) -> None:
        self._session = None
        self._failed_at = self._clock.now()
        if archive is not None:
            try:
                archive.close()
            except Exception as error:  # noqa: BLE001 - it is told as what it is: an archive that failed
                self._tell(error)

    def _close(self) -> None:
        session = self._session
        if session is None:
            return
        try:
            session.archive.writer.flush()
            counts = self._tally.counts()
            session.capture.end({f"answers-{count}": str(number) for count, number in counts.items()})
            session.archive.close()
        except Exception as error:  # noqa: BLE001 - whatever it is, the application goes on
            self._tell(error)
            self._lose(session.archive)


class _Spooled:
    """A body of which a part is spooled and the rest is held."""

    def __init__(self, spool: Spool, rest: list[bytes]) -> None:
        self._spool = spool
        self._rest = b"".join(rest)
        self.size = spool.size + len(self._rest)

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on."""
        rest = self._rest[max(0, start - self._spool.size) :]
        return chain(self._spool.chunks(start), (rest,) if rest else ())
