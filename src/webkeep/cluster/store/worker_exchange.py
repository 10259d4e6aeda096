"""What a worker and the database tell each other, all in one transaction: the lease prolonged, a batch handed over,
groups given back and claimed, queues read, limits shared, and what is said about the capture as a whole.

Theory of operation. A session of a worker is a row with a number and an end. The transaction begins by prolonging it,
which fails for good where somebody has found it expired before: then nothing of the batch is written. Whoever finds
one expired marks it as lost and frees its groups, under the lock of its row. So what a worker writes is written while
its groups are its own, however long it was frozen in between. Groups that have something queued and nobody are claimed
with SKIP LOCKED, those first that have waited longest.

An answer may get lost, or another server may take the place of the one that gave it without all that it knew. So a
worker that lost its connection says which groups it has. Those that the database has it have besides are granted once
more, to be left in peace for as long as anybody may believe to have them; where it lacks one, the session is over. And
on a server that has just taken over, nobody gets anybody else's groups until all leases have run out that it may have
forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from webkeep.cluster.group_leases import LEASE_SECONDS, LOAN_SECONDS
from webkeep.cluster.store.batch_writing import BatchWriter
from webkeep.cluster.store.cluster_database import ClusterDatabase, LeaseLostError
from webkeep.cluster.store.cluster_rows import CaptureState, ClaimedGroup, QueuedUrl, WorkerBatch, WorkerNews
from webkeep.cluster.store.held_payloads import enter_part, enter_payloads
from webkeep.cluster.store.private_host_rows import PRIVATE_STATE, KeptTexts, private_state_of, read_private_hosts
from webkeep.cluster.store.schema import EMPTY_SESSION_TABLES
from webkeep.model import UrlOutcome
from webkeep.store.index import StoredPayload
from webkeep.store.jobs import CODES_BY_OUTCOME

_QUEUED = CODES_BY_OUTCOME[UrlOutcome.QUEUED]
_LEASE = f"INTERVAL '{LEASE_SECONDS} s'"
URLS_PER_READ = 200
"""So many of a group's queue are read at once."""
_PAGES_READ_AGAIN = 20
"""So many pages are read once more from one time to the next, those nearest to a seed first."""
_GRANT_URLS = 50
"""So many URLs of a limit a worker is granted at once."""

