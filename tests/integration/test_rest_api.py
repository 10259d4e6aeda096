"""The API: all that the pages can do, by tokens and by sessions; the description is held against what is answered."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_program import Program
from dashboard_calls import DashboardClient
from openapi_spec_validator import OpenAPIV31SpecValidator
from people_server import PASSWORD, PeopleServer, people_server

from webkeep.dashboard.access import login_pages
from webkeep.dashboard.endpoint_table import ENDPOINTS, PAGES
from webkeep.dashboard.notices import metrics
from webkeep.dashboard.pages import (
    assets,
    collections,
    job_files,
    job_results,
    logins,
    patches,
    public_collections,
    shown_browsers,
    shown_replays,
    start,
)
from webkeep.dashboard.recoveries import recovery_desk, visitor_form, visitor_results, visitor_status
from webkeep.dashboard.rest import openapi
from webkeep.dashboard.rest.api_call import API_PREFIX
from webkeep.dashboard.rest.api_table import API_CALLS
from webkeep.dashboard.rest.openapi import describe_api
from webkeep.model import Moment
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts, SeedEntry
from webkeep.service.jobs import JobOrder

BROWSERS_ALONE = {
    login_pages.log_in: "programs show a token with every call",
    login_pages.log_out: "there is no session to end",
    logins.begin_login: "a person is shown the browser in which they log in",
    logins.renew_login: "a person is shown the browser in which they log in",
    shown_replays.begin_replay: "a person is shown what was archived; programs take the records",
    patches.begin_patch: "a person is shown the browser that is recorded",
    patches.begin_seed_patch: "a person is shown the browser that is recorded",
    shown_browsers.take_inputs: "it is shown to a person",
    shown_browsers.save_login: "it is shown to a person",
    shown_browsers.end_browser: "it is shown to a person",
    start.download_form_plan: "a program has the plan that it would send",
    start.take_plan_file: "what a plan says is sent as it is",
}
"""What a page's form does and no call, and why."""


