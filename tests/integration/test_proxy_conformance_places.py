"""Where clients of the recording proxy may go: to no private address, whatever it is called, and not to the proxy."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from long_recording import long_recording
from record_calls import RecordRun
from two_ends import Origin, client, status


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    with long_recording(tmp_path_factory.mktemp("places"), "--private") as run:
        yield run


@pytest.fixture(scope="module")
def closed_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecordRun]:
    """A proxy that does not lead to private addresses."""
    folder: Path = tmp_path_factory.mktemp("closed")
    with long_recording(folder, "--resolve", "inside.test:80:127.0.0.1", "--tunnels", "pass") as run:
        yield run


@pytest.fixture
def origin() -> Iterator[Origin]:
    with Origin() as origin:
        yield origin


WEBSOCKET = (
    b"Connection: keep-alive, Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)  # fmt: skip

FORBIDDEN = {
    "loopback": b"127.0.0.1:PORT",
    "another loopback": b"127.9.9.9:PORT",
    "loopback by name": b"localhost:PORT",
    "loopback in short": b"127.1:PORT",
    "loopback as a number": b"2130706433:PORT",
    "loopback in octal": b"0177.0.0.1:PORT",
    "loopback in hexadecimal": b"0x7f.1:PORT",
    "this machine": b"0.0.0.0:PORT",
    "loopback of version 6": b"[::1]:PORT",
    "version 4 in version 6": b"[::ffff:127.0.0.1]:PORT",
    "this machine of version 6": b"[::]:PORT",
    "a private network": b"10.0.0.1:80",
    "another private network": b"192.168.0.1:80",
    "the cloud's own": b"169.254.169.254",
    "carrier-grade": b"100.64.0.1:80",
    "version 6 of one's own": b"[fd00::1]:80",
    "the neighbourhood": b"[fe80::1]:80",
    "all at once": b"255.255.255.255:80",
    "many at once": b"224.0.0.1:80",
}  # fmt: skip


@pytest.mark.parametrize("place", FORBIDDEN.values(), ids=FORBIDDEN)
def test_private_addresses_are_closed_whatever_they_are_called(
    closed_run: RecordRun, origin: Origin, place: bytes
) -> None:
    name = place.replace(b"PORT", b"%d" % origin.port)
    with client(closed_run.port) as asking:
        asking.send(b"GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n" % name)
        assert status(asking.rest()) in (400, 403)
    assert origin.is_alone


@pytest.mark.parametrize("place", FORBIDDEN.values(), ids=FORBIDDEN)
def test_tunnels_do_not_lead_to_private_addresses(closed_run: RecordRun, origin: Origin, place: bytes) -> None:
    name = place.replace(b"PORT", b"%d" % origin.port)
    name = name if b":" in name.rpartition(b"]")[2] else name + b":80"
    with client(closed_run.port) as asking:
        asking.send(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % name)
        head = asking.head()
        if status(head) == 200:
            asking.send(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % name)
            assert status(asking.rest()) in (400, 403)
        else:
            assert status(head) in (400, 403)
    assert origin.is_alone


@pytest.mark.parametrize("place", FORBIDDEN.values(), ids=FORBIDDEN)
def test_websockets_do_not_lead_to_private_addresses(closed_run: RecordRun, origin: Origin, place: bytes) -> None:
    name = place.replace(b"PORT", b"%d" % origin.port)
    with client(closed_run.port) as asking:
        asking.send(b"\r\n".join([b"GET http://%s/ HTTP/1.1" % name, b"Host: x", *WEBSOCKET, b"", b""]))
        answer = asking.rest()
    assert status(answer) in (400, 403) or b"closed to clients" in answer
    assert origin.is_alone


@pytest.mark.parametrize("place", FORBIDDEN.values(), ids=FORBIDDEN)
def test_tunnels_of_any_kind_do_not_lead_to_private_addresses(
    closed_run: RecordRun, origin: Origin, place: bytes
) -> None:
    name = place.replace(b"PORT", b"%d" % origin.port)
    name = name if b":" in name.rpartition(b"]")[2] else name + b":80"
    with client(closed_run.port) as asking:
        asking.send(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % name)
        if status(asking.head()) == 200:
            asking.send(b"\x01neither TLS nor HTTP")
            assert asking.rest() == b""
    assert origin.is_alone


def test_what_is_opened_is_open_by_its_name_and_port_alone(closed_run: RecordRun, origin: Origin) -> None:
    for place in (b"inside.test:%d" % origin.port, b"127.0.0.1:%d" % origin.port):
        with client(closed_run.port) as asking:
            asking.send(b"GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n" % place)
            assert status(asking.rest()) in (403, 502)
    assert origin.is_alone


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2", "[::ffff:127.0.0.1]", "0.0.0.0"])
def test_9110_7_6_3_the_proxy_does_not_ask_itself(run: RecordRun, host: str) -> None:
    own = f"{host}:{run.port}".encode()
    with client(run.port) as asking:
        asking.send(b"GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n" % own)
        assert status(asking.rest()) in (403, 502)
    with client(run.port) as asking:
        asking.send(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n" % own)
        assert status(asking.head()) in (200, 403)
        asking.send(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % own)
        assert status(asking.rest()) in (403, 502)


def test_9112_3_2_1_origin_form_is_for_the_proxy_itself(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"GET /anything HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode())
        assert status(asking.rest()) in (400, 404, 421)
    assert origin.is_alone


def test_9112_3_2_4_asterisk_form_is_for_the_proxy_itself(run: RecordRun, origin: Origin) -> None:
    with client(run.port) as asking:
        asking.send(b"OPTIONS * HTTP/1.1\r\nHost: %s\r\n\r\n" % origin.name.encode())
        assert status(asking.rest()) in (200, 204, 501)
    assert origin.is_alone
