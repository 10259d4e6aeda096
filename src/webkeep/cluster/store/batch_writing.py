"""A worker's batch brought into the tables of a cluster: links that are new or have a better claim, fates of URLs whose
hosts are the worker's, queues that changed; and the count of all that.

Each statement takes a whole batch. Rows are entered in the order of their keys, so that two workers who enter the same
wait for each other and never in a circle; should that happen all the same, the transaction is done again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.cluster.store.cluster_rows import FateRow, HostCut, LinkRow, QueueRow
from webkeep.frontier.urls import UrlRole
from webkeep.model import STORED_OUTCOMES, UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME, WAY_BITS, shorter_way_sql

_QUEUED = CODES_BY_OUTCOME[UrlOutcome.QUEUED]
_TRIES_BITS = 0xFF << 4
"""Where the facts of a candidate have how often it was asked for."""
_ROLE_BITS = 7
"""Where they have what it is asked for."""
_STORED = ", ".join(str(CODES_BY_OUTCOME[each]) for each in sorted(STORED_OUTCOMES))


def _keep_shorter(known: str, new: str) -> str:
    """The facts of a URL as they are now, with the way to it that was known if that is the shorter one."""
    kept = f"({new} & ~{WAY_BITS}::BIGINT) | ({known} & {WAY_BITS}::BIGINT)"
    return f"CASE WHEN {shorter_way_sql(known, new)} THEN {kept} ELSE {new} END"


_UNKEPT_CHARACTERS = re.compile("[\0\ud800-\udfff]")

_INSERT_LINKS = """
WITH entered AS (
    INSERT INTO url (key, url, host, host_group, rank, via, facts, outcome, reason)
    SELECT key, url, host, host_group, rank, via, facts, outcome, reason FROM link_in ORDER BY key
    ON CONFLICT (key) DO NOTHING RETURNING host_group, outcome
)
SELECT host_group, outcome, count(*) FROM entered GROUP BY host_group, outcome
"""
_REQUEUE_LINKS = f"""
WITH turned AS (
    SELECT link.*, url.outcome AS was FROM link_in link JOIN url USING (key)
    WHERE link.outcome = {_QUEUED} AND link.facts & {_ROLE_BITS} <> {int(UrlRole.ROBOTS)} AND (
        url.outcome IN ({CODES_BY_OUTCOME[UrlOutcome.OUT_OF_SCOPE]}, {CODES_BY_OUTCOME[UrlOutcome.CUT]})
        OR (url.outcome = {CODES_BY_OUTCOME[UrlOutcome.REFUSED]}
            AND link.facts & {_ROLE_BITS} = {int(UrlRole.EMBED)} AND url.facts & {_ROLE_BITS} <> {int(UrlRole.EMBED)})
    ) ORDER BY key FOR UPDATE OF url
), done AS (
    UPDATE url SET rank = turned.rank,
        via = CASE WHEN turned.via = '' THEN url.via ELSE turned.via END, facts = turned.facts,
        outcome = {_QUEUED}, reason = ''
    FROM turned WHERE url.key = turned.key RETURNING url.host_group, turned.was
)
SELECT host_group, was, count(*) FROM done GROUP BY host_group, was
"""
_PROMOTE_LINKS = f"""
UPDATE url SET rank = link.rank, via = link.via,
    facts = (({_keep_shorter("url.facts", "link.facts")}) & ~{_TRIES_BITS}::BIGINT)
        | (url.facts & {_TRIES_BITS}::BIGINT)
FROM link_in link WHERE url.key = link.key AND url.outcome = {_QUEUED} AND link.outcome = {_QUEUED}
    AND link.facts & {_ROLE_BITS} <> {int(UrlRole.ROBOTS)} AND link.rank < url.rank
