"""Simulated archives on loopback ports, each in a thread of its own: the product cannot tell them from real ones."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from types import TracebackType
from typing import Self

import uvicorn

from webkeep.lab.recovery.archive_app import ArchiveApp
from webkeep.lab.recovery.shelf import Shelf
from webkeep.recover.repository_traits import Traits

_LOOPBACK = "127.0.0.1"
_PATIENCE = 2


class ArchiveServer:
    """Serves a shelf while the `with` block lasts, on any free port."""

    def __init__(self, traits: Traits, shelf: Shelf) -> None:
        self._name = traits.name
        self._socket = socket.create_server((_LOOPBACK, 0), backlog=2048)
        port = self._socket.getsockname()[1]
        self.root = f"http://{_LOOPBACK}:{port}"
        self._app = ArchiveApp(traits, shelf, self.root)
        config = uvicorn.Config(
            self._app, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False,
            timeout_graceful_shutdown=_PATIENCE,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name=traits.name)

    @property
    def as_index(self) -> str:
        """How it is named where its index is to be asked."""
        return f"cdx={self.root}/cdx name={self._name}"

    @property
    def as_memento(self) -> str:
        """How it is named where only Memento is to be spoken."""
        return f"memento={self.root} name={self._name}-memento"

    @property
    def requests(self) -> Counter[str]:
        """What it was asked, by the first part of the path."""
        return self._app.requests

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
