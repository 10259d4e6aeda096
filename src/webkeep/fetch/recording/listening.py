"""Where a proxy listens, taken before anything else is begun."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from webkeep.process.ports import not_listening

BACKLOG = 4096
"""How many clients may wait to be let in."""


def listening(host: str, port: int) -> list[socket.socket]:
    """Sockets on all addresses of a host, which clients can connect to from now on; port 0 for any that is free."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        with ExitStack() as failing:
            sockets: list[socket.socket] = []
            for family, *_, address in dict.fromkeys(found):
                # With any port wanted, all addresses are to have the one that the first was given.
                place = (address[0], port, *address[2:])
                taken = socket.create_server(place, family=family, backlog=BACKLOG)
                failing.callback(taken.close)
                # Connections have it from here; without it, what a stream says next waits for what it said before.
                taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                port = port or taken.getsockname()[1]
                sockets.append(taken)
            failing.pop_all()
    except OSError as error:
        raise not_listening(host, port, error) from error
    return sockets