"""
_ENTER_GROUPS = """
INSERT INTO host_group (key) SELECT unnest(%s::TEXT[]) ON CONFLICT (key) DO NOTHING
"""
_MARK_GROUPS = """
UPDATE host_group SET pending = TRUE WHERE key = ANY(%s) AND NOT pending
"""
_SETTLE = f"""
WITH due AS (
    SELECT fate.*, url.outcome AS was FROM fate_in fate
    JOIN host_group ON host_group.key = fate.host_group AND host_group.owner = %s
    JOIN url ON url.key = fate.key
    WHERE url.outcome = {_QUEUED} OR fate.facts & {_ROLE_BITS} = {int(UrlRole.ROBOTS)}
    ORDER BY fate.key FOR UPDATE OF url
), done AS (
    UPDATE url SET outcome = due.outcome, reason = due.reason, holder = %s,
        read_again = %s AND due.outcome IN ({_STORED}) AND {shorter_way_sql("url.facts", "due.facts")}
    FROM due WHERE url.key = due.key RETURNING due.was, due.outcome
)
SELECT was, outcome, count(*) FROM done GROUP BY was, outcome
"""
_COUNT_FOREIGN = """
SELECT count(*) FROM fate_in fate LEFT JOIN host_group ON host_group.key = fate.host_group
WHERE host_group.owner IS DISTINCT FROM %s
"""
_SETTLE_UNKNOWN = """
WITH entered AS (
    INSERT INTO url (key, url, host, host_group, rank, via, facts, outcome, reason, holder)
    SELECT fate.key, url, host, host_group, 0, via, facts, outcome, reason, %s FROM fate_in fate
    JOIN host_group ON host_group.key = fate.host_group AND host_group.owner = %s
    ORDER BY fate.key ON CONFLICT (key) DO NOTHING RETURNING outcome
)
SELECT outcome, count(*) FROM entered GROUP BY outcome
"""
"""For a robots.txt, which nothing leads to; and for what a server does not know any more that took another's place: it
had been handed out before, and what leads there is found again.
"""
_PUT_BACK = f"""
UPDATE url SET rank = new.rank, facts = {_keep_shorter("url.facts", "new.facts")}
FROM unnest(%s::BYTEA[], %s::BIGINT[], %s::BIGINT[]) AS new (key, rank, facts)
WHERE url.key = new.key AND url.outcome = {_QUEUED}
"""
_REQUEUE = f"""
WITH due AS (
    SELECT new.*, url.outcome AS was FROM unnest(%s::BYTEA[], %s::BIGINT[], %s::BIGINT[]) AS new (key, rank, facts)
    JOIN url USING (key) ORDER BY key FOR UPDATE OF url
), done AS (
    UPDATE url SET rank = due.rank, facts = {_keep_shorter("url.facts", "due.facts")}, outcome = {_QUEUED}, reason = '',
        read_again = FALSE
    FROM due WHERE url.key = due.key RETURNING url.host_group, due.was
)
SELECT host_group, was, count(*) FROM done GROUP BY host_group, was
"""
_SHORTEN = f"""
WITH shorter AS (
    SELECT url.key, (url.facts & ~{WAY_BITS}::BIGINT) | way.facts AS facts
    FROM unnest(%s::BYTEA[], %s::BIGINT[]) AS way (key, facts) JOIN url USING (key)
    WHERE {shorter_way_sql("way.facts", "url.facts")} ORDER BY key FOR UPDATE OF url
)
UPDATE url SET facts = shorter.facts, read_again = read_again OR outcome IN ({_STORED})
FROM shorter WHERE url.key = shorter.key RETURNING url.host_group, url.outcome
"""
_MARK_READ = f"""
UPDATE url SET read_again = FALSE FROM unnest(%s::BYTEA[], %s::BIGINT[]) AS done (key, facts)
WHERE url.key = done.key AND url.read_again AND url.facts & {WAY_BITS} = done.facts & {WAY_BITS}
"""
_ASK_AGAIN = f"""
WITH due AS (
    SELECT key, outcome AS was FROM url WHERE key = ANY(%s::BYTEA[]) AND read_again ORDER BY key FOR UPDATE
), done AS (
    UPDATE url SET outcome = {_QUEUED}, reason = '', read_again = FALSE FROM due WHERE url.key = due.key
    RETURNING url.host_group, due.was
)
SELECT host_group, was, count(*) FROM done GROUP BY host_group, was
"""
_CUT_HOST = f"""
UPDATE url SET outcome = %s, reason = %s WHERE host_group = %s AND host = %s AND outcome = {_QUEUED}
    AND key <> ALL(%s::BYTEA[])
