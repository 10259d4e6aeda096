"""What nobody should send, in every field of every call and in every place of a path, by the table of the API: each is
answered in a line, nothing is a mistake of the service, and the service is well afterwards.

On SQLite and on a real PostgreSQL server, which refuses texts and numbers that the other keeps.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from api_program import Program
from people_server import PeopleServer, people_server
from postgres_cluster import cluster_folder, running_cluster
from service_databases import KINDS, service_address

from webkeep.dashboard.endpoint_table import PAGES
from webkeep.dashboard.rest.api_call import ApiCall
from webkeep.dashboard.rest.api_table import API_CALLS
from webkeep.dashboard.rest.typed_json import list_typed_fields
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts
from webkeep.service.recoveries import VisitorSettings
from webkeep.service.run import ServiceSettings

HOSTILE_TEXTS = (
    "", " ", "\x00", "a\x00b", "\ud800", "\u202eetis", "\r\nSet-Cookie: a=b", "\n", "../../etc/passwd", "/etc/passwd",
    "..", ".", "%00", "%2e%2e%2f", "' OR 1=1 --", '"; DROP TABLE job; --', "--help", "-", "${7*7}", "{{7*7}}", "{0}",
    "%s", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "1" * 400, "9" * 30, "-1", "1e999", "NaN", "0x10", "²",
    "١٢", "a" * 70_000, "é" * 5000, "https://a.example/\x00", "https://[::1", "https://a.example:99999/",
    "https://" + "a." * 500 + "example/", "http://a..example/", "https://xn--zzzzzzzzz.example/",
    "https://a.example/%ff%fe", "//a.example", "every 0s", "every 999999999999h", "0 0 31 2 *", "* * * * * *",
    "60 25 32 13 8", "0 0 1 1 * 2026", "@never", "Europe/../../etc/passwd", "/usr/share/zoneinfo/UTC", "9999-12-31",
    "0001-01-01", "10000-01-01", "10000000000000000000GB", "-5GB", "re:(a+)+$", "re:(", "re:" + "(" * 300, "[" * 5000,
    "a = " + "[" * 5000, "a" + "." + "b" * 300 + "= 1", "depth = " + "9" * 5000, "seeds = ['file:///etc/passwd']",
    "proxy = 'http://127.0.0.1/'", "public_only = false", "\ufeffx",
)  # fmt: skip
HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308, [], [[]], {}, {"a": {}}, [None],
    ["x", 1], [{}], {"url": "https://a.example/"}, {"": ""}, {"\x00": "\x00"}, {"seeds": None}, {"seeds": {}},
    {"seeds": [{}]}, {"depth": "x"}, {"max_urls": -1}, {"delay": 1e400}, {"delay": {}}, {"rules": [1]}, {"login": []},
    {"scope": {}}, {"max_bytes": "10" * 50}, [{"url": "https://b.example/", "settings": {"depth": []}}],
    [{"url": "https://b.example/", "notes": "\x00"}],
    [{"url": "https://b.example/", "settings": {"login": "nobody's"}}],
    [{"url": "https://b.example/", "schedule": "* * *"}],
)  # fmt: skip
USUAL: dict[str, Any] = {
    "url": "https://a.example/", "kind": "feed", "poll": "1h", "times": "@daily", "collection": "town", "seeds": [],
    "plan": {}, "scope": "read", "action": "look", "event": "pause", "name": "other", "target": "press",
    "role": "reader", "source_kind": "feed", "preset": "page", "table": "https://c.example/", "exclude": "*.gif",
    "priority": 1, "step": "up", "address": "ada@a.example", "current": "x", "new": "x", "again": "x", "label": "x",
    "title": "x", "seed": "", "page": "",
    "repository": ["one"], "extent": "site",
}  # fmt: skip
"""Of fields that must be said, what is nothing unusual."""
PAGE_FIELDS = (
    "after", "before", "collection", "exclude", "next", "page", "q", "said", "seed", "since", "state", "url", "zone",
    "times", "jitter", "blackouts", "overlap", "until", "poll", "kind", "name", "title", "quota", "purpose", "action",
    "depth", "delay", "drop", "scope", "notes", "schedule", "target", "role", "more", "preset", "priority", "event",
    "step", "address", "mail", "extent", "repository", "table", "login", "browser", "max_urls", "password",
)  # fmt: skip
"""What pages read out of queries and forms."""
PAGE_TEXTS = tuple(text for text in HOSTILE_TEXTS if "\ud800" not in text and len(text) < 1000)
LEFT_ALONE = ("/previews",)
"""Calls that begin a process for each: what they take is what `POST /jobs` takes, and goes through the same checks."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with cluster_folder() as folder, running_cluster(folder, "fields") as address:
        yield address


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PeopleServer]:
    settings = ServiceSettings(
        tmp_path / "service", service_address(request), visitors=VisitorSettings({"one": "memento=https://a.example/"})
    )
    with people_server(tmp_path / "service", settings=settings) as served:
        served.add_account("ada", AccountRole.ADMINISTRATOR)
        for name in ("town", "press"):
            served.service.collections.create(CollectionFacts(name, name), served.clock.now())
        yield served


