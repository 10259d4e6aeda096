"""Many clients of the recording proxy at a time, most of whom say nothing."""

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from record_calls import recording
from stream_server import PAGE, StreamServer
from test_record_streams import TRUST, received

_SPARE = 300
"""Descriptors that are needed for other things."""


@contextmanager
def as_many_files_as_may_be() -> Iterator[int]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def anonymous_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("RssAnon"))) / 1024


def test_ten_thousand_idle_clients_do_no_harm(tmp_path: Path) -> None:
    with as_many_files_as_may_be() as files, StreamServer() as server, recording(tmp_path, *TRUST) as run:
        count = min(10_000, files - _SPARE)
        with ExitStack() as stack:
            before = anonymous_mb(run.process.pid)
            for _ in range(count):
                stack.enter_context(socket.create_connection(("127.0.0.1", run.port), timeout=20))
            client = stack.enter_context(socket.create_connection(("127.0.0.1", run.port), timeout=20))
            client.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % server.url().encode())
            assert received(client, PAGE[-20:]).startswith(b"HTTP/1.1 200 OK\r\n")
            grown = anonymous_mb(run.process.pid) - before
            assert grown < 100, f"{count} clients that say nothing take {grown:.0f} MB"
        assert run.end()["stored"] == 1


def test_many_clients_that_began_a_head_do_no_harm(tmp_path: Path) -> None:
    with StreamServer() as server, recording(tmp_path, *TRUST) as run:
        with ExitStack() as stack:
            for _ in range(400):
                begun = stack.enter_context(socket.create_connection(("127.0.0.1", run.port), timeout=20))
                begun.sendall(b"GET http://a.test/ HTTP/1.1\r\nHos")
            assert run.curl(server.url()).stdout == PAGE
        assert run.end()["stored"] == 1
