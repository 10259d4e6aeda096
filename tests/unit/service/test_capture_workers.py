"""Which plans the workers of a service take."""

import pytest

from webkeep.errors import UsageError
from webkeep.service.jobs import MANY_MACHINES_OPTION
from webkeep.service.run import prepare_many_machines
from webkeep.service.run.capture_workers import hide_database

PLAN = {"seeds": ["https://example.org/"], "public_only": True}


def test_no_page_is_run_in_a_browser_where_nothing_is_said_of_one() -> None:
    assert prepare_many_machines(PLAN) == {**PLAN, "browser": "off", MANY_MACHINES_OPTION: True}
    again = prepare_many_machines(prepare_many_machines(PLAN))
    assert again == prepare_many_machines(PLAN)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"browser": "auto"}, "set Browser to off"),
        ({"for": "evidence"}, "one moment on one machine"),
        ({"strategy": "sharc-online"}, "one moment on one machine"),
        ({"login": "l1"}, "a login is never written into a database"),
    ],
)
def test_what_workers_cannot_do_is_told(more: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        prepare_many_machines({**PLAN, **more})


def test_nobody_is_told_where_the_database_is() -> None:
    failed = 'connection failed: connection to server at "10.0.0.7", port 5432 failed (no route) for user "crawl"'
    said = hide_database(f"PostgreSQL cannot be reached ({failed}); see that it runs")
    assert said == "PostgreSQL cannot be reached; see that it runs"
    assert hide_database("a disk is full (no space left)") == "a disk is full (no space left)"
