"""The ledger: every request to a repository with a limit is booked here before it is sent, by all processes of a user.

A booking counts until the window of its limit has passed since the request was *over*, not since it was sent: it
reached the repository at some time in between, and so never more than the limit reach it in any window, however long
each was on its way. One whose process died counts as if it had taken as long as it might.

Times are those of a clock that starts with the machine and cannot be set. What was booked before a restart is placed
by the clock on the wall, and in any case before the restart.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webkeep.errors import StorageError
from webkeep.recover.ledger_clock import Instant, LedgerClock, MachineClock
from webkeep.recover.limits import LONGEST_WINDOW, Limit, Manners
from webkeep.store.database import Row, integer

_SECOND = 1_000_000
_MOST_REST = 7 * 86400 * _SECOND
"""No repository means longer than a week, whatever it writes."""
_LOOK_AGAIN = _SECOND // 20
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
class Booked:
    """A request may be sent now."""

    number: int
    """0 where it need not be booked."""


@dataclass(frozen=True, slots=True)
class Wait:
    """No request may be sent for so many seconds at least."""

    seconds: float
    turned_away: bool = False
    """Whether the repository itself said so."""


_FREE = Booked(0)


class Ledger:
    """Bookings of requests, shared by all processes that open the same file."""

    def __init__(self, path: Path, clock: LedgerClock | None = None) -> None:
        self._path = path
        self._clock = clock or MachineClock()
        self._looked_at: dict[str, int] = {}
        with self._failing():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_SCHEMA)

    def book(self, manners: Manners, longest: float) -> Booked | Wait:
        """Book a request that takes `longest` seconds at most, or tell how long to wait before asking again."""
        now = self._clock.now()
        if not manners.is_limited:
            return self._unlimited(manners.pool, now)
        with self._changing() as connection:
            self._carry_over(now)
            wait = self._resting(manners.pool, now) or self._full(manners, now)
            if wait is not None:
                return wait
            over = round(longest * _SECOND)
            cursor = connection.execute(
                "INSERT INTO booking (pool, boot, over, wall, running) VALUES (?,?,?,?,1)",
                (manners.pool, now.boot, now.steady + over, now.wall + over),
            )
            return Booked(cursor.lastrowid or 0)

    def _unlimited(self, pool: str, now: Instant) -> Booked | Wait:
        if now.steady - self._looked_at.get(pool, -_LOOK_AGAIN) < _LOOK_AGAIN:
            return _FREE
        wait = self._resting(pool, now)
        if wait is None:
            self._looked_at[pool] = now.steady
        return wait or _FREE

    def finish(self, booked: Booked) -> None:
        """Note that a request is over."""
        if booked.number:
            now = self._clock.now()
            with self._changing() as connection:
                connection.execute(
                    "UPDATE booking SET boot = ?, over = ?, wall = ?, running = 0 WHERE number = ?",
                    (now.boot, now.steady, now.wall, booked.number),
                )

    def turned_away(self, manners: Manners, seconds: float | None) -> float:
        """Leave a pool alone for as long as its repository said, or for longer each time; gives the seconds."""
        now = self._clock.now()
        with self._changing() as connection:
            row = connection.execute("SELECT strikes FROM rest WHERE pool = ?", (manners.pool,)).fetchone()
            strikes = int(row[0]) if row else 0
            given = manners.rest_seconds * 2 ** min(strikes, 16) if seconds is None else seconds
            micros = min(max(round(given * _SECOND), 0), _MOST_REST)
            self._looked_at.pop(manners.pool, None)
            # Another process may have been told a later time; that one holds.
            connection.execute(
                "INSERT INTO rest VALUES (?,?,?,?,?) ON CONFLICT (pool) DO UPDATE SET strikes = excluded.strikes, "
                "until = iif(boot = excluded.boot, max(until, excluded.until), excluded.until), "
                "wall = iif(boot = excluded.boot, max(wall, excluded.wall), excluded.wall), boot = excluded.boot",
                (manners.pool, now.boot, now.steady + micros, now.wall + micros, strikes + 1),
            )
        return micros / _SECOND

    def welcomed(self, manners: Manners) -> None:
        """Note that a pool answers, so that the next time it does not is the first again."""
        if self._one("SELECT 1 FROM rest WHERE pool = ? AND strikes > 0", (manners.pool,)):
            with self._changing() as connection:
                connection.execute("UPDATE rest SET strikes = 0 WHERE pool = ?", (manners.pool,))

    def assume(self, manners: Manners, requests: int) -> None:
        """Book requests that were sent by other means."""
        now = self._clock.now()
        row = (manners.pool, now.boot, now.steady, now.wall)
        with self._changing() as connection:
            connection.executemany(
                "INSERT INTO booking (pool, boot, over, wall, running) VALUES (?,?,?,?,0)", [row] * requests
            )

    def used(self, pool: str, seconds: float = LONGEST_WINDOW) -> int:
        """How many requests of a pool count within a window that ends now."""
        now = self._clock.now()
        with self._changing():
            self._carry_over(now)
            return self._count(pool, now.steady - round(seconds * _SECOND))

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _resting(self, pool: str, now: Instant) -> Wait | None:
        row = self._one("SELECT boot, until, wall FROM rest WHERE pool = ?", (pool,))
        if row is None:
            return None
        boot, until, wall = str(row[0]), integer(row[1]), integer(row[2])
        left = until - now.steady if boot == now.boot else min(wall - now.wall, _MOST_REST - now.steady)
        return Wait(left / _SECOND, turned_away=True) if left > 0 else None

    def _full(self, manners: Manners, now: Instant) -> Wait | None:
        """How long it is until every limit has room."""
        waits = [self._wait_for(manners.pool, limit, now) for limit in manners.limits]
        if manners.at_once:
            waits.append(self._wait_for_end(manners, now))
        longest = max(waits, default=0)
        return Wait(longest / _SECOND) if longest > 0 else None

    def _wait_for(self, pool: str, limit: Limit, now: Instant) -> int:
        window = round(limit.seconds * _SECOND)
        # The last of those that fill the limit: when it has left the window there is room for one more. One under way
        # may be over any time now.
        row = self._one(
            "SELECT min(over, ?) AS ended FROM booking WHERE pool = ? AND over > ? "
            "ORDER BY ended DESC LIMIT 1 OFFSET ?",
            (now.steady, pool, now.steady - window, limit.requests - 1),
        )
        return 0 if row is None else integer(row[0]) + window - now.steady

    def _wait_for_end(self, manners: Manners, now: Instant) -> int:
        row = self._one(
            "SELECT count(*) FROM booking WHERE pool = ? AND running AND over > ?", (manners.pool, now.steady)
        )
        return _SECOND // 10 if row is not None and integer(row[0]) >= manners.at_once else 0

    def _carry_over(self, now: Instant) -> None:
        """Place what was booked before a restart on the clock of this start, and forget what counts no longer."""
        connection = self._connection
        if self._one("SELECT 1 FROM booking WHERE boot <> ? LIMIT 1", (now.boot,)):
            connection.execute(
                "UPDATE booking SET over = min(0, ? - (? - wall)), boot = ?, running = 0 WHERE boot <> ?",
                (now.steady, now.wall, now.boot, now.boot),
            )
        connection.execute("DELETE FROM booking WHERE over <= ?", (now.steady - LONGEST_WINDOW * _SECOND,))

    def _count(self, pool: str, since: int) -> int:
        row = self._one("SELECT count(*) FROM booking WHERE pool = ? AND over > ?", (pool, since))
        return integer(row[0]) if row else 0

    def _one(self, sql: str, values: tuple[object, ...]) -> Row | None:
        with self._failing():
            row: Row | None = self._connection.execute(sql, values).fetchone()
        return row

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with self._failing():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StorageError(
                f"the ledger of requests {self._path} cannot be used ({error}); make room, or move it away"
            ) from error
