"""What the recording proxy does not let through: requests that can be read in two ways, places that are closed."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_calls import fates
from raw_server import RawServer
from record_calls import RecordRun, recording
from small_disk import filling_up
from stream_server import PAGE, StreamServer
from test_record_streams import TRUST, tls

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def status(answer: bytes) -> int:
    return int(answer[9:12])


BAD = {
    "two lengths": b"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "length and chunks": (
        b"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    "signed length": b"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: +3\r\n\r\nabc",
    "folded line": b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: a\r\n b\r\n\r\n",
    "space before colon": b"GET http://a.test/ HTTP/1.1\r\nHost : a.test\r\n\r\n",
    "bare line feeds": b"GET http://a.test/ HTTP/1.1\nHost: a.test\n\n",
    "line feed within": b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\nX: y\r\n\r\n",
    "zero byte": b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: \0\r\n\r\n",
    "no host": b"GET http://a.test/ HTTP/1.1\r\n\r\n",
    "two hosts": b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n\r\n",
    "credentials in the URL": b"GET http://me:it@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "fragment": b"GET http://a.test/#b HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "other scheme": b"GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "garbage": b"\x80\x81\x82\x00\x01\r\n\r\n",
    "tunnel without port": b"CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n",
    "tunnel with a body": b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc",
    "chunks of HTTP/1.0": (
        b"POST http://a.test/ HTTP/1.0\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    with recording(tmp_path_factory.mktemp("refusals"), "--resolve", "a.test:80:127.0.0.1") as run:
        yield run
        run.end()


@pytest.mark.parametrize("request_bytes", BAD.values(), ids=BAD)
def test_what_can_be_read_in_two_ways_is_refused(run: RecordRun, request_bytes: bytes) -> None:
    assert status(run.ask(request_bytes)) == 400


def test_other_refusals_have_their_own_status(run: RecordRun) -> None:
    assert status(run.ask(b"GET http://a.test/ HTTP/2.0\r\nHost: a.test\r\n\r\n")) == 505
    assert status(run.ask(b"POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: gzip\r\n\r\n")) == 501
    assert status(run.ask(b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: " + b"y" * 300_000)) == 431
    assert status(run.ask(b"OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n")) == 501


def test_a_tunnel_leads_to_one_place(run: RecordRun) -> None:
    inside = b"GET / HTTP/1.1\r\nHost: b.test\r\n\r\n"
    answer = run.ask(b"CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n" + inside)
    assert status(answer.partition(b"\r\n\r\n")[2]) == 421


def test_private_addresses_are_closed_unless_opened(run: RecordRun) -> None:
    with RawServer(OK) as server:
        answer = run.ask(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % server.url.encode())
        tunnel = b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n" % server.port
        wanted = (
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n" % server.port
        )
        socket_answer = run.ask(tunnel + wanted).partition(b"\r\n\r\n")[2]
        assert server.received == []
    assert (status(answer), status(socket_answer)) == (403, 502)


def test_the_proxy_does_not_ask_itself(tmp_path: Path) -> None:
    with recording(tmp_path, "--private") as run:
        own = b"http://localhost:%d/" % run.port
        assert status(run.ask(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % own)) == 403
        run.end()


def test_a_name_that_does_not_resolve_is_told(tmp_path: Path) -> None:
    with recording(tmp_path) as run:
        answer = run.ask(b"GET http://nowhere.invalid/ HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
        summary = run.end()
    assert status(answer) == 502
    assert b"does not resolve" in answer
    assert (summary["failed"], run.process.returncode) == (1, 1)


def test_what_fails_does_not_tell_secrets_either(tmp_path: Path) -> None:
    with recording(tmp_path) as run:
        run.ask(b"GET http://nowhere.invalid/?password=topsecret HTTP/1.1\r\nHost: nowhere.invalid\r\n\r\n")
        run.end()
    assert list(fates(run.archive)) == ["http://nowhere.invalid/?password=redacted"]
    assert "topsecret" not in json.dumps(run.events)


def test_invalid_certificates_are_refused_unless_allowed(tmp_path: Path) -> None:
    with StreamServer(tls()) as server:
        with recording(tmp_path / "strict", "--private") as run:
            assert run.curl(server.url(), "-o", "/dev/null", "-w", "%{http_code}").stdout == b"502"
            assert run.end()["failed"] == 1
        with recording(tmp_path / "lax", "--private", "--insecure") as run:
            assert run.curl(server.url()).stdout == PAGE
            assert "invalid certificate accepted" in run.until("stored")["reason"]
            run.end()


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    for name in ("strict", "lax"):
        (tmp_path / name).mkdir()


def test_what_is_neither_tls_nor_http_passes_by_rule_alone(tmp_path: Path) -> None:
    tunnel = b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\n"
    said = b"hello over there\r\n\r\n"
    with RawServer(b"and back") as server:
        with recording(tmp_path / "strict", *TRUST) as run:
            assert run.ask(tunnel % server.port + said) == b"HTTP/1.1 200 Connection established\r\n\r\n"
            assert run.end()["refused"] == 1
        assert server.received == []
        with recording(tmp_path / "lax", *TRUST, "--tunnels", "pass") as run:
            assert run.ask(tunnel % server.port + said).endswith(b"\r\n\r\nand back")
            run.end()
        assert server.received == [said]


def test_broken_chunks_reach_no_record(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        head = b"POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" % server.url("upload").encode()
        assert status(run.ask(head + b"zz\r\nhello\r\n")) == 400
        run.end()
    assert server.uploaded == []


def test_many_idle_clients_do_no_harm(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        idle = [socket.create_connection(("127.0.0.1", run.port)) for _ in range(400)]
        assert run.curl(server.url()).stdout == PAGE
        for each in idle:
            each.close()
        run.end()


def fill(run: RecordRun, server: StreamServer, noise: Path) -> list[bytes]:
    """Upload until nothing more can be recorded; gives what the client was told each time."""
    codes: list[bytes] = []
    while len(codes) < 40 and run.process.poll() is None:
        noise.write_bytes(os.urandom(200_000))
        words = ("-o", "/dev/null", "-w", "%{http_code}", "-H", "Content-Type: a/b", "--data-binary", f"@{noise}")
        codes.append(run.curl(*words, server.url("upload")).stdout)
    return codes


def test_a_full_disk_ends_the_recording_and_says_so(tmp_path: Path) -> None:
    with filling_up(tmp_path / "full") as full, StreamServer() as server, recording(full, *TRUST) as run:
        fill(run, server, tmp_path / "noise")
        run.ended()
    assert run.process.returncode == 3
    assert "free some space" in run.said


def test_by_best_effort_clients_notice_nothing_of_a_full_disk(tmp_path: Path) -> None:
    words = (*TRUST, "--best-effort")
    with filling_up(tmp_path / "full") as full, StreamServer() as server, recording(full, *words) as run:
        codes = fill(run, server, tmp_path / "noise")
        summary = run.end()
    assert codes == [b"200"] * 40
    assert summary["gaps"] > 0
    assert "free some space" in summary["gap_reason"]
    assert run.process.returncode == 3


def test_certificates_are_kept_from_others(tmp_path: Path) -> None:
    with recording(tmp_path) as run:
        run.end()
    assert (run.authority / "webkeep-authority.key").stat().st_mode & 0o077 == 0
