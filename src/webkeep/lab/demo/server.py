"""The demo server: the site on a loopback port, in a thread of its own."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from types import TracebackType

import uvicorn

from webkeep.clock import SystemClock
from webkeep.errors import UsageError, WebkeepError
from webkeep.lab.demo.addresses import Addresses
from webkeep.lab.demo.answer import Desk
from webkeep.lab.demo.app import DemoApp
from webkeep.lab.demo.served import LogFile, Ring, Served
from webkeep.lab.demo.site import DemoSite
from webkeep.lab.demo.validators import Validators
from webkeep.model import Clock
from webkeep.process.ports import not_listening

LOOPBACK = "127.0.0.1"
_PATIENCE = 2
"""Seconds that requests in flight are given when the server ends."""


class DemoServer:
    """Serves a site while the `with` block lasts; port 0 takes any free one."""

    def __init__(
        self,
        site: DemoSite,
        port: int = 0,
        clock: Clock | None = None,
        validators: Validators = Validators.HONEST,
        log: Path | None = None,
    ) -> None:
        self.site = site
        self._log = LogFile(log) if log else Ring()
        try:
            self._socket = _listening(port)
        except WebkeepError:
            self._log.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        self.addresses = Addresses.on_port(self.port, site.plan.spread)
        self._app = DemoApp(Desk(site, self.addresses, validators), clock or SystemClock(), self._log)
        self._server = uvicorn.Server(_config(self._app))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="demo site")

    @property
    def url(self) -> str:
        """The front page."""
        return f"{self.addresses.origin}/"

    @property
    def requests(self) -> int:
        """How many requests were answered, control addresses aside."""
        return self._app.requests

    def served(self) -> list[Served]:
        """Every answer still kept, oldest first: all of them with a log file, else the last hundred thousand."""
        return list(self._log)

    def __enter__(self) -> DemoServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
        self._log.close()


def _listening(port: int) -> socket.socket:
    """A socket that already listens, so that the first request waits rather than fails."""
    if not 0 <= port <= 65535:
        raise UsageError(f"there is no port {port}; choose one from 1 to 65535 with --port")
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it on, answers wait 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise not_listening(LOOPBACK, port, error) from error
    return listening


def _config(app: DemoApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
