"""Whatever clients send, and whatever archives hold: an answer, never a 500, and the server goes on."""

import select
import socket
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from serve_calls import Client, archive_of, page, served

from webkeep.replay.server.http_connection import ServerTimeouts

AT = "20240301120000"
LABEL = f"{AT}h-example-org"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    path = archive_of(
        tmp_path_factory.mktemp("serve") / "archive",
        page("http://example.org/", AT, "<p>home"),
        page("http://example.org/long", AT, bytes(3_000_000), "application/octet-stream"),
        page("http://example.org/short", AT, "x", head="Content-Length: 99999\r\n"),
        page("http://example.org/weird-status", AT, "x", status="999 Odd"),
        page("http://example.org/no-type", AT, "<p>x", kind=""),
        page("http://example.org/odd-type", AT, "<p>x", kind="text/html; charset=\xff\xfe"),
        page("http://example.org/bomb", AT, b"\x00" * 100, head="Content-Encoding: gzip, br, deflate\r\n"),
        page("http://example.org/nest", AT, "<div>" * 30_000),
        page("http://example.org/refresh", AT, '<meta http-equiv=refresh content="0;url=javascript:alert(1)">'),
    )
    with served(path) as client:
        yield client
        assert client.hub is not None
        assert client.hub.errors == 0


TARGETS = [
    "/web/",
    "/web//",
    "/web/x",
    "/web/2024",
    "/web/2024/",
    "/web/99999999999999/http://example.org/",
    "/web/20241399/http://example.org/",
    "/web/http://example.org/../../etc/passwd",
    "/web/http://example.org/%2e%2e%2f",
    "/web/http://example.org/%00",
    "/web/http://%00/",
    "/web/http://" + "a" * 10_000 + "/",
    "/web/http://a/" + "%41" * 4000,
    "/web/http://example.org:99999/",
    "/web/http://[::1/",
    "/web/http://user:pass@example.org/",
    "/web/file:///etc/passwd",
    "/web/javascript:alert(1)",
    "/web/data:text/html,x",
    "/web/http://example.org/?" + "&" * 5000,
    "/timemap/",
    "/timemap/xml/x",
    "/timemap/link/",
    "/timemap/link/99999999999999/http://example.org/",
    "/timegate/",
    "/timegate/http://",
    "/cdx",
    "/cdx?",
    "/cdx?url=",
    "/cdx?url=%00",
    "/cdx?url=http://[::1",
    "/cdx?url=*&matchType=domain",
    "/cdx?url=.&limit=-0",
    "/cdx?url=example.org&filter=~url:(((",
    "/cdx?url=example.org&" + "&".join(f"a{n}=1" for n in range(100)),
    "/cdx?url=example.org&resumeKey=!!",
    "/cdx?url=example.org&page=99999999",
    "/cdx?url=example.org&from=x",
    "/history/",
    "/history/x y",
    "/history/0000/http://example.org/",
    "/history/9999/http://example.org/",
    "/view/",
    "/view/2024",
    "/parts/",
    "/parts/2024/http://none/",
    "/search?q=%00",
    "/search?q=" + "a+" * 900,
    '/search?q="*(NEAR',
    "/search?q=%ff%fe",
    "/assets/../pages.py",
    "/assets/%2e%2e/pages.py",
    "/assets/",
    "//",
    "/.",
    "/%",
    "/%zz",
    "/\u00e9",
    "*",
    "http://evil.example/",
]


@pytest.mark.parametrize("target", TARGETS, ids=range(len(TARGETS)))
def test_hostile_addresses_are_answered(client: Client, target: str) -> None:
    request = f"GET {target} HTTP/1.1\r\nHost: localhost:{client.port}\r\nConnection: close\r\n\r\n"
    answer = client.raw(request.encode("utf-8"))
    status = int(answer[9:12])
    assert status in (200, 302, 400, 404, 421), answer[:300]


@pytest.mark.parametrize(
    "target", ["/%00", "/..%2f..%2fx", "/" + "a" * 12_000, "/?" + "x" * 12_000, "/\u00fc", "//evil.example/", "*"]
)
def test_hostile_paths_on_a_replay_host_are_answered(client: Client, target: str) -> None:
    request = f"GET {target} HTTP/1.1\r\nHost: {LABEL}.localhost:{client.port}\r\nConnection: close\r\n\r\n"
    assert int(client.raw(request.encode("utf-8"))[9:12]) in (400, 404)


def test_more_parameters_than_anybody_needs_are_told(client: Client) -> None:
    many = "a=b&" * 70
    for path in ("/.webkeep/script", "/.webkeep/frames", "/.webkeep/shim.js"):
        assert client.replay(f"{AT}h-example-org", f"{path}?{many}").status == 400, path
    for path in ("/cdx", "/search"):
        assert client.ask(f"{path}?{many}").status == 400, path


