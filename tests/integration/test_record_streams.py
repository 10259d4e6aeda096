"""What takes its time through the recording proxy: it is passed on as it comes, and recorded as it came."""

import hashlib
import json
import os
import socket
import ssl
from pathlib import Path

import pytest
from fetcher_calls import TLS
from record_calls import RecordRun, kept, recording, requests, responses
from stream_server import FILE, PAGE, StreamServer

from webkeep.formats.http import FRAMES_TYPE


def tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "site.pem")
    return context


@pytest.fixture(params=["http", "https"])
def server(request: pytest.FixtureRequest) -> StreamServer:
    return StreamServer(tls() if request.param == "https" else None)


TRUST = ("--private", "--ca", TLS / "ca.pem")


def connected(run: RecordRun, server: StreamServer) -> socket.socket:
    """A connection that leads to the server's origin, through a tunnel where it is encrypted."""
    plain = socket.create_connection(("127.0.0.1", run.port), timeout=20)
    if server.url().startswith("http:"):
        return plain
    plain.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (server.port, server.port))
    assert received(plain, b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    return ssl.create_default_context(cafile=run.certificate).wrap_socket(plain, server_hostname="127.0.0.1")


def received(connection: socket.socket, until: bytes) -> bytes:
    data = b""
    while until not in data:
        chunk = connection.recv(65536)
        assert chunk, data
        data += chunk
    return data


def asked(server: StreamServer, path: str, *lines: str, method: str = "GET") -> bytes:
    return "\r\n".join(
        [f"{method} {server.url(path)} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *lines, "", ""]
    ).encode()


def test_an_event_stream_is_passed_on_event_by_event(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "events"))
            assert b"text/event-stream" in received(client, b"data: 0\n\n")
            server.tick()
            assert received(client, b"data: 1\n\n") == b"data: 1\n\n"
        assert server.vanished.wait(20), "the server is not told that its client is gone"
        event = run.until("stored")
        assert "the client went away" in event["reason"]
        run.end()
    (record,) = responses(run.archive)
    assert record.body == b"data: 0\n\ndata: 1\n\n"
    assert record.fields["WARC-Truncated"] == "disconnect"


def test_a_client_that_vanishes_leaves_the_part_that_came(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "flood"))
            received(client, b"ffff")
        assert server.vanished.wait(20)
        assert run.until("stored")["bytes"] < 2 << 30
        run.end()
    (record,) = responses(run.archive)
    assert record.fields["WARC-Truncated"] == "disconnect"
    assert set(record.body) == {ord("f")}


def test_a_slow_client_holds_the_server_back(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "flood"))
            received(client, b"ffff")
            for _ in range(50):  # other exchanges go on meanwhile, and show that the proxy has had time to fill up
                assert run.curl(server.url()).stdout == PAGE
            assert server.sent < 100 << 20, "the whole answer was taken though nobody read it"
        run.end()


def test_interim_answers_are_passed_on(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "early"))
            answer = received(client, b"late")
        run.end()
    assert answer.startswith(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n")


def test_an_upload_is_passed_on_while_it_comes(tmp_path: Path, server: StreamServer) -> None:
    body = os.urandom(3 << 20)
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "upload", f"Content-Length: {len(body)}", method="PUT"))
            client.sendall(body[: 1 << 20])
            assert server.first_of_upload.wait(20), "the server got nothing before all of it had come"
            client.sendall(body[1 << 20 :])
            answer = received(client, hashlib.sha256(body).hexdigest().encode())
        run.end()
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert server.uploaded == [body]
    (record,) = requests(run.archive)
    assert record.body == body


def test_a_chunked_upload_is_recorded_as_it_went_out(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "upload", "Transfer-Encoding: chunked", method="POST"))
            client.sendall(b"5\r\nhello\r\n")
            assert server.first_of_upload.wait(20)
            client.sendall(b"6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n")
            received(client, hashlib.sha256(b"hello world").hexdigest().encode())
        run.end()
    assert server.uploaded == [b"hello world"]
    (record,) = requests(run.archive)
    assert record.body == b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"


def test_a_client_that_waits_to_be_told_is_told_once(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "upload", "Content-Length: 5", "Expect: 100-continue", method="POST"))
            assert received(client, b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            client.sendall(b"hello")
            assert received(client, b"\r\n\r\n").startswith(b"HTTP/1.1 200 OK\r\n")
        run.end()
    assert server.uploaded == [b"hello"]


def test_ranges_and_heads_are_passed_on(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "file", "Range: bytes=10-19"))
            assert received(client, FILE[10:20]).startswith(b"HTTP/1.1 206 Partial Content\r\n")
            client.sendall(asked(server, "", method="HEAD") + asked(server, "missing"))
            answers = received(client, b"nothing here")
        summary = run.end()
    assert answers.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\n\r\nHTTP/1.1 404 Not Found\r\n" in answers
    assert summary["stored"] == 3


def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(tmp_path: Path, server: StreamServer) -> None:
    with server, recording(tmp_path, *TRUST) as run:
        done = run.curl(server.url("broken"))
        run.end()
    assert (done.returncode, done.stdout) == (18, b"ten bytes.")
    (record,) = responses(run.archive)
    assert (record.body, record.fields["WARC-Truncated"]) == (b"ten bytes.", "disconnect")


def masked(opcode: int, payload: bytes) -> bytes:
    key = b"\x01\x02\x03\x04"
    return (
        bytes([0x80 | opcode, 0x80 | len(payload)]) + key + bytes(byte ^ key[at % 4] for at, byte in enumerate(payload))
    )


def test_a_websocket_is_recorded_frame_by_frame(tmp_path: Path, server: StreamServer) -> None:
    handshake = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Cookie: secret=1")
    with server, recording(tmp_path, *TRUST) as run:
        with connected(run, server) as client:
            client.sendall(asked(server, "socket", *handshake, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
            assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in received(client, b"\r\n\r\n")
            for word in (b"one", b"two"):
                client.sendall(masked(1, word))
                assert received(client, word.upper()) == bytes([0x81, 3]) + word.upper()
            client.sendall(masked(8, b"\x03\xe8"))
            assert received(client, b"\x03\xe8") == b"\x88\x02\x03\xe8"
        run.until("stored")
        summary = run.end()
    url = server.url("socket").replace("http", "ws", 1)
    assert summary["sockets"] == 1
    records = [each for each in kept(run.archive) if each.url == url]
    assert sorted(each.kind for each in records) == ["request", "resource", "response"]
    (frames,) = [each for each in records if each.kind == "resource"]
    assert frames.fields["Content-Type"] == FRAMES_TYPE
    told = [json.loads(line) for line in frames.body.splitlines()]
    assert [(each["from"], each.get("text")) for each in told] == [
        ("client", "one"), ("server", "ONE"), ("client", "two"), ("server", "TWO"), ("client", None), ("server", None),
    ]  # fmt: skip
    (request,) = [each for each in records if each.kind == "request"]
    assert b"Cookie: [redacted]" in request.head + request.body
