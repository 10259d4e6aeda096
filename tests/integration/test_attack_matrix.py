"""Everyone against every endpoint: generated from the table of endpoints, with what is expected derived from it.

Handlers are replaced by one that says it was reached, so that what is tested is who reaches it. An endpoint with a
parameter that has no example below fails, and so none can be left out.
"""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from dashboard_calls import DashboardClient
from people_server import PeopleServer, people_server
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from webkeep.dashboard.endpoint_table import ENDPOINTS, Endpoint
from webkeep.service.accounts import AccountRole, Permission
from webkeep.service.collections import CollectionFacts
from webkeep.service.jobs import JobOrder

READER, CURATOR, ADMINISTRATOR = AccountRole
ANYONE, SIGNED_IN, READ, CURATE, ADMINISTER = Permission
REACHED = 299
READING = ("GET", "HEAD")
PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
EXAMPLES: dict[str, str] = {
    "name": "style.css",
    "collection": "town",
    "account": "reader",
    "session": "0" * 64,
    "token": "0123456789ab",
    "format": "wacz",
    "webhook": "0123456789abcdef",
    "seed": "0123456789abcdef",
    "schedule": "0123456789abcdef",
    "watch": "0123456789abcdef",
    "preview": "0123456789abcdef",
    "number": "1",
    "login": "0123456789abcdef",
    "browser": "0123456789abcdef0123456789abcdef",
    "link": "guessed",
    "code": "guessed",
    "path": "index.html",
    "recovery": "0123456789abcdef",
    "key": "0" * 64,
}
"""For each parameter of a path something that is there, of the collection town; `job` is made by the fixture."""


@dataclass
class Asker:
    """Somebody, and what they may do in the collection town and anywhere."""

    client: DashboardClient
    in_town: frozenset[Permission] = frozenset()
    anywhere: frozenset[Permission] = frozenset()
    is_known: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    csrf_token: str = ""
    scope: Permission | None = None


@dataclass
class Grounds:
    server: PeopleServer
    askers: dict[str, Asker]
    examples: dict[str, str]

    def path(self, endpoint: Endpoint) -> str:
        return PARAMETER.sub(lambda found: self.examples[found[1]], endpoint.path)


def probe_of(endpoint: Endpoint) -> Endpoint:
    async def reach(_: Request) -> Response:
        return PlainTextResponse(endpoint.path, REACHED)

    return replace(endpoint, handler=reach)


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    with laid_out_grounds(tmp_path_factory.mktemp("attack")) as grounds:
        yield grounds


@pytest.fixture
def untrodden(tmp_path: Path) -> Iterator[Grounds]:
    """The same where no stranger has been yet: of what strangers send, no more than so much of an hour is kept."""
    with laid_out_grounds(tmp_path) as grounds:
        yield grounds


@contextmanager
def laid_out_grounds(folder: Path) -> Iterator[Grounds]:
    with people_server(folder / "service", [probe_of(each) for each in ENDPOINTS]) as server:
        now = server.clock.now()
        for name in ("town", "press"):
            server.service.collections.create(CollectionFacts(name, name), now)
        order = JobOrder("town", "archive-1", {"seeds": ["https://example.org/"]})
        job = server.service.jobs.submit(order, now)
        assert job is not None
        examples = EXAMPLES | {"job": job.id}
        yield Grounds(server, make_askers(server), examples)


def make_askers(server: PeopleServer) -> dict[str, Asker]:
    read, curate, administer = frozenset({READ}), frozenset({READ, CURATE}), frozenset({READ, CURATE, ADMINISTER})
    server.add_account("head", ADMINISTRATOR)
    server.add_account("reader", READER, "town")
    server.add_account("curator", CURATOR, "town")
    server.add_account("administrator", ADMINISTRATOR, "town")
    server.add_account("elsewhere", READER, "press")
    server.add_account("roleless", None)
    server.add_account("locked", ADMINISTRATOR)
    locked_token = server.add_token("locked", ADMINISTER)
    server.service.accounts.set_locked("locked", True)

    def person(name: str, in_town: frozenset[Permission], anywhere: frozenset[Permission]) -> Asker:
        client = server.client(name)
        return Asker(client, in_town, anywhere, csrf_token=server.csrf_token(client))

    def program(
        secret: str, in_town: frozenset[Permission], anywhere: frozenset[Permission], scope: Permission
    ) -> Asker:
        headers = {"authorization": f"Bearer {secret}"}
        return Asker(server.client(), in_town, anywhere, headers=headers, scope=scope)

    def unknown(client: DashboardClient, **headers: str) -> Asker:
        return Asker(client, is_known=False, headers=headers)

    now = server.clock.now()
    server.clock.at = now.plus(-13 * 3600)
    idle = server.client("head")
    server.clock.at = now.plus(-8 * 24 * 3600)
    old = server.client("head")
    server.clock.at = now
    guessed = DashboardClient(server.port, "/", {f"webkeep-{server.port}": "guessed"})
    late = server.add_token("head", ADMINISTER, expires=now.plus(-1))
    return {
        "nobody": unknown(server.client()),
        "roleless": person("roleless", frozenset(), frozenset()),
        "reader": person("reader", read, read),
        "curator": person("curator", curate, curate),
        "administrator of the collection": person("administrator", administer, curate),
        "administrator of all": person("head", administer, administer),
        "reader of another collection": person("elsewhere", frozenset(), read),
        "locked account": unknown(server.client("locked")),
        "idle session": unknown(idle),
        "old session": unknown(old),
        "guessed session": unknown(guessed),
        "session of the link": unknown(server.client("")),
        "token to read": program(server.add_token("head", READ), read, read, READ),
        "token to curate": program(server.add_token("head", CURATE), curate, curate, CURATE),
        "token to administer": program(server.add_token("head", ADMINISTER), administer, administer, ADMINISTER),
        "token of another collection": program(
            server.add_token("head", ADMINISTER, "press"), frozenset(), curate, ADMINISTER
        ),
        "token of a reader": program(server.add_token("reader", ADMINISTER), read, read, ADMINISTER),
        "token of a locked account": unknown(server.client(), authorization=f"Bearer {locked_token}"),
        "token whose day has come": unknown(server.client(), authorization=f"Bearer {late}"),
        "guessed token": unknown(server.client(), authorization="Bearer webkeep_guessed"),
    }


