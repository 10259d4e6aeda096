"""Servers that never answer, asked for seeds, hold up nobody but who asked, and not the end of the service."""

import threading
from pathlib import Path

from api_program import Program
from endless_server import EndlessServer
from people_server import people_server

from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts

_ASKING = 12
"""More than a service has threads on a small machine, were they asked in those that pages are answered in."""


def test_sources_that_never_answer_hold_up_no_page_and_no_end(tmp_path: Path) -> None:
    answers: list[int] = []
    with EndlessServer(b"") as silent:
        with people_server(tmp_path / "service") as server:
            server.add_account("ada", AccountRole.ADMINISTRATOR)
            server.service.collections.create(CollectionFacts("town", "Town"), server.clock.now())
            program = Program(server.client(), server.add_token("ada", Permission.ADMINISTER))

            def add_seeds() -> None:
                source = {"table": "", "source_url": silent.url, "source_kind": "feed"}
                answers.append(program.call("POST", "/collections/town/seeds/table", source).status)

            asking = [threading.Thread(target=add_seeds) for _ in range(_ASKING)]
            for each in asking:
                each.start()
            assert silent.begun.wait(60)
            assert program.get("/collections/town")["name"] == "town"
            assert program.client.ask("/health").status == 200
            server.service.end_looks()
            for each in asking:
                each.join(60)
        assert answers == [503] * _ASKING