READ = Permission.READ
SHOWN_TO_PEOPLE_ALONE = {
    assets.answer_asset: "what pages look like",
    start.show_start: "forms; jobs and collections are lists of their own",
    login_pages.show_login: "programs show a token with every call",
    collections.show_new_collection: "a form",
    collections.show_edit: "a form; what stands in it is the collection",
    patches.show_patch: "a person is shown the browser that is recorded",
    shown_browsers.show_browser: "it is shown to a person",
    shown_browsers.answer_view: "it is shown to a person",
    job_results.show_replay: "who came by the printed link alone may, and that is a person",
    job_files.show_cover_sheet: "it is in the package",
    job_files.show_downloads: "links; which formats there are stands with the call",
    public_collections.show_public: "facts, seeds and words of a collection are calls",
    public_collections.show_embedded: "facts and seeds of a collection are calls",
    public_collections.answer_picture: "an image for that page, for which nobody needs a token",
    metrics.answer_metrics: "it is for programs as it is",
    openapi.show_api: "what programs have as JSON",
    openapi.answer_description: "it is for programs as it is",
    visitor_form.show_form: "a form",
    visitor_status.stream_status: "the status again and again",
    visitor_status.show_confirmation: "a form",
    visitor_results.look_at_result: "for eyes; the result is a file",
    recovery_desk.download_csv: "the same as JSON is a call",
}
"""What a page shows and no call tells, and why."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PeopleServer]:
    with people_server(tmp_path / "service") as served:
        served.add_account("ada", AccountRole.ADMINISTRATOR)
        yield served


@pytest.fixture
def program(server: PeopleServer) -> Program:
    return Program(server.client(), server.add_token("ada", Permission.ADMINISTER))


def test_every_change_that_a_page_offers_is_a_call() -> None:
    offered = {each.handler: each.path for each in PAGES if "POST" in each.methods}
    done = {handler for call in API_CALLS if call.is_change for handler in call.counterparts()}
    assert {path for handler, path in offered.items() if handler not in done | BROWSERS_ALONE.keys()} == set()


def test_all_that_a_page_shows_is_told_by_a_call() -> None:
    shown = {each.handler: each.path for each in PAGES if "GET" in each.methods}
    told = {handler for call in API_CALLS for handler in call.counterparts()}
    assert {path for handler, path in shown.items() if handler not in told | SHOWN_TO_PEOPLE_ALONE.keys()} == set()
    assert told & SHOWN_TO_PEOPLE_ALONE.keys() == set() and SHOWN_TO_PEOPLE_ALONE.keys() <= shown.keys()


def test_a_call_asks_no_less_than_the_page_that_does_the_same() -> None:
    asked = {(each.handler, each.permission, each.needs_session) for each in PAGES}
    for call in API_CALLS:
        for handler in call.counterparts():
            assert (handler, call.permission, call.needs_session) in asked, call.path


def test_the_description_is_openapi_and_has_every_endpoint(server: PeopleServer) -> None:
    served = json.loads(server.client().ask("/api/v1/openapi.json").body)
    assert served == describe_api()
    OpenAPIV31SpecValidator(served).validate()
    described = {(path, method.upper()) for path, calls in served["paths"].items() for method in calls}
    routed = {(each.path, each.methods[0]) for each in ENDPOINTS if each.path.startswith(API_PREFIX)}
    assert routed - described == {("/api/v1/openapi.json", "GET")} and described <= routed
    ids = [call["operationId"] for calls in served["paths"].values() for call in calls.values()]
    assert len(set(ids)) == len(ids)
    page = server.client().ask("/api")
    assert page.status == 200 and all(f"{call.method} {call.full_path}" in page.text for call in API_CALLS)


def test_from_a_collection_to_a_job_and_its_history(program: Program, server: PeopleServer) -> None:
    made = program.send("/collections", {"name": "town", "title": "The town", "subjects": ["a", "b"], "quota": "5GB"})
    assert (made["quota"], made["subjects"], made["seeds"]) == (5_000_000_000, ["a", "b"], 0)
    assert "a collection town already" in program.refuse("/collections", {"name": "town", "title": "again"})
    changed = program.send("/collections/town", {"creator": "us", "is_public": True}, "PATCH")
    assert changed == made | {"creator": "us", "is_public": True}
    assert program.send("/collections/town", {"is_public": False, "quota": ""}, "PATCH")["quota"] is None
    sent = [{"url": "https://a.example/", "notes": "first", "settings": {"depth": 1}, "schedule": "@daily"},
            {"url": "nonsense://"}, {"url": "https://b.example/"}]  # fmt: skip
    taken = program.send("/collections/town/seeds", {"seeds": sent})
    assert (taken["added"], taken["known"], [each["number"] for each in taken["refused"]]) == (2, 0, [2])
    table = "url,notes\nhttps://c.example/,c\nhttps://a.example/,again\n,none\n"
    taken = program.send("/collections/town/seeds/table", {"table": table})
    assert (taken["added"], taken["known"], len(taken["refused"])) == (1, 1, 1)
    first, *_ = program.get("/collections/town/seeds")["seeds"]
    assert (first["url"], first["settings"], first["last_state"]) == ("https://a.example/", {"depth": 1}, None)
    path = f"/collections/town/seeds/{first['id']}"
    assert program.send(path, {"notes": "other"}, "PATCH")["settings"]["depth"] in (1, "1"), "what is not said stays"
    jobs = program.send(
        "/collections/town/jobs", {"seeds": ["https://a.example/", "https://d.example/"], "priority": 3}
    )
    assert [job["priority"] for job in jobs["jobs"]] == [3, 3]
    job = jobs["jobs"][0]
    assert program.send(f"/jobs/{job['id']}/steering", {"event": "pause"})["state"] == "paused"
    assert "cannot pause" in program.refuse(f"/jobs/{job['id']}/steering", {"event": "pause"})
    journal = program.get(f"/jobs/{job['id']}/journal")["journal"]
    assert [line["event"] for line in journal] == ["submit", "pause"]
    assert program.get(f"/jobs/{job['id']}/progress")["job"]["state"] == "paused"
    assert 'seeds = ["https://a.example/"]' in program.call("GET", f"/jobs/{job['id']}/plan.toml").text
    assert "captured nothing" in program.refuse(f"/jobs/{job['id']}/report", None, "GET")
    assert "does not run now" in program.refuse(f"/jobs/{job['id']}/changes", {"delay": 2})
    program.send("/collections", {"name": "press", "title": "Press"})
    moved = program.send(path + "/move", {"target": "press"})
    assert (moved["id"], moved["collection"]) == (first["id"], "press"), "an id stays what it is"
    assert program.send(f"/collections/press/seeds/{first['id']}", None, "DELETE") is None
    assert program.refuse(f"/collections/press/seeds/{first['id']}", None, "GET", 404)
    entries = server.service.audit.list_entries(1)
    assert entries[0].who.startswith("ada by token") and entries[0].action.startswith("DELETE /api/v1/")


def test_moments_are_texts_that_every_program_reads(program: Program) -> None:
    program.send("/collections", {"name": "town", "title": "Town"})
    job = program.send("/collections/town/jobs", {"seeds": ["https://a.example/"]})["jobs"][0]
    assert Moment.parse(job["created"]).iso() == job["created"] == job["queued"]
    moments = describe_api()["components"]["schemas"]["JobAnswer"]["properties"]
    assert moments["created"] == {"type": "string", "format": "date-time"}


def test_a_capture_is_begun_as_on_the_start_page(program: Program) -> None:
    answer = program.call("POST", "/jobs", {"url": "a.example", "depth": 2, "exclude": ["/private/*", "/tmp/*"]})
    job = json.loads(answer.body)
    assert answer.status == 201 and answer.headers["location"] == f"/api/v1/jobs/{job['id']}"
    assert (job["collection"], job["plan"]["depth"]) == ("main", 2)
    assert len(job["plan"]["exclude"]) == 2
    assert program.get("/jobs")["jobs"] == [job]
    assert "no preset" in program.refuse("/jobs", {"url": "a.example", "preset": "nothing"})
    assert "line end" in program.refuse("/jobs", {"url": "a.example", "exclude": ["/a\n/b"]})


def test_numbers_that_no_page_sends_are_refused(program: Program) -> None:
    program.send("/collections", {"name": "town", "title": "Town"})
    job = program.send("/collections/town/jobs", {"seeds": ["https://a.example/"]})["jobs"][0]["id"]
    for number in (10**300, -(10**300), 10**6 + 1):
        assert "not a priority" in program.refuse(f"/jobs/{job}/priority", {"priority": number})
    for number in ("9" * 5000, "..%2f1", "-1", "1"):
        program.refuse(f"/jobs/{job}/pictures/{number}", None, "GET", 404)


def test_what_a_page_searches_is_searched_by_calls(program: Program, server: PeopleServer) -> None:
    for name in ("town", "press"):
        program.send("/collections", {"name": name, "title": name})
        sent = [{"url": f"https://{name}{each}.example/", "notes": f"Straße der MÜLLER {each}"} for each in range(4)]
        program.send(f"/collections/{name}/seeds", {"seeds": sent})
        program.send(f"/collections/{name}/schedules", {"times": "@daily"})
        watch = {"kind": "feed", "url": f"https://{name}.example/feed", "poll": "1h"}
        program.send(f"/collections/{name}/watches", watch)
    first = program.get("/collections/town/seeds?q=M%C3%9CLLER&limit=3")
    rest = program.get(f"/collections/town/seeds?q=m%C3%BCller&limit=3&cursor={first['next']}")
    assert [each["notes"][-1] for each in first["seeds"] + rest["seeds"]] == list("0123") and rest["next"] is None
    program.send("/collections/town/jobs", {"seeds": ["https://town1.example/"]})
    states = {each: len(program.get(f"/collections/town/seeds?state={each}")["seeds"]) for each in ("never", "queued")}
    assert states == {"never": 4, "queued": 1}, "of four seeds and a feed that is watched"
    assert program.get("/collections/town/pages?q=nothing%22%20OR%20*") == {"pages": []}
    reader = Program(server.client(), server.add_token(server.add_account("ben", AccountRole.READER, "town"), READ))
    for who, seen in ((program, {"town", "press"}), (reader, {"town"})):
        assert {each["collection"] for each in who.get("/schedules")["schedules"]} == seen
        assert {each["collection"] for each in who.get("/watches")["watches"]} == seen
    reader.refuse("/collections/press/pages?q=x", None, "GET", 404)


def test_lists_come_in_pieces_that_hold_everything_once(program: Program, server: PeopleServer) -> None:
    service, now = server.service, server.clock.now()
    for number in range(7):
        service.collections.create(CollectionFacts(f"c{number}", "C"), now)
    service.collections.add_seeds("c1", [SeedEntry(f"https://s{number}.example/") for number in range(25)], now)
    for number in range(25):
        order = JobOrder("c1" if number % 2 else "c2", "archive-1", {"seeds": ["https://a.example/"]})
        service.jobs.submit(order, Moment(now.micros + number // 3))
    for path, name in (("/jobs", "jobs"), ("/collections", "collections"), ("/collections/c1/seeds", "seeds")):
        whole, pieces, cursor = program.get(path)[name], [], ""
        while True:
            piece = program.get(f"{path}?limit=3&cursor={cursor}")
            pieces += piece[name]
            if piece["next"] is None:
                break
            cursor = piece["next"]
        assert pieces == whole and len(whole) in (7, 25), path
    assert len(program.get("/jobs?collection=c1&state=queued&state=paused")["jobs"]) == 12
    assert program.get("/jobs?state=done") == {"jobs": [], "next": None}
    for wrong in ("cursor=x", "cursor=W10", "limit=0", "limit=1001", "limit=many", "state=odd", "unknown=1"):
        program.refuse(f"/jobs?{wrong}", None, "GET")


def test_one_sees_and_changes_what_one_may(server: PeopleServer) -> None:
    service, now = server.service, server.clock.now()
    for name in ("town", "press"):
        service.collections.create(CollectionFacts(name, name), now)
        service.jobs.submit(JobOrder(name, "archive-1", {"seeds": ["https://a.example/"]}), now)
    server.add_account("ben", AccountRole.CURATOR, "town")
    reader = Program(server.client(), server.add_token("ben", Permission.READ))
    curator = Program(server.client(), server.add_token("ben", Permission.CURATE))
    for each in (reader, curator):
        assert [job["collection"] for job in each.get("/jobs")["jobs"]] == ["town"]
        assert [found["name"] for found in each.get("/collections")["collections"]] == ["town"]
        assert each.get("/jobs?collection=press")["jobs"] == []
        each.refuse("/collections/press", None, "GET", 404)
    reader.refuse("/collections/town/seeds", {"seeds": []}, status=403)
    for private in ("http://127.0.0.1/", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd", "http://printer/"):
        curator.refuse("/jobs", {"url": private, "collection": "town"})
        curator.refuse("/collections/town/jobs", {"seeds": [private]})
        taken = curator.send("/collections/town/seeds", {"seeds": [{"url": private}]})
        assert taken["added"] == 0 and len(taken["refused"]) == 1
    curator.refuse("/collections/town/jobs", {"seeds": ["https://b.example/"], "plan": {"proxy": "http://a.example"}})
    curator.refuse("/jobs", {"url": "https://b.example/", "collection": "press"}, status=403)
    curator.refuse("/collections", {"name": "mine", "title": "mine"}, status=403)


def test_what_is_no_json_of_the_call_is_told_in_a_line(program: Program) -> None:
    for body in ([], "x", 5, None):
        program.refuse("/jobs", body if body is not None else {})
    wrong = {"url": 5}, {"url": "a.example", "depth": "2"}, {"url": "a.example", "other": 1}, {"url": None}
    lines = [program.refuse("/jobs", body) for body in wrong]
    assert all(name in line for name, line in zip(("url", "depth", "other", "url"), lines, strict=True))
    raw = program.client.ask(
        "/api/v1/jobs", "POST", b"url=a.example", authorization=f"Bearer {program.secret}",
        content_type="application/x-www-form-urlencoded",
    )  # fmt: skip
    assert raw.status == 415 and "Content-Type" in json.loads(raw.body)["error"]
    for content in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"url": NaN}', b"null"):
        sent = {"authorization": f"Bearer {program.secret}", "content_type": "application/json"}
        answer = program.client.ask("/api/v1/jobs", "POST", content, **sent)
        assert answer.status == 400 and json.loads(answer.body)["error"]
    large = program.client.ask("/api/v1/jobs", "POST", b" " * (2 << 20), **sent)
    assert large.status == 400 and "bytes" in json.loads(large.body)["error"]
    assert program.refuse("/nothing", None, "GET", 404) and program.refuse("/jobs", None, "DELETE", 405)


def test_sessions_call_with_the_token_of_their_forms(server: PeopleServer) -> None:
    browser = Program(server.client("ada"))
    assert browser.get("/account")["name"] == "ada"
    assert "X-CSRF-Token" in browser.refuse("/account/tokens", {"label": "t", "scope": "read"}, status=403)
    csrf = {"x_csrf_token": server.csrf_token(browser.client)}
    made = browser.call("POST", "/account/tokens", {"label": "t", "scope": "read"}, **csrf)
    token = json.loads(made.body)
    own = Program(server.client(), token["token"])
    assert own.get("/jobs")["jobs"] == []
    own.refuse("/account", None, "GET", 403)
    own.refuse("/account/tokens", {"label": "more", "scope": "administer"}, status=403)
    assert [each["id"] for each in browser.get("/account")["tokens"]] == [token["id"]]
    assert browser.call("DELETE", f"/account/tokens/{token['id']}", **csrf).status == 204
    own.refuse("/jobs", None, "GET", 401)
    sent = {"current": PASSWORD, "new": "another long password", "again": "another long password"}
    assert browser.call("POST", "/account/password", sent, **csrf).status == 204
    assert browser.get("/account")["name"] == "ada", "the session goes on under a new secret"
    Program(DashboardClient(server.port, "/")).refuse("/jobs", None, "GET", 401)


def test_webhooks_and_the_state_of_the_service(program: Program) -> None:
    assert program.get("/service")["status"] == "ok"
    hook = program.send("/webhooks", {"url": "https://hook.example/x"})
    assert len(hook["secret"]) == 64 and program.get("/webhooks")["webhooks"] == [hook]
    assert "private" in program.refuse("/webhooks", {"url": "http://127.0.0.1/"})
    assert program.send("/webhooks", {"url": "http://127.0.0.1/", "local": True})["is_local_allowed"]
    assert program.get("/notices") == {"deliveries": [], "mails": []}
    assert program.send(f"/webhooks/{hook['id']}", None, "DELETE") is None
    assert program.call("GET", "/feed.atom").status == 200


def test_people_are_looked_after_by_a_session_and_the_log_is_told_in_pieces(
    server: PeopleServer, program: Program
) -> None:
    refused = program.refuse("/accounts", {"name": "ben", "role": "reader"}, status=403)
    assert "not" in refused, "a token is good for no password"
    session = Program(server.client("ada"))
    csrf = {"x_csrf_token": server.csrf_token(session.client)}

    def call(path: str, body: object, method: str = "POST") -> Any:
        answer = session.call(method, path, body, **csrf)
        assert answer.status in (200, 204), answer.text
        return json.loads(answer.body) if answer.body else None

    made = call("/accounts", {"name": "ben", "role": "reader"})
    assert made["account"] == "ben" and made["password"] not in str(program.get("/accounts"))
    told = call("/accounts/ben/role", {"role": "curator", "collection": ""})["accounts"]
    assert [(each["name"], each["roles"]) for each in told] == [
        ("ada", {"*": "administrator"}),
        ("ben", {"*": "curator"}),
    ]
    assert call("/accounts/ben/lock", {"action": "lock"})["accounts"][1]["is_locked"] is True
    assert call("/accounts/ben/password", {})["password"] != made["password"]
    assert call("/accounts/ben", None, "DELETE") is None
    first = program.get("/audit?limit=2")
    assert [each["action"] for each in first["entries"]] == [
        "DELETE /api/v1/accounts/{account}", "POST /api/v1/accounts/{account}/password",
    ]  # fmt: skip
    second = program.get(f"/audit?limit=2&cursor={first['next']}")
    assert second["entries"][0]["number"] == first["entries"][1]["number"] - 1
    assert program.get("/audit?q=ben%20curator")["entries"][0]["subject"] == "ben role=curator"
    assert made["password"] not in program.call("GET", "/audit.csv").text