TIMELINE = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
"""Which server in a row it is that has the database: another one with each that takes over."""
_NOTE_TIMELINE = f"""
UPDATE capture SET timeline = {TIMELINE}, timeline_since = clock_timestamp() WHERE timeline <> {TIMELINE}
"""
_PROLONG = f"""
UPDATE worker SET expires = clock_timestamp() + {_LEASE}, urls = %s, bytes = %s, in_flight = %s
WHERE id = %s AND state = 'alive' RETURNING granted
"""
_ADD_FENCED = "UPDATE worker SET fenced = fenced + %s WHERE id = %s"
_READ_LEFT = "SELECT 1 FROM worker WHERE id = %s AND state = 'left'"
_LEAVE = "UPDATE worker SET state = 'left', granted = urls, in_flight = 0 WHERE id = %s AND state = 'alive'"
_FREE_GROUPS = f"""
UPDATE host_group SET owner = NULL, pending = EXISTS (
    SELECT 1 FROM url WHERE url.host_group = host_group.key AND url.outcome = {_QUEUED}
), lost_at = NULL, free_at = clock_timestamp() + back.rest * INTERVAL '1 s'
FROM unnest(%s::TEXT[], %s::DOUBLE PRECISION[]) AS back (key, rest)
WHERE host_group.key = back.key AND host_group.owner = %s
"""
_REAP = f"""
WITH dead AS (
    SELECT id FROM worker WHERE state = 'alive' AND expires < clock_timestamp() - %s * INTERVAL '1 s'
        AND pg_postmaster_start_time() < clock_timestamp() - {_LEASE}
        AND EXISTS (
            SELECT 1 FROM capture WHERE timeline = {TIMELINE} AND timeline_since < clock_timestamp() - {_LEASE}
        )
    FOR UPDATE SKIP LOCKED
), lost AS (
    UPDATE worker SET state = 'lost', granted = urls, in_flight = 0 FROM dead WHERE worker.id = dead.id
    RETURNING worker.id, worker.expires
)
UPDATE host_group SET owner = NULL, pending = TRUE, lost_at = lost.expires
FROM lost WHERE host_group.owner = lost.id
"""
_POLL = """
UPDATE host_group SET pending = FALSE WHERE owner = %s AND pending RETURNING key
"""
_CLAIM = """
WITH free AS (
    SELECT key FROM host_group WHERE owner IS NULL AND pending AND free_at <= clock_timestamp()
        AND (lent_to IS NULL OR lent_until < clock_timestamp())
    ORDER BY free_at LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE host_group SET owner = %s, pending = FALSE, wanted_by = NULL FROM free WHERE host_group.key = free.key
RETURNING host_group.key, 0.0::DOUBLE PRECISION,
    extract(epoch FROM clock_timestamp() - host_group.lost_at)::DOUBLE PRECISION
"""
_READ_HELD = """
SELECT key, extract(epoch FROM free_at - clock_timestamp())::DOUBLE PRECISION FROM host_group WHERE owner = %s
"""
_ENTER_WANTED = "INSERT INTO host_group (key, pending) SELECT unnest(%s::TEXT[]), FALSE ON CONFLICT (key) DO NOTHING"
_CLAIM_WANTED = """
WITH free AS (
    SELECT key FROM host_group WHERE owner IS NULL AND key = ANY(%s)
        AND (lent_to IS NULL OR lent_until < clock_timestamp()) ORDER BY key FOR UPDATE SKIP LOCKED
)
UPDATE host_group SET owner = %s, pending = FALSE, wanted_by = NULL FROM free WHERE host_group.key = free.key
RETURNING host_group.key, extract(epoch FROM host_group.free_at - clock_timestamp())::DOUBLE PRECISION,
    extract(epoch FROM clock_timestamp() - host_group.lost_at)::DOUBLE PRECISION
"""
_ASK_FOR = """
UPDATE host_group SET wanted_by = %s
WHERE key = ANY(%s) AND owner IS NOT NULL AND owner <> %s AND wanted_by IS NULL AND lent_to IS NULL
"""
_READ_ASKED_FOR = "SELECT key FROM host_group WHERE owner = %s AND wanted_by IS NOT NULL"
_LEND = f"""
UPDATE host_group SET lent_to = wanted_by, wanted_by = NULL,
    lent_until = clock_timestamp() + INTERVAL '{LOAN_SECONDS} s',
    free_at = clock_timestamp() + loan.rest * INTERVAL '1 s'
FROM unnest(%s::TEXT[], %s::DOUBLE PRECISION[]) AS loan (key, rest)
WHERE host_group.key = loan.key AND host_group.owner = %s
"""
_READ_BORROWED = """
SELECT key, extract(epoch FROM free_at - clock_timestamp())::DOUBLE PRECISION FROM host_group
WHERE lent_to = %s AND lent_until > clock_timestamp()
"""
_RETURN = """
UPDATE host_group SET lent_to = NULL, free_at = clock_timestamp() + back.rest * INTERVAL '1 s'
FROM unnest(%s::TEXT[], %s::DOUBLE PRECISION[]) AS back (key, rest)
WHERE host_group.key = back.key AND host_group.lent_to = %s
"""
_TAKE_BACK = """
UPDATE host_group SET lent_to = NULL
WHERE owner = %s AND key = ANY(%s) AND (lent_to IS NULL OR lent_until < clock_timestamp())
RETURNING key, extract(epoch FROM free_at - clock_timestamp())::DOUBLE PRECISION
"""
_NEXT_QUEUED = f"SELECT host_group FROM url WHERE outcome = {_QUEUED} AND host_group > %s ORDER BY host_group LIMIT 1"
_SWEEP = f"""
WITH RECURSIVE fed AS (
    SELECT ({_NEXT_QUEUED}) AS key, 1 AS count
    UNION ALL
    SELECT ({_NEXT_QUEUED.replace("%s", "fed.key")}), count + 1 FROM fed WHERE fed.key IS NOT NULL AND count < %s
), marked AS (
    UPDATE host_group SET pending = TRUE FROM fed
    WHERE host_group.key = fed.key AND host_group.owner IS NULL AND NOT host_group.pending
)
SELECT max(key), count(key) FROM fed
"""
"""Marks groups that got something queued just when they were given back; from one such group to the next by the index,
so that ten million hosts that are done cost nothing.
"""
_GROUPS_PER_SWEEP = 1000
"""So many groups with something queued are looked at, those behind them the next time."""
_READ_QUEUES = f"""
SELECT next.key, next.url, next.host, next.host_group, next.rank, coalesce(source.url, ''), next.facts, {PRIVATE_STATE}
FROM unnest(%s::TEXT[], %s::BIGINT[]) AS asked (host_group, most), LATERAL (
    SELECT * FROM url WHERE url.host_group = asked.host_group AND url.outcome = {_QUEUED}
    ORDER BY rank, key LIMIT asked.most
) next LEFT JOIN url source ON source.key = next.via
"""
_READ_AGAIN = f"""
SELECT url.key, url.url, url.host, url.host_group, url.rank, coalesce(source.url, ''), url.facts
FROM url LEFT JOIN url source ON source.key = url.via
WHERE url.read_again AND url.holder IN (
    SELECT id FROM worker WHERE name = (SELECT name FROM worker WHERE id = %s)
) ORDER BY url.facts >> 40, url.key LIMIT {_PAGES_READ_AGAIN}
"""
_READ_TEXTS = "SELECT host_group, name, text FROM host_text WHERE host_group = ANY(%s)"
_READ_CAPTURE = f"""
SELECT state, reason, changes, (SELECT coalesce(sum(bytes), 0) FROM worker WHERE id <> %s), timeline = {TIMELINE},
    timeline_since < clock_timestamp() - {_LEASE} FROM capture
"""
_LOCK_LIMIT = "SELECT pg_advisory_xact_lock(7765627)"
_READ_GRANTED = "SELECT coalesce(sum(greatest(granted, urls)), 0) FROM worker WHERE id <> %s"
_GRANT = "UPDATE worker SET granted = %s WHERE id = %s"


