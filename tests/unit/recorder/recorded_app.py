"""Applications called as a server would call them, and what the archive holds of them afterwards."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webkeep.model import Observation
from webkeep.recorder.asgi import ArchivingMiddleware
from webkeep.recorder.counters import RecordingOutcome
from webkeep.recorder.limits import RecorderLimits
from webkeep.recorder.recording_rules import RecorderRules
from webkeep.store.archive import Archive

Message = MutableMapping[str, Any]
Headers = Sequence[tuple[bytes, bytes]]
HTML = (b"content-type", b"text/html")
HOST = (b"host", b"example.org")


@dataclass
class Page:
    """An ASGI application that gives one answer, which can be changed."""

    body: bytes | list[bytes] = b"page"
    status: int = 200
    headers: Headers = (HTML,)
    breaks_off: BaseException | None = None
    is_cut: bool = False

    async def __call__(self, scope: Any, receive: Any, send: Callable[[Message], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        chunks = [self.body] if isinstance(self.body, bytes) else self.body
        for number, chunk in enumerate(chunks):
            more = number < len(chunks) - 1 or self.is_cut or self.breaks_off is not None
            await send({"type": "http.response.body", "body": chunk, "more_body": more})
        if self.breaks_off is not None:
            raise self.breaks_off


@dataclass
class Site:
    """A page with the middleware around it."""

    path: Path
    rules: RecorderRules = field(default_factory=RecorderRules)
    limits: RecorderLimits = field(default_factory=RecorderLimits)
    page: Page = field(default_factory=Page)

    def __post_init__(self) -> None:
        self.middleware = ArchivingMiddleware(self.page, self.path, self.rules, self.limits)

    def ask(self, target: str = "/", headers: Headers = (HOST,), method: str = "GET", **scope: Any) -> list[Message]:
        """Everything the server was sent in answer to a request."""
        path, _, query = target.partition("?")
        asked = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "http_version": "1.1",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": list(headers),
            "server": ("127.0.0.1", 80),
            **scope,
        }
        return self.call(asked)

    def call(self, scope: MutableMapping[str, Any]) -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request"}

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(self.middleware(scope, receive, send))
        return sent

    def counts(self) -> dict[str, int]:
        """What was counted, less what was not."""
        return {str(count): number for count, number in self.middleware.recorder.counts.items() if number}

    def kept(self) -> list[tuple[Observation, bytes]]:
        """What the archive holds once everything is written."""
        self.middleware.close()
        with Archive(self.path) as archive:
            return [(each, archive.read(each).read()) for each in archive.observations()]

    def bodies(self) -> list[bytes]:
        return [body for _, body in self.kept()]


__all__ = ["HOST", "HTML", "Page", "RecordingOutcome", "Site"]
