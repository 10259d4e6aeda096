"""What people may not name and what they may write, in every field of every call, by the table of the API."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_program import Program
from people_server import PeopleServer, people_server

from webkeep.dashboard.endpoint_table import PAGES
from webkeep.dashboard.rest.api_table import API_CALLS
from webkeep.dashboard.rest.typed_json import list_typed_fields
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts

PRIVATE = (
    "http://127.0.0.1/", "http://localhost/", "http://localhost./", "http://a.localhost/", "http://2130706433/", "http://0x7f.1/",
    "http://017700000001/", "http://[::1]/", "http://[::]/", "http://0.0.0.0/", "http://[::ffff:10.0.0.1]/", "http://[::ffff:7f00:1]/",
    "http://169.254.169.254/latest/", "http://192.168.0.1/", "http://10.0.0.1:8060/", "http://printer/", "http://①②⑦.⓪.⓪.①/",
    "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://a.example/", "javascript:alert(1)", "data:text/html,x",
)  # fmt: skip
SCRIPT = "<script>alert(1)</script>\"'&</title></textarea>"
HIDDEN = "\u202eturned\u2066 \u0007bell \u200bnothing \x1b[31mred"
HOSTILE = f"{SCRIPT} {HIDDEN}"
PLACES: dict[str, Any] = {
    "POST /webhooks url": lambda url: {"url": url},
    "POST /previews url": lambda url: {"url": url, "collection": "town"},
    "POST /jobs url": lambda url: {"url": url, "collection": "town"},
    "POST /collections/{collection}/jobs seeds": lambda url: {"seeds": [url]},
    "POST /collections/{collection}/seeds seeds": lambda url: {"seeds": [{"url": url}]},
    "POST /collections/{collection}/seeds/table table": lambda url: {"table": url},
    "POST /collections/{collection}/seeds/table source_url": lambda url: {"source_url": url, "source_kind": "sitemap"},
    "POST /collections/{collection}/watches url": lambda url: {"url": url, "kind": "feed", "poll": "1h"},
}
"""Every field that an address is asked for by, with what is sent there."""
ASKED_FOR_NOTHING = {
    "POST /collections/{collection}/picture page": "a page that the archive has",
    "POST /collections/{collection}/schedules seed": "a seed that is there",
    "POST /recover url": "what repositories are asked for, and nobody else",
}
ADDRESS_NAMES = ("url", "source_url", "seeds", "seed", "table", "page", "feed", "sitemap", "target_url")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as served:
        served.add_account("ada", AccountRole.ADMINISTRATOR)
        served.add_account("cur", AccountRole.CURATOR)
        served.service.collections.create(CollectionFacts("town", "Town"), served.clock.now())
        yield served


def test_no_field_for_an_address_is_left_out() -> None:
    asked = {
        f"{call.method} {call.path} {name}"
        for call in API_CALLS
        if call.body is not None
        for name, _, _ in list_typed_fields(call.body)
        if name in ADDRESS_NAMES
    }
    assert asked == PLACES.keys() | ASKED_FOR_NOTHING.keys()


def test_nobody_names_a_private_address_anywhere(server: PeopleServer) -> None:
    curator = Program(server.client(), server.add_token("cur", Permission.CURATE))
    administrator = Program(server.client(), server.add_token("ada", Permission.ADMINISTER))
    for place, build in PLACES.items():
        method, path, _ = place.split(" ")
        program = administrator if path == "/webhooks" else curator
        for url in PRIVATE if path.endswith("table") else (*PRIVATE, "http://ada:secret@a.example/"):
            answer = program.call(method, path.replace("{collection}", "town"), build(url))
            is_taken = answer.status in (200, 201) and b'"added":0' not in answer.body
            assert not is_taken, f"{place}: {url}: {answer.text[:200]}"
            assert answer.status < 500, f"{place}: {url}: {answer.text[:200]}"
    service = server.service
    assert service.jobs.list_jobs() == [] and service.notices.list_webhooks() == []
    assert service.collections.seeds("town") == [] and service.watches.list_watches("town") == []


def test_programs_and_files_stand_in_no_plan(server: PeopleServer) -> None:
    curator = Program(server.client(), server.add_token("cur", Permission.CURATE))
    for option in ("proxy", "resolve", "headers", "credentials", "app", "files", "dump", "browser_profile", "log"):
        plan = {option: "/bin/sh"}
        curator.refuse("/collections/town/jobs", {"seeds": ["https://a.example/"], "plan": plan})
        taken = curator.send("/collections/town/seeds", {"seeds": [{"url": "https://a.example/", "settings": plan}]})
        assert taken["added"] == 0 and len(taken["refused"]) == 1, option
    assert server.service.jobs.list_jobs() == [] and server.service.collections.seeds("town") == []


def test_hostile_texts_are_text_on_every_page(server: PeopleServer) -> None:
    program = Program(server.client(), server.add_token("ada", Permission.ADMINISTER))
    texts = {"title": HOSTILE, "description": HOSTILE, "creator": HOSTILE, "rights": HOSTILE, "subjects": [HOSTILE]}
    program.send("/collections/town", texts | {"is_public": True}, "PATCH")
    seeds = [{"url": f"https://a.example/?{SCRIPT}", "notes": HOSTILE}]
    assert program.send("/collections/town/seeds", {"seeds": seeds})["added"] == 1
    seed = program.get("/collections/town/seeds")["seeds"][0]["id"]
    job = program.send("/collections/town/jobs")["jobs"][0]["id"]
    program.send("/webhooks", {"url": f"https://hook.example/?{SCRIPT}"})
    program.send("/collections/town/schedules", {"times": "@daily"})
    browser = Program(server.client("ada"))
    csrf = {"x_csrf_token": server.csrf_token(browser.client)}
    assert browser.call("POST", "/account/tokens", {"label": HOSTILE, "scope": "read"}, **csrf).status == 200
    examples = {"collection": "town", "seed": seed, "job": job}
    shown = 0
    for page in PAGES:
        names = set(re.findall(r"\{(\w+)", page.path))
        if "GET" not in page.methods or not names <= examples.keys() or page.path.endswith("/events"):
            continue
        path = re.sub(r"\{(\w+)\}", lambda found: examples[found[1]], page.path)
        for query in ("", f"?q={'%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE'}&collection=town&state=%3Cscript%3E"):
            answer = browser.client.ask(path + query)
            kind = answer.headers.get("content-type", "")
            if not kind.startswith("text/html"):
                continue
            shown += 1
            assert answer.status in (200, 303, 400, 404), f"{path}: {answer.status}"
            assert "<script>alert" not in answer.text, path
            assert not re.search("[\u202e\u2066\x07\x1b\u200b]", answer.text), f"{path}: hidden characters"
    assert shown > 20


def test_megabytes_are_refused_in_a_line(server: PeopleServer) -> None:
    program = Program(server.client(), server.add_token("ada", Permission.ADMINISTER))
    for size in (30_000, 3_000_000):
        long = "x" * size
        program.refuse("/collections", {"name": "long", "title": long})
        program.refuse("/webhooks", {"url": f"https://a.example/{long}"})
        program.refuse("/jobs", {"url": f"https://a.example/{long}"})
    taken = program.send("/collections/town/seeds", {"seeds": [{"url": f"https://a.example/{'x' * 200_000}"}]})
    assert taken["added"] == 0 and len(taken["refused"]) == 1
