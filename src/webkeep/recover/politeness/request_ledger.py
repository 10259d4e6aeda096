"""The ledger: every request to a repository with a limit is booked here before it is sent, by all processes of a user;
how long a booking counts, and for how long a repository that refuses is left alone.

A booking counts until the window of its limit has passed since the request was *over*, not since it was sent: it
reached the repository at some time in between, and so never more than the limit reach it in any window, however long
each was on its way. One whose process died counts as if it had taken as long as it might.

Times are those of a clock that starts with the machine and cannot be set. What was booked before a restart is placed
by the clock on the wall, and in any case before the restart.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from webkeep.errors import StorageError
from webkeep.frontier.hosts import exponential_backoff
from webkeep.recover.politeness.rate_limits import MAX_WINDOW_SECONDS, RateLimit, RepositoryPoliteness
from webkeep.store.index import SqlRow, as_integer

# The time that a ledger goes by: one that no change of the clock on the wall can move.

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class LedgerInstant:
    """One moment by two clocks, in microseconds."""

    boot: str
    """Which start of the machine the steady clock counts from."""
    steady: int
    """Since that start, sleep included; the same for all processes."""
    wall: int
    """Since 1970, by a clock that may be set."""


class LedgerClock(Protocol):
    """Tells the present instant."""

    def now(self) -> LedgerInstant:
        """The present instant."""
        ...


class LedgerMachineClock:
    """The clocks of this machine."""

    def now(self) -> LedgerInstant:
        """The present instant."""
        return LedgerInstant(_boot_id(), time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000, time.time_ns() // 1000)


@lru_cache(1)
def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:  # then a restart is not noticed, and the steady clock begins again
        return ""


_SECOND_MICROS = 1_000_000
_MAX_REST_MICROS = 7 * 86400 * _SECOND_MICROS
"""No repository means longer than a week, whatever it writes."""
_RECHECK_MICROS = _SECOND_MICROS // 20
"""How often those without a limit look whether another process was turned away."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS booking (
    number INTEGER PRIMARY KEY,
    pool TEXT NOT NULL,
    boot TEXT NOT NULL,
    over INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    running INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS booking_by_pool ON booking (pool, over);