"""
_ADD_TALLY = """
INSERT INTO tally (worker, outcome, count) SELECT %s, * FROM unnest(%s::SMALLINT[], %s::BIGINT[])
ON CONFLICT (worker, outcome) DO UPDATE SET count = tally.count + excluded.count
"""
_KEEP_TEXTS = """
INSERT INTO host_text (host_group, name, text) SELECT * FROM unnest(%s::TEXT[], %s::TEXT[], %s::TEXT[])
ON CONFLICT (host_group, name) DO UPDATE SET text = excluded.text
"""


def clean_text(text: str) -> str:
    """A text with whatever the database cannot keep made a question mark."""
    return _UNKEPT_CHARACTERS.sub("?", text)


class BatchWriter:
    """Brings one batch in, within one transaction."""

    def __init__(self, database: ClusterDatabase, worker: int, counts_ways: bool = False) -> None:
        """With `counts_ways`, it matters by how few links a URL can be reached."""
        self._database, self._worker, self._counts_ways = database, worker, counts_ways
        self._tally: Counter[int] = Counter()
        self._fed: set[str] = set()
        """Groups that have something queued which they had not before."""

    def enter_links(self, links: Iterable[LinkRow]) -> None:
        """Enter what was found: what is new, and what has a better claim to what is known."""
        rows = [row._replace(url=clean_text(row.url), reason=clean_text(row.reason)) for row in links]
        if not rows:
            return
        database = self._database
        database.copy_in("link_in", rows)
        for group, outcome, count in database.rows(_INSERT_LINKS):
            self._tally[outcome] += count
            if outcome == _QUEUED:
                self._fed.add(group)
        if any(row.outcome == _QUEUED for row in rows):
            self._count_requeued(database.rows(_REQUEUE_LINKS))
            database.change(_PROMOTE_LINKS)

    def _count_requeued(self, turned: Iterable[tuple[str, int, int]]) -> None:
        for group, was, count in turned:
            self._tally[was] -= count
            self._tally[_QUEUED] += count
            self._fed.add(group)

    def settle(self, fates: list[FateRow]) -> int:
        """Write down what became of URLs; gives how many were not taken, as their hosts are not the worker's."""
        if not fates:
            return 0
        # One URL may have two fates in a batch, as a robots.txt that is asked for again: the later one holds.
        rows = {fate.key: fate for fate in fates}
        database = self._database
        database.copy_in(
            "fate_in", [row._replace(url=clean_text(row.url), reason=clean_text(row.reason)) for row in rows.values()]
        )
        taken = 0
        for was, outcome, count in database.rows(_SETTLE, (self._worker, self._worker, self._counts_ways)):
            self._tally[was] -= count
            self._tally[outcome] += count
            taken += count
        if taken == len(rows):
            return 0
        for outcome, count in database.rows(_SETTLE_UNKNOWN, (self._worker, self._worker)):
            self._tally[outcome] += count
            taken += count
        if taken == len(rows):
            return 0
        ((foreign,),) = database.rows(_COUNT_FOREIGN, (self._worker,))
        return int(foreign)

    def shorten(self, ways: dict[bytes, int]) -> None:
        """Write down by how few links URLs can be reached; those that were answered on longer ways are read again."""
        if ways:
            keys = sorted(ways)
            rows = self._database.rows(_SHORTEN, (keys, [ways[key] for key in keys]))
            self._fed.update(group for group, outcome in rows if outcome == _QUEUED)

    def note_read(self, read: dict[bytes, int], not_held: list[bytes]) -> None:
        """Pages were read again, by the ways to them that were known then; others cannot be, and are asked for."""
        if read:
            self._database.change(_MARK_READ, (list(read), list(read.values())))
        if not_held:
            self._count_requeued(self._database.rows(_ASK_AGAIN, (not_held,)))

    def change_queues(self, changes: list[QueueRow], requeues: list[QueueRow], cuts: list[HostCut]) -> None:
        """Put candidates back, queue what was answered once more, and give hosts up."""
        if changes:
            last = {row.key: row for row in changes}
            self._database.change(_PUT_BACK, _columns(last.values()))
        if requeues:
            last = {row.key: row for row in requeues}
            self._count_requeued(
                (group, was, count) for group, was, count in self._database.rows(_REQUEUE, _columns(last.values()))
            )
        for cut in cuts:
            values = (cut.outcome, clean_text(cut.reason), cut.host_group, cut.host, list(cut.taken))
            count = self._database.change(_CUT_HOST, values)
            self._tally[_QUEUED] -= count
            self._tally[cut.outcome] += count

    def keep_texts(self, texts: dict[tuple[str, str], str]) -> None:
        """Keep what is known of hosts; what is of no group is this worker's own."""
        if texts:
            names = sorted(texts)
            groups = [group or f"#{self._worker}" for group, _ in names]
            kept = [clean_text(texts[name]) for name in names]
            self._database.change(_KEEP_TEXTS, (groups, [clean_text(name) for _, name in names], kept))

    def finish(self) -> None:
        """Say which groups have something new, and count."""
        if self._fed:
            groups = sorted(self._fed)
            self._database.change(_ENTER_GROUPS, (groups,))
            self._database.change(_MARK_GROUPS, (groups,))
        counted = {outcome: count for outcome, count in self._tally.items() if count}
        if counted:
            self._database.change(_ADD_TALLY, (self._worker, list(counted), list(counted.values())))


def _columns(rows: Iterable[QueueRow]) -> tuple[list[bytes], list[int], list[int]]:
    ordered = sorted(rows)
    return [row.key for row in ordered], [row.rank for row in ordered], [row.facts for row in ordered]
