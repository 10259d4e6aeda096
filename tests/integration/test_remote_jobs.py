"""`webkeep job` by the address of a service that is elsewhere: the verbs there are for a folder, by a token."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from people_server import PeopleServer, people_server

from webkeep.cli.commands.job import VERBS
from webkeep.cli.jobs.remote.remote_verbs import REMOTE_VERBS
from webkeep.cli.main import main
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.jobs import JobState


@dataclass
class Caller:
    """Somebody who calls the command with the token of an account."""

    server: PeopleServer
    token_file: Path
    capsys: pytest.CaptureFixture[str]

    def call(self, verb: str, *words: str, code: int = 0, address: str = "") -> tuple[list[dict[str, Any]], str]:
        """What programs are told, the summary last; and what people are told beside it."""
        where = address or f"http://127.0.0.1:{self.server.port}"
        given = ["job", "--json", verb, where, *words, "--token-file", str(self.token_file)]
        assert main(given) == code
        told = self.capsys.readouterr()
        return [json.loads(line) for line in told.out.splitlines()], told.err

    def refuse(self, verb: str, *words: str, address: str = "", code: int = 2) -> str:
        line = self.call(verb, *words, code=code, address=address)[1].strip()
        assert line and "\n" not in line, line
        return line


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as served:
        served.add_account("ada", AccountRole.ADMINISTRATOR)
        served.add_account("rae", AccountRole.READER)
        yield served


@pytest.fixture
def ada(server: PeopleServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Caller:
    path = tmp_path / "token"
    path.write_text(server.add_token("ada", Permission.ADMINISTER) + "\n")
    return Caller(server, path, capsys)


def test_every_verb_is_there_for_a_service_that_is_elsewhere() -> None:
    assert REMOTE_VERBS.keys() == VERBS.keys()


def test_a_collection_is_made_filled_captured_and_steered(ada: Caller, tmp_path: Path) -> None:
    told, _ = ada.call("collection", "town", "--title", "The town", "--subject", "towns", "--quota", "5GB")
    assert (told[-1]["title"], told[-1]["quota"], told[-1]["subjects"]) == ("The town", 5_000_000_000, ["towns"])
    assert ada.call("collection", "town", "--title", "Town")[0][-1]["quota"] == 5_000_000_000
    table = tmp_path / "seeds.csv"
    table.write_text("url,depth,notes\nhttps://a.example/,2,first\nnonsense line\nhttps://b.example/,x,\n")
    told, said = ada.call("seeds", "--collection", "town", "--from", str(table), code=1)
    assert (told[-1]["added"], told[-1]["refused"]) == (1, 2)
    assert "line 3" in said
    seed = ada.call("seeds", "--collection", "town")[0][0]
    assert (seed["url"], seed["settings"], seed["notes"]) == ("https://a.example/", {"depth": "2"}, "first")
    told, _ = ada.call("submit", "--collection", "town", "--priority", "3")
    job = told[0]["job"]
    assert ada.server.service.jobs.get(job).order.priority == 3
    listed = ada.call("list", "--collection", "town", "--seed", "https://a.example/")[0]
    assert ([each["job"] for each in listed[:-1]], listed[-1]["counts"]["queued"]) == ([job], 1)
    shown = ada.call("show", job[:6])[0]
    assert (shown[0]["what"], shown[-1]["plan"]["depth"]) == ("submit", "2")
    ada.call("pause", job)
    assert ada.server.service.jobs.get(job).state is JobState.PAUSED
    assert "cannot" in ada.refuse("retry", job) or "paused" in ada.refuse("retry", job)
    ada.call("cancel", job)
    ada.call("seeds", "--collection", "town", "--delete", "https://a.example/")
    assert ada.call("list", "--state", "cancelled")[0][-1]["listed"] == 1
    assert ada.call("collection")[0][0]["seeds"] == 0


def test_new_seeds_make_their_collection(ada: Caller) -> None:
    told, _ = ada.call("submit", "https://new.example/", "--collection", "fresh")
    assert told[-1] == {"collection": "fresh", "jobs": 1, "waiting": 0}
    again, _ = ada.call("submit", "https://new.example/", "--collection", "fresh")
    assert (again[-1]["jobs"], again[-1]["waiting"], again[0]["job"]) == (0, 1, told[0]["job"])
    assert "nothing here" in ada.refuse("submit", "--collection", "absent").lower()


def test_schedules_and_watches_are_added_listed_and_deleted(ada: Caller) -> None:
    ada.call("collection", "main")
    schedule = ada.call("schedule", "--times", "every 6h", "--blackout", "22:00-06:00")[0][-1]
    assert schedule["next"]
    assert ada.call("schedule")[0][0]["schedule"] == schedule["schedule"]
    ada.call("schedule", "--delete", schedule["schedule"])
    assert ada.call("schedule")[0][-1]["listed"] == 0
    watch = ada.call("watch", "--feed", "https://feed.example/news.xml", "--poll", "10m")[0][-1]
    assert ada.call("watch")[0][0]["watch"] == watch["watch"]
    ada.call("watch", "--delete", watch["watch"])
    assert ada.call("watch")[0][-1]["listed"] == 0


def test_what_is_wrong_is_one_line(ada: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "in the clear" in ada.refuse("list", address="http://archive.example/")
    assert "gives no answer" in ada.refuse("list", address="http://127.0.0.1:9/", code=3)
    assert "--database is for a folder" in ada.refuse("list", "--database", "postgresql:///x")
    ada.token_file.write_text("webkeep_wrong")
    assert "does not know the token" in ada.refuse("list")
    ada.token_file.write_text("")
    assert "WEBKEEP_TOKEN" in ada.refuse("list")
    ada.token_file.write_text(ada.server.add_token("rae", Permission.READ))
    ada.call("list")
    assert ada.refuse("collection", "own", "--title", "Own")
