"""Where captures that run side by side take turns at hosts: a file on their machine, or a database of several."""

from __future__ import annotations

from pathlib import Path

from webkeep.crawl.plan import LEASE_SCHEMES
from webkeep.crawl.run.host_lease_file import HostLeaseFile
from webkeep.crawl.run.host_turn_leases import HostTurnLeases


def open_host_leases(place: str) -> HostTurnLeases:
    """Leases in a file, or in PostgreSQL where an address is given."""
    if place.startswith(LEASE_SCHEMES):
        from webkeep.crawl.run.host_lease_table import HostLeaseTable  # psycopg is loaded where it is asked for

        return HostLeaseTable(place)
    return HostLeaseFile(Path(place))
