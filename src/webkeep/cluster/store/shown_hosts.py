"""What people are shown of a capture that is under way, beside its counts: some hosts that workers have, and what was
asked for in vain. Both within bounds, however large the capture is.
"""

from __future__ import annotations

from typing import Any

from webkeep.cluster.store.cluster_database import ClusterDatabase
from webkeep.model import UrlOutcome
from webkeep.store.jobs import CODES_BY_OUTCOME

_MAX_HOSTS = 10
"""That fit on a screen beside the counts."""
_MAX_FAILURES = 20
"""That people read at a glance; all of them are in the archive at the end."""
_MAX_COUNTED_URLS = 1000
"""Of the queue of one host: more is told as so many."""
_MAX_SEARCHED_URLS = 20_000
"""Of the URLs that were found last, among which it is looked for what could not be had."""
_READ_HOSTS = f"""
SELECT held.key,
    (SELECT count(*) FROM (SELECT 1 FROM url WHERE host_group = held.key AND outcome = 0 LIMIT {_MAX_COUNTED_URLS})
        queued),
    worker.name
FROM (SELECT key, owner FROM host_group WHERE owner IS NOT NULL LIMIT {_MAX_HOSTS}) held
JOIN worker ON worker.id = held.owner ORDER BY 2 DESC, 1
"""
_READ_FAILURES = f"""
SELECT url, reason FROM (
    SELECT serial, url, reason, outcome FROM url ORDER BY serial DESC LIMIT {_MAX_SEARCHED_URLS}
) newest
WHERE outcome = {CODES_BY_OUTCOME[UrlOutcome.FAILED]} ORDER BY serial DESC LIMIT {_MAX_FAILURES}
"""


def read_shown(database: ClusterDatabase) -> dict[str, list[dict[str, Any]]]:
    """Hosts that are asked now, and what could not be had; within a transaction."""
    hosts = [
        {"name": name, "queued": queued, "state": f"asked by {worker}"}
        for name, queued, worker in database.rows(_READ_HOSTS)
    ]
    failures = [{"url": url, "reason": reason} for url, reason in database.rows(_READ_FAILURES)]
    return {"hosts": hosts, "failures": failures}