def test_hosts_that_look_like_others_are_others(client: Client) -> None:
    assert client.ask(f"/web/{AT}/http://xn--exmple-cua.org/").status == 404


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"\x00" * 100,
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"CONNECT evil:80 HTTP/1.1\r\nHost: evil:80\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"x" * 300_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 300_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_broken_requests_get_a_word_or_nothing(client: Client, data: bytes) -> None:
    try:
        answer = client.raw(data)
    except OSError:  # closed before all of it was sent
        answer = b""
    assert not answer or int(answer[9:12]) in (400, 414, 421, 431, 501)
    assert client.ask("/assets/style.css").status == 200


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(string.printable + "é\u202e\x00", max_size=60),
    st.sampled_from(["/web/", "/timemap/", "/cdx?url=", "/view/", "/search?q=", "/history/", "/"]),
)
def test_no_address_is_too_odd(client: Client, text: str, start: str) -> None:
    target = (
        (start + text).replace(" ", "%20").replace("\r", "").replace("\n", "").replace("\x0b", "").replace("\x0c", "")
    )
    request = f"GET {target} HTTP/1.1\r\nHost: localhost:{client.port}\r\nConnection: close\r\n\r\n".encode()
    assert client.raw(request)[9:10] in (b"2", b"3", b"4")


@pytest.mark.parametrize("name", ["short", "weird-status", "no-type", "odd-type", "bomb", "nest", "refresh"])
def test_odd_records_are_shown_as_well_as_they_can_be(client: Client, name: str) -> None:
    for reply in (
        client.replay(LABEL, f"/{name}", Sec_Fetch_Dest="document"),
        client.ask(f"/web/{AT}/http://example.org/{name}"),
    ):
        assert reply.status == 200
    assert client.ask(f"/web/{AT}id_/http://example.org/{name}").status == 200


def test_requests_sent_ahead_are_answered_in_their_order(client: Client) -> None:
    one = f"GET /web/{AT}id_/http://example.org/ HTTP/1.1\r\nHost: localhost:{client.port}\r\n"
    long = f"GET /web/{AT}id_/http://example.org/long HTTP/1.1\r\nHost: localhost:{client.port}\r\n"
    answer = client.raw((f"{one}\r\n{long}\r\n{one}\r\n{long}\r\n{one}Connection: close\r\n\r\n").encode())
    assert answer.count(b"HTTP/1.1 200 OK") == 5
    assert answer.count(b"<p>home") == 3
    assert answer.endswith(b"<p>home")


def test_a_client_that_stops_reading_is_let_go(tmp_path: Path) -> None:
    path = archive_of(
        tmp_path / "a", page("http://example.org/long", AT, bytes(30_000_000), "application/octet-stream")
    )
    target = f"/web/{AT}id_/http://example.org/long"
    with (
        served(path, patience=ServerTimeouts(read_seconds=0.2)) as client,
        socket.create_connection(("127.0.0.1", client.port), timeout=60) as connection,
    ):
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost:{client.port}\r\n\r\n".encode())
        assert client.ask(target).body == bytes(30_000_000)  # others are served meanwhile
        let_go = select.poll()
        let_go.register(connection, select.POLLHUP | select.POLLERR)
        assert let_go.poll(60_000), "it was not let go"


def test_more_connections_than_there_may_be_are_told_so(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", page("http://example.org/", AT, "x"))
    with served(path, patience=ServerTimeouts(max_connections=20)) as client:
        crowd = [socket.create_connection(("127.0.0.1", client.port), timeout=30) for _ in range(20)]
        try:
            for each in crowd:  # each is known to the server once it was answered
                each.sendall(f"GET /assets/style.css HTTP/1.1\r\nHost: localhost:{client.port}\r\n\r\n".encode())
                assert each.recv(20).startswith(b"HTTP/1.1 200")
            assert client.raw(b"").startswith(b"HTTP/1.1 503")
        finally:
            for each in crowd:
                each.close()


def test_damaged_records_are_told(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "a", page("http://example.org/", AT, "<p>" + "damaged " * 5000))
    (warc,) = (path / "warcs").iterdir()
    data = bytearray(warc.read_bytes())
    data[-200:-100] = bytes(100)
    with served(path) as client:
        warc.write_bytes(data)
        reply = client.ask(f"/web/{AT}id_/http://example.org/")
        assert reply.status in (200, 503)
        warc.unlink()
        assert client.ask(f"/web/{AT}id_/http://example.org/").status == 503
