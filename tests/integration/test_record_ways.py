"""Ways to servers that are not the usual one: HTTP/2, answers that libcurl does not take, tunnels, manners."""

import socket
from itertools import pairwise
from pathlib import Path

import pytest
from capture_calls import fates, is_sound
from fetcher_calls import TLS
from http2_server import Http2Server
from listening import Listening
from raw_server import Cut, Held, RawServer
from record_calls import kept, recording, requests, responses
from small_site import Page, SmallSite
from stream_server import PAGE, StreamServer
from test_record_streams import TRUST, received, tls
from warc_material import webkeep

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def test_http2_servers_are_spoken_to_in_http2_and_clients_in_http1(tmp_path: Path) -> None:
    with Http2Server(TLS / "site.pem", b"hello") as server, recording(tmp_path, *TRUST) as run:
        answers = [run.curl("-i", "--raw", words, server.url).stdout for words in ("--http1.1", "--http1.0")]
        summary = run.end()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nx-odd: yes\r\n"
    established = b"HTTP/1.1 200 Connection established\r\n\r\n"
    assert answers == [
        established + head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        established + head + b"\r\nhello",
    ]
    assert (summary["stored"], summary["duplicates"]) == (1, 1)
    (record, _) = responses(run.archive)
    assert record.body == b"hello"
    assert record.fields["WARC-Protocol"] in ("h2", "tls/1.3")
    assert is_sound(run.archive)


def test_the_trailers_of_http2_follow_the_body_where_there_is_room_for_them(tmp_path: Path) -> None:
    trailers = {b"x-check": b"abc", b"x-status": b"0", b"content-length": b"5"}
    with Http2Server(TLS / "site.pem", b"hello", trailers=trailers) as server, recording(tmp_path, *TRUST) as run:
        in_chunks, bare = (run.curl("--raw", words, server.url).stdout for words in ("--http1.1", "--http1.0"))
        run.end()
    assert in_chunks == b"5\r\nhello\r\n0\r\nx-check: abc\r\nx-status: 0\r\n\r\n"
    assert bare == b"hello"
    assert [record.body for record in responses(run.archive)] == [b"hello", b""]
    (_, reason) = fates(run.archive)[server.url]
    assert reason == "trailers came that a record has no place for: x-check, x-status, content-length"


def test_a_stream_that_is_reset_breaks_off_for_the_client_too(tmp_path: Path) -> None:
    with Http2Server(TLS / "site.pem", b"hello world!", resets=True) as server, recording(tmp_path, *TRUST) as run:
        done = run.curl(server.url)
        run.end()
    assert (done.returncode, done.stdout) == (18, b"hello ")
    (record,) = responses(run.archive)
    assert (record.body, record.fields["WARC-Truncated"]) == (b"hello ", "disconnect")


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_an_answer_that_libcurl_does_not_take_is_passed_on_as_it_came(tmp_path: Path, is_encrypted: bool) -> None:
    odd = Cut(b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 5\r\n\r\nhello")
    with RawServer(odd, odd, tls=tls() if is_encrypted else None) as server, recording(tmp_path, *TRUST) as run:
        if is_encrypted:
            assert run.curl("--http0.9", server.url).returncode != 0  # a curl does not like it any better from us
        else:
            assert run.ask(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % server.url.encode()) == odd
        summary = run.end()
        assert len(server.received) == 2
    assert summary["failed"] == 0
    (record,) = responses(run.archive)
    assert record.body == b"hello"


def test_of_an_answer_that_libcurl_does_not_take_a_client_that_leaves_leaves_its_part(tmp_path: Path) -> None:
    odd = b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 9\r\n\r\nhello"
    with RawServer(Cut(odd), Held(odd)) as server, recording(tmp_path, *TRUST) as run:
        with socket.create_connection(("127.0.0.1", run.port), timeout=20) as client:
            client.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % server.url.encode())
            came = b""
            while not came.endswith(b"hello"):
                came += client.recv(65536)
        assert "the client went away" in run.until("stored")["reason"]
        run.end()
    (record,) = responses(run.archive)
    assert (record.body, record.fields["WARC-Truncated"]) == (b"hello", "disconnect")
    assert is_sound(run.archive)


class Greeter(Listening):
    """A server that has the first word."""

    def talk(self, connection: socket.socket) -> None:
        connection.sendall(b"220 welcome\r\n")
        connection.sendall(b"heard " + connection.recv(100))


