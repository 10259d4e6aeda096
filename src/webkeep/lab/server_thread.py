"""A web application on a loopback port of this machine, served by a thread of its own; how many connections may wait,
and how long requests under way are given when it ends.
"""

from __future__ import annotations

import socket
import threading

import uvicorn
from starlette.types import ASGIApp

from webkeep.process import listen_error

LOOPBACK = "127.0.0.1"
_BACKLOG = 2048
"""Connections that wait to be taken; crawls open many at once."""
_SHUTDOWN_SECONDS = 2
"""Seconds that requests in flight are given when the server ends."""


def open_listener(port: int = 0) -> socket.socket:
    """A socket that already listens, so that the first request waits rather than fails; on any free port for 0."""
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it on, answers wait 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise listen_error(LOOPBACK, port, error) from error
    return listening


class ServerThread:
    """Serves an application on a listening socket from its start to its stop.

    An application that dates its answers itself, by a clock of its own, has the server add no fields.
    """

    def __init__(self, app: ASGIApp, listening: socket.socket, name: str, adds_fields: bool = True) -> None:
        self._socket = listening
        config = uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=adds_fields,
            date_header=adds_fields,
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name=name)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """End what is in flight, and close the port."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
