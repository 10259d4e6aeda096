"""A canary: whoever comes to it has left the archive; and the names that a browser looked up on its way there."""

from __future__ import annotations

import json
import re
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_NAME = re.compile(rb"w(\d+)(?:k(\d+))?\.canary\.test")
# Not where it is escaped in an address of ours, nor where it is part of a path there.
_LOOKED_UP = re.compile(r"(?<![0-9A-Za-z])(?<!/http/)w\d+(?:k\d+)?\.canary\.test")
_TYPE = re.compile(r'"type":(\d+)[,}]')
_NOWHERE = b"999"


@dataclass
class Canary:
    """Notes whoever comes, by TCP or by UDP."""

    port: int = 0
    names: set[tuple[int, int]] = field(default_factory=set)
    """The ways whose name was in what came, and the kinds of answers that they came from."""
    visits: int = 0
    """How many came, with or without a word."""

    def take(self, data: bytes) -> None:
        """Look for a way's name in what came."""
        self.names |= {(int(way), int(kind or _NOWHERE)) for way, kind in _NAME.findall(data)}

    def forget(self) -> None:
        """Begin anew."""
        self.names, self.visits = set(), 0


@contextmanager
def listening() -> Iterator[Canary]:
    """A canary on a free port."""
    with (
        socket.create_server(("127.0.0.1", 0), backlog=500) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        canary = Canary(tcp.getsockname()[1])
        udp.bind(("127.0.0.1", canary.port))
        ended = threading.Event()
        thread = threading.Thread(target=_listen, args=(canary, tcp, udp, ended))
        thread.start()
        try:
            yield canary
        finally:
            ended.set()
            thread.join()


def _listen(canary: Canary, tcp: socket.socket, udp: socket.socket, ended: threading.Event) -> None:
    guests: list[socket.socket] = []
    while not ended.is_set():
        for ready in select.select([tcp, udp, *guests], [], [], 0.2)[0]:
            if ready is tcp:
                guests.append(tcp.accept()[0])
                canary.visits += 1
            elif ready is udp:
                canary.take(udp.recvfrom(65536)[0])
                canary.visits += 1
            else:
                _hear(canary, ready)
                guests.remove(ready)
                ready.close()
    for guest in guests:
        guest.close()


def _hear(canary: Canary, guest: socket.socket) -> None:
    try:
        data = guest.recv(65536)
        canary.take(data)
        if data:
            guest.send(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    except OSError:
        return  # that it came is known


def looked_up(log: Path) -> set[str]:
    """The canary's names in the events of a network log that have to do with finding or reaching hosts."""
    text = log.read_text("utf-8", "replace")
    kinds = json.loads(_repaired(text))["constants"]["logEventTypes"]
    ways_out = ("HOST_RESOLVER", "DNS_", "SOCKET", "TCP_CONNECT")
    wanted = {number for name, number in kinds.items() if name.startswith(ways_out)}
    found: set[str] = set()
    for line in text.splitlines():
        kind = _TYPE.search(line) if "canary.test" in line else None
        if kind is not None and int(kind[1]) in wanted:
            found |= set(_LOOKED_UP.findall(line))
    return found


def _repaired(text: str) -> str:
    """The log as JSON, also where Chromium was ended before it wrote the last line."""
    head = text.partition('"events": [')[0]
    return head + '"events": []}'