CREATE TABLE IF NOT EXISTS rest (
    pool TEXT PRIMARY KEY,
    boot TEXT NOT NULL,
    until INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    strikes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class RequestBooking:
    """A request may be sent now."""

    number: int
    """0 where it need not be booked."""


@dataclass(frozen=True, slots=True)
class LedgerWait:
    """No request may be sent for so many seconds at least."""

    seconds: float
    is_refusal: bool = False
    """Whether the repository itself said so."""


_UNBOOKED = RequestBooking(0)


class RequestLedger:
    """Bookings of requests, shared by all processes that open the same file."""

    def __init__(self, path: Path, clock: LedgerClock | None = None) -> None:
        self._path = path
        self._clock = clock or LedgerMachineClock()
        self._checked_at: dict[str, int] = {}
        with self._raise_storage_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_SCHEMA)

    def book_request(self, politeness: RepositoryPoliteness, longest: float) -> RequestBooking | LedgerWait:
        """Book a request that takes `longest` seconds at most, or tell how long to wait before asking again."""
        now = self._clock.now()
        if not politeness.is_limited:
            return self._book_unlimited(politeness.pool, now)
        with self._transaction() as connection:
            self._rebase_bookings(now)
            wait = self._rest_wait(politeness.pool, now) or self._limit_wait(politeness, now)
            if wait is not None:
                return wait
            over = round(longest * _SECOND_MICROS)
            cursor = connection.execute(
                "INSERT INTO booking (pool, boot, over, wall, running) VALUES (?,?,?,?,1)",
                (politeness.pool, now.boot, now.steady + over, now.wall + over),
            )
            return RequestBooking(cursor.lastrowid or 0)

    def _book_unlimited(self, pool: str, now: LedgerInstant) -> RequestBooking | LedgerWait:
        if now.steady - self._checked_at.get(pool, -_RECHECK_MICROS) < _RECHECK_MICROS:
            return _UNBOOKED
        wait = self._rest_wait(pool, now)
        if wait is None:
            self._checked_at[pool] = now.steady
        return wait or _UNBOOKED

    def finish_request(self, booked: RequestBooking) -> None:
        """Note that a request is over."""
        if booked.number:
            now = self._clock.now()
            with self._transaction() as connection:
                connection.execute(
                    "UPDATE booking SET boot = ?, over = ?, wall = ?, running = 0 WHERE number = ?",
                    (now.boot, now.steady, now.wall, booked.number),
                )

    def record_refusal(self, politeness: RepositoryPoliteness, seconds: float | None) -> float:
        """Leave a pool alone for as long as its repository said, or for longer each time; gives the seconds."""
        now = self._clock.now()
        with self._transaction() as connection:
            row = connection.execute("SELECT strikes FROM rest WHERE pool = ?", (politeness.pool,)).fetchone()
            strikes = int(row[0]) if row else 0
            given = exponential_backoff(politeness.rest_seconds, strikes) if seconds is None else seconds
            micros = min(max(round(given * _SECOND_MICROS), 0), _MAX_REST_MICROS)
            self._checked_at.pop(politeness.pool, None)
            # Another process may have been told a later time; that one holds.
            connection.execute(
                "INSERT INTO rest VALUES (?,?,?,?,?) ON CONFLICT (pool) DO UPDATE SET strikes = excluded.strikes, "
                "until = iif(boot = excluded.boot, max(until, excluded.until), excluded.until), "
                "wall = iif(boot = excluded.boot, max(wall, excluded.wall), excluded.wall), boot = excluded.boot",
                (politeness.pool, now.boot, now.steady + micros, now.wall + micros, strikes + 1),
            )
        return micros / _SECOND_MICROS

    def clear_refusals(self, politeness: RepositoryPoliteness) -> None:
        """Note that a pool answers, so that the next time it does not is the first again."""
        if self._fetch_row("SELECT 1 FROM rest WHERE pool = ? AND strikes > 0", (politeness.pool,)):
            with self._transaction() as connection:
                connection.execute("UPDATE rest SET strikes = 0 WHERE pool = ?", (politeness.pool,))

    def book_past_requests(self, politeness: RepositoryPoliteness, requests: int) -> None:
        """Book requests that were sent by other means."""
        now = self._clock.now()
        row = (politeness.pool, now.boot, now.steady, now.wall)
        with self._transaction() as connection:
            connection.executemany(
                "INSERT INTO booking (pool, boot, over, wall, running) VALUES (?,?,?,?,0)", [row] * requests
            )

    def count_requests(self, pool: str, seconds: float = MAX_WINDOW_SECONDS) -> int:
        """How many requests of a pool count within a window that ends now."""
        now = self._clock.now()
        with self._transaction():
            self._rebase_bookings(now)
            return self._count(pool, now.steady - round(seconds * _SECOND_MICROS))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _rest_wait(self, pool: str, now: LedgerInstant) -> LedgerWait | None:
        row = self._fetch_row("SELECT boot, until, wall FROM rest WHERE pool = ?", (pool,))
        if row is None:
            return None
        boot, until, wall = str(row[0]), as_integer(row[1]), as_integer(row[2])
        left = until - now.steady if boot == now.boot else min(wall - now.wall, _MAX_REST_MICROS - now.steady)
        return LedgerWait(left / _SECOND_MICROS, is_refusal=True) if left > 0 else None

    def _limit_wait(self, politeness: RepositoryPoliteness, now: LedgerInstant) -> LedgerWait | None:
        """How long it is until every limit has room."""
        waits = [self._window_wait(politeness.pool, limit, now) for limit in politeness.limits]
        if politeness.max_concurrent:
            waits.append(self._concurrency_wait(politeness, now))
        longest = max(waits, default=0)
        return LedgerWait(longest / _SECOND_MICROS) if longest > 0 else None

    def _window_wait(self, pool: str, limit: RateLimit, now: LedgerInstant) -> int:
        window = round(limit.seconds * _SECOND_MICROS)
        # The last of those that fill the limit: when it has left the window there is room for one more. One under way
        # may be over any time now.
        row = self._fetch_row(
            "SELECT min(over, ?) AS ended FROM booking WHERE pool = ? AND over > ? "
            "ORDER BY ended DESC LIMIT 1 OFFSET ?",
            (now.steady, pool, now.steady - window, limit.requests - 1),
        )
        return 0 if row is None else as_integer(row[0]) + window - now.steady

    def _concurrency_wait(self, politeness: RepositoryPoliteness, now: LedgerInstant) -> int:
        row = self._fetch_row(
            "SELECT count(*) FROM booking WHERE pool = ? AND running AND over > ?", (politeness.pool, now.steady)
        )
        return _SECOND_MICROS // 10 if row is not None and as_integer(row[0]) >= politeness.max_concurrent else 0

    def _rebase_bookings(self, now: LedgerInstant) -> None:
        """Place what was booked before a restart on the clock of this start, and forget what counts no longer."""
        connection = self._connection
        if self._fetch_row("SELECT 1 FROM booking WHERE boot <> ? LIMIT 1", (now.boot,)):
            connection.execute(
                "UPDATE booking SET over = min(0, ? - (? - wall)), boot = ?, running = 0 WHERE boot <> ?",
                (now.steady, now.wall, now.boot, now.boot),
            )
        connection.execute("DELETE FROM booking WHERE over <= ?", (now.steady - MAX_WINDOW_SECONDS * _SECOND_MICROS,))

    def _count(self, pool: str, since: int) -> int:
        row = self._fetch_row("SELECT count(*) FROM booking WHERE pool = ? AND over > ?", (pool, since))
        return as_integer(row[0]) if row else 0

    def _fetch_row(self, sql: str, values: tuple[object, ...]) -> SqlRow | None:
        with self._raise_storage_errors():
            row: SqlRow | None = self._connection.execute(sql, values).fetchone()
        return row

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with self._raise_storage_errors():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _raise_storage_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"the ledger of requests {self._path} cannot be used ({error}); make room, or move it away"
            ) from error