@pytest.fixture
def program(server: PeopleServer) -> Program:
    return Program(server.client(), server.add_token("ada", Permission.ADMINISTER))


def places(program: Program) -> dict[str, str]:
    """For parameters of paths, what is there."""
    program.send("/collections/town/seeds", {"seeds": [{"url": "https://there.example/"}]})
    seed = program.get("/collections/town/seeds")["seeds"][0]["id"]
    job = program.send("/collections/town/jobs")["jobs"][0]["id"]
    schedule = program.send("/collections/town/schedules", {"times": "@daily"})["schedules"][0]["id"]
    watch = program.send("/collections/town/watches", {"kind": "feed", "url": "https://a.example/feed"})["watches"][0][
        "id"
    ]
    return {
        "collection": "town",
        "job": job,
        "seed": seed,
        "schedule": schedule,
        "watch": watch,
        "account": "ada",
        "number": "1",
        "format": "wacz",
        "link": "x",
        "code": "x",
        "preview": "x",
        "login": "x",
        "recovery": "x",
        "key": "x",
        "token": "x",
        "session": "x",
        "webhook": "x",
    }


def fill(call: ApiCall, examples: dict[str, str]) -> str:
    path = call.path
    for name, value in examples.items():
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def usual_body(call: ApiCall) -> dict[str, Any]:
    if call.body is None:
        return {}
    return {name: USUAL[name] for name, _, is_required in list_typed_fields(call.body) if is_required}


def send_raw(program: Program, method: str, path: str, body: object = None) -> tuple[int, str]:
    content = None if method == "GET" else json.dumps(body, allow_nan=True).encode()
    sent = {"authorization": f"Bearer {program.secret}"} | (
        {} if content is None else {"content_type": "application/json"}
    )
    answer = program.client.ask("/api/v1" + path, method, content, **sent)
    return answer.status, answer.body.decode("utf-8", "replace")


def is_kept_from(call: ApiCall) -> bool:
    return call.needs_session or call.path.startswith(LEFT_ALONE) or call.method == "DELETE"


def is_mistaken(status: int, text: str) -> bool:
    return status >= 500 or "Traceback" in text


def test_no_value_of_a_field_is_a_mistake_of_the_service(server: PeopleServer, program: Program) -> None:
    examples, wrong = places(program), []
    for call in API_CALLS:
        if call.body is None or is_kept_from(call):
            continue
        usual, path = usual_body(call), fill(call, examples)
        for name, _, _ in list_typed_fields(call.body):
            for value in (*HOSTILE_TEXTS, *HOSTILE_VALUES, ["a\x00b"], ["<script>\nalert(1)"], ["x"] * 2000):
                if name == "source_url" and isinstance(value, str) and value.startswith("https://"):
                    continue  # which would be asked for
                status, text = send_raw(program, call.method, path, usual | {name: value})
                if is_mistaken(status, text):
                    wrong.append(f"{call.method} {call.path} {name}={value!r:.60}: {status} {text[:120]}")
    assert wrong == []
    assert program.client.ask("/health").status == 200


def test_no_query_and_no_path_is_a_mistake_of_the_service(server: PeopleServer, program: Program) -> None:
    examples, wrong = places(program), []
    for call in API_CALLS:
        if call.method != "GET":
            continue
        asked = [fill(call, examples) + "?" + urlencode({name: text.encode("utf-8", "surrogatepass")})
                 for name, _, _ in (list_typed_fields(call.query) if call.query else ())
                 for text in HOSTILE_TEXTS if len(text) < 6000]  # fmt: skip
        asked += [fill(call, examples | {name: text}) for name in examples if f"{{{name}}}" in call.path
                  for text in HOSTILE_TEXTS if "\ud800" not in text and len(text) < 6000]  # fmt: skip
        for path in asked:
            status, text = send_raw(program, "GET", path)
            if is_mistaken(status, text):
                wrong.append(f"GET {path[:150]}: {status} {text[:120]}")
    assert wrong == []
    assert program.client.ask("/health").status == 200


def test_no_query_and_no_form_of_a_page_is_a_mistake_of_the_service(server: PeopleServer, program: Program) -> None:
    examples, wrong = places(program), []
    client = server.client("ada")
    token = server.csrf_token(client)
    for page in PAGES:
        path = page.path.replace("{path:path}", "index.html")
        for name, value in examples.items():
            path = path.replace(f"{{{name}}}", value)
        if path.endswith("/events") or path in LEFT_ALONE or path.startswith(("/log", "/account")):
            continue  # what never ends, what begins a process, what ends the session that asks
        for text in PAGE_TEXTS:
            said = dict.fromkeys(PAGE_FIELDS, text)
            if "GET" in page.methods:
                answer = client.ask(f"{path}?{urlencode(said)}")
            else:
                answer = client.post(path, csrf_token=token, **said)
            if is_mistaken(answer.status, answer.body.decode("utf-8", "replace")):
                wrong.append(f"{page.methods[0]} {path} {text!r:.60}: {answer.status}")
    assert wrong == []
    assert client.ask("/health").status == 200
