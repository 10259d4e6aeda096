"""States in replay: the way in, what is to be done, and answers in the order they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from serve_calls import Client, served

from webkeep.formats.states import ROOT_STATE, STATE_TYPE, StateAction, StateNote, compute_state_id
from webkeep.model import BytesBody, Exchange, Moment
from webkeep.replay.endpoints import state_url
from webkeep.replay.server import ServerName
from webkeep.store.archive import WritableArchive

PAGE = "http://example.org/list?a=1"
CLICK = StateAction("click", "#more", label="More")
PAN = StateAction("pan", "canvas", "canned", "left", "3 4")
MOMENT = Moment.parse("2026-03-01T12:00:00Z")


def answered(url: str, text: str, seconds: float) -> Exchange:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(text)}\r\n\r\n"
    return Exchange(url, MOMENT.plus(seconds), head.encode(), BytesBody(text.encode()), b"GET / HTTP/1.1\r\n\r\n")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("states") / "kept"
    with WritableArchive.create(folder) as archive:
        with archive.begin("capture") as capture:
            capture.append(answered(PAGE, "<h1>List</h1>", 0))
            for number in range(1, 4):
                capture.append(answered("http://example.org/next", f"item {number}", number))
            root = StateNote(PAGE, ROOT_STATE, PAGE, MOMENT, capture=capture.id, comment={"volatile": ["#clock"]})
            panned = (CLICK, PAN)
            for note in (
                root,
                replace(root, id=compute_state_id(panned), script=panned, parent=ROOT_STATE, level=1, comment={}),
            ):
                archive.submit_metadata(capture.id, note.urn, STATE_TYPE, note.to_block())
        with archive.begin("capture") as later:
            later.append(answered("http://example.org/next", "of a later capture", 90))
    with served(folder) as client:
        yield client


def label(client: Client) -> str:
    place = ServerName.parse(client.root).naming_at(MOMENT.digits()).replay_url(PAGE)
    assert place is not None
    return place.partition("://")[2].partition(".")[0]


def test_the_way_in_names_the_window_and_goes_on(client: Client) -> None:
    place = ServerName.parse(client.root).naming_at(MOMENT.digits()).replay_url(PAGE)
    assert place is not None
    path = "/" + state_url(place, "ab12").partition("://")[2].partition("/")[2]
    assert path == "/.webkeep/state/ab12/list?a=1"
    reply = client.replay(label(client), path)
    assert reply.status == 200
    assert b'name="webkeep-state:ab12";location.replace("/list?a=1"+location.hash)' in reply.body
    assert reply.get("Content-Security-Policy")
    assert client.replay(label(client), "/.webkeep/state/<b>/x").status == 404


def test_what_is_to_be_done_is_told(client: Client) -> None:
    query = f"/.webkeep/script?id={compute_state_id((CLICK, PAN))}&url={PAGE.replace('&', '%26').replace('?', '%3F')}"
    script = json.loads(client.replay(label(client), query).body)
    assert [step["event"] for step in script["steps"]] == ["click", "pan"]
    assert [step["point"] for step in script["steps"]] == [None, [3, 4]]
    assert script["volatile"] == ["#clock"], "the note of the page as it loads tells it for all"
    assert json.loads(client.replay(label(client), "/.webkeep/script?id=none&url=http://x/").body) is None
    player = client.replay(label(client), "/.webkeep/player.js")
    assert player.get("Content-Type").startswith("text/javascript")
    assert b"webkeepPerform" in player.body


@pytest.mark.parametrize(
    ("times", "text"),
    [
        ("", "item 1"),
        ("1", "item 1"),
        ("2", "item 2"),
        ("3", "item 3"),
        ("9", "item 3"),
        ("-2", "item 1"),
        ("²", "item 1"),
    ],
    ids=["nothing said", "first", "second", "third", "beyond the last", "below zero", "no number"],
)
def test_the_answer_that_is_meant_is_given(client: Client, times: str, text: str) -> None:
    headers = {"Webkeep_Occurrence": times.encode().decode("latin-1")} if times else {}
    reply = client.replay(label(client), "/next", sec_fetch_dest="empty", **headers)
    assert reply.body.decode() == text


def test_a_state_that_is_not_held_is_not_offered(client: Client) -> None:
    page = client.ask(f"/view/{MOMENT.digits()}-{'0' * 16}/{PAGE}").body.decode()
    assert "2 states" in page
    assert "/.webkeep/state/" not in page
