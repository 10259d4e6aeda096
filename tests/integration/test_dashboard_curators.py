"""Curators of one collection on the start page: what they start goes where they may, and what they may not is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from people_server import PeopleServer, people_server

from webkeep.service.accounts import AccountRole
from webkeep.service.collections import CollectionFacts


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as serving:
        for name in ("press", "town"):
            serving.service.collections.create(CollectionFacts(name, name), serving.clock.now())
        serving.add_account("ada", AccountRole.ADMINISTRATOR)
        serving.add_account("ben", AccountRole.CURATOR, "town")
        serving.service.accounts.set_role("ben", "press", AccountRole.READER)
        yield serving


def test_what_a_curator_starts_goes_into_a_collection_that_is_theirs(server: PeopleServer) -> None:
    ben, page = server.client("ben"), server.client("ben").ask("/").text
    assert 'placeholder="town"' in page and 'placeholder="main"' not in page
    assert '<option value="town">' in page and '<option value="press">' not in page
    started = ben.send("/start", ben.ask("/"), url="https://example.org/", preset="page")
    assert started.status == 303
    assert server.service.jobs.list_jobs()[0].order.collection == "town"
    for other in ("main", "press", "absent"):
        refused = ben.send("/start", ben.ask("/"), url="https://example.org/", preset="page", collection=other)
        assert refused.status == 403 and "name one that you may: town" in refused.text, refused.text
    ada = server.client("ada")
    assert 'placeholder="main"' in ada.ask("/").text
    assert ada.send("/start", ada.ask("/"), url="https://example.org/", preset="page").status == 303
    assert {job.order.collection for job in server.service.jobs.list_jobs()} == {"town", "main"}