ASKERS = (
    "nobody", "roleless", "reader", "curator", "administrator of the collection", "administrator of all",
    "reader of another collection", "locked account", "idle session", "old session", "guessed session",
    "session of the link", "token to read", "token to curate", "token to administer", "token of another collection",
    "token of a reader", "token of a locked account", "token whose day has come", "guessed token",
)  # fmt: skip


def expected_status(asker: Asker, endpoint: Endpoint, method: str) -> int:
    """What the gatekeeper is to answer, by what the guide says of roles."""
    if endpoint.permission is ANYONE:
        return REACHED
    if not asker.is_known:
        is_page = method in READING and "authorization" not in asker.headers and not endpoint.path.startswith("/api/")
        return 303 if is_page else 401
    is_token_kept_out = asker.scope is not None and (
        endpoint.needs_session or (asker.scope is READ and method not in READING)
    )
    if endpoint.permission is SIGNED_IN:
        return 403 if is_token_kept_out else REACHED
    is_about_one = endpoint.collection_of is not None or {"collection", "job"} & set(PARAMETER.findall(endpoint.path))
    if is_about_one and READ not in asker.in_town:
        return 404
    allowed = asker.in_town if is_about_one else asker.anywhere
    return 403 if endpoint.permission not in allowed or is_token_kept_out else REACHED


def ask(grounds: Grounds, asker: Asker, endpoint: Endpoint, method: str, **more: str) -> int:
    headers = dict(asker.headers)
    if method not in READING and asker.csrf_token:
        headers["x-csrf-token"] = asker.csrf_token
    body = None if method in READING else b""
    return asker.client.ask(grounds.path(endpoint), method, body, **(headers | more)).status


def changing() -> list[tuple[Endpoint, str]]:
    return [(each, method) for each in ENDPOINTS for method in each.methods if method not in READING]


def test_every_parameter_has_an_example(grounds: Grounds) -> None:
    named = {name for each in ENDPOINTS for name in PARAMETER.findall(each.path)}
    assert named <= grounds.examples.keys(), "add an example of the collection town to EXAMPLES"
    assert set(ASKERS) == grounds.askers.keys()


@pytest.mark.parametrize("name", ASKERS)
def test_everyone_reaches_what_they_may_and_nothing_else(grounds: Grounds, name: str) -> None:
    asker = grounds.askers[name]
    wrong = []
    for endpoint in ENDPOINTS:
        for method in endpoint.methods:
            status, expected = ask(grounds, asker, endpoint, method), expected_status(asker, endpoint, method)
            if status != expected:
                wrong.append(f"{method} {endpoint.path}: {status} in place of {expected}")
    assert wrong == []


def test_methods_that_do_not_stand_in_the_table_are_none(grounds: Grounds) -> None:
    head = grounds.askers["administrator of all"]
    declared: dict[str, set[str]] = {}
    for each in ENDPOINTS:
        declared.setdefault(each.path, set()).update(each.methods)
    for each in ENDPOINTS:
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - declared[each.path]:
            assert ask(grounds, head, each, method) in (404, 405, REACHED), f"{method} {each.path}"
            body = head.client.ask(grounds.path(each), method, b"", x_csrf_token=head.csrf_token)
            assert body.status != REACHED or body.text != each.path, f"{method} {each.path}"