def note_timeline(database: ClusterDatabase) -> None:
    """Write down since when this server has the capture, where it has taken over from another; within a transaction."""
    database.change(_NOTE_TIMELINE)


def reap_lost_workers(database: ClusterDatabase) -> None:
    """Free the groups of workers that were not heard of for too long; within a transaction.

    Who could not reach the database itself until lately leaves others the time to come back, too: what they have could
    not be handed over, and would be asked for once more.
    """
    database.change(_REAP, (LEASE_SECONDS if database.calm_seconds < LEASE_SECONDS else 0.0,))


class WorkerExchange:
    """Hands over for one session."""

    def __init__(self, database: ClusterDatabase, worker: int, max_urls: int | None, counts_ways: bool = False) -> None:
        """With `counts_ways`, it matters by how few links a URL can be reached."""
        self._database, self._worker, self._max_urls = database, worker, max_urls
        self._counts_ways = counts_ways
        self._swept_to, self._private_state = "", private_state_of(())

    def hand_over(self, batch: WorkerBatch) -> WorkerNews:
        """Hand a batch over and get news; raises `LeaseLostError` where the session is over."""
        news = self._database.transact(lambda _: self._hand_over(batch))
        if news.private_hosts:
            self._private_state = private_state_of(news.private_hosts)
        return news

    def tell_payloads(self, payloads: Iterable[StoredPayload], anew: bool = False) -> None:
        """Say what large payloads this worker holds; with `anew`, that it holds no others."""
        enter_payloads(self._database, self._worker, payloads, anew)

    def leave(self, batch: WorkerBatch) -> None:
        """Hand the last batch over, with all groups, and end the session."""

        def leave(database: ClusterDatabase) -> None:
            if database.rows(_READ_LEFT, (self._worker,)):
                return  # It was done, and the answer got lost.
            self._prolong(batch)
            self._write(batch)
            self._move_loans(batch)
            groups = [key for (key,) in database.rows("SELECT key FROM host_group WHERE owner = %s", (self._worker,))]
            rests = {back.host_group: back.free_in_seconds for back in batch.releases}
            longest = max(rests.values(), default=0.0)
            database.change(_FREE_GROUPS, (groups, [rests.get(key, longest) for key in groups], self._worker))
            database.change(_LEAVE, (self._worker,))

        self._database.transact(leave)

    def _prolong(self, batch: WorkerBatch) -> int:
        values = (batch.urls, batch.bytes, batch.in_flight, self._worker)
        rows = self._database.rows(_PROLONG, values)
        if not rows:
            raise LeaseLostError("this worker was not heard of for too long; what it had is others' now")
        return int(rows[0][0])

    def _write(self, batch: WorkerBatch) -> int:
        fenced = self._write_part(batch)
        for more in batch.more:
            self._database.change(EMPTY_SESSION_TABLES)
            fenced += self._write_part(more)
        if fenced:
            self._database.change(_ADD_FENCED, (fenced, self._worker))
        return fenced

    def _write_part(self, batch: WorkerBatch) -> int:
        writer = BatchWriter(self._database, self._worker, self._counts_ways)
        writer.enter_links(batch.links.values())
        writer.shorten(batch.ways)
        fenced = writer.settle(batch.fates)
        writer.note_read(batch.read_again, batch.not_held)
        writer.change_queues(batch.changes, batch.requeues, batch.cuts)
        writer.keep_texts(batch.texts)
        writer.finish()
        enter_part(self._database, self._worker, batch.payloads)
        return fenced

    def _hand_over(self, batch: WorkerBatch) -> WorkerNews:
        database, me = self._database, self._worker
        granted = self._prolong(batch)
        fenced = self._write(batch)
        if batch.releases:
            groups = [each.host_group for each in batch.releases]
            rests = [each.free_in_seconds for each in batch.releases]
            database.change(_FREE_GROUPS, (groups, rests, me))
        self._move_loans(batch)
        state, reason, changes, elsewhere, may_claim = self._read_capture()
        claimed = self._compare_held(batch)
        reap_lost_workers(database)
        if state is CaptureState.RUNNING and may_claim:
            claimed += self._claim(batch)
        refreshed = {key for (key,) in database.rows(_POLL, (me,))} | {each.host_group for each in claimed}
        pulled, full, private_hosts = self._read_queues(batch, refreshed)
        new = [each.host_group for each in claimed]
        kept = database.rows(_READ_TEXTS, (new,)) if new else []
        texts = [(str(group), str(name), str(text)) for group, name, text in kept]
        return WorkerNews(
            state,
            reason,
            changes,
            tuple(claimed),
            tuple(pulled),
            frozenset(full),
            tuple(texts),
            frozenset(refreshed | {group for group, _ in batch.short}),
            self._share_limit(batch, granted),
            elsewhere,
            self._groups_of(_READ_BORROWED, (me,)),
            tuple(str(key) for (key,) in database.rows(_READ_ASKED_FOR, (me,))),
            self._groups_of(_TAKE_BACK, (me, list(batch.lent))) if batch.lent else (),
            fenced,
            self._read_again() if self._counts_ways and state is CaptureState.RUNNING else (),
            private_hosts,
        )

    def _read_again(self) -> tuple[QueuedUrl, ...]:
        return tuple(QueuedUrl(*row) for row in self._database.rows(_READ_AGAIN, (self._worker,)))

    def _move_loans(self, batch: WorkerBatch) -> None:
        for sql, backs in ((_LEND, batch.loans), (_RETURN, batch.returns)):
            if backs:
                keys, rests = [each.host_group for each in backs], [each.free_in_seconds for each in backs]
                self._database.change(sql, (keys, rests, self._worker))

    def _groups_of(self, sql: str, values: tuple[object, ...]) -> tuple[ClaimedGroup, ...]:
        return tuple(ClaimedGroup(str(key), float(rest), None) for key, rest in self._database.rows(sql, values))

    def _compare_held(self, batch: WorkerBatch) -> list[ClaimedGroup]:
        """The groups that the worker has and does not know of; its session is over where it lacks any."""
        if batch.held is None:
            return []
        owned = {str(key): float(rest) for key, rest in self._database.rows(_READ_HELD, (self._worker,))}
        if set(batch.held) - {each.host_group for each in batch.releases} - owned.keys():
            raise LeaseLostError(
                "the database came back without all that it knew; hosts of this worker are others' now"
            )
        # Whoever had them before may believe for as long as a lease lasts to have them still.
        return [ClaimedGroup(key, owned[key], -LEASE_SECONDS) for key in sorted(owned.keys() - set(batch.held))]

    def _read_capture(self) -> tuple[CaptureState, str, str, int, bool]:
        rows = self._database.rows(_READ_CAPTURE, (self._worker,))
        if not rows:
            raise LeaseLostError("another capture was begun in the database")
        ((state, reason, changes, elsewhere, is_same, is_settled),) = rows
        if not is_same:
            note_timeline(self._database)
        return CaptureState(state), reason, changes, int(elsewhere), is_same and is_settled

    def _claim(self, batch: WorkerBatch) -> list[ClaimedGroup]:
        database, me = self._database, self._worker
        rows = []
        if batch.wanted:
            wanted = sorted(batch.wanted)
            database.change(_ENTER_WANTED, (wanted,))
            rows += database.rows(_CLAIM_WANTED, (wanted, me))
            database.change(_ASK_FOR, (me, wanted, me))
        if batch.room > 0:
            claimed = database.rows(_CLAIM, (batch.room, me))
            rows += claimed
            if not claimed:
                self._sweep()
        return [ClaimedGroup(key, float(rest), None if lost is None else float(lost)) for key, rest, lost in rows]

    def _sweep(self) -> None:
        ((last, count),) = self._database.rows(_SWEEP, (self._swept_to, _GROUPS_PER_SWEEP))
        self._swept_to = str(last) if count == _GROUPS_PER_SWEEP else ""

    def _read_queues(self, batch: WorkerBatch, refreshed: set[str]) -> tuple[list[QueuedUrl], set[str], KeptTexts]:
        """What is queued, the groups of which more is, and what is known of private hosts that may have led to it."""
        asked = dict.fromkeys(refreshed, URLS_PER_READ)
        asked.update(batch.short)
        rows = self._database.rows(_READ_QUEUES, (list(asked), list(asked.values()))) if asked else []
        pulled = [QueuedUrl(*row[:-1]) for row in rows]
        counts = Counter(row.host_group for row in pulled)
        full = {group for group, count in counts.items() if count >= asked[group]}
        is_news = bool(rows) and rows[0][-1] != self._private_state
        return pulled, full, read_private_hosts(self._database) if is_news else ()

    def _share_limit(self, batch: WorkerBatch, granted: int) -> int | None:
        """How many URLs this worker may ask for in all; together never more than the limit."""
        if self._max_urls is None:
            return None
        database = self._database
        used = batch.urls + batch.under_way
        if not batch.is_hungry:
            # What nobody here would ask for is others' again.
            kept = max(used, min(granted, used))
        elif granted - used > 0:
            return granted
        else:
            database.rows(_LOCK_LIMIT)
            ((elsewhere,),) = database.rows(_READ_GRANTED, (self._worker,))
            kept = max(used, min(self._max_urls - int(elsewhere), used + _GRANT_URLS))
        if kept != granted:
            database.change(_GRANT, (kept, self._worker))
        return kept
