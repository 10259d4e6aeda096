"""Hosts in private networks, in the database of a cluster: pages that one worker asked may lead others there."""

from __future__ import annotations

from webkeep.cluster.host_texts import PRIVATE_GROUP
from webkeep.cluster.store.cluster_database import ClusterDatabase

KeptTexts = tuple[tuple[str, str], ...]
"""Names and what is kept under them."""
PRIVATE_STATE = f"""(
    SELECT count(*) || ' ' || coalesce(sum(length(text)), 0) FROM host_text WHERE host_group = '{PRIVATE_GROUP}'
)"""
"""By what it is seen that more is known, read with the URLs that these hosts may have led to."""
_READ = f"SELECT name, text FROM host_text WHERE host_group = '{PRIVATE_GROUP}'"


def private_state_of(known: KeptTexts) -> str:
    """The state of who knows this much."""
    return f"{len(known)} {sum(len(text) for _, text in known)}"


def read_private_hosts(database: ClusterDatabase) -> KeptTexts:
    """All that is known; within a transaction."""
    return tuple((str(name), str(text)) for name, text in database.rows(_READ))
