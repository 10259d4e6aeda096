"""Replay hosts: archived content under the name of its origin, and nothing else."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_calls import Client, archive_of, page, served

from webkeep.formats.cdx import post_query
from webkeep.model import BytesBody, Exchange, Moment

AT = "20240301120000"
LABEL = f"{AT}h-example-org"
SECURE = f"{AT}s-example-org"
HOSTILE = (
    "Set-Cookie: a=1; Domain=localhost; Path=/; Expires=Wed, 01 Jan 2025 00:00:00 GMT\r\n"
    "Set-Cookie: gone=; Max-Age=0; Domain=.localhost\r\n"
    "Refresh: 0; url=http://evil.example/\r\n"
    "Content-Security-Policy: default-src *\r\n"
    "Strict-Transport-Security: max-age=31536000; includeSubDomains\r\n"
    'Clear-Site-Data: "*"\r\n'
    "Service-Worker-Allowed: /\r\n"
    "Access-Control-Allow-Origin: *\r\n"
    "Connection-Allowlist: *\r\n"
    "X-Frame-Options: DENY\r\n"
    'Link: <http://evil.example/>; rel="original", <http://cdn.example/a.css>; rel=preload; as=style\r\n'
    'Alt-Svc: h3=":443"\r\n'
    "NEL: {}\r\n"
    'Report-To: {"url": "http://evil.example"}\r\n'
    "X-Total: 7\r\nX-LiteSpeed-Location: 7\r\nX-Reproxy-URL: 7\r\nX-Lighttpd-Send-File: 7\r\nX-Sendfile: 7\r\n"
    "Bad Name: x\r\n"
    "X-Folded: a\r\n b\r\n"
    "Memento-Datetime: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
    "X-Archive-Orig-X: faked\r\n"
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    post = b"a=1&b=2"
    path = archive_of(
        tmp_path_factory.mktemp("serve") / "archive",
        page("http://example.org/", AT, '<a href="http://other.example/x">o</a><img src="/i.png">'),
        page("http://example.org/hostile", AT, "<p>hostile", head=HOSTILE),
        page("http://example.org/a%2Fb/..%2f?q=a%20b", AT, "odd"),
        page("http://example.org/i.png", AT, bytes(range(256)) * 4, "image/png"),
        page("http://example.org/data.js?_=1709294400123&x=1", AT, "bust", "text/javascript"),
        page("http://example.org/jsonp?callback=jQuery123_456&q=1", AT, "jQuery123_456({});", "text/javascript"),
        page("http://example.org/loop", AT, "", status="302 Found", head="Location: https://example.org/loop\r\n"),
        page("http://example.org/go", AT, "", status="302 Found", head="Location: //other.example/x#f\r\n"),
        page(
            "http://example.org/form", AT, "posted",
            request=b"POST /form HTTP/1.1\r\nHost: example.org\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            b"Content-Length: 7\r\n\r\n", request_body=post,
        ),
        page("http://example.org/gz", AT, _gzip(b"<p>packed"), head="Content-Encoding: gzip\r\n"),
        page("http://example.org/lies", AT, b"plain", head="Content-Encoding: gzip\r\n"),
        page(
            "http://example.org/chunks", AT, b"3\r\nabc\r\n0\r\n\r\n", "text/plain",
            head="Transfer-Encoding: chunked\r\n",
        ),
    )  # fmt: skip
    with served(path) as client:
        yield client


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def test_a_page_is_shown_under_its_own_path_with_links_into_the_archive(client: Client) -> None:
    reply = client.replay(LABEL, "/", Sec_Fetch_Dest="document")
    assert reply.status == 200
    assert f"http://{AT}h-other-example.localhost:{client.port}/x".encode() in reply.body
    assert b'src="/i.png"' in reply.body
    assert b"/.webkeep/shim.js" in reply.body
    assert reply.get("Memento-Datetime") == "Fri, 01 Mar 2024 12:00:00 GMT"
    assert reply.get("Content-Location") == f"{client.root}/web/{AT}/http://example.org/"


@pytest.mark.parametrize("path", ["/", "/i.png", "/?q"])
def test_whoever_takes_the_server_for_a_proxy_is_answered_alike(client: Client, path: str) -> None:
    """RFC 9112, 3.2.2: a server takes targets in absolute form, and its Host out of them."""
    host = f"{LABEL}.localhost:{client.port}"
    plain = client.ask(path, host=host)
    whole = client.ask(f"http://{host}{path.removeprefix('/') if path == '/?q' else path}", host="elsewhere.example")
    assert (whole.status, whole.body) == (plain.status, plain.body)
    assert client.ask("http://elsewhere.example/", host=host).status == 421


def test_odd_paths_stay_what_they_are(client: Client) -> None:
    assert client.replay(LABEL, "/a%2Fb/..%2f?q=a%20b").body.endswith(b"odd")


def test_archived_content_reaches_replay_hosts_and_nothing_else(client: Client) -> None:
    for path in ("/", "/i.png", "/go", "/gz"):
        reply = client.replay(LABEL, path, Sec_Fetch_Dest="image")
        pattern = f"http://*.localhost:{client.port}"
        assert reply.get("Connection-Allowlist") == f'(response-origin "{pattern}");redirects=allow', path
        policy = reply.get("Content-Security-Policy")
        assert f"default-src 'self' {pattern}" in policy
        assert f"form-action 'self' {pattern}" in policy


def test_hostile_fields_are_not_passed_on(client: Client) -> None:
    reply = client.replay(LABEL, "/hostile", Sec_Fetch_Dest="document")
    assert reply.all("Set-Cookie") == ["a=1; Path=/", "gone=; Max-Age=0"]
    assert reply.get("Refresh").startswith(f"0; url=http://{AT}h-evil-example.localhost:{client.port}/")
    assert len(reply.all("Connection-Allowlist")) == 1
    own, locks = sorted(reply.all("Content-Security-Policy"), key=lambda value: "default-src" in value)
    assert f"default-src 'self' http://*.localhost:{client.port}" in locks
    assert "frame-src" in locks
    assert own.startswith(f"script-src http://*.localhost:{client.port} ")
    for name in ("Strict-Transport-Security", "Clear-Site-Data", "Service-Worker-Allowed", "X-Frame-Options", "Alt-Svc",
                 "NEL", "Report-To", "Access-Control-Allow-Origin", "X-Archive-Orig-X"):  # fmt: skip
        assert reply.get(name) == "", name
    assert reply.all("Memento-Datetime") == ["Fri, 01 Mar 2024 12:00:00 GMT"]
    assert reply.link("original").target == "http://example.org/hostile"
    assert reply.link("preload").target == f"http://{AT}h-cdn-example.localhost:{client.port}/a.css"
    for name in ("X-Total", "X-LiteSpeed-Location", "X-Reproxy-URL", "X-Lighttpd-Send-File", "X-Sendfile"):
        assert reply.get(name) == "", name
        assert reply.get(f"X-Archive-Orig-{name}") == "7", name
    assert reply.get("X-Archive-Orig-Clear-Site-Data") == '"*"'
    assert reply.get("X-Archive-Orig-X-Archive-Orig-X") == "faked"


def test_browsers_that_obey_the_allowlist_are_told_nothing_of_frames(client: Client) -> None:
    """The error page that would take the place of a frame has no locks."""
    brands = '"Chromium";v="156", "Not.A/Brand";v="24"'
    reply = client.replay(LABEL, "/hostile", Sec_Fetch_Dest="document", Sec_CH_UA=brands)
    for policy in reply.all("Content-Security-Policy"):
        assert not {"default-src", "frame-src", "child-src"} & {each.split()[0] for each in policy.split("; ")}
        assert "script-src" in policy
    assert len(reply.all("Connection-Allowlist")) == 1


def test_no_archived_byte_begins_a_line_of_ours(tmp_path: Path) -> None:
    head = "X-A: b\r\n\tc\r\nX-B: \x00\x0b\x7f\r\nX-C: \udce9\udcff\u2028\r\nContent-Disposition: a\r\n b: c\r\n"
    path = archive_of(tmp_path / "a", page("http://example.org/", AT, "x", head=head))
    with served(path) as client:
        reply = client.replay(LABEL, "/")
        assert reply.status == 200
        assert reply.get("b") == ""
        assert "\x00" not in str(reply.headers)


def test_the_control_host_passes_on_neither_cookies_nor_what_makes_browsers_act(client: Client) -> None:
    reply = client.ask(f"/web/{AT}/http://example.org/hostile")
    for name in ("Set-Cookie", "Refresh", "Clear-Site-Data", "Strict-Transport-Security"):
        assert reply.get(name) == "", name
    assert len(reply.all("Link")) == 1
    policy = reply.get("Content-Security-Policy")
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert "allow-same-origin" not in policy
    assert b"shim.js" not in reply.body


@pytest.mark.parametrize("view", ["", "id_", "if_"])
def test_no_archived_page_has_the_control_pages_origin(client: Client, view: str) -> None:
    for destination in ("document", "iframe", "empty", ""):
        reply = client.ask(f"/web/{AT}{view}/http://example.org/", Sec_Fetch_Dest=destination)
        policy = reply.get("Content-Security-Policy")
        assert reply.status == 302 or ("sandbox" in policy and "allow-same-origin" not in policy)


def test_no_service_worker_is_registered_on_the_control_host(client: Client) -> None:
    assert client.ask(f"/web/{AT}id_/http://example.org/data.js", Service_Worker="script").status == 403


def test_raw_bytes_are_as_they_came_but_for_the_way_they_were_sent(client: Client) -> None:
    assert client.ask(f"/web/{AT}id_/http://example.org/").body.startswith(b'<a href="http://other.example/x">')
    packed = client.ask(f"/web/{AT}id_/http://example.org/gz")
    assert packed.get("Content-Encoding") == "gzip"
    assert packed.body == _gzip(b"<p>packed")
    assert packed.get("X-Archive-Orig-Content-Encoding") == "gzip"
    assert client.ask(f"/web/{AT}id_/http://example.org/chunks").body == b"abc"


def test_redirections_stay_in_the_archive(client: Client) -> None:
    assert client.replay(LABEL, "/go").get("Location") == f"http://{AT}h-other-example.localhost:{client.port}/x#f"
    raw = client.ask(f"/web/{AT}id_/http://example.org/go")
    assert raw.get("Location") == f"{client.root}/web/{AT}id_/http://other.example/x#f"


def test_no_host_shows_what_another_origin_said(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", page("https://www.example.org/x", AT, "secure"))
    with served(path) as client:
        reply = client.replay(LABEL, "/x")
        place = f"http://{AT}s-www-example-org.localhost:{client.port}/x"
        assert (reply.status, reply.get("Location"), reply.body) == (307, place, b"")
        assert client.replay(f"{AT}s-www-example-org", "/x").body.endswith(b"secure")


def test_a_redirection_to_itself_does_not_go_on_for_ever(client: Client) -> None:
    first = client.replay(LABEL, "/loop")
    assert first.get("Location") == f"http://{SECURE}.localhost:{client.port}/loop"
    assert client.replay(SECURE, "/loop").status == 404


@pytest.mark.parametrize(
    ("asked", "status", "told", "body"),
    [
        ("bytes=0-9", 206, "bytes 0-9/1024", bytes(range(10))),
        ("bytes=1000-", 206, "bytes 1000-1023/1024", bytes(range(232, 256))),
        ("bytes=-4", 206, "bytes 1020-1023/1024", bytes(range(252, 256))),
        ("bytes=1020-5000", 206, "bytes 1020-1023/1024", bytes(range(252, 256))),
        ("bytes=1024-", 416, "bytes */1024", b""),
        ("bytes=-0", 416, "bytes */1024", b""),
        ("bytes=9-1", 200, "", bytes(range(256)) * 4),
        ("bytes=0-1,4-5", 200, "", bytes(range(256)) * 4),
        ("lines=1-2", 200, "", bytes(range(256)) * 4),
        ("bytes=99999999999999999999-", 200, "", bytes(range(256)) * 4),
    ],
)
def test_ranges(client: Client, asked: str, status: int, told: str, body: bytes) -> None:
    reply = client.replay(LABEL, "/i.png", Range=asked)
    assert (reply.status, reply.get("Content-Range"), reply.body) == (status, told, body)


def test_what_differs_only_in_cache_busters_or_callbacks_is_found(client: Client) -> None:
    assert client.replay(LABEL, "/data.js?_=1799999999999&x=1").body == b"bust"
    assert client.replay(LABEL, "/data.js?_=1799999999999&x=2").status == 404
    reply = client.replay(LABEL, "/jsonp?callback=jQuery999_1&q=1", Sec_Fetch_Dest="script")
    assert reply.body.endswith(b"jQuery999_1({});")
    assert client.replay(LABEL, "/jsonp?callback=alert(1)//&q=1").status == 404


def test_posts_are_matched_by_what_was_sent(client: Client) -> None:
    kind = "application/x-www-form-urlencoded"
    assert post_query("POST", kind, b"a=1&b=2")
    form = {"Content_Type": kind, "method": "POST"}
    assert client.ask("/form", host=f"{LABEL}.localhost:{client.port}", body=b"a=1&b=2", **form).body.endswith(
        b"posted"
    )
    assert client.ask("/form", host=f"{LABEL}.localhost:{client.port}", body=b"a=2", **form).status == 404
    assert client.replay(LABEL, "/form").status == 404  # what was posted answers no plain request


def test_codings_are_undone_for_those_who_do_not_know_them(client: Client) -> None:
    plain = client.replay(LABEL, "/gz")
    assert plain.body.endswith(b"<p>packed")
    assert plain.get("Content-Encoding") == ""
    assert client.replay(LABEL, "/lies", Accept_Encoding="gzip").body.endswith(b"plain")


def test_other_replay_hosts_may_read_and_nobody_else(client: Client) -> None:
    friend = f"http://{AT}h-other-example.localhost:{client.port}"
    reply = client.replay(LABEL, "/i.png", Origin=friend)
    assert reply.get("Access-Control-Allow-Origin") == friend
    for stranger in (
        "http://evil.example",
        f"http://localhost:{client.port}",
        "null",
        f"http://x.localhost:{client.port}",
    ):
        assert client.replay(LABEL, "/i.png", Origin=stranger).get("Access-Control-Allow-Origin") == "", stranger
    asked = client.ask("/form", host=f"{LABEL}.localhost:{client.port}", method="OPTIONS", Origin=friend,
                       Access_Control_Request_Headers="x-a")  # fmt: skip
    assert (asked.status, asked.get("Access-Control-Allow-Headers")) == (204, "x-a")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost", "localhost:1", "localhost.evil.example:{port}", "x.localhost:{port}",
     f"{LABEL}.evil.localhost:{{port}}", f"{LABEL}.localhost", f"{AT}h-example--org..localhost:{{port}}", "a" * 5000],
)  # fmt: skip
def test_a_host_that_is_none_of_ours_gets_nothing(client: Client, host: str) -> None:
    assert client.ask("/", host=host.format(port=client.port)).status == 421


def test_what_replay_needs_is_on_every_replay_host(client: Client) -> None:
    script = client.replay(LABEL, "/.webkeep/shim.js")
    assert script.get("Content-Type").startswith("text/javascript")
    assert client.replay(LABEL, "/.webkeep/worker.js").status == 200
    sent = client.replay(LABEL, "/.webkeep/to/https/other.example/a?b=1")
    assert (sent.status, sent.get("Location")) == (
        307, f"http://{AT}s-other-example.localhost:{client.port}/a?b=1",
    )  # fmt: skip
    assert client.replay(LABEL, "/.webkeep/nothing").status == 404
    assert client.replay(LABEL, "/.webkeep/frames?url=wss://none.example/").body == b"null"
    assert client.replay(LABEL, "/.webkeep/frames?url=nonsense").body == b"null"


def test_what_a_module_worker_is_told_can_be_nothing_but_data(client: Client) -> None:
    evil = b'{"a": "</script>"};alert(1);({}'.hex()
    assert client.replay(LABEL, f"/.webkeep/worker.js?facts={evil}").body.startswith(b"self.webkeep_facts$={};")
    good = json.dumps({"origin": "http://example.org"}).encode().hex()
    assert b'"http://example.org"' in client.replay(LABEL, f"/.webkeep/worker.js?facts={good}").body[:80]


def test_workers_begin_with_the_shim(client: Client) -> None:
    reply = client.replay(LABEL, "/data.js?_=1709294400123&x=1", Sec_Fetch_Dest="worker")
    assert reply.body.startswith(b"self.webkeep_facts$=")
    assert reply.body.endswith(b"bust")


def test_what_scripts_fetch_they_get_as_it_was(client: Client) -> None:
    reply = client.replay(LABEL, "/", Sec_Fetch_Dest="empty")
    assert reply.body == b'<a href="http://other.example/x">o</a><img src="/i.png">'


def test_origins_with_long_names_are_found_by_their_hash(tmp_path: Path) -> None:
    host = ".".join(["averyveryverylongname"] * 6) + ".example"
    path = archive_of(tmp_path / "a", page(f"http://{host}/x", AT, "long"), page("http://example.org/", AT, "short"))
    with served(path) as client:
        place = client.ask(f"/web/{AT}/http://{host}/x", Sec_Fetch_Dest="document").get("Location")
        label = place.removeprefix("http://").partition(".")[0]
        assert len(label) <= 63
        assert client.replay(label, "/x").body.endswith(b"long")
        assert client.replay(label[:-1] + "q", "/x").status in (404, 421)


def test_what_a_page_of_another_origin_could_not_read_it_cannot_read_again(tmp_path: Path) -> None:
    def asked(path: str, origin: str) -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: example.org\r\n{origin}\r\n".encode()

    other = "Origin: http://other.example\r\n"
    allowed = "Access-Control-Allow-Origin: *\r\n"
    path = archive_of(
        tmp_path / "a",
        page("http://example.org/refused", AT, "x", request=asked("/refused", other)),
        page("http://example.org/shared", AT, "x", request=asked("/shared", other), head=allowed),
        page("http://example.org/own", AT, "x", request=asked("/own", "Origin: http://example.org\r\n")),
        page("http://example.org/crawled", AT, "x", request=asked("/crawled", "")),
    )
    with served(path) as client:
        origin = f"http://{AT}h-other-example.localhost:{client.port}"
        found = {
            name: client.replay(LABEL, f"/{name}", Origin=origin).get("Access-Control-Allow-Origin")
            for name in ("refused", "shared", "own", "crawled")
        }
    assert found == {"refused": "", "shared": origin, "own": origin, "crawled": origin}


def test_secrets_that_were_not_recorded_stand_in_no_ones_way(tmp_path: Path) -> None:
    request = (
        b"POST /login HTTP/1.1\r\nHost: example.org\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        b"Content-Length: 30\r\n\r\n"
    )
    path = archive_of(
        tmp_path / "a",
        page("http://example.org/data?token=redacted&id=1", AT, "one", head="Set-Cookie: [redacted]\r\n"),
        page("http://example.org/data?token=redacted&id=2", AT, "two"),
        page("http://example.org/data?next=%2Fx%3Ftoken%3Dredacted&id=1", AT, "nested"),
        page("http://example.org/shop;jsessionid=redacted?id=1", AT, "shop"),
        page("http://example.org/login", AT, "in", request=request, request_body=b"name=a&password=%5Bredacted%5D"),
    )
    with served(path) as client:
        reply = client.replay(LABEL, "/data?token=s3cret&id=1", Sec_Fetch_Dest="empty")
        assert (reply.body, reply.all("Set-Cookie")) == (b"one", [])
        assert client.replay(LABEL, "/data?token=s3cret&id=3").status == 404
        assert client.replay(LABEL, "/data?next=%2Fx%3Ftoken%3Ds3cret&id=1", Sec_Fetch_Dest="empty").body == b"nested"
        assert client.replay(LABEL, "/shop;jsessionid=s3cret?id=1", Sec_Fetch_Dest="empty").body == b"shop"
        for name, status in ((b"a", 200), (b"b", 404)):
            sent = client.ask(
                "/login", f"{LABEL}.localhost:{client.port}", "POST", b"name=" + name + b"&password=x",
                Content_Type="application/x-www-form-urlencoded",
            )  # fmt: skip
            assert sent.status == status


def test_a_policy_that_a_page_declares_holds_where_it_comes_first(tmp_path: Path) -> None:
    meta = "<meta charset=utf-8><meta http-equiv=Content-Security-Policy content=\"img-src 'none'\">"
    path = archive_of(
        tmp_path / "a",
        page("http://example.org/first", AT, f"<!doctype html><title>x</title>{meta}<img src=a>"),
        page("http://example.org/late", AT, f"<script src=a></script>{meta}"),
    )
    with served(path) as client:
        first = client.replay(LABEL, "/first", Sec_Fetch_Dest="document")
        assert "img-src 'none'" in first.all("Content-Security-Policy")
        assert b"data-lifted-http-equiv" in first.body
        assert len(client.replay(LABEL, "/late", Sec_Fetch_Dest="document").all("Content-Security-Policy")) == 1


def test_a_very_long_document_is_rewritten_as_far_as_can_be(tmp_path: Path) -> None:
    link = b"@import '//other.example/x';\n"
    body = link + b"/*" + b"far \n" * (33 * 1024 * 1024 // 5) + b"*/" + link
    path = archive_of(tmp_path / "a", page("http://example.org/long.css", AT, body, "text/css"))
    with served(path) as client:
        got = client.replay(LABEL, "/long.css", Sec_Fetch_Dest="style").body
    assert got.startswith(f"@import 'http://{AT}h-other-example.localhost:{client.port}/x'".encode())
    assert got.endswith(body[-1_000_000:])


def test_a_head_tells_the_length_that_a_head_was_told(tmp_path: Path) -> None:
    told = b"HTTP/1.1 200 OK\r\nContent-Type: video/webm\r\nContent-Length: 532\r\n\r\n"
    asked = b"HEAD /film HTTP/1.1\r\nHost: example.org\r\n\r\n"
    path = archive_of(
        tmp_path / "a", Exchange("http://example.org/film", Moment.parse(AT), told, BytesBody(b""), asked)
    )
    with served(path) as client:
        assert client.replay(LABEL, "/film", method="HEAD").get("Content-Length") == "532"
        assert client.replay(LABEL, "/film").status == 404