@pytest.mark.parametrize(
    "trick", ["missing", "empty", "foreign", "another session's", "in the URL", "the session's key"]
)
def test_forms_without_the_token_of_their_session_do_nothing(grounds: Grounds, trick: str) -> None:
    head, reader = grounds.askers["administrator of all"], grounds.askers["reader"]
    other = grounds.server.client("head")
    sent = {
        "missing": "", "empty": "", "foreign": reader.csrf_token, "in the URL": "",
        "another session's": grounds.server.csrf_token(other),
        "the session's key": next(iter(head.client.cookies.values())),
    }[trick]  # fmt: skip
    for endpoint, method in changing():
        if endpoint.permission is ANYONE:
            continue
        path = grounds.path(endpoint) + (f"?csrf_token={head.csrf_token}" if trick == "in the URL" else "")
        headers = {} if trick == "missing" else {"x_csrf_token": sent}
        body = f"csrf_token={sent}".encode()
        headers["content_type"] = "application/x-www-form-urlencoded"
        assert head.client.ask(path, method, body, **headers).status == 403, f"{method} {endpoint.path}"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_what_another_site_sends_does_nothing(grounds: Grounds, headers: dict[str, str]) -> None:
    head = grounds.askers["administrator of all"]
    for endpoint, method in changing():
        status = ask(grounds, head, endpoint, method, **headers)
        assert status == 403, f"{method} {endpoint.path}, a login too: {status}"
    origin = f"http://127.0.0.1:{grounds.server.port}"
    for endpoint, method in changing():
        assert ask(grounds, head, endpoint, method, origin=origin, sec_fetch_site="same-origin") == REACHED


def test_whatever_is_sent_is_written_down(untrodden: Grounds) -> None:
    grounds, audit = untrodden, untrodden.server.service.audit
    for name, who in (("reader", "reader"), ("administrator of all", "head"), ("nobody", "nobody")):
        for endpoint, method in changing():
            status = ask(grounds, grounds.askers[name], endpoint, method)
            entry = audit.list_entries(1)[0]
            if not endpoint.is_audited and status == REACHED:  # done in a shown browser, whose start and end are
                assert entry.action != f"{method} {endpoint.path}"
                continue
            outcome = "done" if status == REACHED else f"refused ({status})"
            assert (entry.who, entry.action, entry.outcome) == (who, f"{method} {endpoint.path}", outcome)
            assert entry.address == "127.0.0.1"
            if "collection" in PARAMETER.findall(endpoint.path):
                assert "town" in entry.subject


def test_tokens_in_urls_count_for_nothing(grounds: Grounds) -> None:
    secret = grounds.server.add_token("head", ADMINISTER)
    nobody = grounds.askers["nobody"]
    for endpoint in ENDPOINTS:
        if endpoint.permission is ANYONE or "GET" not in endpoint.methods:
            continue
        for name in ("token", "access_token", "api_token", "authorization", "bearer"):
            status = nobody.client.ask(f"{grounds.path(endpoint)}?{name}={secret}").status
            assert status in (303, 401, 403), endpoint.path


PATH_TRICKS = (
    "/{0}", "//{0}", "/./{0}", "/%2e/{0}", "/assets/../{0}", "/assets/%2e%2e/{0}", "/assets/..%2f{0}",
    "/assets%2f..%2f{0}", "/{0}?x",
    "/login/../{0}", "/login%2f..%2f{0}", "/{0}/", "/{0}%2f", "/{0};x", "/{0}%00", "/{0}%20", "/health/..;/{0}",
    "/{0}#x", "/\\{0}", "/%5c{0}", "http://127.0.0.1/{0}", "/%252e%252e/{0}", "/login?/../{0}", "/{0}%3f", "/{0}.css",
)  # fmt: skip


@pytest.mark.parametrize("trick", PATH_TRICKS)
def test_no_way_of_writing_a_path_leads_past_the_gatekeeper(grounds: Grounds, trick: str) -> None:
    open_paths = {each.path for each in ENDPOINTS if each.permission is ANYONE}
    for endpoint in ENDPOINTS:
        for spelled in {grounds.path(endpoint)[1:], grounds.path(endpoint)[1:].upper()}:
            status, body = ask_raw(grounds.server.port, trick.format(spelled))
            assert status != REACHED or body in open_paths, f"{trick.format(spelled)} reached {body}"


def ask_raw(port: int, target: str, host: str = "127.0.0.1") -> tuple[int, str]:
    """What is answered to a request line as it is, which no library has put right."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        request = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode("utf-8", "replace")
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split(" ")[1]), body


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "127.0.0.1.evil.example", "evil.example:80", "127.0.0.1@evil.example", "evil.example#127.0.0.1",
        "localhost.", "", "127.1", "2130706433", "0.0.0.0", "127.0.0.1:80:80", "localhost:evil", "[::1",
        "evil.example\r\nHost: localhost",
        "localhost\r\nHost: evil.example",
    ],
)  # fmt: skip
def test_other_host_names_reach_nothing(grounds: Grounds, host: str) -> None:
    for endpoint in ENDPOINTS:
        status, _ = ask_raw(grounds.server.port, grounds.path(endpoint), host)
        assert status in (400, 421), f"{endpoint.path} as {host}"


def test_what_proxies_say_is_not_believed_without_one(grounds: Grounds) -> None:
    reader = grounds.askers["reader"]
    endpoint, method = changing()[0]
    ask(grounds, reader, endpoint, method, x_forwarded_for="198.51.100.7", x_forwarded_host="evil.example")
    assert grounds.server.service.audit.list_entries(1)[0].address == "127.0.0.1"
