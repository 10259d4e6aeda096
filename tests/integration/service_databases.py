"""Databases of services for tests: in a file, and on a real PostgreSQL server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from postgres_cluster import new_database

from webkeep.service.store import SqlDatabase, open_service_database

KINDS = ["sqlite", "postgresql"]


def service_address(request: pytest.FixtureRequest) -> str:
    """Where the database of a test is, of the kind that its parameter names: nothing for a file."""
    if request.param == "sqlite":
        return ""
    cluster: str = request.getfixturevalue("cluster")
    return new_database(cluster, request.node.nodeid)


@contextmanager
def service_database(request: pytest.FixtureRequest, folder: Path) -> Iterator[SqlDatabase]:
    """The database of a test, open; a file is in the folder."""
    opened = open_service_database(folder / "jobs.sqlite", service_address(request))
    yield opened
    opened.close()