def test_a_server_may_have_the_first_word_in_a_tunnel(tmp_path: Path) -> None:
    with Greeter() as server, recording(tmp_path, *TRUST, "--tunnels", "pass") as run:
        with socket.create_connection(("127.0.0.1", run.port), timeout=20) as client:
            client.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % server.port)
            assert received(client, b"welcome\r\n").endswith(b"\r\n\r\n220 welcome\r\n")
            client.sendall(b"EHLO me\r\n")
            assert received(client, b"me\r\n") == b"heard EHLO me\r\n"
        run.until("refused")
        run.end()
    assert fates(run.archive)[f"tunnel:127.0.0.1:{server.port}"][1] == "passed on unseen: neither TLS nor HTTP"


def test_a_client_that_speaks_late_in_a_tunnel_is_recorded_all_the_same(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST, "--tunnels", "pass") as run:
        with socket.create_connection(("127.0.0.1", run.port), timeout=20) as client:
            client.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % server.port)
            received(client, b"\r\n\r\n")
            assert server.reached.wait(20), "the proxy has not begun to listen to the server"
            client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port)
            assert received(client, PAGE[-20:]).startswith(b"HTTP/1.1 200 OK\r\n")
        run.end()
    assert [each.url for each in responses(run.archive)] == [server.url()]


def test_a_port_in_use_is_told_before_anything_is_begun(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = webkeep("record", "--into", tmp_path / "archive", "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "choose another with --port" in done.err
    assert not (tmp_path / "archive").exists()


def test_robots_are_obeyed_where_that_is_wanted(tmp_path: Path) -> None:
    pages = {
        "robots.txt": (b"text/plain", b"User-agent: *\nDisallow: /closed\n"),
        "open": (b"text/plain", b"come in"),
        "closed": (b"text/plain", b"keep out"),
    }
    with StreamServer(pages=pages) as server, recording(tmp_path, *TRUST, "--robots", "obey") as run:
        assert run.curl(server.url("open")).stdout == b"come in"
        assert b"forbids it: Disallow: /closed" in run.curl(server.url("closed")).stdout
        summary = run.end()
    assert (summary["stored"], summary["refused"]) == (2, 1)
    assert {each.url for each in responses(run.archive)} == {server.url("robots.txt"), server.url("open")}
    assert fates(run.archive)[server.url("closed")][0] == "refused"


def test_robots_that_cannot_be_had_close_a_host(tmp_path: Path) -> None:
    trouble = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
    with RawServer(trouble, OK) as server, recording(tmp_path, *TRUST, "--robots", "obey") as run:
        assert b"could not be found out" in run.curl(server.url).stdout
        run.end()
        assert len(server.received) == 1


def test_requests_to_one_host_keep_their_distance(tmp_path: Path) -> None:
    with RawServer(OK, OK, OK) as server, recording(tmp_path, *TRUST, "--delay", "0.25") as run:
        for _ in range(3):
            assert run.curl(server.url).stdout == b"ok"
        run.end()
    moments = sorted(each.fields["WARC-Date"] for each in requests(run.archive))
    seconds = [float(moment[-10:-1]) % 60 for moment in moments]
    assert all((later - earlier) % 60 >= 0.25 for earlier, later in pairwise(seconds))


def test_answers_and_frames_are_redacted_by_rules_of_the_user_alone(tmp_path: Path) -> None:
    pages = {"me.json": (b"application/json", b'{"token": "geheim", "name": "me"}')}
    with StreamServer(pages=pages) as server, recording(tmp_path, *TRUST, "--redact", "response:token") as run:
        assert run.curl(server.url("me.json")).stdout == pages["me.json"][1]
        summary = run.end()
    assert summary["redactions"] == 1
    (record,) = responses(run.archive)
    assert record.body == b'{"token": "[redacted]", "name": "me"}'
    assert not any(b"geheim" in each.head + each.body for each in kept(run.archive))
    assert is_sound(run.archive)


def test_an_answer_that_opens_no_websocket_is_recorded_whole(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\n\r\nnot you"
    lines = b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    with RawServer(answer) as server, recording(tmp_path, *TRUST) as run:
        assert run.ask(b"GET %s HTTP/1.1\r\nHost: x\r\n%s" % (server.url.encode(), lines)) == answer
        summary = run.end()
    assert (summary["stored"], summary["sockets"]) == (1, 0)
    (record,) = responses(run.archive, server.url)
    assert record.body == b"not you"
    assert "WARC-Truncated" not in record.fields


def test_the_fates_of_a_recording_are_told_while_it_runs(tmp_path: Path) -> None:
    with SmallSite({"/": Page(b"front")}) as site, recording(tmp_path, "--private") as run:
        assert run.curl(site.url()).stdout == b"front"
        run.until("stored")
        assert fates(run.archive) == {site.url(): ("stored", "")}
        assert webkeep("why", run.archive, site.url()).summary["captures"][0]["outcome"] == "stored"
        run.end()
    assert fates(run.archive)[site.url()][0] == "stored"
